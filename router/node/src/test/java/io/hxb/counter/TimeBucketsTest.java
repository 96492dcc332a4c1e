package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

@Tag("unit")
class TimeBucketsTest {
    @Test
    void shouldBeginABucketBehindTheLongestTimeOfTheOneBefore() {
        for (int bucket = 0; bucket < TimeBuckets.COUNT - 1; bucket++) {
            assertEquals(bucket, TimeBuckets.of(TimeBuckets.maxNs(bucket)));
            assertEquals(bucket + 1, TimeBuckets.of(TimeBuckets.maxNs(bucket) + 1));
        }
        assertEquals(0, TimeBuckets.of(0));
        assertEquals(0, TimeBuckets.of(-5));
        assertEquals(0, TimeBuckets.of(Long.MIN_VALUE + 1));
        assertEquals(TimeBuckets.COUNT - 1, TimeBuckets.of(Long.MAX_VALUE));
    }

    @Test
    void shouldHaveAPlaceForEveryTime() {
        final SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            final long timeNs = random.nextLong() >>> random.nextInt(1, 64);
            final int bucket = TimeBuckets.of(timeNs);
            assertTrue(timeNs <= TimeBuckets.maxNs(bucket), timeNs + " ns");
            assertTrue(bucket == 0 || timeNs > TimeBuckets.maxNs(bucket - 1), timeNs + " ns");
        }
    }

    @Test
    void shouldHaveItsEndsInSeconds() {
        assertEquals(1e-6, TimeBuckets.maxSeconds(0));
        assertEquals(0.001024, TimeBuckets.maxSeconds(10));
        assertEquals(Double.POSITIVE_INFINITY, TimeBuckets.maxSeconds(TimeBuckets.COUNT - 1));
    }
}
