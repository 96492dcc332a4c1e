package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.VirtioHeader;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class SegmentHeadersTest {
    private static final long MAC = 0x0200_0000_0001L;
    private static final long OTHER_MAC = 0x5254_00AB_CDEFL;
    private static final int FROM = IpHeaders.address(0x03_02_01);
    private static final int TO = IpHeaders.address(0xFF_FF_FF);
    private static final int FRAME = 65_642;
    private static final int FIRST = 64_240;
    private static final int SEGMENT = 1_460;
    private static final int PORT = 0x88B5;
    private static final int HOPS = 32;
    private static final int NUMBER = 0xFEDC_BA98;

    private final long prefix = Arena.ofAuto().allocate(64, 8).address();

    private void write(final int frameBytes, final int marks, final int offset, final int length) {
        SegmentHeaders.writeAddresses(
                prefix,
                Long.reverseBytes(OTHER_MAC),
                Long.reverseBytes(MAC << 16 | IpHeaders.ETHER_TYPE),
                FROM,
                TO,
                IpHeaders.ports(PORT, DimensionOrder.DEFAULT),
                HOPS);
        SegmentHeaders.writeRange(prefix, NUMBER, frameBytes, marks, offset, length, SEGMENT);
    }

    private int sum(final int offset, final int lengthBytes) {
        int sum = 0;
        for (int i = 0; i < lengthBytes; i += 2) {
            sum += Memory.getUnsignedShortBigEndian(prefix + offset + i);
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }

    private int half(final int offset) {
        return Memory.getUnsignedShortBigEndian(prefix + offset);
    }

    @Test
    void shouldWriteASuperPacketOfTcp() {
        // when
        write(FRAME, SegmentHeaders.ASKING, 0, FIRST);
        // then: the virtio header
        assertEquals(1, Memory.getUnsignedByte(prefix));
        assertEquals(1, Memory.getUnsignedByte(prefix + 1));
        assertEquals(54, Memory.getUnsignedShort(prefix + 2));
        assertEquals(SEGMENT, VirtioHeader.segmentBytes(prefix));
        assertEquals(34, Memory.getUnsignedShort(prefix + 6));
        assertEquals(16, Memory.getUnsignedShort(prefix + 8));
        // then: Ethernet and IPv4
        assertEquals(OTHER_MAC >>> 32, half(10));
        assertEquals((int) OTHER_MAC, Memory.getIntBigEndian(prefix + 12));
        assertEquals(MAC, SegmentHeaders.source(prefix));
        assertEquals(0x0800, half(22));
        assertEquals(0x4500, half(24));
        assertEquals(40 + FIRST, half(26));
        assertEquals(0x4000, half(30));
        assertEquals(HOPS << 8 | 6, half(32));
        assertEquals(0xFFFF, sum(24, 20));
        assertEquals(FROM, Memory.getIntBigEndian(prefix + 36));
        assertEquals(TO, Memory.getIntBigEndian(prefix + 40));
        // then: TCP
        assertEquals(PORT, half(44));
        assertEquals(PORT, half(46));
        assertEquals(FRAME >>> 3 << 17, Memory.getIntBigEndian(prefix + 48));
        assertEquals(NUMBER, Memory.getIntBigEndian(prefix + 52));
        assertEquals(0x5010, half(56));
        assertEquals((FRAME & 7) | SegmentHeaders.ASKING, half(58));
        final int pseudo = sum(36, 8) + 6 + 20 + FIRST;
        assertEquals((pseudo & 0xFFFF) + (pseudo >>> 16), half(60));
        assertEquals(0, half(62));
    }

    @Test
    void shouldReadWhatItHasWritten() {
        // when: what ends the frame
        write(FRAME, SegmentHeaders.FOR_NODE, FIRST, FRAME - FIRST);
        // then
        assertEquals(FRAME, SegmentHeaders.frameBytes(prefix));
        assertEquals(FIRST, SegmentHeaders.offset(prefix));
        assertEquals(FRAME - FIRST, SegmentHeaders.lengthBytes(prefix));
        assertEquals(NUMBER, SegmentHeaders.number(prefix));
        assertEquals(HOPS, SegmentHeaders.timeToLive(prefix));
        assertTrue((SegmentHeaders.marks(prefix) & SegmentHeaders.FOR_NODE) != 0);
        assertFalse((SegmentHeaders.marks(prefix) & SegmentHeaders.PROBE) != 0);
        assertEquals(0x5018, half(56));
        // then: one segment is not to be cut
        assertEquals(0, VirtioHeader.segmentBytes(prefix));
        assertEquals(0, Memory.getUnsignedByte(prefix + 1));
    }

    @Test
    void shouldHoldEveryLengthAndOffsetOfSeventeenBits() {
        for (int frame = 1; frame <= SegmentHeaders.MAX_FRAME_BYTES; frame += 997) {
            // given: the cutter adds to the sequence
            write(frame, 0, 0, Math.min(frame, SegmentHeaders.MAX_PAYLOAD_BYTES));
            final int sequence = Memory.getIntBigEndian(prefix + 48);
            final int offset = frame - 1;
            // when
            Memory.putIntBigEndian(prefix + 48, sequence + offset);
            // then
            assertEquals(frame, SegmentHeaders.frameBytes(prefix));
            assertEquals(offset, SegmentHeaders.offset(prefix));
        }
    }

    @Test
    void shouldShowTheRoutesOfThreeDimensionsByThePorts() {
        assertTrue(SegmentHeaders.hasPorts(DimensionOrder.DEFAULT));
        assertTrue(SegmentHeaders.hasPorts(DimensionOrder.of(2, 0, 1)));
        assertFalse(SegmentHeaders.hasPorts(DimensionOrder.of(5, 0, 1)));
    }
}
