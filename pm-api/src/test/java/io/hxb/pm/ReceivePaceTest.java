package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When and for how long a receiver leaves an empty ring alone. */
@Tag("unit")
class ReceivePaceTest {
    private final ReceivePace pace = new ReceivePace();

    private long pauseAfter(final int messages) {
        pace.onMessages(messages);
        assertTrue(pace.mayPause());
        pace.pause();
        return pace.pauses();
    }

    @Test
    void shouldNotPauseWhereMessagesAreAnswered() {
        for (int i = 0; i < 1_000; i++) {
            // when
            pace.onMessages(1);
            // then
            assertFalse(pace.mayPause());
            pace.onSend();
        }
    }

    @Test
    void shouldPauseOnceForSomeMessagesInOneDirection() {
        // given
        pace.onMessages(63);
        assertFalse(pace.mayPause());
        // when
        assertEquals(16, pauseAfter(1));
        // then
        assertFalse(pace.mayPause());
        pace.onMessages(1);
        assertTrue(pace.mayPause());
    }

    @Test
    void shouldPauseForLongerWhileMessagesComeFast() {
        assertEquals(16, pauseAfter(64));
        assertEquals(32, pauseAfter(1));
        assertEquals(64, pauseAfter(2));
        assertEquals(128, pauseAfter(4));
        assertEquals(256, pauseAfter(8));
        assertEquals(512, pauseAfter(16));
        assertEquals(512, pauseAfter(100));
        assertEquals(512, pauseAfter(16));
    }

    @Test
    void shouldNotPauseWhereMessagesComeSlowly() {
        // given
        assertEquals(16, pauseAfter(64));
        assertEquals(32, pauseAfter(1));
        assertEquals(64, pauseAfter(2));
        // when: not even one for 32 pauses of the CPU
        assertEquals(0, pauseAfter(1));
        // then: a try
        assertEquals(16, pauseAfter(1));
    }

    @Test
    void shouldNotPauseAfterASendUntilMessagesComeInOneDirectionAgain() {
        // given
        assertEquals(16, pauseAfter(64));
        // when
        pace.onSend();
        // then
        assertFalse(pace.mayPause());
        pace.onMessages(63);
        assertFalse(pace.mayPause());
        assertEquals(32, pauseAfter(1));
    }
}
