package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PingPlanTest {
    private static final long MS = 1_000_000;

    /** Round trips that a plan makes where each takes that long. */
    private static long made(final PingPlan plan, final long tripNs) {
        long made = 0;
        while (plan.isAnotherDue(made, made * tripNs)) {
            made++;
        }
        return made;
    }

    @Test
    void shouldMakeAsManyAsAreWantedWhereTheyAreShort() {
        // given
        final PingPlan plan = new PingPlan(64, 500, 0, MS, 1_000 * MS);
        // then
        assertEquals(500, made(plan, MS));
        assertEquals(200, made(plan.warmUp(), MS));
    }

    @Test
    void shouldEndInTimeWhereTheyAreLong() {
        // given: the round trip of a satellite takes longer than there is to warm up
        final PingPlan plan = new PingPlan(64, 500, 0, MS, 1_000 * MS);
        // then
        assertEquals(7, made(plan, 160 * MS));
        assertEquals(2, made(plan.warmUp(), 160 * MS));
        assertEquals(1, made(plan.warmUp(), 600 * MS));
    }

    @Test
    void shouldMakeAllThatAreWantedWithoutALimitOfTime() {
        // given
        final PingPlan plan = new PingPlan(64, 50, 0, MS);
        // then
        assertEquals(50, made(plan, 10_000 * MS));
        assertEquals(50, made(plan.warmUp(), 10_000 * MS));
    }
}
