package io.hxb.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class QueueLimitTest {
    private static final int MAX = 2 << 20;
    private static final int LONG_QUEUE = 600_000;
    private static final int LINKS = 2;
    private static final long GBIT_BYTES_A_MS = 125_000;
    private static final long WINDOW_MS = 25;
    private static final long MS = 1_000_000;

    private final QueueLimit limit = new QueueLimit(LINKS, MAX);
    private final long[] left = new long[LINKS];
    private long nowNs = 7;

    @Test
    void shouldLetWaitWhatTheFastestLinkSendsInTwoMilliseconds() {
        // given
        begin(LONG_QUEUE);
        // when
        assertTrue(pass(GBIT_BYTES_A_MS / 10, GBIT_BYTES_A_MS, LONG_QUEUE, false));
        // then
        assertEquals(2 * GBIT_BYTES_A_MS, limit.bytes());
    }

    @Test
    void shouldLeaveShortQueuesAlone() {
        // given
        begin(200_000);
        // when, then
        assertFalse(pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, 200_000, false));
        assertFalse(pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, 0, false));
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldGrowWhenAFullLinkHasRunEmpty() {
        // given
        begin(LONG_QUEUE);
        pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, LONG_QUEUE, false);
        final int before = limit.bytes();
        // when, then
        assertTrue(pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, 0, true));
        assertEquals(2 * before, limit.bytes());
    }

    @Test
    void shouldNotGrowWhenThereWasTooLittleToSend() {
        // given
        begin(LONG_QUEUE);
        pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, LONG_QUEUE, false);
        // when, then
        assertFalse(pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, 0, false));
    }

    @Test
    void shouldNeitherExceedWhatIsConfiguredNorFallBelowTwoTrains() {
        // given
        begin(LONG_QUEUE);
        // when, then
        assertTrue(pass(1, 1, LONG_QUEUE, false));
        assertEquals(QueueLimit.MIN_BYTES, limit.bytes());
        for (int i = 0; i < 10; i++) {
            pass(GBIT_BYTES_A_MS, GBIT_BYTES_A_MS, 0, true);
        }
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldMeasureNeitherBurstsNorPauses() {
        // given
        begin(LONG_QUEUE);
        // when, then
        assertFalse(limit.begin(nowNs + MS));
        nowNs += 3_000 * MS;
        assertFalse(pass(1, 1, LONG_QUEUE, false));
        assertEquals(MAX, limit.bytes());
    }

    @Test
    void shouldKeepALimitThatIsConfiguredBelowTwoTrains() {
        // given
        final QueueLimit small = new QueueLimit(1, 32 << 10);
        small.begin(0);
        small.look(0, 40_000, 40_000, false);
        small.end(0);
        // when
        small.begin(WINDOW_MS * MS);
        small.look(0, 41_000, 40_000, false);
        // then
        assertFalse(small.end(WINDOW_MS * MS));
        assertEquals(32 << 10, small.bytes());
    }

    private void begin(final long unsentBytes) {
        assertTrue(limit.begin(nowNs));
        for (int link = 0; link < LINKS; link++) {
            limit.look(link, unsentBytes, unsentBytes, false);
        }
        assertFalse(limit.end(nowNs));
    }

    private boolean pass(
            final long firstBytesAMs,
            final long secondBytesAMs,
            final long unsentBytes,
            final boolean isBlocked) {
        nowNs += WINDOW_MS * MS;
        left[0] += firstBytesAMs * WINDOW_MS;
        left[1] += secondBytesAMs * WINDOW_MS;
        assertTrue(limit.begin(nowNs));
        for (int link = 0; link < LINKS; link++) {
            limit.look(link, left[link] + unsentBytes, unsentBytes, isBlocked);
        }
        return limit.end(nowNs);
    }
}
