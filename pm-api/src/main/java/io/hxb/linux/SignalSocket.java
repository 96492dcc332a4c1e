package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A connected pair of sockets by which one process wakes another that it does not trust. Unlike a
 * write to an event descriptor, a signal can never block: the other process shares the flags of an
 * event descriptor and could make it blocking. Stateless; any thread may call it. Source:
 * socketpair(2), send(2).
 */
public final class SignalSocket {
    private static final int AF_UNIX = 1;
    private static final int SHUT_RDWR = 2;
    private static final int SOCK_STREAM_NONBLOCK_CLOEXEC = 1 | 04000 | 02000000;
    private static final int MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;
    private static final int DRAIN_BYTES = 256;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    // One byte to send; a place for bytes that nobody looks at.
    private static final long SCRATCH = Arena.global().allocate(8 + DRAIN_BYTES, 8).address();

    private SignalSocket() {}

    /** Makes a pair: {@code [2]} descriptors, either end may signal and drain. */
    public static int[] pair() throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final long pair = arena.allocate(8, 8).address();
            final int result =
                    (int)
                            Handles.PAIR.invokeExact(
                                    errno, AF_UNIX, SOCK_STREAM_NONBLOCK_CLOEXEC, 0, pair);
            if (result < 0) {
                throw new LinuxException("socketpair", Linux.errno(errno));
            }
            return new int[] {Memory.getInt(pair), Memory.getInt(pair + 4)};
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    /** Makes the other end readable. A full or closed other end is ignored. Never blocks. */
    public static void signal(final int fd) {
        call(Handles.SEND, fd, SCRATCH, 1L);
    }

    /** Makes this end readable forever, for all that poll it: nothing is received any more. */
    public static void shutDown(final int fd) {
        try {
            final int ignored =
                    (int) Handles.SHUTDOWN.invokeExact(Linux.errnoSegment(), fd, SHUT_RDWR);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    /**
     * Makes this end unreadable until the next signal. Never blocks.
     *
     * @return number of signals that had arrived, 0 or more.
     */
    public static int drain(final int fd) {
        int signals = 0;
        long length = DRAIN_BYTES;
        while (length == DRAIN_BYTES) {
            length = call(Handles.RECV, fd, SCRATCH + 8, DRAIN_BYTES);
            signals += (int) Math.max(length, 0);
        }
        return signals;
    }

    private static long call(
            final MethodHandle handle, final int fd, final long address, final long lengthBytes) {
        try {
            return (long)
                    handle.invokeExact(
                            Linux.errnoSegment(), fd, address, lengthBytes, MSG_DONTWAIT_NOSIGNAL);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static final class Handles {
        private static final FunctionDescriptor TRANSFER =
                FunctionDescriptor.of(LONG, INT, LONG, LONG, INT);
        static final MethodHandle PAIR =
                Linux.bind("socketpair", FunctionDescriptor.of(INT, INT, INT, INT, LONG));
        static final MethodHandle SHUTDOWN =
                Linux.bind("shutdown", FunctionDescriptor.of(INT, INT, INT));
        static final MethodHandle SEND = Linux.bind("send", TRANSFER);
        static final MethodHandle RECV = Linux.bind("recv", TRANSFER);
    }
}
