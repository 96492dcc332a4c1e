package io.hxb.bench.micro;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.forward.ForwardParts;
import io.hxb.forward.Forwarder;
import io.hxb.forward.FrameSource;
import io.hxb.forward.TraceLog;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.LinkSender;
import io.hxb.link.LoopClock;
import io.hxb.link.OutgoingFrame;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.TrunkHealth;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/** What relaying one frame costs apart from the links: check, next hop, trunk. One thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class ForwarderBenchmark {
    private static final int CLUSTER_ID = 0x62;
    private static final int FINGERPRINT = 3;
    private static final long HELLO_INTERVAL_NS = 1_000_000_000L;
    private static final int BUFFER_BYTES = 1024;
    private static final int BUFFERS = 64;
    private static final int HOPS = 8;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final long HERE = SHAPE.parseCoordinates("1,0");
    private static final long THERE = SHAPE.parseCoordinates("1,1");

    @Param({"1", "2", "8"})
    private int links;

    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameOwner nobody = token -> {};
    private final NullLink from = new NullLink(0);
    private Forwarder forwarder;
    private TrunkSender trunk;
    private long frame;

    /** Makes a node of null links that knows its neighbour on all links of dimension 1. */
    @Setup
    public void setUp() {
        final Port[] all = new Port[1 + links];
        all[0] = new Port(from, 0, 0);
        final Port[] ports = new Port[links];
        final LinkSender[] senders = new LinkSender[links];
        for (int i = 0; i < links; i++) {
            ports[i] = new Port(new NullLink(1 + i), 1, i);
            senders[i] = ports[i].link().newSender(256);
            all[1 + i] = ports[i];
        }
        final NodeIdentity self = new NodeIdentity(SHAPE, HERE, CLUSTER_ID, FINGERPRINT, 1, "here");
        final Sessions sessions = Sessions.off(self.ofSession());
        final TrunkHealth health =
                new TrunkHealth(self, sessions, TrunkConfig.DEFAULT, HELLO_INTERVAL_NS, all);
        final Discovery discovery =
                new Discovery(
                        self, sessions, HELLO_INTERVAL_NS, all, health, new MisconfigurationLog());
        frame = Arena.global().allocate(BUFFER_BYTES, 64).address() + 64;
        for (final Port port : ports) {
            writeHello(port.number());
            discovery.onFrame(port.link().index(), frame, 2, 1);
            // No loop asks whether the neighbour hears this node, too.
            port.set(1, LinkState.GOOD, LinkReason.HELLO);
        }
        health.onHello(all[0], 0, all[0].number(), 2, 1, 0);
        trunk = new TrunkSender(ports, senders);
        final TrunkSender back =
                new TrunkSender(new Port[] {all[0]}, new LinkSender[] {from.newSender(256)});
        final long bytes = (long) BUFFERS * BUFFER_BYTES;
        final BufferPool pool =
                new BufferPool(Arena.global().allocate(bytes, 64).address(), BUFFERS, BUFFER_BYTES);
        final ForwardParts parts =
                new ForwardParts(
                        cluster(),
                        HERE,
                        pool,
                        sessions,
                        discovery,
                        new TraceLog(),
                        pool.frameBytes());
        final TrunkSender[] trunks = {back, trunk};
        final BufferPool.Share share = pool.newShare();
        final LoopClock clock = new LoopClock();
        final FrameSource frameSource =
                new FrameSource(
                        parts,
                        trunks,
                        share,
                        clock,
                        CounterBlock.unpublished(all.length, 3),
                        () -> {});
        // Without flows: no frame is for this node.
        forwarder = new Forwarder(parts, health.heard(), trunks, share, clock, frameSource, null);
        writeData();
    }

    private static ClusterConfig cluster() {
        final LinkPlan plan = LinkPlan.udp(SHAPE.dimensions(), 1, 20_000);
        return new ClusterConfig.Builder("bench", SHAPE, Backend.UDP, plan)
                .clusterId(CLUSTER_ID)
                .build();
    }

    private void writeHello(final int number) {
        begin(FrameType.HELLO).source(THERE).destination(FrameHeaderFlyweight.ANY_DESTINATION);
        new HelloFlyweight()
                .wrap(header.bodyAddress())
                .clear()
                .dimension(1)
                .linkNumber(number)
                .fingerprint(FINGERPRINT)
                .incarnation(1)
                .mtuBytes(9000);
    }

    private void writeData() {
        begin(FrameType.DATA).source(SHAPE.parseCoordinates("0,0")).destination(THERE);
        relay();
        if (forwarder.counters().value(CounterType.FORWARD_RELAYED_FRAMES) != 1) {
            throw new IllegalStateException("the frame was not relayed");
        }
    }

    private FrameHeaderFlyweight begin(final int type) {
        return header.wrap(frame)
                .clear()
                .type(type)
                .hopLimit(HOPS)
                .order(DimensionOrder.DEFAULT)
                .clusterId(CLUSTER_ID);
    }

    /** Everything between receiving and sending. */
    @Benchmark
    public long relay() {
        header.wrap(frame).hopLimit(HOPS);
        forwarder.onFrame(from, nobody, 0, frame, FrameHeaderFlyweight.LENGTH, 2, -1);
        return forwarder.counters().value(CounterType.FORWARD_RELAYED_FRAMES);
    }

    /** The choice of the link alone. */
    @Benchmark
    public int trunk() {
        return trunk.offer(1, 64, outgoing.wrap(frame, FrameHeaderFlyweight.LENGTH, nobody, 0));
    }
}
