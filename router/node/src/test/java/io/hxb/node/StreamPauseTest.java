package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class StreamPauseTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final StreamPause pause = new StreamPause();
    private long nowNs = -SECOND_NS / 2;
    private long wakeUps;
    private long messages;
    private long pausedNs;

    /**
     * A second of a loop that an application wakes whenever it sleeps.
     *
     * @param waitNs until the application's next message, when the loop does not pause.
     * @param inPause messages that the application sends in a pause.
     */
    private void second(final long waitNs, final int inPause) {
        final long endNs = nowNs + SECOND_NS;
        pausedNs = 0;
        while (nowNs - endNs < 0) {
            final long ns = pause.pauseNs(wakeUps, messages, nowNs);
            pausedNs += ns;
            nowNs += ns == 0 ? waitNs : ns;
            wakeUps += ns == 0 ? 1 : 0;
            messages += ns == 0 ? 1 : inPause;
        }
    }

    @Test
    void shouldPauseWhileMessagesStream() {
        // given, when: each message wakes the loop, and a pause lets many come
        second(15_000, 1_500);
        // then
        assertTrue(pausedNs > SECOND_NS * 9 / 10, "" + pausedNs);
    }

    @Test
    void shouldHardlyEverPauseWhileMessagesAreExchanged() {
        // given, when: the application waits for an answer before it sends again
        second(15_000, 1);
        second(15_000, 1);
        // then: one try each 128 ms
        assertTrue(pausedNs > 0 && pausedNs <= 8 * StreamPause.PAUSE_NS, "" + pausedNs);
    }

    @Test
    void shouldNotTryWhereMessagesAreRare() {
        // given, when
        second(100_000, 1_500);
        // then
        assertEquals(0, pausedNs);
    }

    @Test
    void shouldEndWithTheStream() {
        // given
        second(15_000, 1_500);
        messages = 1_000_000_000;
        assertEquals(StreamPause.PAUSE_NS, pause.pauseNs(wakeUps, messages, nowNs));
        // when
        messages += StreamPause.FEW_ENTRIES - 1;
        // then
        assertEquals(0, pause.pauseNs(wakeUps, messages, nowNs + StreamPause.PAUSE_NS));
    }

    @Test
    void shouldTrySoonAgainAfterAStream() {
        // given: tries have become rare
        second(15_000, 1);
        // when
        second(15_000, 1_500);
        // then
        assertTrue(pausedNs > SECOND_NS / 2, "" + pausedNs);
    }
}
