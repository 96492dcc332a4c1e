package io.hxb.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.link.LinkSender;
import io.hxb.testing.RecordingLink;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

@Tag("unit")
class TrunkSenderTest {
    private static final int NEIGHBOUR = 3;

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
    void shouldTellBlockedFromUnreachable() {
        // given
        reachOver(1);
        links[1].block(true);
        // when, then
        assertEquals(TrunkSender.BLOCKED, offer(1));
        assertEquals(TrunkSender.NO_ROUTE, trunk.offer(4, 0, 0, 64, 0, 0, token -> {}, 0));
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

    private void reachOver(final int... indexes) {
        for (final int index : indexes) {
            ports[index].set(NEIGHBOUR, LinkState.GOOD, LinkReason.HELLO);
        }
    }

    private int offer(final int count) {
        int last = 0;
        for (int i = 0; i < count; i++) {
            last = trunk.offer(NEIGHBOUR, 0, 0, 64, 0, 0, token -> {}, i);
        }
        return last;
    }
}
