package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A Unix socket of type SOCK_SEQPACKET, which preserves message boundaries and passes descriptors.
 * Owned by one thread. Source: unix(7), cmsg(3); msghdr is {name@0, iov@16, iovlen@24, control@32,
 * controllen@40, flags@48}, cmsghdr {len@0, level@8, type@12, data@16}.
 */
public final class UnixSocket implements AutoCloseable {
    /** Maximum number of descriptors in one message. */
    public static final int MAX_DESCRIPTORS = 8;

    /** Returned by {@link #receive} when the other end is gone. */
    public static final int CLOSED = 0;

    /** Returned by {@link #receive} and {@link #send} when the call would block. */
    public static final int WOULD_BLOCK = -1;

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_PEERGROUPS = 59;
    private static final int SHUT_RD = 0;
    private static final int SHUT_RDWR = 2;
    private static final int SO_SNDTIMEO = 21;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x4000_0000;
    private static final int SOCK_CLOEXEC = 02000000;
    private static final int PATH_BYTES = 108;
    private static final int BACKLOG = 1_024;
    private static final long CONNECT_LIMIT_MS = 5_000;
    private static final int CONTROL_BYTES = 16 + 4 * MAX_DESCRIPTORS;
    private static final int ECONNRESET = 104;
    private static final int EPIPE = 32;
    private static final int ERANGE = 34;
    private static final int FEW_GROUPS = 64;

    /** Groups that a process may have. Source: NGROUPS_MAX. */
    private static final int MAX_GROUPS = 65_536;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private final long header = arena.allocate(56, 8).address();
    private final long vector = arena.allocate(16, 8).address();
    private final long control = arena.allocate(CONTROL_BYTES, 8).address();
    private final int[] received = new int[MAX_DESCRIPTORS];
    private final int descriptor;
    private int receivedCount;
    private boolean isClosed;

    private UnixSocket(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Listens on a path that does not exist yet.
     *
     * @throws LinuxException with EADDRINUSE if the path exists.
     */
    public static UnixSocket listen(final Path path) throws LinuxException {
        return listen(path, path);
    }

    /**
     * Listens in a folder, whatever its path leads to by now.
     *
     * @param name name of the socket, which does not exist yet.
     * @throws LinuxException with EADDRINUSE if it exists.
     */
    public static UnixSocket listen(final Folder folder, final String name) throws LinuxException {
        return listen(folder.inside(name), folder.path().resolve(name));
    }

    private static UnixSocket listen(final Path place, final Path path) throws LinuxException {
        final UnixSocket socket = open();
        try (Arena scratch = Arena.ofConfined()) {
            // Clients connect by the path, so that has to fit as well.
            address(scratch, path);
            final MemorySegment name = address(scratch, place);
            socket.check(
                    Handles.bind(socket.descriptor, name.address(), (int) name.byteSize()),
                    "bind",
                    path);
            socket.check(Handles.listen(socket.descriptor, BACKLOG), "listen", path);
            return socket;
        } catch (final LinuxException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Connects to a listener; waits for at most 5 s.
     *
     * @throws LinuxException as {@link #connect(Path, long)}.
     */
    public static UnixSocket connect(final Path path) throws LinuxException {
        return connect(path, CONNECT_LIMIT_MS);
    }

    /**
     * Connects to a listener. That takes no time, unless the queue of connections to be accepted is
     * full: then the process that listens is stopped or overloaded.
     *
     * @param limitMs longest wait for that in ms, 1 or more.
     * @throws LinuxException with ENOENT or ECONNREFUSED if nobody listens there, with EAGAIN if
     *     the listener has not accepted others within the limit.
     */
    public static UnixSocket connect(final Path path, final long limitMs) throws LinuxException {
        final UnixSocket socket = open();
        try (Arena scratch = Arena.ofConfined()) {
            socket.timeout(SO_SNDTIMEO, limitMs);
            final MemorySegment name = address(scratch, path);
            final long deadlineNs = System.nanoTime() + limitMs * 1_000_000L;
            int result = Handles.connect(socket.descriptor, name);
            while (result < 0 && lastErrno() == Errno.EINTR && System.nanoTime() < deadlineNs) {
                result = Handles.connect(socket.descriptor, name);
            }
            socket.check(result, "connect", path);
            return socket;
        } catch (final LinuxException e) {
            socket.close();
            throw e;
        }
    }

    private static UnixSocket open() throws LinuxException {
        final int fd = Handles.socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC);
        if (fd < 0) {
            throw new LinuxException("socket(AF_UNIX)", lastErrno());
        }
        return new UnixSocket(fd);
    }

    private static MemorySegment address(final Arena arena, final Path path) {
        final byte[] text = path.toString().getBytes(StandardCharsets.UTF_8);
        if (text.length >= PATH_BYTES) {
            throw new IllegalArgumentException(
                    "a socket path has at most 107 bytes, this one has "
                            + text.length
                            + ": "
                            + path);
        }
        final MemorySegment address = arena.allocate(2 + PATH_BYTES, 8);
        Memory.putShort(address.address(), AF_UNIX);
        MemorySegment.copy(text, 0, address, ValueLayout.JAVA_BYTE, 2, text.length);
        return address;
    }

    private void check(final int result, final String call, final Path path) throws LinuxException {
        if (result < 0) {
            throw new LinuxException(call + "(" + path + ")", lastErrno());
        }
    }

    /** Accepts a connection; blocks until there is one. */
    public UnixSocket accept() throws LinuxException {
        final int fd = Handles.accept(descriptor, SOCK_CLOEXEC);
        if (fd < 0) {
            throw new LinuxException("accept4", lastErrno());
        }
        return new UnixSocket(fd);
    }

    private void timeout(final int option, final long timeoutMs) throws LinuxException {
        try (Arena scratch = Arena.ofConfined()) {
            final long timeval = scratch.allocate(16, 8).address();
            Memory.putLong(timeval, timeoutMs / 1000);
            Memory.putLong(timeval + 8, timeoutMs % 1000 * 1000);
            SocketOptions.set(descriptor, SOL_SOCKET, option, timeval, 16);
        }
    }

    /** Stops receiving: what the other end sends from now on fails there. */
    public void shutDownReceiving() {
        // Fails only where the other end is gone.
        Handles.shutdown(descriptor, SHUT_RD);
    }

    /** Ends both directions: a blocked reader gets the end of the stream. */
    public void shutDown() {
        // Fails only where the other end is gone.
        Handles.shutdown(descriptor, SHUT_RDWR);
    }

    /** Process, user and groups of the other end when it connected. */
    public Peer peer() throws LinuxException {
        try (Arena scratch = Arena.ofConfined()) {
            final long ucred = scratch.allocate(12, 8).address();
            SocketOptions.get(descriptor, SOL_SOCKET, SO_PEERCRED, ucred, 12);
            return new Peer(
                    Memory.getInt(ucred),
                    Memory.getInt(ucred + 4),
                    Memory.getInt(ucred + 8),
                    peerGroups());
        }
    }

    private List<Integer> peerGroups() throws LinuxException {
        int lengthBytes = FEW_GROUPS * Integer.BYTES;
        while (true) {
            try (Arena scratch = Arena.ofConfined()) {
                final long groups = scratch.allocate(lengthBytes, 8).address();
                final int length =
                        SocketOptions.get(
                                descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, lengthBytes);
                final List<Integer> ids = new ArrayList<>();
                for (int offset = 0; offset < length; offset += Integer.BYTES) {
                    ids.add(Memory.getInt(groups + offset));
                }
                return ids;
            } catch (final LinuxException e) {
                if (e.errno() != ERANGE || lengthBytes >= MAX_GROUPS * Integer.BYTES) {
                    throw e;
                }
                lengthBytes = MAX_GROUPS * Integer.BYTES;
            }
        }
    }

    /**
     * Sends one message; never blocks.
     *
     * @param address first byte of {@code lengthBytes}, 1 or more.
     * @param descriptors passed along; they stay open here; at most {@link #MAX_DESCRIPTORS}.
     * @return bytes sent, {@link #WOULD_BLOCK} or {@link #CLOSED}.
     */
    public int send(final long address, final int lengthBytes, final int... descriptors)
            throws LinuxException {
        prepare(address, lengthBytes);
        if (descriptors.length > 0) {
            Memory.putLong(control, 16 + 4L * descriptors.length);
            Memory.putInt(control + 8, SOL_SOCKET);
            Memory.putInt(control + 12, SCM_RIGHTS);
            for (int i = 0; i < descriptors.length; i++) {
                Memory.putInt(control + 16 + 4L * i, descriptors[i]);
            }
            Memory.putLong(header + 32, control);
            Memory.putLong(header + 40, (16 + 4L * descriptors.length + 7) & -8L);
        }
        return outcome(Handles.sendmsg(descriptor, header, MSG_NOSIGNAL | MSG_DONTWAIT), "sendmsg");
    }

    /**
     * Receives one message and the descriptors that came with it, which the caller then closes.
     *
     * @param isBlocking false to return {@link #WOULD_BLOCK} at once.
     * @return length of the message, cut to {@code lengthBytes}; {@link #CLOSED} or {@link
     *     #WOULD_BLOCK}.
     */
    public int receive(final long address, final int lengthBytes, final boolean isBlocking)
            throws LinuxException {
        prepare(address, lengthBytes);
        Memory.putLong(header + 32, control);
        Memory.putLong(header + 40, CONTROL_BYTES);
        receivedCount = 0;
        final int flags = MSG_CMSG_CLOEXEC | (isBlocking ? 0 : MSG_DONTWAIT);
        final long result = Handles.recvmsg(descriptor, header, flags);
        final int length = outcome(result, "recvmsg");
        // After an error the control data is that of an earlier message.
        if (result >= 0 && Memory.getLong(header + 40) >= 16) {
            takeDescriptors();
        }
        if (length == 0) {
            // A message without contents looks like the end, but may carry descriptors, too.
            closeReceivedDescriptors();
        }
        return length;
    }

    private void takeDescriptors() {
        if (Memory.getInt(control + 8) == SOL_SOCKET && Memory.getInt(control + 12) == SCM_RIGHTS) {
            receivedCount = (int) ((Memory.getLong(control) - 16) / 4);
            for (int i = 0; i < receivedCount; i++) {
                received[i] = Memory.getInt(control + 16 + 4L * i);
            }
        }
    }

    private void prepare(final long address, final int lengthBytes) {
        Memory.fill(header, 56, 0);
        Memory.putLong(vector, address);
        Memory.putLong(vector + 8, lengthBytes);
        Memory.putLong(header + 16, vector);
        Memory.putLong(header + 24, 1);
    }

    private static int outcome(final long result, final String call) throws LinuxException {
        if (result >= 0) {
            return (int) result;
        }
        final int errno = lastErrno();
        return switch (errno) {
            case Errno.EAGAIN, Errno.EINTR -> WOULD_BLOCK;
            case ECONNRESET, EPIPE -> CLOSED;
            default -> throw new LinuxException(call, errno);
        };
    }

    /** Number of descriptors that came with the message received last. */
    public int receivedDescriptors() {
        return receivedCount;
    }

    /** Descriptor {@code index} that came with the message received last. */
    public int receivedDescriptor(final int index) {
        return received[index];
    }

    /** Closes all descriptors that came with the message received last. */
    public void closeReceivedDescriptors() {
        for (int i = 0; i < receivedCount; i++) {
            Descriptors.close(received[i]);
        }
        receivedCount = 0;
    }

    /** The socket, to be waited for. */
    public int descriptor() {
        return descriptor;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            Descriptors.close(descriptor);
            arena.close();
        }
    }

    private static int lastErrno() {
        return Linux.errno(Linux.errnoSegment());
    }

    /**
     * Who is at the other end. Immutable.
     *
     * @param pid process id, as this process sees it.
     * @param uid user id.
     * @param gid primary group id.
     * @param groups ids of the supplementary groups.
     */
    public record Peer(int pid, int uid, int gid, List<Integer> groups) {
        /** Copies the list. */
        public Peer {
            groups = List.copyOf(groups);
        }
    }

    private static final class Handles {
        private static final FunctionDescriptor ADDRESSED =
                FunctionDescriptor.of(INT, INT, LONG, INT);
        private static final FunctionDescriptor MESSAGE =
                FunctionDescriptor.of(LONG, INT, LONG, INT);
        private static final MethodHandle BIND = Linux.bind("bind", ADDRESSED);
        private static final MethodHandle CONNECT = Linux.bind("connect", ADDRESSED);
        private static final MethodHandle LISTEN =
                Linux.bind("listen", FunctionDescriptor.of(INT, INT, INT));
        private static final MethodHandle ACCEPT =
                Linux.bind("accept4", FunctionDescriptor.of(INT, INT, LONG, LONG, INT));
        private static final MethodHandle SHUTDOWN =
                Linux.bind("shutdown", FunctionDescriptor.of(INT, INT, INT));
        private static final MethodHandle SENDMSG = Linux.bind("sendmsg", MESSAGE);
        private static final MethodHandle RECVMSG = Linux.bind("recvmsg", MESSAGE);

        private static final MethodHandle SOCKET =
                Linux.bind("socket", FunctionDescriptor.of(INT, INT, INT, INT));

        static int socket(final int family, final int type) {
            try {
                return (int) SOCKET.invokeExact(Linux.errnoSegment(), family, type, 0);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int bind(final int fd, final long address, final int lengthBytes) {
            return call(BIND, fd, address, lengthBytes);
        }

        static int connect(final int fd, final MemorySegment name) {
            return call(CONNECT, fd, name.address(), (int) name.byteSize());
        }

        private static int call(
                final MethodHandle handle, final int fd, final long address, final int length) {
            try {
                return (int) handle.invokeExact(Linux.errnoSegment(), fd, address, length);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int listen(final int fd, final int backlog) {
            try {
                return (int) LISTEN.invokeExact(Linux.errnoSegment(), fd, backlog);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static int accept(final int fd, final int flags) {
            try {
                return (int) ACCEPT.invokeExact(Linux.errnoSegment(), fd, 0L, 0L, flags);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static void shutdown(final int fd, final int how) {
            try {
                final int ignored = (int) SHUTDOWN.invokeExact(Linux.errnoSegment(), fd, how);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long sendmsg(final int fd, final long message, final int flags) {
            try {
                return (long) SENDMSG.invokeExact(Linux.errnoSegment(), fd, message, flags);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }

        static long recvmsg(final int fd, final long message, final int flags) {
            try {
                return (long) RECVMSG.invokeExact(Linux.errnoSegment(), fd, message, flags);
            } catch (final Throwable e) {
                throw Linux.unexpected(e);
            }
        }
    }
}
