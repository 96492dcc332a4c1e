package io.hxb.link.raw;

import io.hxb.link.LinkWatch;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Learns from the kernel that a NIC of one network namespace appeared, disappeared or changed; the
 * links there are then refreshed. Owned by one loop. Source: rtnetlink(7).
 */
public final class LinkMonitor implements LinkWatch {
    private static final int NETLINK_ROUTE = 0;
    private static final int RTMGRP_LINK = 1;
    private static final int SOCKADDR_NL_LENGTH = 12;
    private static final int BUFFER_BYTES = 1 << 15;
    private static final int MAX_MESSAGES = 256;

    private final int descriptor;
    private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, 8);

    private LinkMonitor(final int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Starts listening. Needs no privilege except that for entering the namespace.
     *
     * @param namespace as in {@link RawLinkConfig}.
     */
    public static LinkMonitor open(final String namespace) throws IOException {
        return NetworkNamespace.run(namespace, () -> new LinkMonitor(listen()));
    }

    private static int listen() throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_NETLINK, Sockets.SOCK_RAW, NETLINK_ROUTE);
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(SOCKADDR_NL_LENGTH, 4).address();
            Memory.putShort(address, Sockets.AF_NETLINK);
            Memory.putInt(address + 8, RTMGRP_LINK);
            Sockets.bind(fd, address, SOCKADDR_NL_LENGTH, "netlink link events");
            return fd;
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public boolean poll() {
        boolean isChanged = false;
        for (int i = 0; i < MAX_MESSAGES; i++) {
            final int result = Sockets.receive(descriptor, buffer.address(), BUFFER_BYTES);
            if (result < 0 && result != -Errno.ENOBUFS && result != -Errno.EINTR) {
                break;
            }
            isChanged = true;
        }
        return isChanged;
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }
}
