package io.hxb.bench.micro;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.raw.RawLink;
import io.hxb.link.raw.RawLinkConfig;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * What a frame costs from one raw link to another over a veth pair, in batches of 64, the kernel's
 * work included. Needs root. One thread does both ends.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class RawLinkBenchmark {
    private static final int BATCH = 64;
    private static final int BUFFERS = 1024;
    private static final int BUFFER_BYTES = 12 * 1024;
    private static final int NEIGHBOUR = 1;
    private static final long HERE = 0;
    private static final long THERE = 1;
    private static final long BEYOND = 0x0101;

    @Param({"64", "9000"})
    private int size;

    private BenchNetwork network;
    private RawLink from;
    private RawLink to;
    private LinkSender sender;
    private long frame;
    private int received;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameOwner nobody = token -> {};
    private final FrameSink sink =
            (link, owner, token, headerAddress, lengthBytes, sourceAddress, vlanTci) -> {
                received++;
                owner.release(token);
            };

    /** Makes the veth pair and opens both links. */
    @Setup(Level.Trial)
    public void setUp() throws Exception {
        network = BenchNetwork.of("micro", "a", "b");
        network.join("a", "x0", "b", "x0", 9000);
        final long bytes = (long) BUFFERS * BUFFER_BYTES;
        final BufferPool pool =
                new BufferPool(Arena.global().allocate(bytes, 64).address(), BUFFERS, BUFFER_BYTES);
        from = open("a", HERE, pool);
        to = open("b", THERE, pool);
        from.learn(NEIGHBOUR, to.localAddress());
        sender = from.newSender(256);
        frame = Arena.global().allocate(BUFFER_BYTES, 64).address() + 64;
        new FrameHeaderFlyweight()
                .wrap(frame)
                .clear()
                .bodyLength(size - FrameHeaderFlyweight.LENGTH);
    }

    private RawLink open(final String namespace, final long coordinates, final BufferPool pool)
            throws Exception {
        return RawLink.open(
                new RawLinkConfig(
                        0,
                        "x0",
                        network.name(namespace),
                        0,
                        coordinates,
                        FrameConfig.DEFAULT,
                        SocketConfig.DEFAULT),
                pool.newShare());
    }

    /** Removes everything. */
    @TearDown(Level.Trial)
    public void tearDown() {
        sender.close();
        from.close();
        to.close();
        network.close();
    }

    /** Into a pool buffer, as a frame for the node itself. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int toPool() {
        return pass(THERE, RawLink.POOL);
    }

    /** Into a ring slot, as a frame to be relayed. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int toRing() {
        return pass(BEYOND, RawLink.RING);
    }

    // The frame's memory is not changed between offer and flush, so it may be queued many times.
    private int pass(final long destination, final int source) {
        header.wrap(frame).destination(destination);
        for (int i = 0; i < BATCH; i++) {
            if (!sender.offer(NEIGHBOUR, outgoing.wrap(frame, size, nobody, i))) {
                throw new IllegalStateException("the sender takes no frame");
            }
        }
        sender.flush();
        received = 0;
        while (received < BATCH) {
            if (to.receive(source, sink, BATCH) == Link.DOWN) {
                throw new IllegalStateException("the link is down");
            }
        }
        return received;
    }
}
