package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class VirtioHeaderTest {
    private static final int NEEDS_CHECKSUM = 1;
    private static final int TCP_V4 = 1;
    private static final int TCP_V6 = 4;
    private static final int UDP = 5;
    private static final int ECN = 0x80;
    private static final int LENGTH = 200;

    private final long header = Arena.ofAuto().allocate(LENGTH, 8).address();
    private final long frame = header + VirtioHeader.LENGTH;

    private void write(
            final int flags,
            final int kind,
            final int headers,
            final int segment,
            final int checksumStart,
            final int checksumOffset) {
        Memory.putByte(header, flags);
        Memory.putByte(header + 1, kind);
        Memory.putShort(header + 2, headers);
        Memory.putShort(header + 4, segment);
        Memory.putShort(header + 6, checksumStart);
        Memory.putShort(header + 8, checksumOffset);
    }

    private int field(final int offset) {
        return Memory.getUnsignedShort(header + offset);
    }

    @Test
    void shouldMoveWhatFollowsTheTag() {
        // given: TCP over IPv4, 14 + 20 bytes before it
        write(NEEDS_CHECKSUM, TCP_V4, 66, 1448, 34, 16);
        // when
        VirtioHeader.insertTag(header);
        // then
        assertEquals(38, field(6), "the checksum begins after the tag");
        assertEquals(16, field(8), "within TCP nothing has moved");
        assertEquals(70, field(2), "the tag is one of the headers");
        assertEquals(1448, field(4));
        assertEquals(NEEDS_CHECKSUM | TCP_V4 << Byte.SIZE, field(0));
    }

    @Test
    void shouldNotMoveUnsetFields() {
        // given: a finished frame; the field of the checksum is unused then
        write(0, 0, 0, 0, 0, 0);
        VirtioHeader.insertTag(header);
        assertEquals(0, field(6));
        assertEquals(0, field(2));
        // given: a checksum is to be made, of a frame that is not cut
        write(NEEDS_CHECKSUM, 0, 0, 0, 54, 6);
        VirtioHeader.insertTag(header);
        assertEquals(58, field(6));
        assertEquals(0, field(2));
    }

    @Test
    void shouldCountTheFramesThatASuperPacketIsCutInto() {
        // given: 32 bytes of TCP header after 54 of Ethernet and IPv6
        write(NEEDS_CHECKSUM, TCP_V6 | ECN, 150, 1000, 54, 16);
        Memory.putByte(frame + 54 + 12, 0x80);
        // when
        final int headers = VirtioHeader.headerBytes(header, frame, 150);
        // then
        assertEquals(86, headers, "whatever the hint is, which may include payload");
        assertEquals(1, VirtioHeader.frames(header, headers, 86));
        assertEquals(1, VirtioHeader.frames(header, headers, 86 + 1000));
        assertEquals(2, VirtioHeader.frames(header, headers, 86 + 1001));
        assertEquals(60, VirtioHeader.frames(header, headers, 86 + 59_001));
    }

    @Test
    void shouldKnowTheHeaderOfUdp() {
        write(NEEDS_CHECKSUM, UDP, 42, 500, 34, 6);
        assertEquals(42, VirtioHeader.headerBytes(header, frame, 150));
        assertEquals(3, VirtioHeader.frames(header, 42, 42 + 1500));
    }

    @Test
    void shouldTakeTheHintWhereItCannotLook() {
        // given: only the first bytes are there, or the checksum was made already
        write(NEEDS_CHECKSUM, TCP_V4, 66, 1448, 180, 16);
        assertEquals(66, VirtioHeader.headerBytes(header, frame, 150));
        write(0, TCP_V4, 66, 1448, 0, 0);
        assertEquals(66, VirtioHeader.headerBytes(header, frame, 150));
        write(0, TCP_V4, 66, 1448, 0, 0);
        assertEquals(40, VirtioHeader.headerBytes(header, frame, 40), "never more than there is");
    }

    @Test
    void shouldTakeAnOrdinaryFrameAsOne() {
        write(NEEDS_CHECKSUM, 0, 66, 0, 34, 16);
        assertEquals(0, VirtioHeader.headerBytes(header, frame, 150));
        assertEquals(1, VirtioHeader.frames(header, 0, 1514));
        // given: what the kernel never sets
        write(NEEDS_CHECKSUM, TCP_V4, 66, 0, 34, 16);
        assertEquals(
                1, VirtioHeader.frames(header, VirtioHeader.headerBytes(header, frame, 150), 9000));
    }
}
