package io.hxb.forward;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.fuzz.Script;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.LoopClock;
import io.hxb.linux.Memory;
import io.hxb.log.LoopErrors;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.Sessions;
import io.hxb.testing.RecordingLink;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.TrunkHealth;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A node to which two neighbours send pieces of long frames, as fragments and as segments, as a
 * script says: lost, doubled, in any order, of any length, with lies in every field. What the node
 * relays and completes has the bytes that were sent, it makes no errors, holds no more buffers than
 * it may, and gives all of them back in time. Used by one thread.
 */
public final class HostileFragments {
    private static final Shape SHAPE = Shape.of(3, 3);
    private static final int CLUSTER = 77;
    private static final long HERE = SHAPE.parseCoordinates("1,1");
    private static final int BUFFERS = 160;
    private static final int BUFFER_BYTES = 4_096;
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;
    private static final int MAX_FRAME_BYTES = BUFFER_BYTES - BufferPool.HEADER_OFFSET_BYTES;
    private static final int MAX_STEPS = 200;
    private static final long MS = 1_000_000;
    private static final MemorySegment POOL =
            Arena.global().allocate((long) BUFFERS * BUFFER_BYTES, 64);
    private static final long FRAME = Arena.global().allocate(2L * BUFFER_BYTES, 64).address() + 64;

    private final Script script;
    private final BufferPool pool = new BufferPool(POOL.address(), BUFFERS, BUFFER_BYTES);
    private final BufferPool.Share share = pool.newShare();
    private final LoopClock clock = new LoopClock();
    private final RecordingLink x = new RecordingLink(0);
    private final RecordingLink y = new RecordingLink(1);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FragmentFlyweight fragment = new FragmentFlyweight();
    private final Forwarder forwarder;
    private final long errors = LoopErrors.INSTANCE.count();
    private long nowNs;

    private HostileFragments(final byte[] script) {
        this.script = new Script(script);
        x.keep();
        y.keep();
        forwarder = forwarder();
        nowNs = clock.nowNs();
    }

    private Forwarder forwarder() {
        final Port[] ports = {new Port(x, 0, 0), new Port(y, 1, 0)};
        final NodeIdentity self = new NodeIdentity(SHAPE, HERE, CLUSTER, 1, 1, "");
        final Sessions sessions = Sessions.off(self.ofSession());
        final TrunkHealth health = new TrunkHealth(self, sessions, TrunkConfig.DEFAULT, MS, ports);
        final Discovery discovery =
                new Discovery(self, sessions, MS, ports, health, new MisconfigurationLog());
        health.onHello(ports[0], 0, ports[0].number(), neighbour(0), 1, 0);
        health.onHello(ports[0], 2, ports[0].number(), neighbour(1), 1, 0);
        TestPorts.reachAll(ports);
        final TrunkSender[] trunks = {
            new TrunkSender(new Port[] {ports[0]}, new LinkSender[] {x.newSender(8)}),
            new TrunkSender(new Port[] {ports[1]}, new LinkSender[] {y.newSender(8)})
        };
        final ClusterConfig cluster =
                new ClusterConfig.Builder(
                                "test",
                                SHAPE,
                                Backend.UDP,
                                LinkPlan.udp(SHAPE.dimensions(), 1, 20_000))
                        .clusterId(CLUSTER)
                        .build();
        final ForwardParts parts =
                new ForwardParts(
                        cluster,
                        HERE,
                        pool,
                        sessions,
                        discovery,
                        new TraceLog(),
                        pool.frameBytes());
        final FrameSource frameSource =
                new FrameSource(
                        parts, trunks, share, clock, CounterBlock.unpublished(3, 2), () -> {});
        // Without flows: what is for this node is of a type that nobody takes.
        return new Forwarder(parts, health.heard(), trunks, share, clock, frameSource, null);
    }

    private static long neighbour(final int number) {
        return 5L + number;
    }

    /**
     * Runs a script of any bytes.
     *
     * @throws AssertionError if something is lost, made up or kept.
     */
    public static void run(final byte[] script) {
        new HostileFragments(script).run();
    }

    private void run() {
        for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
            step();
            check(LoopErrors.INSTANCE.count() == errors, "an error");
            takeOffers();
            check(
                    pool.outstanding() <= BUFFERS / 2,
                    pool.outstanding() + " buffers are held by incomplete frames");
        }
        work(100 * MS);
        takeOffers();
        check(LoopErrors.INSTANCE.count() == errors, "an error at the end");
        check(pool.outstanding() == 0, pool.outstanding() + " buffers are missing");
        final CounterBlock seen = forwarder.counters();
        check(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES)
                        == seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                                + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                                + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                                + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                                + seen.droppedFrames(),
                "frames that nobody has counted");
        forwarder.close();
    }

    private void step() {
        final int what = script.next();
        if ((what & 7) == 0) {
            work((long) (script.next() & 63) * MS / 8);
        } else {
            piece(what);
        }
    }

    private void work(final long afterNs) {
        nowNs += afterNs;
        int turns = 0;
        while (turns < 64 && forwarder.doWork(nowNs) > 0) {
            turns++;
        }
    }

    // One of few frames, so that pieces meet: the content follows from what it is named by.
    private void piece(final int what) {
        final int from = what >> 3 & 1;
        final long origin = SHAPE.coordinates(script.next() % SHAPE.nodeCount());
        final int number = script.next() & 7;
        final boolean isForHere = (number & 1) == 0;
        final int frameBytes =
                (int) script.near(HEADER + 8 + (number * 577 + (int) origin % 97) % 3_900);
        final int size = 8 + (script.next() % 20) * 64;
        final int offset = (int) script.near((long) script.next() * size);
        final int lengthBytes = (int) script.near(Math.min(size, frameBytes - offset));
        write(origin, number, isForHere, frameBytes);
        if ((what & 16) == 0) {
            asFragment(from, number, frameBytes, offset, lengthBytes);
        } else {
            asSegment(from, origin, number, frameBytes, offset, lengthBytes);
        }
    }

    private void write(
            final long origin, final int number, final boolean isForHere, final int frameBytes) {
        for (int i = 0; i < BUFFER_BYTES; i++) {
            Memory.putByte(FRAME + i, content(LongFrameJoin.origin(origin), number, i));
        }
        header.wrap(FRAME)
                .clear()
                .type(isForHere ? FrameType.COUNT : FrameType.DATA)
                .clusterId(CLUSTER)
                .source(origin)
                .destination(isForHere ? HERE : SHAPE.parseCoordinates("1,2"))
                .order(DimensionOrder.DEFAULT)
                .hopLimit(8)
                .sequence(number)
                .bodyLength(Math.clamp(frameBytes - HEADER, 0, 60_000));
    }

    private static int content(final int origin, final int number, final int index) {
        return origin * 31 + number * 17 + index * 7 + (index >> 8);
    }

    private void asFragment(
            final int from,
            final int number,
            final int frameBytes,
            final int offset,
            final int lengthBytes) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        final long target = pool.headerAddress(id);
        final int bytes = Math.clamp(lengthBytes, 0, MAX_FRAME_BYTES - HEADER);
        fragment.write(
                target,
                FRAME,
                number,
                frameBytes & FragmentFlyweight.MAX_FRAME_BYTES,
                offset & FragmentFlyweight.MAX_FRAME_BYTES & -FragmentFlyweight.UNIT_BYTES,
                bytes);
        final int at = FragmentFlyweight.offset(target);
        if (at + bytes <= BUFFER_BYTES) {
            Memory.copy(FRAME + at, target + HEADER, bytes);
        }
        Memory.putByte(target + FrameHeaderFlyweight.FLAGS_OFFSET, (int) script.near(0));
        forwarder.onBuffer(x, share, id, HEADER + bytes, neighbour(from), -1);
    }

    private void asSegment(
            final int from,
            final long origin,
            final int number,
            final int frameBytes,
            final int offset,
            final int lengthBytes) {
        final int bytes = Math.clamp(lengthBytes, 0, MAX_FRAME_BYTES);
        final boolean isInside = offset >= 0 && offset <= BUFFER_BYTES - bytes;
        final int whole =
                forwarder
                        .longFrames()
                        .onSegment(
                                x.index(),
                                neighbour(from),
                                LongFrameJoin.origin(origin),
                                number,
                                frameBytes,
                                offset,
                                isInside ? FRAME + offset : FRAME,
                                isInside ? bytes : lengthBytes,
                                nowNs);
        if (whole != BufferPool.NONE) {
            checkBytes(pool.headerAddress(whole), 0, frameBytes);
            forwarder.onJoined(x, share, whole, frameBytes, neighbour(from), -1);
        }
    }

    private void takeOffers() {
        for (final RecordingLink.Offer offer : y.offers()) {
            final long at = offer.headerAddress();
            check(
                    FrameValidator.checkHeader(at, offer.lengthBytes(), CLUSTER) == 0,
                    "an invalid frame");
            if (FragmentFlyweight.isFragment(at)) {
                final int offset = FragmentFlyweight.offset(at);
                final int bytes = offer.lengthBytes() - HEADER;
                if (offset + bytes <= BUFFER_BYTES) {
                    checkContent(
                            at + HEADER,
                            LongFrameJoin.origin(header.wrap(at).source()),
                            FragmentFlyweight.number(at),
                            offset,
                            bytes);
                }
            } else if (header.wrap(at).type() == FrameType.DATA) {
                checkBytes(at, 0, offer.lengthBytes());
            }
        }
        y.releaseKept();
        x.releaseKept();
    }

    private void checkBytes(final long address, final int offset, final int lengthBytes) {
        header.wrap(address);
        checkContent(
                address,
                LongFrameJoin.origin(header.source()),
                header.sequence(),
                offset,
                lengthBytes);
    }

    // But for the bytes of the frame's own header.
    private static void checkContent(
            final long address,
            final int origin,
            final int number,
            final int offset,
            final int lengthBytes) {
        for (int i = Math.max(0, HEADER - offset); i < lengthBytes; i++) {
            check(
                    Memory.getByte(address + i) == (byte) content(origin, number, offset + i),
                    "another byte at " + (offset + i));
        }
    }

    private static void check(final boolean holds, final String problem) {
        if (!holds) {
            throw new AssertionError(problem);
        }
    }
}
