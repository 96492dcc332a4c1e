package io.hxb.flow.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.Together;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Several loops put copies of the same frames in and drain. Small cases are checked by Lincheck in
 * many interleavings, a large one by real threads. Allowed: every buffer is delivered, discarded or
 * kept by its caller, exactly once; sequences are delivered in order, each once; nothing stays
 * behind that could be delivered.
 */
@Tag("concurrency")
class OrderingArrayConcurrencyTest {
    private static final int INTERLEAVINGS = Integer.getInteger("hxb.test.interleavings", 100);
    private static final int FIRST = -1;

    @Test
    void shouldDeliverEachOnceWhenTwoLoopsBringTheSameFrames() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final Books books = new Books(4, 4);
                    Together.run(
                            () -> {
                                books.put(0, 0);
                                books.put(1, 1);
                            },
                            () -> {
                                books.put(1, 2);
                                books.put(0, 3);
                            });
                    books.check(2);
                });
    }

    @Test
    void shouldNotMistakeALateCopyForTheFrameThatUsesItsSlotNext() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final Books books = new Books(2, 4);
                    Together.run(
                            () -> {
                                books.put(0, 0);
                                books.put(1, 1);
                                books.put(2, 2);
                            },
                            () -> books.put(0, 3));
                    books.check(2);
                });
    }

    @Test
    void shouldLeaveNothingBehindWhenItEndsWhileFramesArrive() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final Books books = new Books(4, 3);
                    Together.run(
                            () -> {
                                books.put(1, 0);
                                books.put(0, 1);
                            },
                            () -> {
                                books.array.end();
                                books.array.drain(books, "flow");
                            });
                    books.put(2, 2);
                    books.check(0);
                    if (!books.array.isEmpty()) {
                        throw new AssertionError("a buffer is left in an array that ended");
                    }
                });
    }

    @Test
    void shouldDeliverEachOnceInOrderUnderManyThreads() throws InterruptedException {
        final int frames = 100_000;
        final int copies = 3;
        final Books books = new Books(64, frames * copies);
        final AtomicBoolean isStuck = new AtomicBoolean();
        final Thread[] loops = new Thread[copies];
        for (int copy = 0; copy < copies; copy++) {
            final int number = copy;
            loops[copy] =
                    new Thread(
                            () -> {
                                final SplittableRandom random = new SplittableRandom(number);
                                int sent = 0;
                                while (sent < frames) {
                                    // As a sender does: never further ahead than the array is long.
                                    final int count = 1 + random.nextInt(16);
                                    final int last = Math.min(frames, sent + count);
                                    final long giveUpNs = System.nanoTime() + 20_000_000_000L;
                                    while (last - 1 - (books.array.next() - FIRST) >= 64) {
                                        if (System.nanoTime() - giveUpNs > 0) {
                                            isStuck.set(true);
                                            return;
                                        }
                                        Thread.onSpinWait();
                                    }
                                    for (int ahead = last - 1; ahead >= sent; ahead--) {
                                        books.put(ahead, ahead * copies + number);
                                    }
                                    sent = last;
                                }
                            });
            loops[copy].start();
        }
        for (final Thread loop : loops) {
            loop.join();
        }
        assertFalse(isStuck.get(), "the array stopped");
        assertEquals(FIRST + frames, books.array.next());
        assertTrue(books.array.isEmpty());
        books.check(frames);
    }

    /** Where every buffer went. */
    private static final class Books implements OrderingArray.Sink<String> {
        private final OrderingArray<String> array;
        private final AtomicIntegerArray ends;
        private final AtomicIntegerArray sequences;
        private int delivered;
        private boolean isWrong;

        Books(final int slots, final int buffers) {
            array = new OrderingArray<>(slots, FIRST);
            ends = new AtomicIntegerArray(buffers);
            sequences = new AtomicIntegerArray(buffers);
        }

        void put(final int ahead, final int bufferId) {
            sequences.set(bufferId, ahead);
            if (array.store(FIRST + ahead, bufferId) == OrderingArray.STORED) {
                array.drain(this, "flow");
            } else {
                ends.incrementAndGet(bufferId);
            }
        }

        @Override
        public boolean deliver(final String flow, final int bufferId) {
            isWrong |= sequences.get(bufferId) != delivered;
            delivered++;
            ends.incrementAndGet(bufferId);
            return true;
        }

        @Override
        public void discard(final String flow, final int bufferId) {
            ends.incrementAndGet(bufferId);
        }

        @Override
        public void onEnded(final String flow) {}

        void check(final int minDelivered) {
            if (isWrong || delivered < minDelivered) {
                throw new AssertionError("delivered " + delivered + " or out of order");
            }
            for (int id = 0; id < ends.length(); id++) {
                if (ends.get(id) != 1) {
                    throw new AssertionError("buffer " + id + " ended " + ends.get(id) + " times");
                }
            }
        }
    }
}
