package io.hxb.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.testing.RecordingLink;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

@Tag("unit")
class TrunkSenderTest {
    private static final int NEIGHBOUR = 3;
    private static final int FRAME_BYTES = 8 << 10;
    private static final int SHORT_BYTES = 128;

    private final MemorySegment header = Arena.ofAuto().allocate(SHORT_BYTES, 8);

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
                trunk.offer(4, 0, new OutgoingFrame().wrap(header.address(), 64, token -> {}, 0)));
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

    @Test
    void shouldSendShortFramesOfIdleFlowsAheadWhereTheLeastWaits() {
        // given: all are full
        reachOver(0, 1, 2);
        links[0].unsentBytes(300_000);
        links[1].unsentBytes(100_000);
        links[2].unsentBytes(200_000);
        block(true);
        offer(1);
        // when, then
        assertEquals(1, offerShort(FrameType.DATA, FrameHeaderFlyweight.FLAG_SPARSE));
        assertEquals(1, offerShort(FrameType.ACK, 0));
        assertEquals(2, links[1].ahead().size());
        assertEquals(2, trunk.sentFrames(1, NEIGHBOUR));
        assertEquals(TrunkSender.BLOCKED, offerShort(FrameType.DATA, 0));
        assertEquals(TrunkSender.BLOCKED, offerShort(FrameType.FRAGMENT, 0));
    }

    @Test
    void shouldCountFramesAndBytesByNeighbour() {
        // given
        final Counters counters =
                Counters.inMemory(
                        new CounterLabels(
                                "lab",
                                1,
                                0,
                                0,
                                1,
                                Arrays.stream(links)
                                        .map(
                                                link ->
                                                        new CounterLabels.LinkLabel(
                                                                0, link.index(), "nic", 5, 1))
                                        .toList()),
                        1);
        trunk.addCounters(counters.ofLoop(0));
        reachOver(0, 1, 2);
        // when
        offer(6);
        trunk.offerOnLink(
                2, NEIGHBOUR, new OutgoingFrame().wrap(header.address(), 100, token -> {}, 0));
        trunk.offer(4, 0, new OutgoingFrame().wrap(header.address(), 64, token -> {}, 0));
        counters.ofLoop(0).publish();
        // then: nobody is reached as neighbour 4
        for (int link = 0; link < links.length; link++) {
            final int place = link * 5 + NEIGHBOUR;
            final int extra = link == 2 ? 1 : 0;
            assertEquals(
                    2 + extra,
                    counters.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES, place),
                    "link " + link);
            assertEquals(
                    2 * FRAME_BYTES + extra * 100,
                    counters.sum(CounterType.LINK_NEIGHBOUR_SENT_BYTES, place));
        }
        assertEquals(7, counters.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES));
    }

    @Test
    void shouldGoRoundWithShortFramesWhereNothingWaits() {
        // given
        reachOver(0, 1, 2);
        links[0].unsentBytes(300_000);
        offer(1);
        links[0].unsentBytes(0);
        // when
        for (int i = 0; i < 9; i++) {
            offerShort(FrameType.DATA, FrameHeaderFlyweight.FLAG_SPARSE);
        }
        // then
        for (final RecordingLink link : links) {
            assertEquals(0, link.ahead().size());
            assertTrue(link.offers().size() > 1, link.name());
        }
    }

    @Test
    void shouldLetNoMoreThanAPartGoAhead() {
        // given
        reachOver(0, 1, 2);
        for (final RecordingLink link : links) {
            link.unsentBytes(300_000);
        }
        // when: bulk data of 1 MB, and as much in short frames that say they are of idle flows
        for (int i = 0; i < 1_000; i++) {
            offer(1);
            for (int j = 0; j < FRAME_BYTES / SHORT_BYTES; j++) {
                offerShort(FrameType.DATA, FrameHeaderFlyweight.FLAG_SPARSE);
            }
        }
        // then
        final int ahead = Arrays.stream(links).mapToInt(link -> link.ahead().size()).sum();
        final int all = 1_000 * (1 + FRAME_BYTES / SHORT_BYTES);
        assertTrue(ahead > all / 16, ahead + " of " + all);
        assertTrue(ahead * SHORT_BYTES < 2 * 1_000 * FRAME_BYTES / 7, ahead + " of " + all);
    }

    private int offerShort(final int type, final int flags) {
        new FrameHeaderFlyweight().wrap(header.address()).clear().type(type).flags(flags);
        return trunk.offer(
                NEIGHBOUR,
                0,
                new OutgoingFrame().wrap(header.address(), SHORT_BYTES, token -> {}, 0));
    }

    private void block(final boolean isBlocked) {
        for (final RecordingLink link : links) {
            link.block(isBlocked);
        }
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
