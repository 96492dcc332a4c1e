package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.FrameConfig;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Runs the program of one port in the kernel, on segments that are on no NIC. */
@Tag("system")
@SuppressWarnings("ByteBufferBackingArray") // all buffers are whole arrays
class RelaySegmentTest extends PortProgram {
    private static final Shape SHAPE = Shape.of(3, 3, 3);
    private static final int TCP_PORT = FrameConfig.DEFAULT.etherType();
    private static final int FROM = 2;
    private static final int IP = 14;
    private static final int TCP = IP + 20;
    private static final int HEADERS = 54;
    private static final int SEGMENT = 100;
    private static final int FRAME = 3_041;
    private static final int HOPS = 9;
    private static final int ASKING = 8;
    private static final int FOR_NODE = 0x40;

    RelaySegmentTest() {
        super(SHAPE, FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.TCP));
    }

    /** Of a frame from the neighbour at (2,1,1) to (1,0,2). */
    private static ByteBuffer segment(final int offset, final int lengthBytes, final int number) {
        final ByteBuffer packet =
                ByteBuffer.allocate(HEADERS + lengthBytes).order(ByteOrder.BIG_ENDIAN);
        TrainBytes.putMac(packet, 0, ownMac(PORT) ^ LOCAL_BIT);
        TrainBytes.putMac(packet, 6, mac(PORT, FROM) ^ LOCAL_BIT);
        packet.putShort(12, (short) 0x0800)
                .putShort(IP, (short) 0x4500)
                .putShort(IP + 2, (short) (40 + lengthBytes))
                .putShort(IP + 6, (short) 0x4000)
                .putShort(IP + 8, (short) (HOPS << 8 | 6))
                .putInt(IP + 12, 0x0A_01_01_02)
                .putInt(IP + 16, 0x0A_02_00_01)
                .putShort(TCP, (short) TCP_PORT)
                .putShort(TCP + 2, (short) TCP_PORT)
                .putInt(TCP + 4, FRAME >>> 3 << 17 | offset)
                .putInt(TCP + 8, number)
                .putShort(TCP + 12, (short) 0x5010)
                .putShort(TCP + 14, (short) (FRAME & 7))
                .putShort(TCP + 16, (short) 0xABCD);
        putSum(packet);
        return packet;
    }

    private static void putSum(final ByteBuffer packet) {
        packet.order(ByteOrder.LITTLE_ENDIAN);
        TrainBytes.putSum(packet);
        packet.order(ByteOrder.BIG_ENDIAN);
    }

    private int relay(final ByteBuffer packet) throws LinuxException {
        return run(packet, packet.capacity() - HEADERS > SEGMENT ? SEGMENT : 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 99, SEGMENT, 9 * SEGMENT + 17})
    void shouldSendSegmentsOnInOnePieceWithNewAddressesAndOneHopLess(final int length)
            throws LinuxException {
        // given: to the second link in y
        final ByteBuffer packet = segment(0, length, 7);
        final ByteBuffer expected = ByteBuffer.wrap(packet.array().clone());
        TrainBytes.putMac(expected, 0, mac(LINKS + 1, 0) ^ LOCAL_BIT);
        TrainBytes.putMac(expected, 6, ownMac(LINKS + 1) ^ LOCAL_BIT);
        expected.put(IP + 8, (byte) (HOPS - 1));
        putSum(expected);
        // when
        final int result = relay(packet);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        assertArrayEquals(expected.array(), packet.array());
        assertEquals(length, table.count(LINKS + 1, RelayTable.SENT_BYTES_OFFSET));
    }

    @Test
    void shouldCountAFrameWithItsFirstSegmentHoweverItIsCut() throws LinuxException {
        // when: three frames, cut and joined in different ways
        relay(segment(0, 30 * SEGMENT, 1));
        relay(segment(30 * SEGMENT, FRAME - 30 * SEGMENT, 1));
        relay(segment(0, 5 * SEGMENT, 3));
        relay(segment(5 * SEGMENT, 25 * SEGMENT, 3));
        for (int offset = 0; offset < FRAME; offset += SEGMENT) {
            relay(segment(offset, Math.min(SEGMENT, FRAME - offset), 5));
        }
        // then
        assertEquals(3, table.relayedFrames());
        assertEquals(3, table.heardFrames(PORT, FROM));
        assertEquals(3, table.sentFrames(LINKS + 1, 0));
        assertEquals(
                2 * FRAME + 30 * SEGMENT, table.count(LINKS + 1, RelayTable.SENT_BYTES_OFFSET));
    }

    @Test
    void shouldSendAllSegmentsOfAFrameByOneLinkAndFramesByAll() throws LinuxException {
        // when
        for (int number = 0; number < 10; number++) {
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        BpfCode.TCX_REDIRECT,
                        relay(segment(i * SEGMENT, SEGMENT, 0x7F00 + number)));
            }
        }
        // then
        assertEquals(5, table.sentFrames(LINKS, 0));
        assertEquals(5, table.sentFrames(LINKS + 1, 0));
        assertEquals(5 * 3 * SEGMENT, table.count(LINKS, RelayTable.SENT_BYTES_OFFSET));
    }

    @Test
    void shouldFollowTheOrderInThePorts() throws LinuxException {
        // given: z before y
        final int difference = DimensionOrder.of(2, 0, 1) ^ DimensionOrder.DEFAULT;
        final ByteBuffer packet = segment(0, SEGMENT, 6);
        packet.putShort(TCP, (short) (TCP_PORT ^ difference));
        // when
        assertEquals(BpfCode.TCX_REDIRECT, relay(packet));
        // then
        assertEquals(1, table.sentFrames(2 * LINKS, 2));
    }

    @Test
    void shouldLeaveAllSegmentsOfAFrameToTheNodeThatTheFirstHasWokenUp() throws LinuxException {
        // given: a node that has not turned for a long time
        table.turn();
        relay(segment(0, SEGMENT, 1));
        letSleep();
        // when
        final ByteBuffer first = segment(0, SEGMENT, 2);
        assertEquals(BpfCode.TCX_NEXT, program.run(first.array(), 0));
        // then: it turns again
        assertLeftToTheNode(segment(SEGMENT, SEGMENT, 2), SEGMENT);
        assertEquals(BpfCode.TCX_REDIRECT, relay(segment(0, SEGMENT, 3)));
        assertEquals(BpfCode.TCX_REDIRECT, relay(segment(SEGMENT, SEGMENT, 3)));
    }

    private void letSleep() {
        final long seenNs = table.node().address(0) + RelayTable.SEEN_NS_OFFSET;
        Memory.putLong(seenNs, Memory.getLong(seenNs) - 2L * RelayProgram.ALIVE_NS);
    }

    @ParameterizedTest
    @ValueSource(ints = {ASKING, FOR_NODE, 0x10, 0x20})
    void shouldLeaveWhatIsForTheNodeToIt(final int marks) throws LinuxException {
        // given
        final ByteBuffer packet = segment(0, 3 * SEGMENT, 1);
        packet.putShort(TCP + 14, (short) marks);
        // then
        assertLeftToTheNode(packet, SEGMENT);
    }

    @Test
    void shouldLeaveWhatIsNotValidOrEndsHereToTheNode() throws LinuxException {
        // given: for this node, at its last hop, of this node
        final ByteBuffer here = segment(0, 3 * SEGMENT, 1);
        here.putInt(IP + 16, 0x0A_01_01_01);
        assertLeftToTheNode(here, SEGMENT);
        final ByteBuffer old = segment(0, 3 * SEGMENT, 1);
        old.put(IP + 8, (byte) 1);
        putSum(old);
        assertLeftToTheNode(old, SEGMENT);
        final ByteBuffer own = segment(0, 3 * SEGMENT, 1);
        own.putInt(IP + 12, 0x0A_01_01_01);
        assertLeftToTheNode(own, SEGMENT);
        // given: TCP options, another port, a fragment, UDP
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 1).put(TCP + 12, (byte) 0x60), SEGMENT);
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 1).put(TCP + 3, (byte) 1), SEGMENT);
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 1).put(IP + 6, (byte) 0x20), SEGMENT);
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 1).put(IP + 9, (byte) 17), SEGMENT);
        // given: too long for the next link, where the path is not proven
        table.open(LINKS + 1, 101, HEADERS + SEGMENT - 1, ownMac(LINKS + 1));
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 1), SEGMENT);
        table.learnIp(LINKS, 0, 0);
        table.learnIp(LINKS + 1, 0, 0);
        assertLeftToTheNode(segment(0, 3 * SEGMENT, 2), SEGMENT);
    }
}
