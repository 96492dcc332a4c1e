package io.hxb.bench.programs;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Sees when a file grows. Its thread looks; any other may ask. */
final class FileGrowth implements AutoCloseable {
    private static final long LOOK_NS = 5_000_000L;

    private final Path file;
    private final Thread thread;
    private final Pauses pauses = new Pauses();
    private volatile boolean isOver;

    private FileGrowth(final Path file) {
        this.file = file;
        thread = Thread.ofPlatform().daemon().name("growth").unstarted(this::look);
    }

    /** Looks at a file, which need not exist yet, until it is closed. */
    static FileGrowth watch(final Path file) {
        final FileGrowth growth = new FileGrowth(file);
        growth.thread.start();
        return growth;
    }

    private void look() {
        while (!isOver) {
            pauses.sample(System.nanoTime(), file.toFile().length());
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    /** The longest time between two moments at which it grew. */
    double longestPauseMs() {
        return pauses.longestMs();
    }

    @Override
    public void close() {
        isOver = true;
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The times between growths, from samples of a size. Thread-safe. */
    static final class Pauses {
        private long size;
        private long grewNs;
        private long longestNs;

        /** Takes a sample; samples come in the order of their times. */
        synchronized void sample(final long nowNs, final long newSize) {
            if (newSize > size) {
                if (size > 0) {
                    longestNs = Math.max(longestNs, nowNs - grewNs);
                }
                size = newSize;
                grewNs = nowNs;
            }
        }

        /** The longest one; what has followed the last growth does not count. */
        synchronized double longestMs() {
            return longestNs / 1e6;
        }
    }
}
