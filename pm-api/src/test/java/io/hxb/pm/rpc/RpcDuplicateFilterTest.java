package io.hxb.pm.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Which requests have been begun. */
@Tag("unit")
class RpcDuplicateFilterTest {
    private final RpcDuplicateFilter history = new RpcDuplicateFilter(7);

    @Test
    void shouldKnowWhatWasBegunInAnyOrder() {
        // given numbers that grow, in an order that is somewhat mixed
        final Random random = new Random(1);
        final Set<Long> begun = new HashSet<>();
        for (long base = 1; base < 20_000; base += 7) {
            final long number = base + random.nextInt(RpcDuplicateFilter.WINDOW / 2);
            // when
            if (!history.has(number)) {
                assertTrue(begun.add(number), "begun twice: " + number);
                history.add(number);
            }
            // then
            for (long recent = Math.max(1, base); recent < base + 500; recent++) {
                assertEquals(begun.contains(recent), history.has(recent), "number " + recent);
            }
        }
    }

    @Test
    void shouldTakeWhatIsTooOldForBegun() {
        history.add(1);
        // when
        history.add(5_000);
        // then
        assertTrue(history.has(1));
        assertTrue(history.has(5_000 - RpcDuplicateFilter.WINDOW));
        assertFalse(history.has(5_001 - RpcDuplicateFilter.WINDOW));
        assertFalse(history.has(5_001));
        history.add(5_001 - RpcDuplicateFilter.WINDOW);
        assertTrue(history.has(5_001 - RpcDuplicateFilter.WINDOW));
        assertFalse(history.has(4_999));
    }

    @Test
    void shouldBearAnyNumber() {
        history.add(Long.MAX_VALUE);
        assertTrue(history.has(1));
        assertTrue(history.has(Long.MAX_VALUE));
        assertFalse(history.has(Long.MAX_VALUE - 1));
    }

    @Test
    void shouldBeBusyWithTwiceWhatACallerMayHaveUnderWay() {
        for (int i = 1; i <= 2 * RpcEndpoint.MAX_UNDER_WAY; i++) {
            assertFalse(history.isBusy());
            history.add(i);
        }
        assertTrue(history.isBusy());
        // when
        history.running.remove(3L);
        // then
        assertFalse(history.isBusy());
        assertTrue(history.has(3));
    }
}
