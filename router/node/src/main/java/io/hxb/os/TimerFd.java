package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A timer of the kernel as a descriptor that becomes readable, exact to microseconds, where epoll's
 * own timeout is exact to milliseconds. Owned by one loop.
 */
public final class TimerFd implements AutoCloseable {
    private static final int CLOCK_MONOTONIC = 1;
    private static final int TFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int TFD_TIMER_ABSTIME = 1;
    private static final long NS_PER_SECOND = 1_000_000_000L;

    private final int descriptor;
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final MemorySegment memory = Arena.ofAuto().allocate(40, 8);
    private final long specification = memory.address();
    private final long expirations = specification + 32;

    /** Makes a timer that is not set. */
    public TimerFd() throws LinuxException {
        try {
            descriptor =
                    (int) Calls.CREATE.invokeExact(errno, CLOCK_MONOTONIC, TFD_NONBLOCK_CLOEXEC);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(descriptor, "timerfd_create", errno);
    }

    /** Readable once the time has come, until {@link #clear} or the next {@link #set}. */
    public int descriptor() {
        return descriptor;
    }

    /**
     * Sets the timer, replacing what was set. Allocates nothing.
     *
     * @param delayNs from now; 0 or less makes it readable at once.
     */
    public void set(final long delayNs) {
        settime(0, Math.max(1, delayNs));
    }

    /**
     * Sets the timer to a time of System.nanoTime, replacing what was set. Allocates nothing.
     *
     * @param deadlineNs when; one that has passed makes it readable at once.
     */
    public void setDeadline(final long deadlineNs) {
        settime(TFD_TIMER_ABSTIME, Math.max(1, deadlineNs));
    }

    /** Stops the timer; the descriptor is not readable any more. */
    public void cancel() {
        settime(0, 0);
    }

    /** Takes the expiration, so that the descriptor is not readable any more. */
    public void clear() {
        try {
            final long ignored = (long) Calls.READ.invokeExact(errno, descriptor, expirations, 8L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    private void settime(final int flags, final long ns) {
        Memory.putLong(specification + 16, ns / NS_PER_SECOND);
        Memory.putLong(specification + 24, ns % NS_PER_SECOND);
        final int result;
        try {
            result = (int) Calls.SETTIME.invokeExact(errno, descriptor, flags, specification, 0L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        if (result < 0) {
            throw new IllegalStateException(
                    "timerfd_settime: " + Errno.describe(Linux.errno(errno)));
        }
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }

    private static final class Calls {
        static final MethodHandle CREATE =
                Linux.bind(
                        "timerfd_create",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        static final MethodHandle SETTIME =
                Linux.bind(
                        "timerfd_settime",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
        static final MethodHandle READ =
                Linux.bind(
                        "read",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
    }
}
