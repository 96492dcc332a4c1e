package io.hxb.pm.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long pauses are, for what they bring. */
@Tag("unit")
class AdaptivePauseTest {
    private final AdaptivePause pause = new AdaptivePause(16, 128, 4, 64);

    private long after(final long items) {
        pause.onPaused(items);
        return pause.length();
    }

    @Test
    void shouldDoubleWhileAPauseBringsEnough() {
        // given
        assertEquals(0, pause.length());
        // when
        pause.begin();
        // then: at least an item for each 4
        assertEquals(16, pause.length());
        assertEquals(32, after(4));
        assertEquals(64, after(8));
        assertEquals(64, after(15));
        assertEquals(128, after(16));
    }

    @Test
    void shouldHaveALongest() {
        final AdaptivePause free = new AdaptivePause(16, 40, 4, Integer.MAX_VALUE);
        free.begin();
        for (final int length : new int[] {32, 40, 40}) {
            free.onPaused(1_000);
            assertEquals(length, free.length());
        }
    }

    @Test
    void shouldBeHalvedWhereAPauseBringsTooMuch() {
        // given
        pause.begin();
        assertEquals(32, after(12));
        // when, then
        assertEquals(32, after(64), "long enough");
        assertEquals(16, after(65));
        assertEquals(16, after(65), "not shorter than the first one");
    }

    @Test
    void shouldEndWithAPauseThatBringsLittle() {
        // given
        pause.begin();
        assertEquals(32, after(4));
        // when, then: an item for each 8, and less
        assertEquals(32, after(4));
        assertEquals(0, after(3));
    }
}
