package io.hxb.tool.sim;

import io.hxb.sim.run.Monitor;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A bar with the time left on standard error, when that is a terminal, and the end of all runs when
 * the user presses Ctrl-C. Any thread may call it.
 */
final class SweepProgress implements Monitor, AutoCloseable {
    private static final int WIDTH = 40;
    private static final long EVERY_NS = 200_000_000;

    /** How long a process that is asked to end waits until what was measured is written. */
    private static final long PATIENCE_MS = 10_000;

    /** Where the bar goes, null for nowhere. */
    private final PrintStream out;

    private final LongSupplier clockNs;
    private final Thread hook = new Thread(this::stop, "stop-simulation");
    private String what = "";
    private long runs;
    private long startedNs;
    private double done;
    private long shownNs;
    private int shownLength;
    private volatile boolean isStopping;
    private boolean isFinished;

    /** For that many runs. */
    SweepProgress(final long runs) {
        this(runs, isTerminal() ? System.err : null, System::nanoTime);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * With another clock, and without handling Ctrl-C.
     *
     * @param out where the bar goes, null for nowhere.
     */
    SweepProgress(final long runs, final PrintStream out, final LongSupplier clockNs) {
        this.out = out;
        this.clockNs = clockNs;
        begin("", runs);
    }

    // Without a terminal, and where jdk.internal.le is missing, there is no console.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        final Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Runs in the JVM's shutdown: asks to stop, waits until what was measured was printed. */
    synchronized void stop() {
        isStopping = true;
        final long limitNs = System.nanoTime() + PATIENCE_MS * 1_000_000;
        while (!isFinished && System.nanoTime() < limitNs) {
            try {
                wait(1000);
            } catch (final InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public synchronized void begin(final String name, final long count) {
        what = name.isEmpty() ? "" : name + " ";
        runs = count;
        done = 0;
        startedNs = clockNs.getAsLong();
        shownNs = startedNs;
    }

    @Override
    public boolean onProgress(final long cycles, final long total) {
        if (out != null && cycles > 0) {
            show((double) cycles / total);
        }
        return !isStopping;
    }

    private synchronized void show(final double share) {
        done += share;
        final long nowNs = clockNs.getAsLong();
        if (nowNs - shownNs < EVERY_NS) {
            return;
        }
        shownNs = nowNs;
        final double part = Math.min(1, done / runs);
        final double leftSeconds = (nowNs - startedNs) / 1e9 * (1 - part) / part;
        final int filled = (int) (WIDTH * part);
        final String bar =
                String.format(
                        Locale.ROOT,
                        "%s[%s%s] %3.0f %%, %.0f s left ",
                        what,
                        "#".repeat(filled),
                        ".".repeat(WIDTH - filled),
                        100 * part,
                        leftSeconds);
        out.print("\r" + bar + " ".repeat(Math.max(0, shownLength - bar.length())));
        shownLength = bar.length();
    }

    /** Whether the user has asked to stop. */
    boolean isStopping() {
        return isStopping;
    }

    /** The runs are over; what was measured can be printed. */
    synchronized void finish() {
        if (shownLength > 0) {
            out.print("\r" + " ".repeat(shownLength) + "\r");
            shownLength = 0;
        }
        if (!isStopping) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (final IllegalStateException e) {
                // The user pressed Ctrl-C just now, after the last run.
                return;
            }
        }
    }

    /** Everything was printed: a process that is shutting down may end. */
    @Override
    public synchronized void close() {
        isFinished = true;
        notifyAll();
    }
}
