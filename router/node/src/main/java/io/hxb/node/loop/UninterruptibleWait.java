package io.hxb.node.loop;

import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end, because memory is freed after them. */
public final class UninterruptibleWait {
    /** Something to wait for. */
    @FunctionalInterface
    public interface Wait {
        /**
         * Waits for so long.
         *
         * @return true if it has happened.
         */
        boolean await(long waitMs) throws InterruptedException;
    }

    private UninterruptibleWait() {}

    /**
     * Waits, and stays interrupted if the thread was or is.
     *
     * @param limitMs longest time, 0 or more.
     * @return false if it has not happened within that time.
     */
    public static boolean await(final Wait wait, final long limitMs) {
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    final long leftNs = Math.max(0, endNs - System.nanoTime());
                    return wait.await(TimeUnit.NANOSECONDS.toMillis(leftNs + 999_999));
                } catch (final InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
