package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A few words of shared memory to sleep on, each with the value that it has until then. Owned by
 * one thread. Source: Documentation/userspace-api/futex2.rst of Linux 5.16; futex_waitv is
 * {value@0, address@8, flags@16}, timespec {seconds@0, nanoseconds@8}.
 */
public final class FutexWords implements AutoCloseable {
    /** Most words of one sleep. Source: FUTEX_WAITV_MAX. */
    public static final int MAX_COUNT = 128;

    private static final int ENTRY_BYTES = 24;
    private static final int IS_32_BITS = 2;
    private static final long SECOND_NS = 1_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment entries;
    private final long first;
    private final long time;
    private int count;

    /** Makes an empty set. */
    public FutexWords() {
        entries = arena.allocate((long) MAX_COUNT * ENTRY_BYTES + 16, 8);
        first = entries.address();
        time = first + (long) MAX_COUNT * ENTRY_BYTES;
    }

    /** True if threads may sleep on words here: Linux 5.16, and not forbidden. */
    public static boolean areSupported() {
        return Futex.isSupported();
    }

    /** Removes all words. */
    public void clear() {
        count = 0;
    }

    /**
     * Adds a word.
     *
     * @param address of its 4 bytes, in memory that processes share.
     * @param value that it has as long as there is nothing to do.
     */
    public void add(final long address, final int value) {
        if (count == MAX_COUNT) {
            throw new IllegalStateException("a thread sleeps on at most " + MAX_COUNT + " words");
        }
        final long entry = first + (long) count * ENTRY_BYTES;
        Memory.putLong(entry, Integer.toUnsignedLong(value));
        Memory.putLong(entry + 8, address);
        Memory.putInt(entry + 16, IS_32_BITS);
        Memory.putInt(entry + 20, 0);
        count++;
    }

    /**
     * Sleeps until one of the words has changed, or is woken by {@link Futex#wake}.
     *
     * @param timeoutNs longest sleep in ns, 0 or more.
     * @return false if it ended for another reason: the time has passed, or a signal came.
     */
    public boolean await(final long timeoutNs) {
        final int error;
        if (count == 1) {
            // One word alone is cheaper, and has its time from now on.
            time(timeoutNs);
            error = Futex.sleep(Memory.getLong(first + 8), Memory.getInt(first), time);
        } else {
            time(System.nanoTime() + timeoutNs);
            error = Futex.sleepOnSeveral(first, count, time);
        }
        return error == 0 || error == Errno.EAGAIN;
    }

    private void time(final long ns) {
        Memory.putLong(time, ns / SECOND_NS);
        Memory.putLong(time + 8, ns % SECOND_NS);
    }

    @Override
    public void close() {
        arena.close();
    }
}
