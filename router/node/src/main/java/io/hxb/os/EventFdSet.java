package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SystemCall;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Many event descriptors seen as one: an epoll descriptor that is readable when any of them has
 * been signalled since the last {@link #clear}, and that can itself be waited for by epoll. The
 * event descriptors need never be read, so that it does not matter who else reads them. Any thread
 * may add and remove; one clears. Source: epoll(7), edge triggered.
 */
public final class EventFdSet implements AutoCloseable {
    private static final int EPOLL_CLOEXEC = 02000000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLLIN_ONCE_AN_EDGE = 1 | 1 << 31;
    // Source: linux/eventpoll.h; the struct is packed on x86-64 alone.
    private static final int EPOLL_EVENT_BYTES = SystemCall.IS_X86 ? 12 : 16;
    private static final int EVENTS = 64;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private final long events = arena.allocate((long) EVENTS * EPOLL_EVENT_BYTES, 8).address();
    private final int descriptor;

    /** Makes an empty set. */
    public EventFdSet() throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        try {
            descriptor = (int) Handles.CREATE.invokeExact(errno, EPOLL_CLOEXEC);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
        if (descriptor < 0) {
            throw new LinuxException("epoll_create1", Linux.errno(errno));
        }
    }

    /** Readable when a descriptor of the set has been signalled. */
    public int descriptor() {
        return descriptor;
    }

    /** Adds an event descriptor. */
    public void add(final int fd) throws LinuxException {
        control(EPOLL_CTL_ADD, fd);
    }

    /** Removes an event descriptor, before it is closed. */
    public void remove(final int fd) throws LinuxException {
        control(EPOLL_CTL_DEL, fd);
    }

    private void control(final int operation, final int fd) throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try (Arena scratch = Arena.ofConfined()) {
            final long event = scratch.allocate(EPOLL_EVENT_BYTES, 8).address();
            Memory.putInt(event, EPOLLIN_ONCE_AN_EDGE);
            result = (int) Handles.CONTROL.invokeExact(errno, descriptor, operation, fd, event);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
        if (result < 0) {
            throw new LinuxException("epoll_ctl(" + fd + ")", Linux.errno(errno));
        }
    }

    /** Makes the set unreadable until the next signal; does not block, allocates nothing. */
    public void clear() {
        int count;
        do {
            try {
                count =
                        (int)
                                Handles.WAIT.invokeExact(
                                        Linux.errnoSegment(), descriptor, events, EVENTS, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        } while (count == EVENTS);
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
        arena.close();
    }

    private static final class Handles {
        static final MethodHandle CREATE =
                Linux.bind("epoll_create1", FunctionDescriptor.of(INT, INT));
        static final MethodHandle CONTROL =
                Linux.bind("epoll_ctl", FunctionDescriptor.of(INT, INT, INT, INT, LONG));
        static final MethodHandle WAIT =
                Linux.bind("epoll_wait", FunctionDescriptor.of(INT, INT, LONG, INT, INT));
    }
}
