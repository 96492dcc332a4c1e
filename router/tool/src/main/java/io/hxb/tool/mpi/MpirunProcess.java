package io.hxb.tool.mpi;

import io.hxb.tool.machine.Signals;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A running mpirun. The first signal to this process is passed on to it; the second kills it with
 * its ranks. The caller goes on when it has ended. Owned by the thread that runs it, while signals
 * come on threads of their own.
 */
final class MpirunProcess implements AutoCloseable {
    private static final long OWN_END_MS = 1_000;
    private static final int SIGNAL_STATUS = 128;
    private static final Map<String, Integer> SIGNALS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

    private final Map<String, Object> previous = new HashMap<>();
    private Process process;
    private int signal;

    private MpirunProcess() {
        SIGNALS.forEach(
                (name, number) -> {
                    final Object before = Signals.handle(name, () -> end(number));
                    if (before != null) {
                        previous.put(name, before);
                    }
                });
    }

    /**
     * Runs it on the standard streams of this process. Blocks until it has ended.
     *
     * @return its exit status, or 128 and the number of the signal that ended it or this process.
     */
    static int run(final Launch launch) throws InterruptedException {
        try (MpirunProcess running = new MpirunProcess()) {
            final int status = running.start(launch).waitFor();
            return running.status(status);
        }
    }

    private synchronized Process start(final Launch launch) {
        final ProcessBuilder builder = new ProcessBuilder(launch.command()).inheritIO();
        builder.environment().putAll(launch.environment());
        try {
            process = builder.start();
        } catch (final IOException e) {
            throw new ToolException("cannot run mpirun: " + e.getMessage(), e);
        }
        if (signal != 0) {
            process.destroy();
        }
        return process;
    }

    private synchronized int status(final int own) {
        return signal == 0 ? own : SIGNAL_STATUS + signal;
    }

    private void end(final int number) {
        final Process running;
        final boolean isRepeated;
        synchronized (this) {
            running = process;
            isRepeated = signal != 0;
            signal = number;
        }
        if (running == null) {
            return;
        }
        if (isRepeated) {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly();
        } else {
            // A terminal sends Ctrl-C to mpirun, too, which takes a second one as an order to leave
            // its ranks alone.
            if (number != SIGNALS.get("INT") || !hasEnded(running)) {
                running.destroy();
            }
        }
    }

    private static boolean hasEnded(final Process running) {
        try {
            return running.waitFor(OWN_END_MS, TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        previous.forEach(Signals::restore);
    }
}
