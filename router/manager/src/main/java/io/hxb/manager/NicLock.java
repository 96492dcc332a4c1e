package io.hxb.manager;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.NicInfo;
import io.hxb.vlan.TapTagger;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Keeps a second manager off a NIC: the name of an abstract Unix socket in this thread's network
 * namespace, free again when the process ends, however it ends. Any program may take such a name,
 * so it refuses only if there are also programs at the NIC, or a device before it. Source: unix(7).
 */
final class NicLock implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int NONE = -1;

    private final int descriptor;

    private NicLock(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Takes a NIC.
     *
     * @throws IOException if another manager has it; with what to do.
     */
    static NicLock take(final int ifindex, final String nic) throws IOException {
        final int fd = Sockets.open(AF_UNIX, Sockets.SOCK_DGRAM, 0);
        try {
            bind(fd, "hxb/vlan/" + ifindex);
            return new NicLock(fd);
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            if (e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            if (isTagged(ifindex)) {
                throw new IOException(
                        "another manager has NIC " + nic + " already: stop it, or choose another",
                        e);
            }
            return new NicLock(NONE);
        }
    }

    private static boolean isTagged(final int ifindex) throws LinuxException {
        if (NicInfo.read(TapTagger.deviceName(ifindex)).exists()) {
            return true;
        }
        try {
            return BpfProgram.count(ifindex, BpfProgram.Hook.EGRESS) > 0
                    || BpfProgram.count(ifindex, BpfProgram.Hook.INGRESS) > 0;
        } catch (final LinuxException e) {
            // Where programs cannot be counted, there are none.
            return false;
        }
    }

    private static void bind(final int fd, final String name) throws LinuxException {
        final byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(3 + bytes.length, 8);
            Memory.putShort(address.address(), AF_UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 3, bytes.length);
            Sockets.bind(fd, address.address(), 3 + bytes.length, name);
        }
    }

    @Override
    public void close() {
        if (descriptor != NONE) {
            Descriptors.close(descriptor);
        }
    }
}
