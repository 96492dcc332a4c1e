package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;

/** What the current thread allocates on Java's heap. */
public final class Allocations {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long LIMIT_NS = 60_000_000_000L;

    private Allocations() {}

    /**
     * Repeats a round until one allocates nothing. The compiler, which removes objects that do not
     * escape, needs some rounds, and more where it gets little of a busy machine's CPUs: so time
     * bounds them, not a number.
     *
     * @return number of rounds.
     */
    public static int awaitNone(final Runnable round) {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        long bytes = Long.MAX_VALUE;
        int rounds = 0;
        while (bytes != 0) {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            round.run();
            bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
            rounds++;
            if (bytes != 0 && System.nanoTime() - deadlineNs > 0) {
                fail(bytes + " bytes are allocated in a round after " + rounds + " rounds");
            }
        }
        return rounds;
    }
}
