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
