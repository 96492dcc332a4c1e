package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** For how long a loop leaves its sockets and applications alone, on a clock of the test's. */
@Tag("unit")
class LoopPauseTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LONG_FRAME_BYTES = 65_000;
    private static final long LONG_FRAME_NS = 87_000;

    private final LoopPause pause = new LoopPause();
    private long nowNs = -SECOND_NS / 2;
    private long pausedNs;

    @Nested
    class BulkData {
        private long frames;
        private long bytes;
        private long lone;

        private long pauseNs() {
            return pause.bulkNs(frames, bytes, lone, nowNs);
        }

        /**
         * A second of a loop that is idle whenever it has done what is there.
         *
         * @param framesPerSecond that arrive.
         * @param waitNs until it wakes when it does not pause.
         * @param maxFrames that arrive at most between two waits.
         */
        private void second(final long framesPerSecond, final long waitNs, final long maxFrames) {
            final long endNs = nowNs + SECOND_NS;
            pausedNs = 0;
            while (nowNs - endNs < 0) {
                final long ns = pauseNs();
                pausedNs += ns;
                final long waitedNs = Math.max(ns, waitNs);
                nowNs += waitedNs;
                frames += Math.clamp(waitedNs * framesPerSecond / SECOND_NS, 1, maxFrames);
            }
        }

        @Test
        void shouldPauseWhileManyFramesFlow() {
            // given, when: six links of 1 Gbit/s with frames of 9,000 bytes
            second(83_000, 12_000, Long.MAX_VALUE);
            // then: nearly always, and for long
            assertTrue(pausedNs > SECOND_NS * 9 / 10, "" + pausedNs);
            assertEquals(LoopPause.MAX_BULK_NS, pauseNs());
        }

        @Test
        void shouldPauseWhileLongFramesFlow() {
            // given, when: six links of 1 Gbit/s with frames of 65,000 bytes, one at a time or two
            for (long i = 0; i < SECOND_NS / LONG_FRAME_NS; i++) {
                final long ns = pauseNs();
                pausedNs += ns;
                final long waitedFrames = Math.max(1, ns / LONG_FRAME_NS);
                nowNs += waitedFrames * LONG_FRAME_NS;
                frames += waitedFrames;
                bytes += waitedFrames * LONG_FRAME_BYTES;
            }
            // then
            assertEquals(LoopPause.MAX_BULK_NS, pauseNs());
        }

        @Test
        void shouldHardlyEverPauseWhileLongMessagesAreExchanged() {
            // given, when: a frame arrives and one is sent for each wait, however long that is
            for (int i = 0; i < 2; i++) {
                pausedNs = 0;
                final long endNs = nowNs + SECOND_NS;
                while (nowNs - endNs < 0) {
                    final long ns = pauseNs();
                    pausedNs += ns;
                    nowNs += Math.max(ns, LONG_FRAME_NS);
                    frames += 2;
                    bytes += 2 * LONG_FRAME_BYTES;
                }
            }
            // then: one try each 128 ms, of two pauses
            assertTrue(pausedNs <= 8 * 3 * LoopPause.MIN_BULK_NS, "" + pausedNs);
        }

        @Test
        void shouldPauseForLessWhereFramesAreShort() {
            // given, when: six links of 1 Gbit/s with frames of 1,500 bytes
            second(1_000_000, 1_000, Long.MAX_VALUE);
            // then
            final long lastNs = pauseNs();
            assertTrue(
                    lastNs >= LoopPause.MIN_BULK_NS && lastNs < LoopPause.MAX_BULK_NS, "" + lastNs);
        }

        @Test
        void shouldHardlyEverPauseWhileMessagesAreExchanged() {
            // given, when: a frame arrives and one is sent for each wait, however long that is
            second(1_000_000, 30_000, 2);
            second(1_000_000, 30_000, 2);
            // then: one try each 128 ms
            assertTrue(pausedNs <= 8 * LoopPause.MIN_BULK_NS, "" + pausedNs);
        }

        @Test
        void shouldNotPauseWhileLoneMessagesAreAbout() {
            // given
            second(83_000, 12_000, Long.MAX_VALUE);
            // when
            lone++;
            // then: not at once, and not for 10 ms
            final long loneNs = nowNs;
            while (nowNs - loneNs < 10_000_000) {
                assertEquals(0, pauseNs());
                nowNs += 12_000;
                frames++;
            }
            second(83_000, 12_000, Long.MAX_VALUE);
            assertTrue(pausedNs > SECOND_NS / 2, "" + pausedNs);
        }

        @Test
        void shouldEndWithTheBulk() {
            // given
            second(83_000, 12_000, Long.MAX_VALUE);
            // when: nothing has arrived in the pause
            pauseNs();
            nowNs += LoopPause.MAX_BULK_NS;
            // then
            assertEquals(0, pauseNs());
        }
    }

    @Nested
    class StreamsOfShortMessages {
        private long wakeUps;
        private long messages;

        private long pauseNs() {
            return pause.streamNs(wakeUps, messages, nowNs);
        }

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
                final long ns = pauseNs();
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
            assertTrue(pausedNs > 0 && pausedNs <= 8 * LoopPause.STREAM_NS, "" + pausedNs);
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
            assertEquals(LoopPause.STREAM_NS, pauseNs());
            // when: half of what the pause was worth
            messages += LoopPause.STREAM_NS / LoopPause.STREAM_NS_PER_ENTRY / 2 - 1;
            nowNs += LoopPause.STREAM_NS;
            // then
            assertEquals(0, pauseNs());
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
}
