package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.testing.TestFrames;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two neighbours announce of their links, whatever number each begins with. */
@Tag("unit")
class StatusExchangeTest {
    private static final long MS = 1_000_000;
    private static final int LINKS = 2;

    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private final TestFrames frames = new TestFrames();
    private final long body = frames.frame(0, 0, 0);

    private static StatusExchange startingAt(final int start) {
        return new StatusExchange(TrunkWorld.CONFIG, LINKS, start, 0);
    }

    private void announce(final StatusExchange from) {
        from.write(status.wrap(body).clear(LINKS), 0);
    }

    private void announce(final StatusExchange from, final StatusExchange to) {
        announce(from);
        assertTrue(to.isConsistent(status), "honest words are consistent");
        to.onStatus(status, status.linkNumber(), 3, 0);
    }

    @Test
    void shouldBeginWithTheNumberAfterTheOneThatWasDrawn() {
        announce(startingAt(77));
        assertEquals(78, status.sequence());
        announce(startingAt(-1));
        assertEquals(1, status.sequence(), "0 is none");
        assertEquals(0, status.acknowledgement());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 77, -4, -1, Integer.MAX_VALUE - 2, Integer.MIN_VALUE})
    void shouldRepeatAnnouncementsUntilTheyAreAcknowledged(final int start) {
        // given
        final StatusExchange one = startingAt(start);
        final StatusExchange other = startingAt(~start);
        long nowNs = 0;
        for (int change = 1; change <= 8; change++) {
            // when
            one.announce(change & 3, change, nowNs);
            assertNotEquals(0, one.due(3, 3, 0, 0, 20 * MS, nowNs));
            nowNs += 5 * MS;
            assertNotEquals(0, one.due(3, 3, 0, 0, 20 * MS, nowNs), "announced again");
            announce(one, other);
            assertEquals(change & 3, status.failed());
            announce(other, one);
            one.due(3, 3, 0, 0, 20 * MS, nowNs);
            // then
            nowNs += 10 * MS;
            assertEquals(0, one.due(3, 3, 0, 0, 20 * MS, nowNs), "change " + change);
        }
    }

    @Test
    void shouldAcceptOnlyPeersThatHaveHeardWhatWasAnnounced() {
        // given
        final StatusExchange one = startingAt(1_000);
        final StatusExchange other = startingAt(5_000);
        one.announce(0, 1, 0);
        announce(one, other);
        announce(other, one);
        // then: 1,001 was announced first and 1,002 last
        for (final int heard : new int[] {0, 1_000, 1_003, -1, Integer.MAX_VALUE}) {
            announce(other);
            status.acknowledgement(heard);
            assertFalse(one.isConsistent(status), "acknowledges " + heard);
        }
        for (final int heard : new int[] {1_001, 1_002}) {
            announce(other);
            status.acknowledgement(heard);
            assertTrue(one.isConsistent(status), "acknowledges " + heard);
        }
    }
}
