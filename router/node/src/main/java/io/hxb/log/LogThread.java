package io.hxb.log;

import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes the lines of standard error on a thread of its own, so that no loop waits for a terminal,
 * a disk or the journal: others hand their lines over through a queue. Lines for which there is no
 * room, or that come faster than a log should grow, are counted and dropped. Any thread may print.
 */
public final class LogThread implements AutoCloseable {
    /** Lines that may wait. */
    static final int MAX_LINES = 1_024;

    /** Bytes of a line; what is longer is cut. */
    static final int MAX_LINE_BYTES = 4_096;

    /** Bytes that may be written in a burst, and in each second after that. */
    static final int BURST_BYTES = 1 << 20;

    static final int BYTES_PER_SECOND = 16 << 10;

    private static final long SECOND_NS = 1_000_000_000L;
    private static final long REST_NS = 100_000_000L;
    private static final long CLOSE_LIMIT_MS = 1_000;

    private final ManyToOneConcurrentArrayQueue<byte[]> lines =
            new ManyToOneConcurrentArrayQueue<>(MAX_LINES);
    private final AtomicLong lost = new AtomicLong();
    private final OutputStream target;
    private final PrintStream stream =
            new PrintStream(new PrintableOutput(new Lines()), true, StandardCharsets.UTF_8);
    private final Thread thread;
    private PrintStream replaced;
    private long budgetBytes = BURST_BYTES;
    private long budgetNs = System.nanoTime();
    private long lostReported;
    private volatile boolean isClosing;

    /** Collects bytes into lines. Guarded by the lock of the print stream before it. */
    private final class Lines extends OutputStream {
        private final byte[] line = new byte[MAX_LINE_BYTES];
        private int length;

        @Override
        public void write(final int b) {
            if (length < MAX_LINE_BYTES - 1 || b == '\n') {
                line[length++] = (byte) b;
            }
            if (b == '\n') {
                offer(Arrays.copyOf(line, length));
                length = 0;
            }
        }
    }

    /**
     * Starts the thread.
     *
     * @param target where the lines go.
     * @param beforeAll what the thread does first, such as giving up its rights.
     */
    LogThread(final OutputStream target, final Runnable beforeAll) {
        this.target = target;
        thread =
                new Thread(
                        () -> {
                            beforeAll.run();
                            run();
                        },
                        "hxb-log");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Standard error goes through a new thread, until it is closed.
     *
     * @param beforeAll what the thread does first, such as giving up its rights.
     */
    public static LogThread ofStandardError(final Runnable beforeAll) {
        final LogThread log = new LogThread(new FileOutputStream(FileDescriptor.err), beforeAll);
        log.replaced = System.err;
        System.setErr(log.stream);
        return log;
    }

    /** Where lines are printed; never blocks. */
    PrintStream stream() {
        return stream;
    }

    private void offer(final byte[] line) {
        if (lines.offer(line)) {
            LockSupport.unpark(thread);
        } else {
            lost.incrementAndGet();
        }
    }

    private void run() {
        while (!isClosing) {
            if (!writeWaiting()) {
                LockSupport.parkNanos(lost.get() == lostReported ? SECOND_NS : REST_NS);
            }
        }
        writeWaiting();
    }

    private boolean writeWaiting() {
        boolean hasWritten = false;
        byte[] line = lines.poll();
        while (line != null) {
            refill();
            if (budgetBytes >= line.length) {
                reportLost();
                write(line);
            } else {
                lost.incrementAndGet();
            }
            hasWritten = true;
            line = lines.poll();
        }
        refill();
        if (budgetBytes >= MAX_LINE_BYTES || isClosing) {
            reportLost();
        }
        return hasWritten;
    }

    private void refill() {
        final long nowNs = System.nanoTime();
        final long grownBytes = (nowNs - budgetNs) / (SECOND_NS / BYTES_PER_SECOND);
        if (grownBytes > 0) {
            budgetBytes = Math.min(BURST_BYTES, budgetBytes + grownBytes);
            budgetNs = nowNs;
        }
    }

    private void reportLost() {
        final long now = lost.get();
        if (now != lostReported) {
            final String text =
                    (now - lostReported) + " lines of the log are lost: too many at once\n";
            lostReported = now;
            write(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    // If standard error cannot be written, there is nowhere to report that.
    private void write(final byte[] line) {
        budgetBytes -= line.length;
        try {
            target.write(line);
        } catch (final IOException e) {
            lost.incrementAndGet();
            lostReported = lost.get();
        }
    }

    /** Writes what waits, for at most a second, and restores standard error. */
    @Override
    public void close() {
        if (replaced != null) {
            System.setErr(replaced);
        }
        isClosing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSE_LIMIT_MS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
