package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.tap.VirtioHeader;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

@Tag("unit")
class IpHeadersTest {
    private static final long MAC = 0x0200_0000_0001L;
    private static final long OTHER_MAC = 0x5254_00AB_CDEFL;
    private static final int FROM = IpHeaders.address(0x03_02_01);
    private static final int TO = IpHeaders.address(0xFF_FF_FF);
    private static final int PAYLOAD = 65_507;
    private static final int SEGMENT = 1_472;
    private static final int PORT = 0x88B5;
    private static final int HOPS = 32;

    private final long prefix = Arena.ofAuto().allocate(64, 8).address();

    private void write(final int payload, final int segment) {
        write(payload, segment, DimensionOrder.DEFAULT, HOPS);
    }

    private void write(
            final int payload, final int segment, final int order, final int timeToLive) {
        IpHeaders.write(
                prefix,
                Long.reverseBytes(OTHER_MAC),
                Long.reverseBytes(MAC << 16 | IpHeaders.ETHER_TYPE),
                FROM,
                TO,
                IpHeaders.ports(PORT, order),
                timeToLive,
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
        assertEquals(HOPS, Memory.getUnsignedByte(prefix + 32));
        assertEquals(HOPS, IpHeaders.timeToLive(prefix));
        assertEquals(PORT, Memory.getUnsignedShortBigEndian(prefix + 44));
        assertEquals(PORT, Memory.getUnsignedShortBigEndian(prefix + 46));
        assertEquals(PAYLOAD + 8, Memory.getUnsignedShortBigEndian(prefix + 48));
    }

    // Kernels that join datagrams look at the ports.
    @Test
    void shouldDistinguishEveryOrderOfFourDimensionsByItsSourcePort() {
        // given
        final Set<Integer> ports = new HashSet<>();
        int orders = 0;
        for (int code = 0; code < 256; code++) {
            final int[] order = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
            if (Arrays.stream(order).distinct().count() == order.length) {
                // when
                write(1_000, 0, DimensionOrder.of(order), 1 + code % 255);
                // then
                orders++;
                ports.add(Memory.getUnsignedShortBigEndian(prefix + 44));
                assertEquals(PORT, Memory.getUnsignedShortBigEndian(prefix + 46));
            }
        }
        assertEquals(24, orders);
        assertEquals(orders, ports.size());
    }

    @Test
    void shouldSumUpTheHeaders() {
        for (int payload = 0; payload <= PAYLOAD; payload += 4_093) {
            // when
            write(payload, 0, DimensionOrder.of(1, 0), 1 + payload % 255);
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
