package io.hxb.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.RecordingLink;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

@Tag("unit")
class TrunkSenderTest {
    private static final int NEIGHBOUR = 3;
    private static final int FRAME_BYTES = 8 << 10;

    private final RecordingLink[] links = {
        new RecordingLink(0), new RecordingLink(1), new RecordingLink(2)
    };
    private final Port[] ports =
            Arrays.stream(links).map(link -> new Port(link, 0, link.index())).toArray(Port[]::new);
    private final TrunkSender trunk =
            new TrunkSender(
                    ports,
                    Arrays.stream(links).map(link -> link.newSender(8)).toArray(LinkSender[]::new));

    @Test
    void shouldSpreadFramesRoundRobinOverAllLinks() {
        // given
        reachOver(0, 1, 2);
        // when
        offer(6);
        // then
        for (final RecordingLink link : links) {
            assertEquals(2, link.offers().size(), link.name());
        }
    }

    @Test
    void shouldPassOverLinksThatAreBlockedOrDown() {
        // given
        reachOver(0, 1, 2);
        links[0].block(true);
        links[1].up(false);
        // when
        offer(4);
        // then
        assertEquals(4, links[2].offers().size());
    }

    @Test
    void shouldDistinguishBlockedFromUnreachable() {
        // given
        reachOver(1);
        links[1].block(true);
        // when, then
        assertEquals(TrunkSender.BLOCKED, offer(1));
        assertEquals(
                TrunkSender.NO_ROUTE,
                trunk.offer(4, 0, new OutgoingFrame().wrap(0, 64, token -> {}, 0)));
    }

    @Test
    void shouldGiveLessToLinkThatHasMoreToSendThanAnother() {
        // given
        reachOver(0, 1, 2);
        links[0].unsentBytes(300_000);
        links[1].unsentBytes(50_000);
        // when
        offer(45);
        // then
        assertEquals(9, links[0].offers().size());
        assertEquals(18, links[1].offers().size());
        assertEquals(18, links[2].offers().size());
    }

    @Test
    void shouldGiveFullLinkItsShareAgainWhenOthersHaveAsMuch() {
        // given
        reachOver(0, 1, 2);
        links[0].unsentBytes(300_000);
        offer(45);
        // when
        links[0].unsentBytes(30_000);
        offer(48);
        links[0].offers().clear();
        offer(48);
        // then
        assertEquals(16, links[0].offers().size());
    }

    @Test
    void shouldUseFullerLinkWhenNoOtherTakesFrames() {
        // given
        reachOver(0, 1, 2);
        links[0].unsentBytes(300_000);
        links[1].block(true);
        links[2].block(true);
        // when
        offer(100);
        // then
        assertEquals(100, links[0].offers().size());
    }

    @Test
    void shouldGiveLinksThatSendTrainsSeveralFramesInARow() {
        // given
        reachOver(0, 1, 2);
        sendTrains();
        trunk.announceBulk(24 * FRAME_BYTES);
        // when, then
        assertEquals(List.of(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0), links(13));
    }

    @Test
    void shouldSpreadBulkThatIsTooLittleForRuns() {
        // given
        reachOver(0, 1, 2);
        sendTrains();
        trunk.announceBulk(6 * FRAME_BYTES);
        // when, then
        assertEquals(List.of(0, 0, 1, 1, 2, 2), links(6));
    }

    @Test
    void shouldGoRoundWithEachFrameBeforeAndAfterBulk() {
        // given
        reachOver(0, 1, 2);
        sendTrains();
        // when, then
        assertEquals(List.of(0, 1), links(2));
        trunk.announceBulk(24 * FRAME_BYTES);
        assertEquals(List.of(2, 2), links(2));
        trunk.announceBulk(0);
        assertEquals(List.of(0, 1, 2, 0), links(4));
    }

    @Test
    void shouldGoRoundWithEachFrameOverLinksWithoutTrains() {
        // given
        reachOver(0, 1, 2);
        trunk.announceBulk(24 * FRAME_BYTES);
        // when, then
        assertEquals(List.of(0, 1, 2, 0), links(4));
    }

    @Test
    void shouldGoOnWithAnotherLinkWhenOneIsBlockedInItsRun() {
        // given
        reachOver(0, 1, 2);
        sendTrains();
        trunk.announceBulk(24 * FRAME_BYTES);
        offer(2);
        // when
        links[0].block(true);
        // then
        assertEquals(List.of(1, 1, 1, 1, 2), links(5));
    }

    @Test
    void shouldCountRunsForWeights() {
        // given
        reachOver(0, 1, 2);
        ports[0].setWeight(NEIGHBOUR, Port.FULL_WEIGHT / 4);
        sendTrains();
        trunk.announceBulk(1000 * FRAME_BYTES);
        // when
        offer(900);
        // then: one turn after twelve of others
        assertEquals(900 / 13.0, links[0].offers().size(), 4);
    }

    private void sendTrains() {
        for (final RecordingLink link : links) {
            link.sendTrains();
        }
    }

    private List<Integer> links(final int count) {
        return IntStream.range(0, count).mapToObj(i -> offer(1)).toList();
    }

    private void reachOver(final int... indexes) {
        for (final int index : indexes) {
            ports[index].set(NEIGHBOUR, LinkState.GOOD, LinkReason.HELLO);
        }
    }

    private int offer(final int count) {
        int last = 0;
        for (int i = 0; i < count; i++) {
            last =
                    trunk.offer(
                            NEIGHBOUR,
                            0,
                            new OutgoingFrame()
                                    .wrap(0, 64, token -> {}, i)
                                    .payload(0, FRAME_BYTES - 64));
        }
        return last;
    }
}
