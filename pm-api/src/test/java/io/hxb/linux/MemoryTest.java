package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class MemoryTest {
    @Test
    void shouldReadBigEndianWhatWasWrittenLittleEndianReversed() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final long address = arena.allocate(16, 8).address();
            // when
            Memory.putInt(address + 1, 0x01020304);
            // then
            assertEquals(0x04030201, Memory.getIntBigEndian(address + 1));
            assertEquals(4, Memory.getUnsignedByte(address + 1));
        }
    }

    @Test
    void shouldCopyEveryShortLengthAndNothingBeside() {
        try (Arena arena = Arena.ofConfined()) {
            final long source = arena.allocate(256, 8).address();
            final long target = arena.allocate(256, 8).address();
            for (int i = 0; i < 256; i++) {
                Memory.putByte(source + i, i + 1);
            }
            for (int length = 0; length <= 200; length++) {
                // given
                Memory.fill(target, 256, 0);
                // when
                Memory.copyShort(source + 3, target + 8, length);
                // then
                for (int i = 0; i < 256; i++) {
                    final boolean isCopied = i >= 8 && i < 8 + length;
                    final int wanted = isCopied ? source(i - 5) : 0;
                    assertEquals(wanted, Memory.getUnsignedByte(target + i), length + ": " + i);
                }
            }
        }
    }

    private static int source(final int index) {
        return index + 1 & 0xFF;
    }

    @Test
    void shouldSwapOnlyTheExpectedValue() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final long address = arena.allocate(16, 8).address();
            Memory.putLongRelease(address, 7);
            // when
            final boolean swapped = Memory.compareAndSetLong(address, 8, 9);
            // then
            assertEquals(false, swapped);
            assertEquals(7, Memory.getLongAcquire(address));
        }
    }
}
