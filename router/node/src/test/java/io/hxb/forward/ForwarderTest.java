package io.hxb.forward;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MissingFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.TracedFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.LoopClock;
import io.hxb.linux.Memory;
import io.hxb.log.LoopErrors;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.session.Sessions;
import io.hxb.testing.LoopErrorsExtension;
import io.hxb.testing.RecordingLink;
import io.hxb.testing.TestFrames;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.TrunkHealth;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class ForwarderTest {
    private static final Shape SHAPE = Shape.of(3, 3);
    private static final int CLUSTER = 77;
    private static final long NEIGHBOUR = 5;
    private static final int LONG_BODY = 3_000;
    private static final int SEGMENT = 800;
    private static final long HERE = SHAPE.parseCoordinates("1,1");

    private final TestFrames frames = new TestFrames();
    private final BufferPool pool = frames.pool(256, 12_288);
    private final BufferPool.Share share = pool.newShare();
    private final LoopClock clock = new LoopClock();
    private final RecordingLink x = new RecordingLink(0);
    private final RecordingLink y = new RecordingLink(1);
    private final List<Long> released = new ArrayList<>();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final TraceLog traces = new TraceLog();
    private final Forwarder forwarder = forwarder();

    private Forwarder forwarder() {
        final Port[] ports = {new Port(x, 0, 0), new Port(y, 1, 0)};
        final NodeIdentity self = new NodeIdentity(SHAPE, HERE, CLUSTER, 1, 1, "");
        final Sessions sessions = Sessions.off(self.ofSession());
        final TrunkHealth health =
                new TrunkHealth(self, sessions, TrunkConfig.DEFAULT, 1_000_000, ports);
        final Discovery discovery =
                new Discovery(self, sessions, 1_000_000, ports, health, new MisconfigurationLog());
        health.onHello(ports[0], 0, ports[0].number(), NEIGHBOUR, 1, 0);
        TestPorts.reachAll(ports);
        final TrunkSender[] trunks = {
            new TrunkSender(new Port[] {ports[0]}, new LinkSender[] {x.newSender(8)}),
            new TrunkSender(new Port[] {ports[1]}, new LinkSender[] {y.newSender(8)})
        };
        final ForwardParts parts =
                new ForwardParts(
                        cluster(), HERE, pool, sessions, discovery, traces, pool.frameBytes());
        final FrameSource frameSource =
                new FrameSource(
                        parts, trunks, share, clock, CounterBlock.unpublished(3, 2), () -> {});
        // Without flows: no valid frame is for this node.
        return new Forwarder(parts, health.heard(), trunks, share, clock, frameSource, null);
    }

    private static ClusterConfig cluster() {
        final LinkPlan plan = LinkPlan.udp(SHAPE.dimensions(), 1, 20_000);
        return new ClusterConfig.Builder("test", SHAPE, Backend.UDP, plan)
                .clusterId(CLUSTER)
                .build();
    }

    private long frame(final String source, final String destination, final int hopLimit) {
        final long address = frames.frame(SHAPE.parseCoordinates(destination), 0, 100);
        header.wrap(address)
                .clusterId(CLUSTER)
                .source(SHAPE.parseCoordinates(source))
                .order(DimensionOrder.DEFAULT)
                .hopLimit(hopLimit);
        return address;
    }

    private void receive(final long address) {
        receive(address, 164);
    }

    private void receive(final long address, final int lengthBytes) {
        forwarder.onFrame(x, released::add, 42, address, lengthBytes, NEIGHBOUR, -1);
    }

    @Test
    void shouldDropFramesOfStrangers() {
        // given: neither to be relayed nor for this node
        forwarder.onFrame(x, released::add, 42, frame("0,1", "1,2", 8), 164, 6, -1);
        forwarder.onFrame(x, released::add, 42, frame("0,1", "1,1", 8), 164, 6, -1);
        // when: of a neighbour, but on another link
        forwarder.onFrame(y, released::add, 42, frame("0,1", "1,2", 8), 164, NEIGHBOUR, -1);
        // then
        assertEquals(
                3, forwarder.counters().value(CounterType.ofReason(DropReason.UNKNOWN_NEIGHBOUR)));
        assertEquals(3, released.size());
        assertEquals(0, forwarder.counters().value(CounterType.FORWARD_RELAYED_FRAMES));
    }

    @Test
    void shouldSendARelayedFrameFromTheAddressWhereItWasReceived() {
        // given
        final long address = frame("0,1", "1,2", 8);
        // when
        receive(address);
        // then
        final RecordingLink.Offer offer = y.offers().getFirst();
        assertEquals(address, offer.headerAddress());
        assertEquals(164, offer.lengthBytes());
        assertEquals(42, offer.token());
        assertEquals(2, offer.neighbour());
        assertEquals(7, header.wrap(address).hopLimit());
        assertEquals(1, forwarder.counters().value(CounterType.FORWARD_RELAYED_FRAMES));
    }

    @Test
    void shouldCorrectDimensionsInTheOrderThatTheFrameCarries() {
        // given
        final long address = frame("0,0", "2,2", 8);
        header.wrap(address).order(0x7654_3201);
        // when
        receive(address);
        // then
        assertEquals(1, y.offers().size());
        assertEquals(0, x.offers().size());
    }

    @Test
    void shouldDropFramesAtTheirHopLimitAndNotifyTheSource() {
        // given
        final long address = frame("0,1", "1,2", 1);
        // when
        receive(address);
        // then
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.HOP_LIMIT)));
        assertEquals(List.of(42L), released);
        assertEquals(0, y.offers().size());
        assertEquals(1, x.offers().size(), "an unreachable frame goes back");
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldSendADetourOnByTheHopThatItNames() {
        // given: from (1,0) over this node and (1,2) to (2,0), against the default order
        final long[] way = {
            SHAPE.parseCoordinates("1,0"),
            HERE,
            SHAPE.parseCoordinates("1,2"),
            SHAPE.parseCoordinates("2,2"),
            SHAPE.parseCoordinates("2,0")
        };
        final long address = frame("1,0", "2,0", 8);
        final long route = new RouteCodec(SHAPE).encode(way, way.length);
        header.wrap(address).route(route);
        // when
        receive(address);
        // then
        assertEquals(2, y.offers().getFirst().neighbour());
        assertEquals(0, x.offers().size());
        assertEquals(route, Route.start(header.wrap(address).route()));
    }

    @Test
    void shouldAnswerByTheWayTheFrameCame() {
        // given: it has come over (1,0), while an answer x first would go over (0,1)
        final long[] way = {
            SHAPE.parseCoordinates("0,0"),
            SHAPE.parseCoordinates("1,0"),
            HERE,
            SHAPE.parseCoordinates("2,1")
        };
        final long address = frame("0,0", "2,1", 1);
        header.wrap(address).route(new RouteCodec(SHAPE).encode(way, way.length));
        // when
        receive(address);
        // then
        assertEquals(1, forwarder.counters().value(CounterType.FORWARD_UNREACHABLE_SENT_FRAMES));
        assertEquals(1, y.offers().size());
        assertEquals(0, y.offers().getFirst().neighbour());
        assertEquals(0, x.offers().size());
    }

    @Test
    void shouldDropAndCountWhatAFullLinkDoesNotTake() {
        // given
        y.block(true);
        // when
        receive(frame("0,1", "1,2", 8));
        // then
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.LINK_BLOCKED)));
        assertEquals(List.of(42L), released);
    }

    @Test
    void shouldDropFramesOfOtherClustersAndOwnFramesThatComeBack() {
        // given
        final long foreign = frame("0,1", "1,2", 8);
        header.wrap(foreign).clusterId(CLUSTER + 1);
        // when
        receive(foreign);
        receive(frame("1,1", "1,2", 8));
        // then
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.CLUSTER)));
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.OWN_SOURCE)));
    }

    @Test
    void shouldNoteToWhatLengthFramesWereCut() {
        // given
        final int whole = FrameHeaderFlyweight.LENGTH + 100;
        // when
        receive(frame("0,1", "1,2", 8), whole);
        receive(frame("0,1", "1,2", 8), whole - 50);
        receive(frame("0,1", "1,2", 8), whole - 1);
        // then
        assertEquals(2, forwarder.counters().value(CounterType.ofReason(DropReason.LENGTH)));
        assertEquals(2, forwarder.counters().value(CounterType.LINK_CUT_FRAMES, 0));
        assertEquals(whole - 1, forwarder.counters().value(CounterType.LINK_CUT_BYTES, 0));
    }

    @Test
    void shouldDropSealedFramesOfNeighboursWhereThereIsNoKey() {
        // given: what a neighbour with a key sends to this node, which has none
        final long seal = frames.frame(FrameHeaderFlyweight.ANY_DESTINATION, 0, 124);
        for (final int type : new int[] {FrameType.HELLO, FrameType.LINK_STATUS}) {
            header.wrap(seal)
                    .type(type)
                    .clusterId(CLUSTER)
                    .flags(FrameHeaderFlyweight.FLAG_SEALED)
                    .source(SHAPE.parseCoordinates("0,1"))
                    .destination(FrameHeaderFlyweight.ANY_DESTINATION)
                    .hopLimit(1)
                    .bodyLength(100);
            // when
            receive(seal, 188);
        }
        // then
        assertEquals(2, forwarder.counters().value(CounterType.ofReason(DropReason.SEAL)));
        assertEquals(List.of(42L, 42L), released);
    }

    @Test
    @LoopErrorsExtension.Expected
    void shouldDropAFrameThatItFailsToHandleAndGiveItsBufferBack() {
        // given: a link of which the node knows nothing
        final RecordingLink unknown = new RecordingLink(2);
        final long errors = LoopErrors.INSTANCE.count();
        // when
        forwarder.onFrame(unknown, released::add, 41, frame("0,1", "1,2", 8), 164, NEIGHBOUR, -1);
        receive(frame("0,1", "1,2", 8));
        // then
        assertEquals(errors + 1, LoopErrors.INSTANCE.count());
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.FAULT)));
        assertEquals(41L, released.getFirst());
        assertEquals(1, forwarder.counters().value(CounterType.FORWARD_RELAYED_FRAMES));
    }

    @Test
    void shouldAccountForEveryReceivedFrame() {
        // given
        y.block(true);
        receive(frame("0,1", "1,2", 8));
        y.block(false);
        receive(frame("0,1", "1,2", 8));
        receive(frame("0,1", "1,2", 1));
        forwarder.onFrame(x, released::add, 42, frame("0,1", "1,2", 8), 63, NEIGHBOUR, -1);
        forwarder.onFrame(x, released::add, 42, frame("0,1", "1,2", 8), 70, NEIGHBOUR, -1);
        // when
        final CounterBlock seen = forwarder.counters();
        // then
        assertEquals(5, seen.value(CounterType.FORWARD_RECEIVED_FRAMES));
        assertEquals(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES),
                seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                        + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                        + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                        + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                        + seen.droppedFrames());
        assertEquals(5, released.size());
    }

    @Test
    void shouldNotRelayToCoordinatesOutsideOfTheShape() {
        // given
        final long address = frame("0,1", "1,2", 8);
        header.wrap(address).destination(HERE | 9L << 40);
        // when
        receive(address);
        // then
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.NO_ROUTE)));
        assertEquals(1, released.size());
    }

    // A frame of 3,000 bytes that comes as segments: those of which the index is lost do not
    // arrive.
    private void receiveSegments(final long address, final int number, final int lost) {
        final int frameBytes = FrameHeaderFlyweight.LENGTH + LONG_BODY;
        for (int i = 0; i * SEGMENT < frameBytes; i++) {
            final int offset = i * SEGMENT;
            final int length = Math.min(SEGMENT, frameBytes - offset);
            if (i == lost) {
                continue;
            }
            final int whole =
                    forwarder
                            .longFrames()
                            .onSegment(
                                    x.index(),
                                    NEIGHBOUR,
                                    LongFrameJoin.origin(SHAPE.parseCoordinates("0,1")),
                                    number,
                                    frameBytes,
                                    offset,
                                    address + offset,
                                    length,
                                    clock.nowNs());
            if (whole != BufferPool.NONE) {
                forwarder.onJoined(x, share, whole, frameBytes, NEIGHBOUR, -1);
            }
        }
    }

    private long longFrame(final String destination) {
        final long address = frames.frame(SHAPE.parseCoordinates(destination), 9, LONG_BODY);
        header.wrap(address)
                .clusterId(CLUSTER)
                .source(SHAPE.parseCoordinates("0,1"))
                .order(DimensionOrder.DEFAULT)
                .hopLimit(8);
        return address;
    }

    @Test
    void shouldRelayAFrameThatCameAsSegmentsAsOne() {
        // given
        y.keep();
        // when
        receiveSegments(longFrame("1,2"), 5, -1);
        // then
        assertEquals(FrameHeaderFlyweight.LENGTH + LONG_BODY, y.offers().getFirst().lengthBytes());
        assertEquals(1, y.offers().size());
        assertEquals(1, pool.outstanding());
    }

    @Test
    void shouldRelayAsFragmentsWhatArrivesOfAFrameThatHasLostASegment() {
        // given: three segments of four, and the next frame, which is whole
        y.keep();
        final long address = longFrame("1,2");
        receiveSegments(address, 5, 1);
        receiveSegments(longFrame("1,2"), 6, -1);
        assertEquals(1, y.offers().size());
        // when
        forwarder.doWork(clock.nowNs());
        // then
        assertEquals(3, y.offers().size());
        checkFragment(y.offers().get(1).headerAddress(), address, 0, SEGMENT);
        checkFragment(
                y.offers().get(2).headerAddress(),
                address,
                2 * SEGMENT,
                FrameHeaderFlyweight.LENGTH + LONG_BODY - 2 * SEGMENT);
        assertEquals(0, forwarder.longFrames().reassembler().openFrames());
        final CounterBlock seen = forwarder.counters();
        assertEquals(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES),
                seen.value(CounterType.FORWARD_RELAYED_FRAMES));
    }

    private void checkFragment(
            final long fragment, final long of, final int offset, final int lengthBytes) {
        assertTrue(FragmentFlyweight.isFragment(fragment));
        assertEquals(5, FragmentFlyweight.number(fragment));
        assertEquals(
                FrameHeaderFlyweight.LENGTH + LONG_BODY, FragmentFlyweight.frameBytes(fragment));
        assertEquals(offset, FragmentFlyweight.offset(fragment));
        header.wrap(fragment);
        assertEquals(lengthBytes, header.bodyLength());
        assertEquals(7, header.hopLimit());
        for (int i = 0; i < lengthBytes; i++) {
            assertEquals(
                    Memory.getUnsignedByte(of + offset + i),
                    Memory.getUnsignedByte(header.bodyAddress() + i));
        }
    }

    @Test
    void shouldAskTheSourceForSegmentsThatAreLost() {
        // given: the second of four, and of another frame the first, without which nobody is known
        receiveSegments(longFrame("1,1"), 5, 1);
        receiveSegments(longFrame("1,1"), 7, 0);
        // when
        forwarder.doWork(clock.nowNs() + 1_000_000);
        // then
        assertEquals(1, x.offers().size());
        final long question = x.offers().getFirst().headerAddress();
        final MissingFlyweight missing = new MissingFlyweight().wrap(question);
        assertEquals(FrameType.MISSING, header.wrap(question).type());
        assertEquals(SHAPE.parseCoordinates("0,1"), header.destination());
        assertEquals(9, header.sequence());
        assertEquals(5, missing.number());
        assertEquals(1, missing.ranges());
        assertEquals(SEGMENT, missing.offset(0));
        assertEquals(SEGMENT, missing.lengthBytes(0));
        // when
        forwarder.doWork(clock.nowNs() + 60_000_000);
        // then
        assertEquals(0, forwarder.longFrames().reassembler().openFrames());
    }

    @Test
    void shouldNeitherAskNorRelayForSegmentsWhoseHeaderIsNoOneElses() {
        // given: bytes of which no node can have made a frame, and a destination out of the shape
        final long noise = longFrame("1,2");
        for (int i = 0; i < 64; i++) {
            Memory.putByte(noise + i, 0xFF);
        }
        receiveSegments(noise, 5, 1);
        final long outside = longFrame("1,2");
        header.wrap(outside).destination(HERE | 9L << 40);
        receiveSegments(outside, 6, 1);
        // when
        for (int ms = 1; ms < 70; ms++) {
            forwarder.doWork(clock.nowNs() + ms * 1_000_000L);
        }
        // then
        assertEquals(0, x.offers().size() + y.offers().size());
        assertEquals(0, pool.outstanding());
    }

    private long traced(final String source, final String destination, final long number) {
        final long address = frames.frame(HERE, 0, 100);
        TraceFlyweight.write(address, SHAPE.parseCoordinates(destination), number, 16);
        header.wrap(address)
                .clusterId(CLUSTER)
                .source(SHAPE.parseCoordinates(source))
                .order(DimensionOrder.DEFAULT)
                .hopLimit(8);
        return address;
    }

    @Test
    void shouldReportATracedFrameThatItRelaysToItsSource() {
        // when
        receive(traced("0,1", "1,2", 4_711), 80);
        // then
        assertEquals(80, y.offers().getFirst().lengthBytes());
        final RecordingLink.Offer report = x.offers().getFirst();
        assertEquals(80, report.lengthBytes());
        header.wrap(report.headerAddress());
        assertEquals(FrameType.TRACED, header.type());
        assertEquals(SHAPE.parseCoordinates("0,1"), header.destination());
        assertEquals(4_711, TraceFlyweight.number(report.headerAddress()));
        final TracedFlyweight what = new TracedFlyweight().wrap(report.headerAddress());
        assertEquals(TracedFlyweight.RELAYED, what.kind());
        assertEquals(8, what.hopLimit());
        assertEquals(0, what.arrivedOn());
        assertEquals(1, what.leftOn());
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldReportATracedFrameThatNoLinkTakes() {
        // given
        y.block(true);
        // when
        receive(traced("0,1", "1,2", 1), 80);
        // then: once, without the answer that other frames get
        assertEquals(1, x.offers().size());
        final TracedFlyweight what =
                new TracedFlyweight().wrap(x.offers().getFirst().headerAddress());
        assertEquals(TracedFlyweight.NOT_RELAYED, what.kind());
        assertEquals(TracedFlyweight.NO_LINK, what.leftOn());
        assertEquals(1, forwarder.counters().value(CounterType.ofReason(DropReason.LINK_BLOCKED)));
    }

    @Test
    void shouldReportATracedFrameThatHasArrived() {
        // when
        receive(traced("0,1", "1,1", 5), 80);
        // then
        final TracedFlyweight what =
                new TracedFlyweight().wrap(x.offers().getFirst().headerAddress());
        assertEquals(TracedFlyweight.ARRIVED, what.kind());
        assertEquals(8, what.hopLimit());
        assertEquals(1, forwarder.counters().value(CounterType.FORWARD_DELIVERED_FRAMES));
        assertEquals(List.of(42L), released);
    }

    @Test
    void shouldBoundItsReports() {
        // when: at one moment, of one source
        for (int i = 0; i < 200; i++) {
            receive(traced("0,1", "1,2", i), 80);
        }
        // then
        assertEquals(200, y.offers().size());
        assertEquals(64, x.offers().size());
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldKeepReportsOnlyWhileSomebodyWaits() {
        // given: a report of (0,1)
        final long report = traced("0,1", "1,1", 9);
        new TracedFlyweight()
                .wrap(report)
                .begin(HERE, 9)
                .stay(TracedFlyweight.RELAYED_IN_KERNEL, 7, 3, 4, 1_500);
        header.wrap(report)
                .clusterId(CLUSTER)
                .source(SHAPE.parseCoordinates("0,1"))
                .order(DimensionOrder.DEFAULT)
                .hopLimit(8);
        final TraceReport found = new TraceReport();
        // when, then
        receive(report, 80);
        assertFalse(traces.take(found));
        traces.want(true);
        header.wrap(report).hopLimit(8);
        receive(report, 80);
        assertTrue(traces.take(found));
        assertEquals(9, found.number());
        assertEquals(SHAPE.node(SHAPE.parseCoordinates("0,1")), found.node());
        assertEquals(TracedFlyweight.RELAYED_IN_KERNEL, found.kind());
        assertEquals(
                List.of(7, 3, 4), List.of(found.hopLimit(), found.arrivedOn(), found.leftOn()));
        assertEquals(1_500, found.stayNs());
        // and: no more than a burst is kept
        for (int i = 0; i < 1_000; i++) {
            receive(report, 80);
        }
        int kept = 0;
        while (traces.take(found)) {
            kept++;
        }
        assertEquals(256, kept);
        // and: nothing is left over for whoever waits next
        receive(report, 80);
        traces.want(false);
        traces.want(true);
        assertFalse(traces.take(found));
    }
}
