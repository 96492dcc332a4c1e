package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the clock says at the beginning: its zero is anywhere, and it overflows. */
@Tag("unit")
class LinePaceTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int AT_ONCE = 10;

    private final LinePace pace = new LinePace();

    private int taken(final long nowNs, final int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += pace.take(nowNs) ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, -5 * SECOND, Long.MAX_VALUE - 3 * SECOND, Long.MIN_VALUE})
    void shouldAllowSomeLinesAtOnceAndThenOneASecond(final long beginNs) {
        assertEquals(AT_ONCE, taken(beginNs, 1_000));
        assertEquals(0, taken(beginNs + SECOND - 1, 1_000));
        for (int second = 1; second < 100; second++) {
            assertEquals(1, taken(beginNs + second * SECOND, 1_000), "second " + second);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -5 * SECOND, Long.MAX_VALUE - 3 * SECOND})
    void shouldAllowAsManyAsAtTheBeginningAfterARestAndNotMore(final long beginNs) {
        // given
        taken(beginNs, 100);
        assertFalse(pace.isRested(beginNs + AT_ONCE * SECOND));
        // when
        final long laterNs = beginNs + 1_000 * SECOND;
        // then
        assertTrue(pace.isRested(laterNs));
        assertEquals(AT_ONCE, taken(laterNs, 100));
        assertFalse(pace.isRested(laterNs));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void shouldCountWhatIsNotWrittenOnce(final int lines) {
        // given
        taken(0, 1);
        for (int i = 0; i < lines; i++) {
            pace.suppress();
        }
        // when, then
        assertEquals(lines > 0, pace.hasSuppressed());
        assertEquals(lines == 0, pace.isRested(100 * SECOND), "what is not told is not forgotten");
        assertEquals(lines, pace.takeSuppressed());
        assertEquals(0, pace.takeSuppressed());
        assertTrue(pace.isRested(100 * SECOND));
    }
}
