package io.hxb.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Wakes a thread that sleeps on a word of shared memory, see {@link FutexWords}. Never blocks,
 * whatever another process does that has the word. Stateless; any thread may call it. Sources:
 * futex(2); Documentation/userspace-api/futex2.rst of Linux 5.16.
 */
public final class Futex {
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final int CLOCK_MONOTONIC = 1;

    private Futex() {}

    /** Wakes one thread that sleeps on the word at that address, if there is one. */
    public static void wake(final long address) {
        Calls.futex(Linux.errnoSegment(), address, FUTEX_WAKE, 1, 0);
    }

    /** True if a thread may sleep on several words at once here. */
    static boolean isSupported() {
        return Presence.IS_THERE;
    }

    /**
     * Sleeps while the word has that value; returns 0 or an error number.
     *
     * @param timeout address of a timespec, the longest sleep.
     */
    static int sleep(final long address, final int value, final long timeout) {
        final MemorySegment errno = Linux.errnoSegment();
        final boolean isDone = Calls.futex(errno, address, FUTEX_WAIT, value, timeout) >= 0;
        return isDone ? 0 : Linux.errno(errno);
    }

    /**
     * Sleeps while all words have their values; returns 0 or an error number.
     *
     * @param words address of {@code count} times {@code futex_waitv}.
     * @param end address of a timespec, until when.
     */
    static int sleepOnSeveral(final long words, final int count, final long end) {
        final MemorySegment errno = Linux.errnoSegment();
        final boolean isDone = Calls.futexWaitv(errno, words, count, end, CLOCK_MONOTONIC) >= 0;
        return isDone ? 0 : Linux.errno(errno);
    }

    private static final class Presence {
        static final boolean IS_THERE = sleepOnSeveral(0, 0, 0) == Errno.EINVAL;
    }

    private static final class Calls {
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle SYSCALL =
                Linux.bindVariadic(
                        "syscall", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, LONG, INT), 1);

        static long futex(
                final MemorySegment errno,
                final long address,
                final int operation,
                final int value,
                final long timeout) {
            try {
                return (long)
                        SYSCALL.invokeExact(
                                errno, SystemCall.FUTEX, address, operation, value, timeout, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long futexWaitv(
                final MemorySegment errno,
                final long words,
                final int count,
                final long end,
                final int clock) {
            try {
                return (long)
                        SYSCALL.invokeExact(
                                errno, SystemCall.FUTEX_WAITV, words, count, 0, end, clock);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }
    }
}
