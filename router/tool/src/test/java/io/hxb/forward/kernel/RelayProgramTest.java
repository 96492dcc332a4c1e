package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.SealFlyweight;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** Runs the program of one port in the kernel, on frames that are on no NIC. */
@Tag("system")
@SuppressWarnings("ByteBufferBackingArray") // all buffers are whole arrays
class RelayProgramTest extends PortProgram {
    private static final Shape SHAPE = Shape.of(3, 3, 3);
    private static final int ETHER_TYPE = FrameConfig.DEFAULT.etherType();
    private static final int RELAY_ETHER_TYPE = FrameConfig.DEFAULT.relayEtherType();
    private static final int FROM = 2;
    private static final int ETHERNET_BYTES = 14;

    RelayProgramTest() {
        super(SHAPE, FrameConfig.DEFAULT);
    }

    private static ByteBuffer frame(final String source, final String destination) {
        final ByteBuffer frame = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
        TrainBytes.putMac(frame, 0, ownMac(PORT));
        TrainBytes.putMac(frame, 6, mac(PORT, FROM));
        putEtherType(frame, RELAY_ETHER_TYPE);
        put(frame, FrameHeaderFlyweight.VERSION_OFFSET, FrameHeaderFlyweight.VERSION);
        put(frame, FrameHeaderFlyweight.TYPE_OFFSET, 1);
        put(frame, FrameHeaderFlyweight.HOP_LIMIT_OFFSET, 8);
        frame.putInt(at(FrameHeaderFlyweight.ORDER_OFFSET), DimensionOrder.DEFAULT)
                .putInt(at(FrameHeaderFlyweight.CLUSTER_OFFSET), CLUSTER)
                .putLong(at(FrameHeaderFlyweight.SOURCE_OFFSET), SHAPE.parseCoordinates(source))
                .putLong(
                        at(FrameHeaderFlyweight.DESTINATION_OFFSET),
                        SHAPE.parseCoordinates(destination))
                .putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) 122);
        for (int i = ETHERNET_BYTES + FrameHeaderFlyweight.LENGTH; i < frame.capacity(); i++) {
            frame.put(i, (byte) i);
        }
        return frame;
    }

    private static int etherType(final ByteBuffer frame) {
        return Short.toUnsignedInt(Short.reverseBytes(frame.getShort(12)));
    }

    private static int at(final int headerOffset) {
        return ETHERNET_BYTES + headerOffset;
    }

    private static void put(final ByteBuffer frame, final int headerOffset, final int value) {
        frame.put(at(headerOffset), (byte) value);
    }

    private static void putEtherType(final ByteBuffer frame, final int etherType) {
        frame.put(12, (byte) (etherType >>> 8)).put(13, (byte) etherType);
    }

    private int run(final ByteBuffer frame) throws LinuxException {
        return run(frame, 0);
    }

    private void assertLeftToTheNode(final ByteBuffer frame) throws LinuxException {
        assertLeftToTheNode(frame, 0);
    }

    @Test
    void shouldSendOnWithNewAddressesAndOneHopLess() throws LinuxException {
        // given
        final ByteBuffer frame = frame("2,1,1", "1,0,2");
        final ByteBuffer expected = copy(frame);
        final int y0 = LINKS;
        TrainBytes.putMac(expected, 0, mac(y0, 0));
        TrainBytes.putMac(expected, 6, ownMac(y0));
        put(expected, FrameHeaderFlyweight.HOP_LIMIT_OFFSET, 7);
        // when
        final int result = run(frame);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        assertArrayEquals(expected.array(), frame.array());
    }

    @Test
    void shouldSendTheFragmentsOfAFrameOnOneLink() throws LinuxException {
        for (int round = 0; round < 64; round++) {
            // given: links of the next dimension, of which one gets half of its share
            final int number = 0xFFFF_FFF0 + round / 4;
            table.weight(LINKS, 0, Port.FULL_WEIGHT / 2);
            final ByteBuffer frame = frame("2,1,1", "1,0,2");
            put(frame, FrameHeaderFlyweight.TYPE_OFFSET, FrameType.FRAGMENT);
            frame.putInt(at(FragmentFlyweight.NUMBER_OFFSET), number);
            // when
            final int result = run(frame);
            // then
            assertEquals(BpfCode.TCX_REDIRECT, result);
            final int link = LINKS + Integer.remainderUnsigned(number, LINKS);
            final ByteBuffer expected = copy(frame);
            TrainBytes.putMac(expected, 0, mac(link, 0));
            assertArrayEquals(expected.array(), frame.array(), "round " + round);
        }
    }

    @Test
    void shouldSendFragmentsOnAnotherLinkIfTheirsDoesNotReachTheNode() throws LinuxException {
        // given
        table.weight(LINKS, 0, 0);
        final ByteBuffer frame = frame("2,1,1", "1,0,2");
        put(frame, FrameHeaderFlyweight.TYPE_OFFSET, FrameType.FRAGMENT);
        frame.putInt(at(FragmentFlyweight.NUMBER_OFFSET), 2 * LINKS);
        // when
        final int result = run(frame);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        final ByteBuffer expected = copy(frame);
        TrainBytes.putMac(expected, 0, mac(LINKS + 1, 0));
        assertArrayEquals(expected.array(), frame.array());
    }

    @Test
    void shouldGiveTheEtherTypeOfTheLastHopToFramesWhoseNextHopIsTheirLast() throws LinuxException {
        // given
        final ByteBuffer frame = frame("2,1,1", "1,1,0");
        // when
        run(frame);
        // then
        assertEquals(ETHER_TYPE, etherType(frame));
    }

    @Test
    void shouldLeaveSparseFramesTheEtherTypeOfTheRingOnTheirLastHopToo() throws LinuxException {
        // given
        final ByteBuffer frame = frame("2,1,1", "1,1,0");
        final int flags = FrameHeaderFlyweight.FLAG_SPARSE | FrameHeaderFlyweight.FLAG_ACK;
        put(frame, FrameHeaderFlyweight.FLAGS_OFFSET, flags);
        // when
        run(frame);
        // then
        assertEquals(RELAY_ETHER_TYPE, etherType(frame));
    }

    @Test
    void shouldCountWhatItRelaysByLinkAndNeighbour() throws LinuxException {
        // when
        for (int i = 0; i < 4; i++) {
            run(frame("2,1,1", "1,0,2"));
        }
        // then
        final int bodyAndHeader = 200 - ETHERNET_BYTES;
        assertEquals(4, table.relayedFrames());
        assertEquals(4, table.heardFrames(PORT, FROM));
        assertEquals(0, table.heardFrames(PORT, 0));
        assertEquals(4, table.count(PORT, RelayTable.RECEIVED_FRAMES_OFFSET));
        assertEquals(4 * bodyAndHeader, table.count(PORT, RelayTable.RECEIVED_BYTES_OFFSET));
        for (int port = LINKS; port < 2 * LINKS; port++) {
            assertEquals(2, table.sentFrames(port, 0), "round robin over " + LINKS);
            assertEquals(2, table.count(port, RelayTable.SENT_FRAMES_OFFSET));
            assertEquals(2 * bodyAndHeader, table.count(port, RelayTable.SENT_BYTES_OFFSET));
        }
    }

    @Test
    void shouldTakeTheHopThatTheRouteTakesInEveryOrder() throws LinuxException {
        // given
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final RouteCodec codec = new RouteCodec(SHAPE);
        int relayed = 0;
        for (int i = 0; i < 2000; i++) {
            final ByteBuffer frame = frame("2,1,1", "0,0,0");
            final int order = random.nextInt() & 0x7FFF_FFFF;
            final long destination =
                    random.nextInt(4) == 0
                            ? random.nextLong()
                            : SHAPE.coordinates(random.nextInt(SHAPE.nodeCount()));
            frame.putInt(at(FrameHeaderFlyweight.ORDER_OFFSET), order)
                    .putLong(at(FrameHeaderFlyweight.DESTINATION_OFFSET), destination);
            final String what = "seed " + seed + ", frame " + i;
            final int hop = codec.nextHop(Route.ofOrder(order), here, destination);
            final boolean isRelayed = hop >= 0 && hop >> 8 < SHAPE.dimensions() && (hop & 0xFF) < 3;
            // when
            final int result = run(frame);
            // then
            assertEquals(isRelayed ? BpfCode.TCX_REDIRECT : BpfCode.TCX_NEXT, result, what);
            if (isRelayed) {
                relayed++;
                final long sentTo = sentTo(frame);
                assertTrue(
                        sentTo == mac((hop >> 8) * LINKS, hop & 0xFF)
                                || sentTo == mac((hop >> 8) * LINKS + 1, hop & 0xFF),
                        what);
            }
        }
        assertTrue(relayed > 1000, "only " + relayed + " of seed " + seed);
    }

    private static long sentTo(final ByteBuffer frame) {
        long mac = 0;
        for (int i = 0; i < 6; i++) {
            mac = mac << 8 | Byte.toUnsignedLong(frame.get(i));
        }
        return mac;
    }

    @Test
    void shouldGiveALinkOfASmallerWeightItsShare() throws LinuxException {
        // given
        table.weight(LINKS, 0, Port.FULL_WEIGHT / 4);
        // when
        for (int i = 0; i < 4000; i++) {
            run(frame("2,1,1", "1,0,2"));
        }
        // then
        final int light = table.sentFrames(LINKS, 0);
        assertEquals(4000, light + table.sentFrames(LINKS + 1, 0));
        assertEquals(500.0, light, 150.0, "a quarter of every other frame");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldUseTheLinksThatAreLeft(final boolean isNicGone) throws LinuxException {
        // given
        if (isNicGone) {
            table.shut(LINKS);
        } else {
            table.weight(LINKS, 0, 0);
        }
        // when
        for (int i = 0; i < 10; i++) {
            run(frame("2,1,1", "1,0,2"));
        }
        // then
        assertEquals(10, table.sentFrames(LINKS + 1, 0));
    }

    @Test
    void shouldLeaveFramesToTheNodeThatNoLinkTakes() throws LinuxException {
        // given
        table.weight(LINKS, 0, 0);
        table.shut(LINKS + 1);
        // then
        assertLeftToTheNode(frame("2,1,1", "1,0,2"));
    }

    @Test
    void shouldLeaveAllToANodeThatShowsNoSignOfLife() throws LinuxException {
        // given
        assertNotEquals(BpfCode.TCX_NEXT, run(frame("2,1,1", "1,0,2")));
        final long seenNs = table.node().address(0) + RelayTable.SEEN_NS_OFFSET;
        Memory.putLong(seenNs, Memory.getLong(seenNs) - 2L * RelayProgram.ALIVE_NS);
        // then
        assertEquals(BpfCode.TCX_NEXT, program.run(frame("2,1,1", "1,0,2").array()));
        assertEquals(BpfCode.TCX_REDIRECT, run(frame("2,1,1", "1,0,2")));
    }

    @Test
    void shouldLeaveAllToTheNodeThatIsNotToBeRelayedOrNotRight() throws LinuxException {
        assertLeftToTheNode(frame("2,1,1", "1,1,1"));
        assertLeftToTheNode(frame("1,1,1", "1,0,2"));
        final ByteBuffer linkLocal = frame("2,1,1", "1,0,2");
        linkLocal.putLong(at(FrameHeaderFlyweight.DESTINATION_OFFSET), -1);
        assertLeftToTheNode(linkLocal);
        final ByteBuffer detour = frame("2,1,1", "1,0,2");
        detour.putInt(at(FrameHeaderFlyweight.ORDER_OFFSET), DimensionOrder.DEFAULT | 0x8000_0000);
        assertLeftToTheNode(detour);
        final ByteBuffer tired = frame("2,1,1", "1,0,2");
        put(tired, FrameHeaderFlyweight.HOP_LIMIT_OFFSET, 1);
        assertLeftToTheNode(tired);
        final ByteBuffer old = frame("2,1,1", "1,0,2");
        put(old, FrameHeaderFlyweight.VERSION_OFFSET, FrameHeaderFlyweight.VERSION - 1);
        assertLeftToTheNode(old);
        final ByteBuffer foreign = frame("2,1,1", "1,0,2");
        foreign.putInt(at(FrameHeaderFlyweight.CLUSTER_OFFSET), CLUSTER + 1);
        assertLeftToTheNode(foreign);
        final ByteBuffer cut = frame("2,1,1", "1,0,2");
        cut.putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) 123);
        assertLeftToTheNode(cut);
        final ByteBuffer flooded = frame("2,1,1", "1,0,2");
        TrainBytes.putMac(flooded, 0, ownMac(PORT) + 0x0100_0000_0000L);
        assertLeftToTheNode(flooded);
        TrainBytes.putMac(flooded, 0, ownMac(PORT) + 1);
        assertLeftToTheNode(flooded);
        final ByteBuffer stranger = frame("2,1,1", "1,0,2");
        TrainBytes.putMac(stranger, 6, 0x0277_0000_0001L);
        assertLeftToTheNode(stranger);
        final ByteBuffer atItsEnd = frame("2,1,1", "1,0,2");
        putEtherType(atItsEnd, ETHER_TYPE);
        assertLeftToTheNode(atItsEnd);
        assertLeftToTheNode(ByteBuffer.wrap(Arrays.copyOf(atItsEnd.array(), 77)));
    }

    @Test
    void shouldRelaySealedFramesWithTheirTrailerOnly() throws LinuxException {
        // given
        final ByteBuffer sealed = frame("2,1,1", "1,0,2");
        put(sealed, FrameHeaderFlyweight.FLAGS_OFFSET, FrameHeaderFlyweight.FLAG_SEALED);
        final int room = 122 - SealFlyweight.LENGTH;
        sealed.putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) room);
        final ByteBuffer cut = copy(sealed);
        cut.putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) (room + 1));
        // then
        assertEquals(BpfCode.TCX_REDIRECT, run(sealed));
        assertLeftToTheNode(cut);
    }

    // Else they are counted as sent, never as arrived, and the next link is thought to lose frames.
    @Test
    void shouldRelayNothingThatTheNextNodeDropsUncounted() throws LinuxException {
        // given
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int relayed = 0;
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(200, 8);
            for (int i = 0; i < 3000; i++) {
                final ByteBuffer frame = frame("2,1,1", "1,0,2");
                put(frame, FrameHeaderFlyweight.TYPE_OFFSET, random.nextInt());
                put(frame, FrameHeaderFlyweight.FLAGS_OFFSET, random.nextInt());
                put(frame, FrameHeaderFlyweight.HOP_LIMIT_OFFSET, random.nextInt(4));
                frame.putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) random.nextInt(200));
                if (random.nextInt(4) == 0) {
                    frame.put(random.nextInt(frame.capacity()), (byte) random.nextInt());
                }
                // when
                if (run(frame) == BpfCode.TCX_REDIRECT) {
                    // then
                    relayed++;
                    memory.copyFrom(MemorySegment.ofArray(frame.array()));
                    assertEquals(
                            DropReason.NONE,
                            FrameValidator.checkHeader(
                                    memory.address() + ETHERNET_BYTES,
                                    frame.capacity() - ETHERNET_BYTES,
                                    CLUSTER),
                            "seed " + seed + ", frame " + i);
                }
            }
        }
        assertTrue(relayed > 300, "only " + relayed + " of seed " + seed);
    }

    @Test
    void shouldLeaveFramesToTheNodeThatAreTooLongForTheNextLink() throws LinuxException {
        // given
        table.open(LINKS, 100, 199, ownMac(LINKS));
        table.open(LINKS + 1, 101, 199, ownMac(LINKS + 1));
        // then
        assertLeftToTheNode(frame("2,1,1", "1,0,2"));
    }

    @Test
    void shouldForgetTheOldAddressOfANeighbour() throws LinuxException {
        // given
        table.learn(PORT, FROM, 0x0288_0000_0001L);
        // then
        assertLeftToTheNode(frame("2,1,1", "1,0,2"));
        final ByteBuffer frame = frame("2,1,1", "1,0,2");
        TrainBytes.putMac(frame, 6, 0x0288_0000_0001L);
        assertEquals(BpfCode.TCX_REDIRECT, run(frame));
        assertEquals(1, table.heardFrames(PORT, FROM));
    }

    @Test
    void shouldKnowNeighboursThatHaveChangedPlaces() throws LinuxException {
        // when
        table.learn(PORT, FROM, mac(PORT, 0));
        table.learn(PORT, 0, mac(PORT, FROM));
        // then
        assertEquals(BpfCode.TCX_REDIRECT, run(frame("2,1,1", "1,0,2")));
        assertEquals(1, table.heardFrames(PORT, 0));
        final ByteBuffer other = frame("2,1,1", "1,0,2");
        TrainBytes.putMac(other, 6, mac(PORT, 0));
        assertEquals(BpfCode.TCX_REDIRECT, run(other));
        assertEquals(1, table.heardFrames(PORT, FROM));
    }
}
