package io.hxb.bench.flit.tool;

import io.hxb.bench.flit.run.Monitor;

import java.io.Console;
import java.util.Locale;

/**
 * A bar with the time left on standard error, when that is a terminal, and the end of all runs when
 * the user presses Ctrl-C. Any thread may call it.
 */
final class Progress implements Monitor, AutoCloseable {
    private static final int WIDTH = 40;
    private static final long EVERY_NS = 200_000_000;

    private final long runs;
    private final long startedNs = System.nanoTime();
    private final boolean isTerminal = isTerminal();
    private final Thread hook = new Thread(this::stop, "stop-simulation");
    private double done;
    private long shownNs = startedNs;
    private volatile boolean isStopping;
    private boolean isFinished;

    /** For so many runs. */
    Progress(final long runs) {
        this.runs = runs;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    // Without a terminal, and where jdk.internal.le is missing, there is no console.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        final Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Runs in the JVM's shutdown: waits until what was measured has been printed. */
    private synchronized void stop() {
        isStopping = true;
        final long limitNs = System.nanoTime() + 10_000_000_000L;
        while (!isFinished && System.nanoTime() < limitNs) {
            try {
                wait(1000);
            } catch (final InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public boolean onProgress(final long cycles, final long total) {
        if (isTerminal) {
            show((double) cycles / total);
        }
        return !isStopping;
    }

    private synchronized void show(final double share) {
        done += share;
        final long nowNs = System.nanoTime();
        if (nowNs - shownNs < EVERY_NS) {
            return;
        }
        shownNs = nowNs;
        final double part = Math.min(1, done / runs);
        final double leftSeconds = (nowNs - startedNs) / 1e9 * (1 - part) / part;
        final int filled = (int) (WIDTH * part);
        System.err.printf(
                Locale.ROOT,
                "\r[%s%s] %3.0f %%, %.0f s left ",
                "#".repeat(filled),
                ".".repeat(WIDTH - filled),
                100 * part,
                leftSeconds);
    }

    /** Whether the user has asked to stop. */
    boolean isStopping() {
        return isStopping;
    }

    /** The runs are over; what was measured can be printed. */
    synchronized void finish() {
        if (isTerminal) {
            System.err.print("\r" + " ".repeat(WIDTH + 30) + "\r");
        }
        if (!isStopping) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    /** Everything was printed: a process that is shutting down may end. */
    @Override
    public synchronized void close() {
        isFinished = true;
        notifyAll();
    }
}
