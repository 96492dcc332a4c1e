package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class ChangeDampingTest {
    private static final long MS = 1_000_000L;

    private final ChangeDamping damping = new ChangeDamping();
    private long nowNs = Long.MAX_VALUE - 50 * MS;

    // Sends a change as soon as it may go out; how many ms it had to wait.
    private long change() {
        final long atNs = damping.earliestNs(nowNs);
        final long waitedMs = (atNs - nowNs) / MS;
        nowNs = atNs;
        damping.onSent(nowNs);
        return waitedMs;
    }

    private List<Long> changes(final int count) {
        final List<Long> waits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waits.add(change());
        }
        return waits;
    }

    @Test
    void shouldLetTheFirstOneGoAtOnceAndHoldLaterOnesEverLonger() {
        assertEquals(
                List.of(0L, 5L, 10L, 20L, 40L, 80L, 160L, 320L, 640L, 1_000L, 1_000L), changes(11));
    }

    @Test
    void shouldLetOneGoAtOnceAfterAPauseAndBeFasterTheLongerThatIs() {
        // given
        changes(11);
        // when
        nowNs += 3_000 * MS;
        // then: two calm seconds after the gap of one
        assertEquals(0, change());
        assertEquals(250, change());
        // when
        nowNs += 60_000 * MS;
        // then
        assertEquals(List.of(0L, 5L, 10L), changes(3));
    }

    @Test
    void shouldNotHoldChangesThatAreRare() {
        for (int i = 0; i < 100; i++) {
            // when
            nowNs += 1_010 * MS;
            // then
            assertEquals(0, change());
        }
    }
}
