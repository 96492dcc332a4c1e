package io.hxb.os;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether frames wait in the kernel for a CPU. NICs hand frames to sockets in soft interrupts. Work
 * that exceeds their budget goes to ksoftirqd, a thread of each CPU that is scheduled like all
 * others. On a busy machine it waits for long, and meanwhile frames of some links reach no socket,
 * while those of others, on another CPU, do. Used by one thread at a time.
 *
 * <p>Source: linux/kernel/softirq.c, ksoftirqd; proc_pid_stat(5), proc_pid_schedstat.
 */
public final class SoftInterrupts implements AutoCloseable {
    private static final int MAX_CPUS = 32;
    private static final int BUFFER_BYTES = 512;

    // Threads of the kernel are the first of a machine.
    private static final int FIRST_PIDS = 64;
    private static final int PIDS_PER_CPU = 16;

    /** CPU time, in ns, after which a thread has handed over all frames that waited. */
    private static final long TURN_NS = 200_000;

    /** Maximum age of an observation. */
    private static final long MAX_AGE_NS = 5_000_000;

    private final List<KsoftirqdThread> helpers;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private long askedNs;
    private boolean wasAsked;

    private SoftInterrupts(final List<KsoftirqdThread> helpers) {
        this.helpers = helpers;
    }

    /**
     * Finds the threads. Where they are not visible (in a container, or with many CPUs), no frame
     * is taken to wait.
     *
     * @param proc mount point of proc.
     */
    public static SoftInterrupts open(final Path proc) {
        final List<KsoftirqdThread> found = new ArrayList<>();
        final int cpus = Runtime.getRuntime().availableProcessors();
        final SoftInterrupts all = new SoftInterrupts(found);
        try {
            for (int pid = 1; pid < FIRST_PIDS + PIDS_PER_CPU * cpus; pid++) {
                final Path thread = proc.resolve(Integer.toString(pid));
                if (isKsoftirqd(thread)) {
                    found.add(KsoftirqdThread.open(thread));
                }
            }
        } catch (final IOException e) {
            all.close();
        }
        if (found.size() > MAX_CPUS) {
            all.close();
        }
        return all;
    }

    private static boolean isKsoftirqd(final Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).startsWith("ksoftirqd/");
        } catch (final IOException e) {
            return false;
        }
    }

    /** Number of threads that are watched. */
    int count() {
        return helpers.size();
    }

    /**
     * True if one of the threads waits for its CPU and has not worked since that was seen first.
     * Makes two system calls for each.
     */
    public boolean isWaiting(final long nowNs) {
        if (!wasAsked || nowNs - askedNs > MAX_AGE_NS) {
            helpers.forEach(KsoftirqdThread::forget);
        }
        wasAsked = true;
        askedNs = nowNs;
        boolean isWaiting = false;
        for (final KsoftirqdThread ksoftirqdThread : helpers) {
            isWaiting |= ksoftirqdThread.isWaiting(buffer);
        }
        return isWaiting;
    }

    @Override
    public void close() {
        helpers.forEach(KsoftirqdThread::close);
        helpers.clear();
    }

    /** One thread. */
    private static final class KsoftirqdThread {
        private final RandomAccessFile stat;
        private final RandomAccessFile schedule;
        private boolean wasReady;
        private long seenNs;

        private KsoftirqdThread(final RandomAccessFile stat, final RandomAccessFile schedule) {
            this.stat = stat;
            this.schedule = schedule;
        }

        static KsoftirqdThread open(final Path thread) throws IOException {
            final RandomAccessFile stat =
                    new RandomAccessFile(thread.resolve("stat").toFile(), "r");
            try {
                return new KsoftirqdThread(
                        stat, new RandomAccessFile(thread.resolve("schedstat").toFile(), "r"));
            } catch (final IOException e) {
                stat.close();
                throw e;
            }
        }

        void forget() {
            wasReady = false;
        }

        boolean isWaiting(final byte[] buffer) {
            try {
                if (!isReady(buffer)) {
                    wasReady = false;
                    return false;
                }
                final long workedNs = workedNs(buffer);
                if (!wasReady) {
                    wasReady = true;
                    seenNs = workedNs;
                }
                return workedNs - seenNs < TURN_NS;
            } catch (final IOException e) {
                return false;
            }
        }

        // The state follows the name, which is in parentheses.
        private boolean isReady(final byte[] buffer) throws IOException {
            final String text = read(stat, buffer);
            final int name = text.lastIndexOf(") ");
            return name >= 0 && text.startsWith("R", name + 2);
        }

        private long workedNs(final byte[] buffer) throws IOException {
            final String text = read(schedule, buffer);
            long ns = 0;
            for (int i = 0; i < text.length() && Character.isDigit(text.charAt(i)); i++) {
                ns = 10 * ns + text.charAt(i) - '0';
            }
            return ns;
        }

        private static String read(final RandomAccessFile file, final byte[] buffer)
                throws IOException {
            file.seek(0);
            final int length = Math.max(0, file.read(buffer));
            return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
        }

        void close() {
            for (final RandomAccessFile file : List.of(stat, schedule)) {
                try {
                    file.close();
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
