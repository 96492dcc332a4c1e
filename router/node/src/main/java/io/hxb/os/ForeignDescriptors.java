package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SystemCall;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Descriptors that other processes have open. Stateless; any thread may call it. Source:
 * pidfd_getfd(2).
 */
public final class ForeignDescriptors {
    private ForeignDescriptors() {}

    /**
     * A descriptor of this process for what another one has open.
     *
     * @param descriptor its number there.
     * @throws LinuxException if it has none of that number, or this process may not trace it.
     */
    public static int duplicate(final long pid, final int descriptor) throws LinuxException {
        final int process = call(SystemCall.PIDFD_OPEN, pid, 0, "pidfd_open");
        try {
            return call(SystemCall.PIDFD_GETFD, process, descriptor, "pidfd_getfd");
        } finally {
            Descriptors.close(process);
        }
    }

    private static int call(final long number, final long a, final long b, final String name)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) (long) Handles.SYSCALL.invokeExact(errno, number, a, b, 0L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, name, errno);
        return result;
    }

    private static final class Handles {
        static final MethodHandle SYSCALL =
                Linux.bindVariadic(
                        "syscall",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG),
                        1);
    }
}
