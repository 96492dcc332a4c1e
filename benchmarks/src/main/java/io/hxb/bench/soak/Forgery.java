package io.hxb.bench.soak;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.BusyFlyweight;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.LinkStateFlyweight;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.frame.MissingFlyweight;
import io.hxb.frame.Nonce;
import io.hxb.frame.SealFlyweight;
import io.hxb.frame.SessionFlyweight;
import io.hxb.frame.SummaryFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.TracedFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.util.SplittableRandom;

/**
 * Frames made by somebody who knows the cluster file, but neither the key nor any traffic: every
 * type, well-formed, from any node to any other. Owned by one thread.
 */
public final class Forgery {
    /** Room that a frame may need. */
    public static final int MAX_BYTES = 1_024;

    private static final int MAX_PAYLOAD_BYTES = 512;
    private static final int MAX_CONTEXT = 8;
    private static final int MTU_BYTES = 8_900;

    private final ClusterConfig config;
    private final FragmentFlyweight fragment = new FragmentFlyweight();
    private final MissingFlyweight missing = new MissingFlyweight();
    private final SplittableRandom random;
    private final int links;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final TracedFlyweight traced = new TracedFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private final MisconfigurationFlyweight misconfiguration = new MisconfigurationFlyweight();
    private final SummaryFlyweight summary = new SummaryFlyweight();
    private final LinkStateFlyweight linkState = new LinkStateFlyweight();
    private final SessionFlyweight session = new SessionFlyweight();
    private final MessageRecordFlyweight message = new MessageRecordFlyweight();

    /**
     * Knows a cluster.
     *
     * @param links links of each trunk.
     */
    public Forgery(final ClusterConfig config, final int links, final SplittableRandom random) {
        this.config = config;
        this.links = links;
        this.random = random;
    }

    /**
     * Writes a frame.
     *
     * @param type of {@link FrameType}.
     * @param address where to, with room for {@link #MAX_BYTES}.
     * @return its length in bytes, with a made-up trailer if its header announces one.
     */
    public int write(final int type, final long address) {
        final long source = anyNode();
        header.wrap(address)
                .clear()
                .type(type)
                .hopLimit(1 + random.nextInt(8))
                .order(DimensionOrder.DEFAULT)
                .clusterId(config.clusterId())
                .source(source)
                .sourceIncarnation(random.nextInt())
                .destination(anyNode())
                .destinationIncarnation(random.nextInt())
                .sourceContext(random.nextInt(MAX_CONTEXT))
                .destinationContext(random.nextInt(MAX_CONTEXT))
                .sequence(random.nextInt())
                .acknowledgement(random.nextInt())
                .windowFrames(random.nextInt(0x1_0000))
                .epoch(random.nextInt(4))
                .acknowledgedEpoch(random.nextInt(4));
        if (FrameValidator.isLinkLocal(type)
                && (type != FrameType.SESSION || random.nextBoolean())) {
            header.destination(FrameHeaderFlyweight.ANY_DESTINATION).hopLimit(1);
        }
        header.bodyLength(body(type, source));
        if (type != FrameType.FRAGMENT && random.nextBoolean()) {
            final int flags = random.nextInt(FrameHeaderFlyweight.FLAGS + 1);
            header.flags(
                    (flags | FrameHeaderFlyweight.FLAG_SEALED) & ~FrameHeaderFlyweight.FLAG_CRC);
            writeTrailer(address + FrameHeaderFlyweight.LENGTH + header.bodyLength());
        }
        return FrameHeaderFlyweight.frameLength(address);
    }

    private int body(final int type, final long source) {
        final long body = header.bodyAddress();
        return switch (type) {
            case FrameType.DATA -> data(body);
            case FrameType.HELLO -> hello(body, source);
            case FrameType.LINK_STATUS -> status(body);
            case FrameType.MISCONFIGURATION -> misconfiguration(body);
            case FrameType.SESSION -> session(body);
            case FrameType.UNREACHABLE -> {
                final int failedType = 1 + random.nextInt(FrameType.COUNT - 1);
                header.windowFrames((failedType << 8) + 1 + random.nextInt(6));
                yield 0;
            }
            case FrameType.ACK -> {
                final int lengthBytes = Long.BYTES * random.nextInt(17);
                fill(body, lengthBytes);
                header.flags(FrameHeaderFlyweight.FLAG_ACK);
                yield lengthBytes;
            }
            case FrameType.FRAGMENT -> fragment();
            case FrameType.MISSING -> missing();
            case FrameType.TRACE -> {
                fill(body, TraceFlyweight.MIN_BODY_BYTES);
                yield TraceFlyweight.MIN_BODY_BYTES;
            }
            case FrameType.TRACED -> {
                traced.wrap(header.address())
                        .stay(
                                1 + random.nextInt(4),
                                random.nextInt(256),
                                random.nextInt(12),
                                random.nextInt(12),
                                random.nextLong(1_000_000_000));
                yield TracedFlyweight.BODY_BYTES;
            }
            case FrameType.SUMMARY -> summary(body);
            case FrameType.LINK_STATE -> linkState(body);
            case FrameType.BUSY -> {
                Memory.putLong(body, random.nextInt(64));
                Memory.putLong(body + Long.BYTES, random.nextLong() >>> 16);
                yield BusyFlyweight.BODY_BYTES;
            }
            default -> 0;
        };
    }

    // Of any node, known or not, and with any numbers.
    private int summary(final long body) {
        summary.wrap(body);
        if (random.nextInt(4) == 0) {
            summary.alive();
        } else {
            summary.all(links, 0, new byte[0]).startS(random.nextInt());
            if (random.nextInt(4) == 0) {
                summary.stopped();
            }
            for (int link = 0; link < links; link++) {
                summary.place(link, random.nextInt(3), random.nextInt(links))
                        .capacity(link, random.nextBoolean(), random.nextInt(101), 1_500);
            }
        }
        final int nodes = config.shape().nodeCount();
        summary.origin(random.nextInt(2 * nodes), random.nextInt(), random.nextInt(), 0);
        return summary.length();
    }

    // Of any node, in the cluster or not, with neighbours and numbers of any kind.
    private int linkState(final long body) {
        final int node = random.nextInt(LinkStateFlyweight.MAX_NODE + 1);
        linkState.wrap(body);
        if (random.nextInt(4) == 0) {
            linkState.acknowledgement();
        } else {
            final int count = random.nextInt(Math.max(2, links));
            linkState.record(count, new byte[0]).ageMs(random.nextInt(1_000));
            for (int i = 0; i < count; i++) {
                final int neighbour = i + (i >= node ? 1 : 0);
                linkState.adjacency(i, neighbour, links, MTU_BYTES, random.nextInt());
            }
            if (random.nextInt(4) == 0) {
                linkState.stopped();
            }
        }
        linkState.origin(
                node, random.nextLong(), random.nextInt(), random.nextInt(), random.nextInt());
        return linkState.length();
    }

    private int fragment() {
        final int rangeBytes = anyUnits(64);
        final int offset = anyUnits(1_000);
        final int frameBytes = offset + rangeBytes + anyUnits(1_000);
        final long address = header.address();
        fragment.write(address, address, random.nextInt(), frameBytes, offset, rangeBytes);
        fill(header.bodyAddress(), rangeBytes);
        return rangeBytes;
    }

    private int missing() {
        missing.wrap(header.address());
        int end = 0;
        for (int left = 1 + random.nextInt(MissingFlyweight.MAX_RANGES); left > 0; left--) {
            final int offset = end + anyUnits(64);
            end = offset + anyUnits(64);
            missing.add(offset, end - offset);
        }
        return header.bodyLength();
    }

    private int anyUnits(final int limit) {
        return FragmentFlyweight.UNIT_BYTES * (1 + random.nextInt(limit));
    }

    private int data(final long body) {
        final int payload = random.nextInt(MAX_PAYLOAD_BYTES);
        message.wrap(body).payloadLength(payload).tag(random.nextInt());
        fill(message.payloadAddress(), payload);
        header.messageCount(1);
        return MessageRecordFlyweight.LENGTH + payload;
    }

    private int hello(final long body, final long source) {
        final Shape shape = config.shape();
        long extents = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            extents = Shape.withCoordinate(extents, dimension, shape.extent(dimension) - 1);
        }
        hello.wrap(body)
                .clear()
                .fingerprint(config.fingerprint())
                .node(shape.node(source))
                .dimension(random.nextInt(shape.dimensions()))
                .linkNumber(random.nextInt(links))
                .shape(extents)
                .dimensions(shape.dimensions())
                .incarnation(header.sourceIncarnation())
                .mtuBytes(MTU_BYTES)
                .keyIds(random.nextInt(), 0)
                .name("stranger");
        if (random.nextBoolean()) {
            hello.receiver(anyNode());
        }
        return hello.length();
    }

    private int status(final long body) {
        status.wrap(body)
                .clear(links)
                .dimension(random.nextInt(config.shape().dimensions()))
                .linkNumber(random.nextInt(links))
                .beat(random.nextInt())
                .neighbour(anyNode())
                .sequence(random.nextInt())
                .acknowledgement(random.nextInt())
                .failed(random.nextLong(1L << links))
                .asking(random.nextBoolean());
        return status.length();
    }

    private int misconfiguration(final long body) {
        misconfiguration
                .wrap(body)
                .clear()
                .kind(1 + random.nextInt(MisconfigurationFlyweight.KIND_COUNT))
                .coordinates(anyNode())
                .otherCoordinates(anyNode());
        return MisconfigurationFlyweight.LENGTH;
    }

    private int session(final long body) {
        session.wrap(body)
                .clear()
                .keyId(random.nextInt())
                .flags(random.nextInt(4))
                .mode(config.security().mode().code())
                .nonce(Nonce.random(random))
                .receiver(anyNode());
        if (random.nextBoolean()) {
            session.echo(Nonce.random(random));
        }
        return SessionFlyweight.LENGTH;
    }

    private void writeTrailer(final long address) {
        final int loop = random.nextInt(4);
        final long count = 1 + random.nextLong(1 << 20);
        SealFlyweight.putCounter(address, SealFlyweight.counter(random.nextInt(256), loop, count));
        fill(SealFlyweight.tagAddress(address), SealFlyweight.LENGTH - Long.BYTES);
    }

    private void fill(final long address, final int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(address + i, random.nextInt());
        }
    }

    private long anyNode() {
        final Shape shape = config.shape();
        return shape.coordinates(random.nextInt(shape.nodeCount()));
    }
}
