package io.hxb.testing;

/** Runs tasks at the same time, each on a thread of its own. Stateless. */
public final class Together {
    private Together() {}

    /**
     * Runs the tasks and returns when all have ended.
     *
     * @throws AssertionError with the first failure of any of them as its cause.
     */
    public static void run(final Runnable... tasks) {
        final Throwable[] failures = new Throwable[tasks.length];
        final Thread[] threads = new Thread[tasks.length];
        for (int i = 0; i < tasks.length; i++) {
            final int index = i;
            threads[i] =
                    new Thread(
                            () -> {
                                try {
                                    tasks[index].run();
                                } catch (final Throwable e) {
                                    failures[index] = e;
                                }
                            });
            // A test that gives up after a time must not keep the process.
            threads[i].setDaemon(true);
        }
        for (final Thread thread : threads) {
            thread.start();
        }
        try {
            for (final Thread thread : threads) {
                thread.join();
            }
        } catch (final InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        for (final Throwable failure : failures) {
            if (failure != null) {
                throw new AssertionError("a thread failed", failure);
            }
        }
    }
}
