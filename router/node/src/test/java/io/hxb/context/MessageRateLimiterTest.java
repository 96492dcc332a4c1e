package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ResourceShare;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

@Tag("unit")
class MessageRateLimiterTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long START_NS = Long.MAX_VALUE - SECOND_NS / 2;

    private static MessageRateLimiter rate(final long limit, final MessageRateLimiter whole) {
        final QuotaCounter book =
                new QuotaCounter(
                        "somebody", ResourceShare.MESSAGES, "key", limit, null, new AtomicLong());
        return new MessageRateLimiter(book, whole, START_NS);
    }

    @Test
    void shouldGiveAsManyMessagesASecondAsTheLimit() {
        for (final long limit : new long[] {1, 7, 1_000, 999_983, 30_000_000, 1_000_000_000}) {
            // given: a clock that wraps around meanwhile
            final MessageRateLimiter rate = rate(limit, null);
            long given = 0;
            // when somebody always wants more
            for (long ns = 0; ns <= 4 * SECOND_NS; ns += 20_000) {
                given += rate.take(1_000_000, START_NS + ns);
            }
            // then
            final long burst = Math.max(16, limit / 50);
            assertTrue(given >= 4 * limit - limit / 500 - 1, limit + ": " + given);
            assertTrue(given <= 4 * limit + burst + limit / 500 + 1, limit + ": " + given);
        }
    }

    @Test
    void shouldGiveBackWhatWasNotThere() {
        final MessageRateLimiter rate = rate(1_000, null);
        final long nowNs = Long.sum(START_NS, SECOND_NS);
        assertEquals(20, rate.take(1_024, nowNs));
        assertEquals(0, rate.take(1_024, nowNs));
        rate.giveBack(5);
        assertEquals(5, rate.take(1_024, nowNs));
        assertTrue(rate.nextNs(nowNs) - nowNs <= SECOND_NS / 1_000);
        assertEquals(1, rate.take(1_024, rate.nextNs(nowNs)));
    }

    @Test
    void shouldShareTheRateOfATenantAmongItsUsers() {
        // given
        final MessageRateLimiter tenant = rate(1_000, null);
        final MessageRateLimiter one = rate(800, tenant);
        final MessageRateLimiter other = rate(800, tenant);
        final SplittableRandom random = new SplittableRandom(1);
        long ofOne = 0;
        long ofOther = 0;
        // when
        for (long ns = 0; ns < 10 * SECOND_NS; ns += 1 + random.nextInt(2_000_000)) {
            ofOne += one.take(100, START_NS + ns);
            ofOther += random.nextBoolean() ? other.take(100, START_NS + ns) : 0;
        }
        // then
        assertTrue(ofOne <= 8_020, "one had " + ofOne);
        assertTrue(ofOther <= 8_020, "the other had " + ofOther);
        assertTrue(ofOne + ofOther <= 10_040, "together " + (ofOne + ofOther));
        assertTrue(ofOne + ofOther >= 9_900, "together " + (ofOne + ofOther));
    }
}
