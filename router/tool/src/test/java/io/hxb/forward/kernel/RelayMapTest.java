package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfCode;
import io.hxb.routing.CablingMap;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.GraphRoutes;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** Runs the program of a node that is cabled in any way in the kernel, on frames on no NIC. */
@Tag("system")
@SuppressWarnings("ByteBufferBackingArray") // all buffers are whole arrays
class RelayMapTest extends PortProgram {
    // The neighbours of PortProgram are 0, 1 and 2; 1 is the node itself.
    private static final Shape SHAPE = Shape.ofAnyCabling(3);
    private static final int ETHERNET_BYTES = 14;
    private static final int ETHER_TYPE = FrameConfig.DEFAULT.etherType();
    private static final int RELAY_ETHER_TYPE = FrameConfig.DEFAULT.relayEtherType();

    private final CablingMap map = new CablingMap(SHAPE.nodeCount());
    private final RouteCodec codec = new RouteCodec(SHAPE, map);

    RelayMapTest() {
        super(SHAPE, FrameConfig.DEFAULT);
    }

    @BeforeEach
    void cable() {
        // 0 - 1 - 2
        cable(new int[] {0, 1}, new int[] {1, 2});
    }

    private void cable(final int[] one, final int[] other) {
        final int[] megabits = new int[one.length];
        Arrays.fill(megabits, 1_000);
        map.replace(GraphRoutes.of(SHAPE.nodeCount(), one, other, megabits));
        if (table != null) {
            for (int node = 0; node < SHAPE.nodeCount(); node++) {
                table.nextHop(node, map.routes().next(1, node));
            }
        }
    }

    private static ByteBuffer frame(final long source, final long destination, final long route) {
        final ByteBuffer frame = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
        TrainBytes.putMac(frame, 0, ownMac(PORT));
        TrainBytes.putMac(frame, 6, mac(PORT, 2));
        frame.put(12, (byte) (RELAY_ETHER_TYPE >>> 8)).put(13, (byte) RELAY_ETHER_TYPE);
        frame.put(at(FrameHeaderFlyweight.VERSION_OFFSET), (byte) FrameHeaderFlyweight.VERSION)
                .put(at(FrameHeaderFlyweight.TYPE_OFFSET), (byte) 1)
                .put(at(FrameHeaderFlyweight.HOP_LIMIT_OFFSET), (byte) 8)
                .putInt(at(FrameHeaderFlyweight.ORDER_OFFSET), Route.order(route))
                .putShort(at(FrameHeaderFlyweight.DETOUR_OFFSET), (short) Route.rest(route))
                .putInt(at(FrameHeaderFlyweight.CLUSTER_OFFSET), CLUSTER)
                .putLong(at(FrameHeaderFlyweight.SOURCE_OFFSET), source)
                .putLong(at(FrameHeaderFlyweight.DESTINATION_OFFSET), destination)
                .putShort(at(FrameHeaderFlyweight.BODY_OFFSET), (short) 122);
        return frame;
    }

    private static int at(final int headerOffset) {
        return ETHERNET_BYTES + headerOffset;
    }

    private static long route(final ByteBuffer frame) {
        return Route.of(
                frame.getInt(at(FrameHeaderFlyweight.ORDER_OFFSET)),
                frame.getShort(at(FrameHeaderFlyweight.DETOUR_OFFSET)));
    }

    private static int position(final long route) {
        return ((int) route >>> Route.POSITION_SHIFT) & Route.MAX_POSITION;
    }

    private static long sentTo(final ByteBuffer frame) {
        long mac = 0;
        for (int i = 0; i < 6; i++) {
            mac = mac << 8 | Byte.toUnsignedLong(frame.get(i));
        }
        return mac;
    }

    @Test
    void shouldSendOnAsTheMapSays() throws LinuxException {
        // given
        final ByteBuffer frame = frame(2, 0, Route.ofOrder(DimensionOrder.DEFAULT));
        // when
        final int result = run(frame, 0);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        assertTrue(sentTo(frame) == mac(0, 0) || sentTo(frame) == mac(1, 0));
        final int etherType = Short.toUnsignedInt(Short.reverseBytes(frame.getShort(12)));
        assertEquals(ETHER_TYPE, etherType, "its last hop");
    }

    @Test
    void shouldLeaveFramesToTheNodeForWhichTheMapHasNoWay() throws LinuxException {
        // given
        cable(new int[] {1}, new int[] {2});
        // then
        assertLeftToTheNode(frame(2, 0, Route.ofOrder(DimensionOrder.DEFAULT)), 0);
    }

    @Test
    void shouldTakeTheHopThatTheRouteTakesWhateverTheHeaderHas() throws LinuxException {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int relayed = 0;
        for (int i = 0; i < 4_000; i++) {
            // given: any header, but more often one that is right
            final long destination = random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(3);
            final long rest = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(1 << 8);
            final long route =
                    random.nextBoolean()
                            ? Route.ofOrder(DimensionOrder.DEFAULT ^ random.nextInt(4))
                            : Route.of(
                                    1 << 31 | random.nextInt(4) << 27 | ((int) rest & 0x7FF_FFFF),
                                    (int) (rest >>> 27) & 0xFFFF);
            final ByteBuffer frame = frame(2, destination, route);
            final String what = "seed " + seed + ", frame " + i;
            final int hop =
                    SHAPE.node(destination) < 0 || destination == 1
                            ? RouteCodec.HERE
                            : codec.nextHop(route, 1, destination);
            final long passed = codec.passed(route, 1);
            final boolean isTwice = Route.isDetour(route) && position(passed) - position(route) > 1;
            final boolean isRelayed = hop >= 0 && hop < 3 && !isTwice;
            // when
            final int result = run(frame, 0);
            // then
            assertEquals(isRelayed ? BpfCode.TCX_REDIRECT : BpfCode.TCX_NEXT, result, what);
            if (isRelayed) {
                relayed++;
                assertTrue(sentTo(frame) == mac(0, hop) || sentTo(frame) == mac(1, hop), what);
                assertEquals(passed, route(frame), what);
            }
        }
        assertTrue(relayed > 2_000, "only " + relayed + " of seed " + seed);
    }

    @Test
    void shouldNoteLongerWaysOverBusyLinksOnly() throws LinuxException {
        // given
        final RelayedRoute note = new RelayedRoute();
        final long longer = Route.ofOrder(DimensionOrder.DEFAULT ^ 2);
        assertEquals(BpfCode.TCX_REDIRECT, run(frame(2, 0, longer), 0));
        assertEquals(0, table.busyFrames());
        table.busy(0, System.nanoTime() + 10_000_000_000L);
        table.busy(1, System.nanoTime() + 10_000_000_000L);
        // when
        assertEquals(BpfCode.TCX_REDIRECT, run(frame(2, 0, longer), 0));
        assertEquals(
                BpfCode.TCX_REDIRECT, run(frame(2, 0, Route.ofOrder(DimensionOrder.DEFAULT)), 0));
        // then
        assertEquals(1, table.busyFrames());
        table.readBusy(0, note);
        assertEquals(2, note.source());
        assertEquals(0, note.destination());
        assertEquals(longer, note.route());
        table.busy(0, System.nanoTime() - 1);
        table.busy(1, System.nanoTime() - 1);
        run(frame(2, 0, longer), 0);
        assertEquals(1, table.busyFrames());
    }
}
