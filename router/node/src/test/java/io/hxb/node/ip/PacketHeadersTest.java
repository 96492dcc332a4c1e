package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

/** Which packets are mere acknowledgements of TCP. */
@Tag("unit")
class PacketHeadersTest {
    private static final int ETHERNET = PacketHeaders.ETHERNET_BYTES;
    private static final int ACK = 16;
    private static final int IPV4_TCP = ETHERNET + 20;
    private static final int IPV6_TCP = ETHERNET + 40;

    /** Data offset of a header with time stamps: 32 bytes. */
    private static final int WITH_TIMES = 8 << 4;

    private static final int SHORTEST_ETHERNET = 60;

    private final Arena arena = Arena.ofConfined();
    private long frame;

    @BeforeEach
    void setUp() {
        frame = arena.allocate(256, 8).address();
    }

    @AfterEach
    void tearDown() {
        arena.close();
    }

    private void ipv4(final int payloadBytes, final int flags) {
        Memory.putShortBigEndian(frame + 12, PacketHeaders.IPV4);
        Memory.putByte(frame + ETHERNET, 0x45);
        Memory.putShortBigEndian(frame + ETHERNET + 2, 20 + 32 + payloadBytes);
        Memory.putByte(frame + ETHERNET + 9, PacketHeaders.TCP);
        Memory.putByte(frame + IPV4_TCP + 12, WITH_TIMES);
        Memory.putByte(frame + IPV4_TCP + 13, flags);
    }

    private void ipv6(final int payloadBytes, final int flags) {
        Memory.putShortBigEndian(frame + 12, PacketHeaders.IPV6);
        Memory.putShortBigEndian(frame + ETHERNET + 4, 32 + payloadBytes);
        Memory.putByte(frame + ETHERNET + 6, PacketHeaders.TCP);
        Memory.putByte(frame + IPV6_TCP + 12, WITH_TIMES);
        Memory.putByte(frame + IPV6_TCP + 13, flags);
    }

    @Test
    void shouldKnowAcknowledgements() {
        ipv4(0, ACK);
        assertTrue(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 32));
        ipv6(0, ACK);
        assertTrue(PacketHeaders.isAcknowledgement(frame, IPV6_TCP + 32));
    }

    @Test
    void shouldNotCountThePaddingOfShortFrames() {
        // given: no time stamps
        ipv4(0, ACK);
        Memory.putShortBigEndian(frame + ETHERNET + 2, 40);
        Memory.putByte(frame + IPV4_TCP + 12, 5 << 4);
        // then
        assertTrue(PacketHeaders.isAcknowledgement(frame, SHORTEST_ETHERNET));
    }

    @Test
    void shouldNotTakeDataForAcknowledgements() {
        ipv4(1, ACK);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 33));
        ipv6(1, ACK);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV6_TCP + 33));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 32})
    void shouldNotTakeEventsForAcknowledgements(final int event) {
        ipv4(0, ACK | event);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 32));
        ipv6(0, ACK | event);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV6_TCP + 32));
    }

    @Test
    void shouldNotTakeOtherPacketsForAcknowledgements() {
        // given
        ipv4(0, ACK);
        // then: another protocol, a fragment, no header, another EtherType
        Memory.putByte(frame + ETHERNET + 9, PacketHeaders.UDP);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 32));
        ipv4(0, ACK);
        Memory.putShortBigEndian(frame + ETHERNET + 6, 1);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 32));
        Memory.putShortBigEndian(frame + ETHERNET + 6, 0);
        for (int lengthBytes = ETHERNET; lengthBytes < IPV4_TCP + 32; lengthBytes++) {
            assertFalse(PacketHeaders.isAcknowledgement(frame, lengthBytes), "" + lengthBytes);
        }
        Memory.putShortBigEndian(frame + 12, 0x0806);
        assertFalse(PacketHeaders.isAcknowledgement(frame, IPV4_TCP + 32));
    }

    @Test
    void shouldGiveBothPacketsOfAConnectionOneHash() {
        ipv4(0, ACK);
        Memory.putInt(frame + IPV4_TCP, 0x1234_5678);
        final int ofShort = PacketHeaders.hash(frame, IPV4_TCP + 32);
        ipv4(90, ACK);
        assertEquals(ofShort, PacketHeaders.hash(frame, IPV4_TCP + 122));
    }
}
