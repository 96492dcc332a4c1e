package io.hxb.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the clock shows at the beginning: its zero is anywhere, and it overflows. */
@Tag("unit")
class TokenBucketTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BURST = 10;

    private final TokenBucket bucket = new TokenBucket(BURST, SECOND);

    private int taken(final long nowNs, final int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += bucket.take(nowNs) ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, -5 * SECOND, Long.MAX_VALUE - 3 * SECOND, Long.MIN_VALUE})
    void shouldAllowABurstAndThenOneAnInterval(final long beginNs) {
        assertEquals(BURST, taken(beginNs, 1_000));
        assertEquals(0, taken(beginNs + SECOND - 1, 1_000));
        for (int second = 1; second < 100; second++) {
            assertEquals(1, taken(beginNs + second * SECOND, 1_000), "second " + second);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -5 * SECOND, Long.MAX_VALUE - 3 * SECOND})
    void shouldHoldNoMoreThanABurstAfterAPause(final long beginNs) {
        // given
        taken(beginNs, 100);
        assertFalse(bucket.isFull(beginNs + BURST * SECOND - 1));
        // when
        final long laterNs = beginNs + 1_000 * SECOND;
        // then
        assertTrue(bucket.isFull(laterNs));
        assertEquals(BURST, taken(laterNs, 100));
        assertFalse(bucket.isFull(laterNs));
    }

    @Test
    void shouldReportHowManyTokensThereAre() {
        assertTrue(bucket.has(0, BURST));
        taken(0, 4);
        assertTrue(bucket.has(0, 6));
        assertFalse(bucket.has(0, 7));
        assertTrue(bucket.has(SECOND, 7));
    }

    @Test
    void shouldHaveNothingAfterItWasDrained() {
        bucket.drain(5);
        assertEquals(0, taken(5 + SECOND - 1, 10));
        assertEquals(1, taken(5 + SECOND, 10));
    }

    @Test
    void shouldLimitEachKeyWhateverOthersDo() {
        // given
        final TokenBuckets buckets = new TokenBuckets(8, 1, 1_000_000);
        final long startNs = Long.MAX_VALUE - 2_000_000;
        int loud = 0;
        int quiet = 0;
        // when: one asks every 10 us, the other every 500 us
        for (int i = 0; i < 1_000; i++) {
            final long nowNs = startNs + i * 10_000L;
            loud += buckets.take(3, nowNs) ? 1 : 0;
            quiet += i % 50 == 0 && buckets.take(5, nowNs) ? 1 : 0;
        }
        // then
        assertEquals(10, loud);
        assertEquals(10, quiet);
    }

    @Test
    void shouldGiveEveryKeyABucket() {
        // given
        final TokenBuckets buckets = new TokenBuckets(1_000, 2, SECOND);
        int first = 0;
        // when
        for (long key = -50_000; key < 50_000; key++) {
            first += buckets.takeFor(key * 0x1_0001L, 0) ? 1 : 0;
        }
        // then every bucket was used up, none twice
        assertEquals(2_000, first);
    }
}
