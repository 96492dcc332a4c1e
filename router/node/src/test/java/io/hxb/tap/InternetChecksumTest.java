package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class InternetChecksumTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void tearDown() {
        arena.close();
    }

    private long bytes(final int... values) {
        final long address = arena.allocate(values.length).address();
        for (int i = 0; i < values.length; i++) {
            Memory.putByte(address + i, values[i]);
        }
        return address;
    }

    // The example of RFC 1071, 3.
    @Test
    void shouldAddWordsAndTheirCarries() {
        final long data = bytes(0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7);
        assertEquals(0x2DDF0, InternetChecksum.sum(data, 8));
        assertEquals(0xDDF2, InternetChecksum.folded(0x2DDF0));
        assertEquals(0x220D, InternetChecksum.of(0x2DDF0));
    }

    @Test
    void shouldAddACarryOfTheCarries() {
        assertEquals(1, InternetChecksum.folded(0xFFFF_0001));
        assertEquals(0xFFFF, InternetChecksum.folded(0xFFFF));
    }

    @Test
    void shouldTakeAnOddByteForTheFirstOfAWord() {
        assertEquals(0x0102 + 0x0300, InternetChecksum.sum(bytes(1, 2, 3), 3));
        assertEquals(0, InternetChecksum.sum(bytes(1), 0));
    }
}
