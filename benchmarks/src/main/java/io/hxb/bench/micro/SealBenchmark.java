package io.hxb.bench.micro;

import io.hxb.config.SecurityConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.ClusterKey;
import io.hxb.session.FrameSeals;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;

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
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** What it costs to seal a frame and to open it, by the mode of the cluster. Made by JMH. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class SealBenchmark {
    private static final Shape SHAPE = Shape.of(2);
    private static final int CLUSTER_ID = 0x62;
    private static final int ROOM_BYTES = 16_384;

    /** Bytes of the body. */
    @Param({"64", "1024", "8200"})
    private int bodyBytes;

    /** Mode of the cluster. */
    @Param({"AUTHENTICATE", "ENCRYPT"})
    private SecurityConfig.Mode mode;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private Sessions[] nodes;
    private FrameSeals from;
    private FrameSeals to;
    private long frame;
    private long sealed;

    /** JMH makes it. */
    public SealBenchmark() {}

    /** Makes a session and a frame. */
    @Setup
    public void setUp() {
        frame = Arena.global().allocate(ROOM_BYTES, 64).address();
        sealed = Arena.global().allocate(ROOM_BYTES, 64).address();
        final KeyRing ring = KeyRing.of(new ClusterKey(new byte[ClusterKey.LENGTH]));
        nodes = new Sessions[SHAPE.nodeCount()];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] =
                    new Sessions(
                            new Sessions.Identity(
                                    SHAPE, SHAPE.coordinates(node), CLUSTER_ID, node + 1),
                            mode,
                            ring,
                            new SplittableRandom(node));
        }
        from = nodes[0].newLoop();
        to = nodes[1].newLoop();
        nodes[0].want(1, Sessions.ROUTED);
        for (int round = 0; round < 10; round++) {
            for (int node = 0; node < nodes.length; node++) {
                if (nodes[node].pollDue(round) >= 0) {
                    nodes[node].write(1 - node, frame, round);
                    nodes[1 - node].onFrame(frame, Sessions.ROUTED, round);
                }
            }
        }
        header.wrap(frame)
                .clear()
                .type(FrameType.DATA)
                .hopLimit(8)
                .order(DimensionOrder.DEFAULT)
                .clusterId(CLUSTER_ID)
                .source(SHAPE.coordinates(0))
                .destination(SHAPE.coordinates(1))
                .bodyLength(bodyBytes);
    }

    /** Seals a frame. */
    @Benchmark
    public int seal() {
        final int length = FrameHeaderFlyweight.LENGTH + bodyBytes;
        if (mode == SecurityConfig.Mode.ENCRYPT) {
            return from.encrypt(frame, length, 0, 0, sealed);
        }
        return from.seal(frame, length, 0, 0);
    }

    /** Seals a frame and opens it, which has to succeed. */
    @Benchmark
    public int sealAndOpen() {
        final int result = seal();
        final int opened = to.open(mode == SecurityConfig.Mode.ENCRYPT ? sealed : frame);
        if (result != FrameSeals.SEALED || opened != 0) {
            throw new IllegalStateException(result + " " + opened);
        }
        return Memory.getInt(sealed);
    }
}
