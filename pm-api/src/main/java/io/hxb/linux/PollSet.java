package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A few descriptors to wait for. Owned by one thread. Source: ppoll(2); pollfd is {fd@0, events@4,
 * revents@6}, timespec {seconds@0, nanoseconds@8}.
 */
public final class PollSet implements AutoCloseable {
    /** Something can be read, or a connection waits to be accepted. Source: POLLIN. */
    public static final int READABLE = 1;

    /** Something can be written. Source: POLLOUT. */
    public static final int WRITABLE = 4;

    /** The other end is gone. Source: POLLERR | POLLHUP | POLLNVAL | POLLRDHUP. */
    public static final int GONE = 8 | 0x10 | 0x20 | 0x2000;

    private static final int POLLFD_BYTES = 8;
    private static final int POLLRDHUP = 0x2000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment entries;
    private final long timeout;
    private final int capacity;
    private int count;

    /** Makes a set for up to {@code capacity} descriptors. */
    public PollSet(final int capacity) {
        this.capacity = capacity;
        entries = arena.allocate((long) capacity * POLLFD_BYTES + 16, 8);
        timeout = entries.address() + (long) capacity * POLLFD_BYTES;
    }

    /** Removes all descriptors. */
    public void clear() {
        count = 0;
    }

    /**
     * Adds a descriptor; -1 is allowed and never ready.
     *
     * @return its index for {@link #ready}.
     */
    public int add(final int fd) {
        return add(fd, READABLE);
    }

    /**
     * Adds a descriptor; -1 is allowed and never ready.
     *
     * @param events {@link #READABLE}, {@link #WRITABLE} or both.
     * @return its index for {@link #ready}.
     */
    public int add(final int fd, final int events) {
        if (count == capacity) {
            throw new IllegalStateException("a poll set is full: " + capacity);
        }
        final long entry = entries.address() + (long) count * POLLFD_BYTES;
        Memory.putInt(entry, fd);
        Memory.putShort(entry + 4, events | POLLRDHUP);
        Memory.putShort(entry + 6, 0);
        return count++;
    }

    /**
     * Waits until a descriptor is ready. Returns early when a signal arrives.
     *
     * @param timeoutNs longest wait in ns, 0 for none.
     * @return number of descriptors that are ready, 0 or more.
     */
    public int await(final long timeoutNs) {
        Memory.putLong(timeout, timeoutNs / 1_000_000_000L);
        Memory.putLong(timeout + 8, timeoutNs % 1_000_000_000L);
        final int ready;
        try {
            ready =
                    (int)
                            Handles.PPOLL.invokeExact(
                                    Linux.errnoSegment(),
                                    entries.address(),
                                    (long) count,
                                    timeout,
                                    0L);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
        if (ready < 0) {
            for (int i = 0; i < count; i++) {
                Memory.putShort(entries.address() + (long) i * POLLFD_BYTES + 6, 0);
            }
        }
        return Math.max(ready, 0);
    }

    /**
     * What the last wait found about descriptor {@code index}: READABLE, WRITABLE and bits of GONE.
     */
    public int ready(final int index) {
        return Memory.getUnsignedShort(entries.address() + (long) index * POLLFD_BYTES + 6);
    }

    @Override
    public void close() {
        arena.close();
    }

    private static final class Handles {
        static final MethodHandle PPOLL =
                Linux.bind(
                        "ppoll",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
    }
}
