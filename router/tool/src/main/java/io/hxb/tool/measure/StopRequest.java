package io.hxb.tool.measure;

import io.hxb.tool.machine.Signals;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * The user's wish, told by Ctrl-C, that a measurement stops and prints what it has found. A second
 * Ctrl-C ends the process at once. Heeded from its making until {@link #close}; owned by the thread
 * that measures, which made it.
 */
public final class StopRequest implements AutoCloseable {
    /** Nobody can stop it. */
    static final StopRequest NEVER = new StopRequest(Thread.currentThread());

    private static final String INTERRUPT = "INT";

    /** Exit status of a process that Ctrl-C has ended, as shells have it. */
    private static final int INTERRUPTED = 130;

    private final Thread owner;
    private Object previous;
    private volatile boolean isStopped;
    // By Ctrl-C rather than by the end of standard input, which may come first.
    private volatile boolean isInterrupted;

    private StopRequest(final Thread owner) {
        this.owner = owner;
    }

    /** Heeds Ctrl-C from now on, unless the process was started to ignore it. */
    public static StopRequest onInterrupt() {
        final StopRequest request = new StopRequest(Thread.currentThread());
        request.previous = Signals.handle(INTERRUPT, request::stop);
        return request;
    }

    /**
     * Heeds Ctrl-C and the end of standard input, by which the one that started this process tells
     * it; a terminal may do both at once.
     */
    public static StopRequest onInterruptOrEnd() {
        final StopRequest request = onInterrupt();
        final Thread thread = new Thread(request::awaitEnd, "hxb-attended");
        thread.setDaemon(true);
        thread.start();
        return request;
    }

    private void awaitEnd() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (final IOException e) {
            // Whoever attended has gone, as at the end of the input.
        }
        request();
    }

    /**
     * Asks to stop, and the second time ends the process; the JVM's thread for signals calls it.
     */
    void stop() {
        if (isInterrupted) {
            System.exit(INTERRUPTED);
        }
        isInterrupted = true;
        request();
    }

    private void request() {
        isStopped = true;
        LockSupport.unpark(owner);
    }

    /** True once the user wants it to stop. */
    public boolean isStopped() {
        return isStopped;
    }

    /** Waits until then, or until it is asked to stop. */
    void parkUntil(final long untilNs) {
        long restNs = untilNs - System.nanoTime();
        while (restNs > 0 && !isStopped) {
            LockSupport.parkNanos(this, restNs);
            restNs = untilNs - System.nanoTime();
        }
    }

    @Override
    public void close() {
        if (previous != null) {
            Signals.restore(INTERRUPT, previous);
            previous = null;
        }
    }
}
