package io.hxb.node;

import io.hxb.linux.Memory;
import io.hxb.tap.PacketAddresses;
import io.hxb.tap.VirtioHeader;

import java.nio.ByteBuffer;

/** Packets of IPv4 and UDP between the nodes of a simulation, and whose they are. */
final class SimPackets implements PacketAddresses {
    static final int HEADERS = VirtioHeader.LENGTH + 14 + 20 + 8;
    private static final int ADDRESSES = VirtioHeader.LENGTH;
    private static final int PREFIX = 0x0200_4858;
    private static final int DROP = LOCAL_REPLY - 1;
    private final int node;

    SimPackets(final int node) {
        this.node = node;
    }

    /** A packet with a number, after which come bytes that follow from it. */
    static byte[] packet(
            final int from, final int to, final int port, final int number, final int bytes) {
        final ByteBuffer packet = ByteBuffer.allocate(HEADERS + 4 + bytes);
        packet.position(ADDRESSES);
        mac(packet, to);
        mac(packet, from);
        packet.putShort((short) 0x0800);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) (packet.capacity() - 24));
        packet.putInt(0).put((byte) 64).put((byte) 17).putShort((short) 0);
        packet.putInt(0x0A4D_0001 + from).putInt(0x0A4D_0001 + to);
        packet.putShort((short) port).putShort((short) 9).putInt(0);
        packet.putInt(number);
        for (int i = 0; i < bytes; i++) {
            packet.put((byte) (number * 31 + i));
        }
        return packet.array();
    }

    private static void mac(final ByteBuffer packet, final int node) {
        if (node < 0) {
            packet.putInt(-1).putShort((short) -1);
        } else {
            packet.putInt(PREFIX).putShort((short) node);
        }
    }

    static int number(final byte[] packet) {
        return ByteBuffer.wrap(packet).getInt(HEADERS);
    }

    static int port(final byte[] packet) {
        return ByteBuffer.wrap(packet).getShort(HEADERS - 8);
    }

    static int source(final byte[] packet) {
        return ByteBuffer.wrap(packet).getShort(ADDRESSES + 10);
    }

    @Override
    public int destination(final long frame, final int lengthBytes) {
        if (Memory.getIntBigEndian(frame) == -1) {
            return BROADCAST;
        }
        return Memory.getIntBigEndian(frame) == PREFIX
                ? Memory.getUnsignedShortBigEndian(frame + 4)
                : DROP;
    }

    @Override
    public int reply(final long frame) {
        return 0;
    }

    /** As short as the headers of the packet. */
    @Override
    public int unreachable(
            final long frame, final int lengthBytes, final int unreached, final long answer) {
        final int bytes = HEADERS - VirtioHeader.LENGTH;
        Memory.copy(frame, answer, bytes);
        return destination(frame, lengthBytes) == BROADCAST ? 0 : bytes;
    }

    @Override
    public int senderToAll(final long frame, final int lengthBytes) {
        return destination(frame, lengthBytes) == BROADCAST
                ? Memory.getUnsignedShortBigEndian(frame + 10)
                : -1;
    }

    @Override
    public boolean isFrom(final long frame, final int lengthBytes, final int source) {
        final int destination = destination(frame, lengthBytes);
        return (destination == node || destination == BROADCAST)
                && Memory.getIntBigEndian(frame + 6) == PREFIX
                && Memory.getUnsignedShortBigEndian(frame + 10) == source;
    }
}
