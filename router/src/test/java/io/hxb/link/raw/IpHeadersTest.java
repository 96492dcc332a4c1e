package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hxb.linux.Memory;
import io.hxb.tap.VirtioHeader;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

@Tag("unit")
class IpHeadersTest {
    private static final long MAC = 0x0200_0000_0001L;
    private static final long OTHER_MAC = 0x5254_00AB_CDEFL;
    private static final int FROM = IpHeaders.address(0x03_02_01);
    private static final int TO = IpHeaders.address(0xFF_FF_FF);
    private static final int PAYLOAD = 65_507;
    private static final int SEGMENT = 1_472;
    private static final int PORT = 0x88B5;

    private final long prefix = Arena.ofAuto().allocate(64, 8).address();

    private void write(final int payload, final int segment) {
        IpHeaders.write(
                prefix,
                Long.reverseBytes(OTHER_MAC),
                Long.reverseBytes(MAC << 16 | IpHeaders.ETHER_TYPE),
                FROM,
                TO,
                PORT,
                payload,
                segment);
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

    @Test
    void shouldMakeAddressesOfCoordinates() {
        assertEquals(0x0A_03_02_01, FROM);
        assertEquals(0x0A_FF_FF_FF, TO);
        assertNotEquals(IpHeaders.address(1L << 24), IpHeaders.address(0));
        assertEquals(0x0000_0000_0001L, IpHeaders.other(MAC));
        assertEquals(MAC, IpHeaders.other(IpHeaders.other(MAC)));
    }

    @Test
    void shouldWriteWhatTheKernelCuts() {
        // when
        write(PAYLOAD, SEGMENT);
        // then: needs a checksum, UDP, from the UDP header on
        assertEquals(1, Memory.getUnsignedByte(prefix));
        assertEquals(5, Memory.getUnsignedByte(prefix + 1));
        assertEquals(42, Memory.getUnsignedShort(prefix + 2));
        assertEquals(SEGMENT, VirtioHeader.segmentBytes(prefix));
        assertEquals(34, Memory.getUnsignedShort(prefix + 6));
        assertEquals(6, Memory.getUnsignedShort(prefix + 8));
        assertEquals(OTHER_MAC, Long.reverseBytes(Memory.getLong(prefix + 10)) >>> 16);
        assertEquals(MAC, IpHeaders.source(prefix));
        assertEquals(0x0800, Memory.getUnsignedShortBigEndian(prefix + 22));
        assertEquals(PAYLOAD + 28, Memory.getUnsignedShortBigEndian(prefix + 26));
        assertEquals(PORT, Memory.getUnsignedShortBigEndian(prefix + 46));
        assertEquals(PAYLOAD + 8, Memory.getUnsignedShortBigEndian(prefix + 48));
    }

    @Test
    void shouldSumUpTheHeaders() {
        for (int payload = 0; payload <= PAYLOAD; payload += 4_093) {
            // when
            write(payload, 0);
            // then: the header of IPv4 is whole, that of UDP lacks its payload
            assertEquals(0xFFFF, sum(24, 20));
            final int pseudo = sum(36, 8) + 17 + payload + 8;
            final int folded = (pseudo & 0xFFFF) + (pseudo >>> 16);
            assertEquals(
                    (folded & 0xFFFF) + (folded >>> 16),
                    Memory.getUnsignedShortBigEndian(prefix + 50));
            assertEquals(0, VirtioHeader.segmentBytes(prefix));
        }
    }
}
