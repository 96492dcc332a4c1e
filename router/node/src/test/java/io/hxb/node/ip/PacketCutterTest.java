package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.tap.PacketDevice;
import io.hxb.tap.VirtioHeader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class PacketCutterTest {
    private static final int MTU = 1_500;
    private static final int SEQUENCE = 0xFFFF_FF00;
    private static final int FIN = 1;
    private static final int PSH = 8;
    private static final int ACK = 16;
    private static final int CWR = 0x80;
    private final Arena arena = Arena.ofConfined();
    private final long packet = arena.allocate(70_000, 64).address();
    private final long frame = packet + VirtioHeader.LENGTH;
    private final List<byte[]> written = new ArrayList<>();

    /** Packets that the device takes. */
    private int room = Integer.MAX_VALUE;

    private final PacketDevice device =
            new PacketDevice() {
                @Override
                public int descriptor() {
                    return -1;
                }

                @Override
                public int read(final long address, final int lengthBytes) {
                    return 0;
                }

                @Override
                public int write(final long address, final int lengthBytes) {
                    if (written.size() == room) {
                        return 0;
                    }
                    final byte[] bytes = new byte[lengthBytes];
                    for (int i = 0; i < lengthBytes; i++) {
                        bytes[i] = Memory.getByte(address + i);
                    }
                    written.add(bytes);
                    return lengthBytes;
                }

                @Override
                public boolean takes(final int kind) {
                    return false;
                }

                @Override
                public int mtuBytes() {
                    return MTU;
                }

                @Override
                public void close() {}
            };

    @AfterEach
    void tearDown() {
        arena.close();
    }

    private static int pattern(final int index) {
        return (index * 31) >> 3;
    }

    /** Writes a super-packet; returns bytes of virtio header and frame. */
    private int superPacket(
            final boolean isIpv4,
            final boolean isTcp,
            final int segmentBytes,
            final int payloadBytes) {
        final int ipBytes = isIpv4 ? 20 : 40;
        final int start = 14 + ipBytes;
        final int headerBytes = start + (isTcp ? 32 : 8);
        for (int i = 0; i < 14 + ipBytes + 32; i++) {
            Memory.putByte(packet + i, i * 7);
        }
        Memory.putByte(packet, 1);
        Memory.putByte(packet + 1, isTcp ? isIpv4 ? 1 : 4 : VirtioHeader.KIND_UDP);
        Memory.putShort(packet + 4, segmentBytes);
        Memory.putShort(packet + 6, start);
        Memory.putShort(packet + 8, isTcp ? 16 : 6);
        Memory.putShortBigEndian(frame + 12, isIpv4 ? PacketHeaders.IPV4 : PacketHeaders.IPV6);
        final int protocol = isTcp ? PacketHeaders.TCP : PacketHeaders.UDP;
        if (isIpv4) {
            Memory.putByte(frame + 14, 0x45);
            Memory.putShortBigEndian(frame + 18, 0xFFFF);
            Memory.putByte(frame + 23, protocol);
        } else {
            Memory.putByte(frame + 14, 0x60);
            Memory.putByte(frame + 20, protocol);
        }
        if (isTcp) {
            Memory.putShortBigEndian(frame + start + 4, SEQUENCE >>> 16);
            Memory.putShortBigEndian(frame + start + 6, SEQUENCE & 0xFFFF);
            Memory.putByte(frame + start + 12, 8 << 4);
            Memory.putByte(frame + start + 13, FIN | PSH | ACK | CWR);
        }
        for (int i = 0; i < payloadBytes; i++) {
            Memory.putByte(frame + headerBytes + i, pattern(i));
        }
        return VirtioHeader.LENGTH + headerBytes + payloadBytes;
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, 1448, 65000, 45",
        "true, false, 1400, 60000, 43",
        "false, true, 1428, 65000, 46",
        "false, false, 1, 3, 3",
        "true, false, 10, 20, 2",
        "true, true, 1448, 1000, 1",
        "false, true, 33, 1000, 31"
    })
    void shouldWritePacketsThatEachAreComplete(
            final boolean isIpv4,
            final boolean isTcp,
            final int segmentBytes,
            final int payloadBytes,
            final int count) {
        // given
        final int lengthBytes = superPacket(isIpv4, isTcp, segmentBytes, payloadBytes);
        assertTrue(PacketCheck.accept(packet, lengthBytes, MTU));
        // when
        final int packets = PacketCutter.write(device, packet, lengthBytes);
        // then
        assertEquals(count, packets);
        assertEquals(count, written.size());
        int taken = 0;
        for (int i = 0; i < count; i++) {
            final boolean isLast = i == count - 1;
            taken += check(ByteBuffer.wrap(written.get(i)), i, taken, isIpv4, isTcp, isLast);
            assertTrue(isLast || taken == (i + 1) * segmentBytes);
        }
        assertEquals(payloadBytes, taken);
    }

    /** Checks all that a receiver would; returns bytes of payload. */
    private int check(
            final ByteBuffer bytes,
            final int number,
            final int offset,
            final boolean isIpv4,
            final boolean isTcp,
            final boolean isLast) {
        final int ip = VirtioHeader.LENGTH + 14;
        final int transport = ip + (isIpv4 ? 20 : 40);
        final int payload = transport + (isTcp ? 32 : 8);
        final int payloadBytes = bytes.capacity() - payload;
        assertEquals(1, bytes.get(0), "the checksum is to be completed");
        assertEquals(0, bytes.get(1), "one packet");
        if (isIpv4) {
            assertEquals(bytes.capacity() - ip, bytes.getShort(ip + 2) & 0xFFFF);
            assertEquals((0xFFFF + number) & 0xFFFF, bytes.getShort(ip + 4) & 0xFFFF);
            assertEquals(0xFFFF, sum(bytes, ip, 20));
        } else {
            assertEquals(bytes.capacity() - transport, bytes.getShort(ip + 4) & 0xFFFF);
        }
        if (isTcp) {
            assertEquals(SEQUENCE + offset, bytes.getInt(transport + 4));
            final int flags = ACK | (number == 0 ? CWR : 0) | (isLast ? FIN | PSH : 0);
            assertEquals(flags, bytes.get(transport + 13) & 0xFF);
        } else {
            assertEquals(bytes.capacity() - transport, bytes.getShort(transport + 4) & 0xFFFF);
        }
        checkChecksum(bytes, ip, transport, isIpv4, isTcp);
        for (int i = 0; i < payloadBytes; i++) {
            assertEquals((byte) pattern(offset + i), bytes.get(payload + i));
        }
        return payloadBytes;
    }

    /** As the kernel completes it: the sum of the whole is then that of a valid packet. */
    private static void checkChecksum(
            final ByteBuffer bytes,
            final int ip,
            final int transport,
            final boolean isIpv4,
            final boolean isTcp) {
        final int field = transport + (isTcp ? 16 : 6);
        final int completed = ~sum(bytes, transport, bytes.capacity() - transport) & 0xFFFF;
        bytes.putShort(field, (short) completed);
        int sum = sum(bytes, transport, bytes.capacity() - transport);
        sum += isIpv4 ? sum(bytes, ip + 12, 8) : sum(bytes, ip + 8, 32);
        sum += (isTcp ? PacketHeaders.TCP : PacketHeaders.UDP) + bytes.capacity() - transport;
        assertEquals(0xFFFF, (sum & 0xFFFF) + (sum >>> 16));
    }

    private static int sum(final ByteBuffer bytes, final int offset, final int length) {
        int sum = 0;
        for (int i = 0; i < length; i++) {
            final int value = bytes.get(offset + i) & 0xFF;
            sum += i % 2 == 0 ? value << 8 : value;
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }

    @Test
    void shouldCountWhatTheDeviceTookOnly() {
        // given
        final int lengthBytes = superPacket(true, false, 1_000, 10_000);
        assertTrue(PacketCheck.accept(packet, lengthBytes, MTU));
        room = 4;
        // then
        assertEquals(4, PacketCutter.write(device, packet, lengthBytes));
    }
}
