package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SystemCall;
import io.hxb.os.NetworkNamespace;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * How long the kernel keeps what a NIC has received, so that more may come that it can be joined
 * with. Frames that cannot be joined do not wait. Owned by one thread.
 *
 * <p>Source: Linux, Documentation/ABI/testing/sysfs-class-net, gro_flush_timeout.
 */
public final class GroTimer implements AutoCloseable {
    private static final String FOLDER = "/class/net/";
    private static final String FILE = "/gro_flush_timeout";

    private final RandomAccessFile file;

    private GroTimer(final RandomAccessFile file) {
        this.file = file;
    }

    /**
     * Opens that of a NIC, which may then be set from any namespace.
     *
     * @param namespace of the NIC, as for {@link NetworkNamespace#run}.
     * @param mode {@code r} or {@code rw}.
     * @throws IOException if there is no such NIC, or it may not be set.
     */
    public static GroTimer open(final String namespace, final String nic, final String mode)
            throws IOException {
        if (!NicRequest.isName(nic)) {
            throw new IOException("no NIC has the name '" + nic + "'");
        }
        if (namespace == null) {
            return new GroTimer(new RandomAccessFile("/sys" + FOLDER + nic + FILE, mode));
        }
        return NetworkNamespace.run(namespace, () -> openHere(nic, mode));
    }

    // /sys shows the NICs of the namespace in which it was mounted, so this mounts it once more,
    // where nobody else sees it.
    private static GroTimer openHere(final String nic, final String mode) throws IOException {
        final int root = Mounts.sysfs();
        try {
            final String path = "/proc/thread-self/fd/" + root + FOLDER + nic + FILE;
            return new GroTimer(new RandomAccessFile(path, mode));
        } finally {
            Descriptors.close(root);
        }
    }

    /** The time in ns. */
    public long readNs() throws IOException {
        file.seek(0);
        final String line = file.readLine();
        try {
            return Long.parseLong(line == null ? "" : line.strip());
        } catch (final NumberFormatException e) {
            throw new IOException("gro_flush_timeout is no number: " + line, e);
        }
    }

    /** Sets the time. */
    public void writeNs(final long ns) throws IOException {
        file.seek(0);
        file.write(Long.toString(ns).getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (final IOException e) {
            // Nothing was buffered.
            throw new IllegalStateException(e);
        }
    }

    /** File systems that are mounted nowhere. Source: fsopen(2), fsmount(2). */
    private static final class Mounts {
        private static final long FSOPEN_CLOEXEC = 1;
        private static final long FSMOUNT_CLOEXEC = 1;
        private static final long FSCONFIG_CMD_CREATE = 6;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MethodHandle SYSCALL =
                Linux.bindVariadic(
                        "syscall",
                        FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, LONG, LONG),
                        1);

        /** The sysfs of the network namespace of this thread. */
        static int sysfs() throws LinuxException {
            try (Arena arena = Arena.ofConfined()) {
                final long name = arena.allocateFrom("sysfs").address();
                final int context =
                        call("fsopen(sysfs)", SystemCall.FSOPEN, name, FSOPEN_CLOEXEC, 0, 0, 0);
                try {
                    call(
                            "fsconfig(sysfs)",
                            SystemCall.FSCONFIG,
                            context,
                            FSCONFIG_CMD_CREATE,
                            0,
                            0,
                            0);
                    return call(
                            "fsmount(sysfs)",
                            SystemCall.FSMOUNT,
                            context,
                            FSMOUNT_CLOEXEC,
                            0,
                            0,
                            0);
                } finally {
                    Descriptors.close(context);
                }
            }
        }

        private static int call(
                final String what,
                final long number,
                final long first,
                final long second,
                final long third,
                final long fourth,
                final long fifth)
                throws LinuxException {
            final MemorySegment errno = Linux.errnoSegment();
            final long result;
            try {
                result =
                        (long)
                                SYSCALL.invokeExact(
                                        errno, number, first, second, third, fourth, fifth);
            } catch (final Throwable t) {
                throw Linux.unexpected(t);
            }
            Linux.check((int) result, what, errno);
            return (int) result;
        }
    }
}
