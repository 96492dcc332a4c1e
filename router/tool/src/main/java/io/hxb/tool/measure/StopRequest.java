package io.hxb.tool.measure;

import io.hxb.tool.machine.Signals;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * The user's request, by Ctrl-C, that a measurement stops and prints its results. A second Ctrl-C
 * ends the process at once. The signal is handled from creation until {@link #close}; owned by the
 * thread that measures, which created it.
 */
public final class StopRequest implements AutoCloseable {
    /** For measurements that cannot be stopped. */
    public static final StopRequest NEVER = new StopRequest(Thread.currentThread());

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

    /** Handles Ctrl-C from now on, unless the process was started to ignore it. */
    public static StopRequest onInterrupt() {
        final StopRequest request = new StopRequest(Thread.currentThread());
        request.previous = Signals.handle(INTERRUPT, request::stop);
        return request;
    }

    /**
     * Handles Ctrl-C and the end of standard input, by which a parent process requests the stop; a
     * terminal may cause both at once.
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
            // The parent process has ended, as at the end of the input.
        }
        request();
    }

    /**
     * Requests the stop, and ends the process the second time; called by the JVM's signal thread.
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

    /** True once the stop is requested. */
    public boolean isStopped() {
        return isStopped;
    }

    /** Waits until that time, or until the stop is requested. */
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
