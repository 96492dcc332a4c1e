package io.hxb.testing;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A service manager: the Unix datagram socket of sd_notify(3). Used by one thread. */
public final class NotifySocket implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int LENGTH = 4096;

    private final int descriptor;
    private final List<String> received = new ArrayList<>();

    /** Listens on a path, or on an abstract name after an @. */
    public NotifySocket(final String name) throws LinuxException {
        descriptor = Sockets.open(AF_UNIX, Sockets.SOCK_DGRAM, 0);
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment address = arena.allocate(110, 8);
            Memory.putShort(address.address(), AF_UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 2, bytes.length);
            if (bytes[0] == '@') {
                Memory.putByte(address.address() + 2, 0);
            }
            final int length = 2 + bytes.length + (bytes[0] == '@' ? 0 : 1);
            Sockets.bind(descriptor, address.address(), length, name);
        }
    }

    /** All messages so far. */
    public List<String> received() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(LENGTH);
            int length = Sockets.receive(descriptor, memory.address(), LENGTH);
            while (length > 0) {
                received.add(
                        new String(
                                memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE),
                                StandardCharsets.UTF_8));
                length = Sockets.receive(descriptor, memory.address(), LENGTH);
            }
        }
        return received;
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }
}
