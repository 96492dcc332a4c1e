package io.hxb.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

@Tag("unit")
class MessagePatternTest {
    @Test
    void shouldRecogniseItsOwnMessagesOfAllSizes() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(1 << 20, 64);
            for (final int length : new int[] {4, 5, 11, 64, 4096, 8928, 65_540, 65_541, 1 << 20}) {
                MessagePattern.write(memory.address(), length, 0xFFFF_FFF0L + length);

                assertEquals(
                        (int) (0xFFFF_FFF0L + length), MessagePattern.sequence(memory.address()));
                assertTrue(MessagePattern.isIntact(memory.address(), length), "length " + length);
            }
        }
    }

    @Test
    void shouldCarryTheLowestBytesOfTheNumberInAShorterMessage() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(8, 8);
            for (int length = 1; length < 4; length++) {
                MessagePattern.write(memory.address(), length, 0xA1B2_C3D4L);

                assertEquals(
                        0xA1B2_C3D4 & ((1 << (Byte.SIZE * length)) - 1),
                        MessagePattern.sequence(memory.address(), length));
                assertTrue(MessagePattern.isIntact(memory.address(), length));
                assertEquals(0, Memory.getByte(memory.address() + length), "nothing behind it");
                Memory.putLong(memory.address(), 0);
            }
        }
    }

    @Test
    void shouldWriteAndCompareRangesAsIfTheyWereTheWhole() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final int length = 150_001;
            final MemorySegment whole = arena.allocate(length, 64);
            final MemorySegment ranges = arena.allocate(length, 64);
            MessagePattern.write(whole.address(), length, 77);
            // when
            for (int at = 0; at < length; at += 8191) {
                MessagePattern.write(ranges.address() + at, at, Math.min(8191, length - at), 77);
            }
            // then
            assertEquals(-1, whole.mismatch(ranges));
            for (int at = 0; at < length; at += 8191) {
                final int piece = Math.min(8191, length - at);
                final long address = ranges.address() + at;
                assertTrue(MessagePattern.isIntact(address, at, piece, 77), "at " + at);
                assertFalse(MessagePattern.isIntact(address, at, piece, 78), "at " + at);
            }
            Memory.putByte(ranges.address() + 140_000, 1);
            Memory.putByte(whole.address() + 140_000, 2);
            final int at = 140_000 / 8191 * 8191;
            assertFalse(
                    MessagePattern.isIntact(whole.address() + at, at, 8191, 77)
                            && MessagePattern.isIntact(ranges.address() + at, at, 8191, 77));
        }
    }

    @Test
    void shouldNoticeOneWrongByteAnywhere() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(70_000, 64);
            for (final int offset : new int[] {4, 5, 63, 4095, 65_539, 65_540, 69_999}) {
                MessagePattern.write(memory.address(), 70_000, 7);
                final long address = memory.address() + offset;
                Memory.putByte(address, Memory.getByte(address) ^ 1);

                assertFalse(MessagePattern.isIntact(memory.address(), 70_000), "offset " + offset);
            }
        }
    }

    @Test
    void shouldNoticeTheContentOfAnotherMessage() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(1000, 64);
            MessagePattern.write(memory.address(), 1000, 7);
            Memory.putInt(memory.address(), 8);

            assertFalse(MessagePattern.isIntact(memory.address(), 1000));
        }
    }
}
