package io.hxb.link.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class QueueLimitTest {
    private static final int MAX = 1 << 20;
    private static final int LONG_QUEUE = 600_000;
    private static final long GBIT_BYTES_A_MS = 125_000;
    private static final long WINDOW_MS = 25;
    private static final long MS = 1_000_000;

    private final QueueLimit limit = new QueueLimit(MAX);
    private long nowNs = 7;
    private long left;

    @Test
    void shouldLetWaitWhatLinkSendsInTwoMilliseconds() {
        // given
        begin(LONG_QUEUE);
        // when
        assertTrue(pass(GBIT_BYTES_A_MS, LONG_QUEUE));
        // then: the kernel doubles it
        assertEquals(GBIT_BYTES_A_MS, limit.bytes());
    }

    @Test
    void shouldLeaveShortQueueAlone() {
        // given
        begin(200_000);
        // when, then
        assertFalse(pass(GBIT_BYTES_A_MS, 200_000));
        assertFalse(pass(GBIT_BYTES_A_MS, 0));
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldGrowWhenFullBufferHasRunEmpty() {
        // given
        begin(LONG_QUEUE);
        pass(GBIT_BYTES_A_MS, LONG_QUEUE);
        final int before = limit.bytes();
        // when
        limit.onBlocked();
        // then
        assertTrue(pass(GBIT_BYTES_A_MS, 0));
        assertEquals(2 * before, limit.bytes());
    }

    @Test
    void shouldNotGrowWhenThereWasTooLittleToSend() {
        // given
        begin(LONG_QUEUE);
        pass(GBIT_BYTES_A_MS, LONG_QUEUE);
        // when, then
        assertFalse(pass(GBIT_BYTES_A_MS, 0));
    }

    @Test
    void shouldNeitherExceedWhatIsConfiguredNorFallBelowTwoTrains() {
        // given
        begin(LONG_QUEUE);
        // when, then
        assertTrue(pass(1, LONG_QUEUE));
        assertEquals(QueueLimit.MIN_BYTES, limit.bytes());
        for (int i = 0; i < 10; i++) {
            limit.onBlocked();
            pass(GBIT_BYTES_A_MS, 0);
        }
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldMeasureNeitherBurstsNorPauses() {
        // given
        begin(LONG_QUEUE);
        // when, then
        assertFalse(limit.look(1 << 20, LONG_QUEUE, nowNs + MS));
        assertFalse(limit.look(1 << 20, LONG_QUEUE, nowNs + 3_000 * MS));
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldKeepBufferThatIsConfiguredSmallerThanTwoTrains() {
        // given
        final QueueLimit small = new QueueLimit(16 << 10);
        small.look(40_000, 40_000, 0);
        // when, then
        assertFalse(small.look(41_000, 40_000, WINDOW_MS * MS));
        assertEquals(16 << 10, small.bytes());
    }

    @Test
    void shouldLeaveBufferAloneThatCannotBeChanged() {
        // given
        begin(LONG_QUEUE);
        limit.keep();
        // when, then
        assertFalse(pass(GBIT_BYTES_A_MS, LONG_QUEUE));
    }

    private void begin(final long unsentBytes) {
        assertFalse(limit.look(unsentBytes, unsentBytes, nowNs));
    }

    private boolean pass(final long bytesAMs, final long unsentBytes) {
        nowNs += WINDOW_MS * MS;
        left += bytesAMs * WINDOW_MS;
        return limit.look(left + unsentBytes, unsentBytes, nowNs);
    }
}
