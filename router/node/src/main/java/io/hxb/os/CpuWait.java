package io.hxb.os;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;

/**
 * How long the thread that made it has waited for a CPU, ready to run. Used by that thread.
 *
 * <p>Source: linux/Documentation/scheduler/sched-stats.rst, the second number of schedstat.
 */
public final class CpuWait implements AutoCloseable {
    private static final int BUFFER_BYTES = 128;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    // Null where the kernel does not count.
    private final RandomAccessFile file;

    /** Of the calling thread. */
    public CpuWait() {
        file = open();
    }

    private static RandomAccessFile open() {
        try {
            return new RandomAccessFile("/proc/thread-self/schedstat", "r");
        } catch (final IOException e) {
            return null;
        }
    }

    /** Time in ns since the thread began; 0 where it is not counted. One or two system calls. */
    public long ns() {
        if (file == null) {
            return 0;
        }
        try {
            file.seek(0);
            final int length = file.read(buffer);
            int at = 0;
            while (at < length && buffer[at] != ' ') {
                at++;
            }
            long ns = 0;
            for (at++; at < length && buffer[at] >= '0' && buffer[at] <= '9'; at++) {
                ns = 10 * ns + buffer[at] - '0';
            }
            return ns;
        } catch (final IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
