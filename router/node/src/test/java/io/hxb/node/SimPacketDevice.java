package io.hxb.node;

import io.hxb.linux.Errno;
import io.hxb.linux.Memory;
import io.hxb.tap.PacketDevice;
import io.hxb.tap.VirtioHeader;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A virtual NIC in memory: packets that the test sends, and those that have arrived. */
final class SimPacketDevice implements PacketDevice {
    final ArrayDeque<byte[]> outgoing = new ArrayDeque<>();
    final List<byte[]> arrived = new ArrayList<>();
    int result;

    /** A kernel before Linux 6.2 knows that it takes no super-packets of UDP. */
    boolean takesUdp = true;

    /** A kernel that does not know what it refuses. */
    boolean refusesSuperPackets;

    int refused;

    private final int mtuBytes;

    SimPacketDevice(final int mtuBytes) {
        this.mtuBytes = mtuBytes;
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public int read(final long address, final int lengthBytes) {
        if (result < 0) {
            return result;
        }
        final byte[] packet = outgoing.poll();
        if (packet == null) {
            return 0;
        }
        final int bytes = Math.min(lengthBytes, packet.length);
        for (int i = 0; i < bytes; i++) {
            Memory.putByte(address + i, packet[i]);
        }
        return bytes;
    }

    @Override
    public int write(final long address, final int lengthBytes) {
        final byte[] packet = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            packet[i] = Memory.getByte(address + i);
        }
        if (VirtioHeader.segmentBytes(address) > 0 && (refusesSuperPackets || !takesUdp)) {
            refused++;
            return -Errno.EINVAL;
        }
        arrived.add(packet);
        return lengthBytes;
    }

    @Override
    public boolean takes(final int kind) {
        return takesUdp;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public void close() {}
}
