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
