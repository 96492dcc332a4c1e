package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.tap.VirtioHeader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;

@Tag("unit")
class PacketCheckTest {
    private static final int MTU = 9_000;
    private static final int ROOM = 70_000;
    private final Arena arena = Arena.ofConfined();
    private long packet;
    private long frame;

    @BeforeEach
    void setUp() {
        packet = arena.allocate(ROOM, 64).address();
        frame = packet + VirtioHeader.LENGTH;
    }

    @AfterEach
    void tearDown() {
        arena.close();
    }

    /** A super-packet of TCP over IPv4, or a packet of it. */
    private void tcp(final int segmentBytes) {
        VirtioHeader.clear(packet);
        VirtioHeader.writeTcp(packet, 54, segmentBytes);
        Memory.putShortBigEndian(frame + 12, PacketHeaders.IPV4);
        Memory.putByte(frame + 14, 0x45);
        Memory.putByte(frame + 23, PacketHeaders.TCP);
        Memory.putByte(frame + 34 + 12, 5 << 4);
    }

    private boolean accept(final int frameBytes) {
        return PacketCheck.accept(packet, VirtioHeader.LENGTH + frameBytes, MTU);
    }

    @Test
    void shouldAcceptSuperPackets() {
        // given
        tcp(1_448);
        Memory.putShort(packet + 2, 9);
        // when
        final boolean isAccepted = accept(65_000);
        // then
        assertTrue(isAccepted);
        assertEquals(54, Memory.getUnsignedShort(packet + 2), "headers are measured here");
    }

    @Test
    void shouldAcceptPacketsUpToTheMtu() {
        tcp(0);
        assertTrue(accept(14 + MTU));
        assertFalse(accept(14 + MTU + 1));
        assertFalse(accept(14));
        assertFalse(PacketCheck.accept(packet, 3, MTU));
    }

    @Test
    void shouldNotBelieveThatAChecksumWasVerified() {
        // given
        tcp(0);
        Memory.putByte(packet, 2);
        // when
        accept(100);
        // then
        assertEquals(0, Memory.getByte(packet));
    }

    @Test
    void shouldRefuseChecksumsOutsideThePacket() {
        tcp(0);
        assertFalse(accept(50));
        Memory.putShort(packet + 6, 0xFFFF);
        assertFalse(accept(1_000));
        Memory.putShort(packet + 6, 3);
        assertFalse(accept(1_000));
    }

    @Test
    void shouldRefuseSuperPacketsThatDoNotFitTheirHeaders() {
        tcp(1);
        assertFalse(accept(60_000), "tens of thousands of segments");
        tcp(MTU);
        assertFalse(accept(60_000), "segments longer than the MTU");
        tcp(1_448);
        Memory.putByte(frame + 23, PacketHeaders.UDP);
        assertFalse(accept(60_000), "another protocol");
        tcp(1_448);
        Memory.putByte(packet + 1, 4);
        assertFalse(accept(60_000), "another version of IP");
        tcp(1_448);
        Memory.putByte(packet, 0);
        assertFalse(accept(60_000), "a checksum that nobody makes");
        tcp(1_448);
        Memory.putByte(frame + 14, 0x4F);
        assertFalse(accept(60_000), "headers at another place");
        tcp(1_448);
        Memory.putByte(frame + 34 + 12, 1 << 4);
        assertFalse(accept(60_000), "a header shorter than any");
        tcp(1_448);
        Memory.putByte(packet + 1, 3);
        assertFalse(accept(60_000), "an unknown kind");
    }

    @Test
    void shouldRefuseOtherProtocols() {
        tcp(0);
        Memory.putShortBigEndian(frame + 12, 0x8100);
        assertFalse(accept(1_000));
        Memory.putShortBigEndian(frame + 12, 0x0806);
        assertFalse(accept(1_000));
    }

    @Test
    void shouldKeepEveryFieldWithinThePacketWhateverArrives() {
        // given
        final SplittableRandom random = new SplittableRandom(1);
        int accepted = 0;
        for (int run = 0; run < 200_000; run++) {
            tcp(random.nextInt(3) * 700);
            for (int change = random.nextInt(4); change > 0; change--) {
                Memory.putByte(packet + random.nextInt(70), random.nextInt(256));
            }
            final int bytes = random.nextInt(3) == 0 ? random.nextInt(80) : random.nextInt(65_549);
            // when
            final boolean isAccepted = accept(bytes);
            // then
            if (isAccepted) {
                accepted++;
                final int flags = Memory.getUnsignedByte(packet);
                final int end =
                        Memory.getUnsignedShort(packet + 6)
                                + Memory.getUnsignedShort(packet + 8)
                                + 2;
                assertTrue(flags == 0 || (flags == 1 && end <= bytes));
                assertTrue(Memory.getUnsignedShort(packet + 2) < bytes);
                assertTrue(bytes <= 14 + MTU || Memory.getUnsignedShort(packet + 4) > 0);
            }
        }
        assertTrue(accepted > 1_000, "accepted " + accepted);
    }

    @Test
    void shouldMarkPacketsOfSendersThatTakeMarks() {
        // given
        tcp(0);
        Memory.putByte(frame + 15, 2);
        Memory.putShortBigEndian(frame + 24, checksum() ^ 0xFFFF);
        // when
        final boolean isMarked = PacketHeaders.mark(frame, 100);
        // then
        assertTrue(isMarked);
        assertEquals(3, Memory.getUnsignedByte(frame + 15));
        assertEquals(0xFFFF, checksum(), "the checksum of the header is valid");
        Memory.putByte(frame + 15, 0);
        assertFalse(PacketHeaders.mark(frame, 100), "the sender does not take marks");
    }

    private int checksum() {
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += Memory.getUnsignedShortBigEndian(frame + 14 + i);
        }
        return (sum & 0xFFFF) + (sum >>> 16);
    }

    @Test
    void shouldMarkOnlyWhileAllWaitTooLong() {
        // given
        final CoDel codel = new CoDel();
        final long late = 2 * CoDel.TARGET_NS;
        // when
        int early = 0;
        for (long ns = 0; ns < CoDel.INTERVAL_NS; ns += 1_000_000) {
            early += codel.isDue(late, ns, false) ? 1 : 0;
        }
        int due = 0;
        for (long ns = CoDel.INTERVAL_NS; ns < 11 * CoDel.INTERVAL_NS; ns += 1_000_000) {
            due += codel.isDue(late, ns, false) ? 1 : 0;
        }
        // then
        assertEquals(0, early);
        assertTrue(due > 10 && due < 60, "marked " + due);
        assertFalse(codel.isDue(0, 12 * CoDel.INTERVAL_NS, false));
        assertFalse(codel.isDue(late, 12 * CoDel.INTERVAL_NS + 1, false), "begins again");
    }
}
