package io.hxb.os;

import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The socket calls of Linux x86-64 on plain descriptors. Stateless; any thread may call it.
 *
 * <p>The batch calls are for the data path: they allocate nothing and return a negative errno. The
 * others throw.
 */
public final class Sockets {
    /** IPv4. */
    public static final int AF_INET = 2;

    /** Netlink. */
    public static final int AF_NETLINK = 16;

    /** Frames of a NIC. */
    public static final int AF_PACKET = 17;

    /** Datagrams. */
    public static final int SOCK_DGRAM = 2;

    /** Frames with their headers. */
    public static final int SOCK_RAW = 3;

    /** Bytes of a sockaddr_in. */
    public static final int SOCKADDR_IN_LENGTH = 16;

    private static final int SOCK_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final long SIOCOUTQ = 0x5411;
    private static final int SO_ERROR = 4;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Sockets() {}

    /** Opens a non-blocking socket that child processes do not inherit. */
    public static int open(final int family, final int type, final int protocol)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int fd;
        try {
            fd =
                    (int)
                            Open.SOCKET.invokeExact(
                                    errno, family, type | SOCK_NONBLOCK_CLOEXEC, protocol);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(fd, "socket(family " + family + ")", errno);
        return fd;
    }

    /**
     * Binds a socket to the {@code lengthBytes} of sockaddr at {@code address}.
     *
     * @param what what it is bound to, for the message.
     */
    public static void bind(
            final int fd, final long address, final int lengthBytes, final String what)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Open.BIND.invokeExact(errno, fd, address, lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(result, "bind(" + what + ")", errno);
    }

    /**
     * Connects a datagram socket to the {@code lengthBytes} of sockaddr at {@code address}, which
     * sends nothing.
     *
     * @return 0, or a negative errno, such as that no route leads there.
     */
    public static int connect(final int fd, final long address, final int lengthBytes) {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Open.CONNECT.invokeExact(errno, fd, address, lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : result;
    }

    /** Fills at most {@code lengthBytes} at {@code address} with the socket's own sockaddr. */
    public static void localAddress(final int fd, final long address, final int lengthBytes)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment length = arena.allocate(INT);
            length.set(INT, 0, lengthBytes);
            final int result =
                    (int) Open.GETSOCKNAME.invokeExact(errno, fd, address, length.address());
            Linux.check(result, "getsockname", errno);
        } catch (final LinuxException e) {
            throw e;
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    /** The pending error of the socket, 0 for none; reading clears it. */
    public static int takeError(final int fd) throws LinuxException {
        return SocketOptions.get(fd, SocketOptions.SOL_SOCKET, SO_ERROR);
    }

    /**
     * Asks for a send buffer, beyond the system's limit if the process is allowed that.
     *
     * @return bytes that the kernel grants, which may be less than {@code bytes}.
     */
    public static int setSendBuffer(final int fd, final int bytes) throws LinuxException {
        return setBuffer(fd, bytes, SO_SNDBUFFORCE, SO_SNDBUF);
    }

    /**
     * Changes a send buffer that was set before; never beyond what the process may. Allocates
     * nothing unless that is less than wanted.
     *
     * @param address an int to write to.
     */
    public static void changeSendBuffer(final int fd, final int bytes, final long address)
            throws LinuxException {
        Memory.putInt(address, bytes);
        try {
            SocketOptions.set(fd, SocketOptions.SOL_SOCKET, SO_SNDBUFFORCE, address, Integer.BYTES);
        } catch (final LinuxException e) {
            if (e.errno() != Errno.EPERM) {
                throw e;
            }
            SocketOptions.set(fd, SocketOptions.SOL_SOCKET, SO_SNDBUF, address, Integer.BYTES);
        }
    }

    /**
     * Asks for a receive buffer, beyond the system's limit if the process is allowed that.
     *
     * @return bytes that the kernel grants, which may be less than {@code bytes}.
     */
    public static int setReceiveBuffer(final int fd, final int bytes) throws LinuxException {
        return setBuffer(fd, bytes, SO_RCVBUFFORCE, SO_RCVBUF);
    }

    private static int setBuffer(final int fd, final int bytes, final int force, final int plain)
            throws LinuxException {
        try {
            SocketOptions.set(fd, SocketOptions.SOL_SOCKET, force, bytes);
        } catch (final LinuxException e) {
            if (e.errno() != Errno.EPERM) {
                throw e;
            }
            SocketOptions.set(fd, SocketOptions.SOL_SOCKET, plain, bytes);
        }
        // The kernel doubles what it is asked for, to leave room for its own bookkeeping:
        // socket(7).
        return SocketOptions.get(fd, SocketOptions.SOL_SOCKET, plain) / 2;
    }

    /**
     * Receives into a {@link MessageVector} without waiting (recvmmsg).
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address first mmsghdr to fill.
     * @param count messages to receive at most.
     * @return messages received, or a negative errno.
     */
    public static int receiveBatch(
            final MemorySegment errno, final int fd, final long address, final int count) {
        final int result;
        try {
            result = (int) Batch.RECVMMSG.invokeExact(errno, fd, address, count, MSG_DONTWAIT, 0L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : result;
    }

    /**
     * Sends from a {@link MessageVector} without waiting (sendmmsg).
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address first mmsghdr to send.
     * @param count messages to send at most.
     * @return messages sent, or the negative errno of the first.
     */
    public static int sendBatch(
            final MemorySegment errno, final int fd, final long address, final int count) {
        final int result;
        try {
            result = (int) Batch.SENDMMSG.invokeExact(errno, fd, address, count, MSG_DONTWAIT);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : result;
    }

    /**
     * What the socket has sent and the NIC has not (SIOCOUTQ), counted as in the send buffer: the
     * memory that the kernel uses for each frame.
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address an int to write to.
     * @return bytes, or a negative errno.
     */
    public static int unsentBytes(final MemorySegment errno, final int fd, final long address) {
        final int result = ioctl(errno, fd, SIOCOUTQ, address);
        return result < 0 ? result : Memory.getInt(address);
    }

    /**
     * Asks the kernel about a socket or a NIC (ioctl).
     *
     * @param errno a segment that only the calling thread uses now.
     * @param address what the request points to.
     * @return what the request returns, or a negative errno.
     */
    public static int ioctl(
            final MemorySegment errno, final int fd, final long request, final long address) {
        final int result;
        try {
            result = (int) Batch.IOCTL.invokeExact(errno, fd, request, address);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : result;
    }

    /**
     * Receives one message without waiting (recv).
     *
     * @return bytes received, 0 for an empty message, or a negative errno.
     */
    public static int receive(final int fd, final long address, final int lengthBytes) {
        return transfer(Batch.RECV, fd, address, lengthBytes);
    }

    /**
     * Sends one message without waiting (send).
     *
     * @return bytes sent, or a negative errno.
     */
    public static int send(final int fd, final long address, final int lengthBytes) {
        return transfer(Batch.SEND, fd, address, lengthBytes);
    }

    private static int transfer(
            final MethodHandle call, final int fd, final long address, final int lengthBytes) {
        final MemorySegment errno = Linux.errnoSegment();
        final long result;
        try {
            result = (long) call.invokeExact(errno, fd, address, (long) lengthBytes, MSG_DONTWAIT);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        return result < 0 ? -Linux.errno(errno) : (int) result;
    }

    private static final class Open {
        static final MethodHandle SOCKET =
                Linux.bind("socket", FunctionDescriptor.of(INT, INT, INT, INT));
        static final MethodHandle BIND =
                Linux.bind("bind", FunctionDescriptor.of(INT, INT, LONG, INT));
        static final MethodHandle CONNECT =
                Linux.bind("connect", FunctionDescriptor.of(INT, INT, LONG, INT));
        static final MethodHandle GETSOCKNAME =
                Linux.bind("getsockname", FunctionDescriptor.of(INT, INT, LONG, LONG));
    }

    private static final class Batch {
        static final MethodHandle RECVMMSG =
                Linux.bind("recvmmsg", FunctionDescriptor.of(INT, INT, LONG, INT, INT, LONG));
        static final MethodHandle SENDMMSG =
                Linux.bind("sendmmsg", FunctionDescriptor.of(INT, INT, LONG, INT, INT));
        static final MethodHandle RECV =
                Linux.bind("recv", FunctionDescriptor.of(LONG, INT, LONG, LONG, INT));
        static final MethodHandle SEND =
                Linux.bind("send", FunctionDescriptor.of(LONG, INT, LONG, LONG, INT));
        static final MethodHandle IOCTL =
                Linux.bindVariadic("ioctl", FunctionDescriptor.of(INT, INT, LONG, LONG), 2);
    }
}
