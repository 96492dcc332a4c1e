package io.hxb.flow.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.BufferPool;
import io.hxb.testing.Together;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Several threads put into a stack while one takes everything out. Allowed: what was put in is
 * taken out exactly once, in the order of each thread; what a node needed before it was put in is
 * seen by the thread that takes it; one push of those into an empty stack reports it. Small cases
 * are checked by Lincheck in many interleavings, large ones by real threads.
 */
@Tag("concurrency")
class StacksConcurrencyTest {
    private static final int INTERLEAVINGS = Integer.getInteger("hxb.test.interleavings", 100);
    private static final int THREADS = 3;
    private static final int NODES = 16;

    /** There may be fewer CPUs than threads: the one that is waited for needs one, too. */
    private static final int SPINS = 100;

    @SuppressWarnings("unused")
    private static Object[] shared;

    @Test
    void shouldNeverForgetTheNeedOfANodeThatIsPutInAgainWhileItIsTaken() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final WorkStack stack = new WorkStack();
                    final Need need = new Need();
                    final AtomicInteger met = new AtomicInteger();
                    share(stack, need);
                    Together.run(
                            () -> {
                                need.add(stack);
                                need.add(stack);
                            },
                            () -> met.addAndGet(takeAll(stack, 1)));
                    need.taken = 0;
                    check(stack, met.get(), 2);
                });
    }

    @Test
    void shouldTakeANodeInOnceThatTwoPutIn() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final WorkStack stack = new WorkStack();
                    final Need need = new Need();
                    final Need other = new Need();
                    share(stack, need, other);
                    Together.run(
                            () -> need.add(stack),
                            () -> {
                                need.add(stack);
                                other.add(stack);
                            });
                    check(stack, 0, 3);
                });
    }

    @Test
    void shouldReportExactlyOneOfTwoThatTheStackWasEmpty() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final WorkStack stack = new WorkStack();
                    final BufferStack buffers = new BufferStack(new int[2]);
                    final Need one = new Need();
                    final Need other = new Need();
                    final AtomicInteger first = new AtomicInteger();
                    final AtomicInteger firstBuffer = new AtomicInteger();
                    share(stack, buffers, one, other);
                    Together.run(
                            () -> {
                                first.addAndGet(stack.push(one) ? 1 : 0);
                                firstBuffer.addAndGet(buffers.push(0) ? 1 : 0);
                            },
                            () -> {
                                first.addAndGet(stack.push(other) ? 1 : 0);
                                firstBuffer.addAndGet(buffers.push(1) ? 1 : 0);
                            });
                    if (first.get() != 1 || firstBuffer.get() != 1) {
                        throw new AssertionError(first + " and " + firstBuffer + " were first");
                    }
                });
    }

    @Test
    void shouldHandOverEachBufferOnce() {
        Lincheck.runConcurrentTest(
                INTERLEAVINGS,
                () -> {
                    final BufferStack stack = new BufferStack(new int[4]);
                    final AtomicIntegerArray taken = new AtomicIntegerArray(4);
                    share(stack);
                    Together.run(
                            () -> {
                                stack.push(0);
                                stack.push(1);
                            },
                            () -> stack.push(2),
                            () -> {
                                takeAll(stack, taken);
                                stack.push(3);
                            });
                    takeAll(stack, taken);
                    for (int id = 0; id < 4; id++) {
                        if (taken.get(id) != 1) {
                            throw new AssertionError("buffer " + id + ": " + taken.get(id));
                        }
                    }
                });
    }

    @Test
    @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
    void shouldMeetEveryNeedUnderManyThreads() {
        // given
        final int needsPerThread = 300_000;
        final WorkStack stack = new WorkStack();
        final Need[] needs = new Need[NODES];
        for (int i = 0; i < needs.length; i++) {
            needs[i] = new Need();
        }
        final AtomicInteger running = new AtomicInteger(THREADS);
        final AtomicInteger met = new AtomicInteger();
        final Runnable producer =
                () -> {
                    for (int i = 0; i < needsPerThread; i++) {
                        needs[i & (needs.length - 1)].add(stack);
                    }
                    running.decrementAndGet();
                };
        // when
        Together.run(
                producer,
                producer,
                producer,
                () -> {
                    while (running.get() > 0) {
                        met.addAndGet(takeAll(stack, Integer.MAX_VALUE));
                    }
                });
        met.addAndGet(takeAll(stack, Integer.MAX_VALUE));
        // then
        assertEquals(THREADS * needsPerThread, met.get());
        assertTrue(stack.isEmpty());
    }

    @Test
    @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
    void shouldKeepTheOrderOfEachThreadsBuffers() {
        // given: each thread puts its own buffers in, always in the same order
        final int rounds = 5_000;
        final int perThread = 8;
        final BufferStack stack = new BufferStack(new int[THREADS * perThread]);
        final AtomicIntegerArray isFree = new AtomicIntegerArray(THREADS * perThread);
        final AtomicInteger running = new AtomicInteger(THREADS);
        final AtomicBoolean isWrong = new AtomicBoolean();
        final int[] next = new int[THREADS];
        final Runnable[] tasks = new Runnable[THREADS + 1];
        for (int thread = 0; thread < THREADS; thread++) {
            final int first = thread * perThread;
            tasks[thread] =
                    () -> {
                        for (int i = 0; i < rounds * perThread; i++) {
                            final int id = first + i % perThread;
                            for (int spins = 0; isFree.get(id) != 0; spins++) {
                                if (spins < SPINS) {
                                    Thread.onSpinWait();
                                } else {
                                    LockSupport.parkNanos(1_000);
                                }
                            }
                            isFree.set(id, 1);
                            stack.push(id);
                        }
                        running.decrementAndGet();
                    };
        }
        final Runnable take =
                () -> {
                    int id = stack.takeAll();
                    while (id != BufferPool.NONE) {
                        final int following = stack.following(id);
                        final int thread = id / perThread;
                        isWrong.compareAndSet(false, id % perThread != next[thread]++ % perThread);
                        isFree.set(id, 0);
                        id = following;
                    }
                };
        tasks[THREADS] =
                () -> {
                    while (running.get() > 0) {
                        take.run();
                    }
                };
        // when
        Together.run(tasks);
        take.run();
        // then
        for (final int count : next) {
            assertEquals(rounds * perThread, count);
        }
        assertTrue(!isWrong.get(), "out of order");
    }

    // Lincheck takes objects for one thread's own that are captured by lambdas only, and then
    // lets no other thread run between accesses to their fields.
    private static void share(final Object... objects) {
        shared = objects;
    }

    private static void check(final WorkStack stack, final int metBefore, final int all) {
        final int met = metBefore + takeAll(stack, 1);
        if (met != all || !stack.isEmpty()) {
            throw new AssertionError("met " + met + " of " + all + " needs");
        }
    }

    private static int takeAll(final WorkStack stack, final int limit) {
        int met = 0;
        Need need = (Need) stack.takeAll();
        while (need != null) {
            final Need following = (Need) need.take();
            met += need.count.getAndSet(0);
            need.taken++;
            if (need.taken > limit) {
                throw new AssertionError("a node is in too often");
            }
            need = following;
        }
        return met;
    }

    private static void takeAll(final BufferStack stack, final AtomicIntegerArray taken) {
        int id = stack.takeAll();
        while (id != BufferPool.NONE) {
            final int following = stack.following(id);
            taken.incrementAndGet(id);
            id = following;
        }
    }

    /** A node that counts how often somebody needed it since it was looked after. */
    private static final class Need extends WorkStack.Node {
        private final AtomicInteger count = new AtomicInteger();

        /** How often the one thread took it. */
        private int taken;

        private void add(final WorkStack stack) {
            count.incrementAndGet();
            stack.push(this);
        }
    }
}
