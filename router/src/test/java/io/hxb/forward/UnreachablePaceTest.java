package io.hxb.forward;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UnreachablePaceTest {
    @Test
    void shouldAnswerEachSourceOnceAMillisecondWhateverOthersDo() {
        // given
        final UnreachablePace pace = new UnreachablePace(8);
        final long startNs = Long.MAX_VALUE - 2_000_000;
        int loud = 0;
        int quiet = 0;
        // when: one source asks every 10 us, the other every 500 us
        for (int i = 0; i < 1_000; i++) {
            final long nowNs = startNs + i * 10_000L;
            loud += pace.isDue(3, nowNs) ? 1 : 0;
            quiet += i % 50 == 0 && pace.isDue(5, nowNs) ? 1 : 0;
        }
        // then
        assertEquals(10, loud);
        assertEquals(10, quiet);
    }

    @Test
    void shouldServeClustersOfAnySize() {
        final UnreachablePace pace = new UnreachablePace(1 << 20);
        assertTrue(pace.isDue((1 << 20) - 1, 0));
        assertFalse(pace.isDue((1 << 20) - 1, 10));
        assertTrue(pace.isDue(0, 10));
    }
}
