package io.hxb.frame;

import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Frames that are right, of every type, from a seed. Stateless. */
final class FrameSamples {
    private static final int SPACE_BYTES = 1 << 16;

    private FrameSamples() {}

    /** A right frame of the cluster and shape of {@link FrameChecks}. */
    static byte[] random(final Random random) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(SPACE_BYTES, 64);
            final FrameHeaderFlyweight header =
                    new FrameHeaderFlyweight().wrap(memory.address()).clear();
            final Shape shape = Shape.of(4, 3, 2);
            header.type(1 + random.nextInt(FrameType.COUNT - 1))
                    .flags(random.nextInt(FrameHeaderFlyweight.FLAGS + 1))
                    .hopLimit(1 + random.nextInt(255))
                    .route(
                            random.nextInt(3) == 0
                                    ? detour(shape, 3 + random.nextInt(5))
                                    : Route.ofOrder(DimensionOrder.of(random.nextInt(8))))
                    .clusterId(FrameChecks.CLUSTER)
                    .sourceIncarnation(random.nextInt())
                    .source(shape.coordinates(random.nextInt(24)))
                    .destination(shape.coordinates(random.nextInt(24)))
                    .sequence(random.nextInt())
                    .acknowledgement(random.nextInt());
            if (header.type() == FrameType.FRAGMENT) {
                header.flags(0);
            }
            header.bodyLength(writeBody(header, random));
            final int length = FrameHeaderFlyweight.LENGTH + header.bodyLength();
            if (header.type() != FrameType.FRAGMENT) {
                header.crc(
                        header.hasFlag(FrameHeaderFlyweight.FLAG_CRC)
                                ? new FrameCrc().compute(header.address(), length, 0, 0)
                                : 0);
            }
            final int sent = FrameHeaderFlyweight.frameLength(header.address());
            return memory.asSlice(0, sent + random.nextInt(3)).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** A way that changes x and y in turn. */
    private static long detour(final Shape shape, final int hops) {
        final long[] nodes = new long[hops + 1];
        for (int hop = 1; hop <= hops; hop++) {
            final int dimension = hop % 2;
            final int next = Shape.coordinate(nodes[hop - 1], dimension) + 1;
            nodes[hop] =
                    Shape.withCoordinate(nodes[hop - 1], dimension, next % shape.extent(dimension));
        }
        return new RouteCodec(shape).encode(nodes, hops + 1);
    }

    private static int writeBody(final FrameHeaderFlyweight header, final Random random) {
        final long body = header.bodyAddress();
        return switch (header.type()) {
            case FrameType.DATA -> writeRecords(header, random);
            case FrameType.HELLO ->
                    new HelloFlyweight()
                            .wrap(body)
                            .clear()
                            .name("h".repeat(random.nextInt(80)))
                            .length();
            case FrameType.MISCONFIGURATION -> {
                new MisconfigurationFlyweight().wrap(body).clear().kind(1 + random.nextInt(8));
                yield MisconfigurationFlyweight.LENGTH;
            }
            case FrameType.LINK_STATUS -> {
                final int links = 1 + random.nextInt(LinkStatusFlyweight.LAYOUT_LINKS);
                yield new LinkStatusFlyweight()
                        .wrap(body)
                        .clear(links)
                        .linkNumber(random.nextInt(links))
                        .failed(random.nextLong() >>> (64 - links))
                        .weight(random.nextInt(links), 1 + random.nextInt(64))
                        .length();
            }
            case FrameType.SESSION -> {
                new SessionFlyweight()
                        .wrap(body)
                        .clear()
                        .keyId(random.nextInt())
                        .flags(random.nextInt(4))
                        .sealingSession(random.nextInt())
                        .nonce(Nonce.random(random));
                yield SessionFlyweight.LENGTH;
            }
            case FrameType.UNREACHABLE -> {
                final int reason = 1 + random.nextInt(6);
                final boolean isOfRelay =
                        reason == UnreachableFlyweight.NO_ROUTE
                                || reason == UnreachableFlyweight.HOP_LIMIT;
                final int failedType = 1 + random.nextInt(FrameType.COUNT - 1);
                header.windowFrames(failedType << 8 | reason)
                        .messageCount(isOfRelay ? random.nextInt(0x1000) : 0);
                yield 0;
            }
            case FrameType.ENDED -> writeRuns(header, random);
            case FrameType.FRAGMENT -> {
                final int rangeBytes = 8 * (1 + random.nextInt(100));
                final int offset = 8 * random.nextInt(1_000);
                final int frameBytes = Math.max(64, offset + rangeBytes) + 8 * random.nextInt(100);
                new FragmentFlyweight()
                        .write(
                                header.address(),
                                header.address(),
                                random.nextInt(),
                                frameBytes,
                                offset,
                                rangeBytes);
                yield rangeBytes;
            }
            case FrameType.MISSING -> writeRanges(header, random);
            case FrameType.TRACE -> TraceFlyweight.MIN_BODY_BYTES + random.nextInt(48);
            case FrameType.TRACED -> writeStay(header, random);
            case FrameType.SUMMARY -> writeSummaries(body, random);
            case FrameType.LINK_STATE -> writeEntries(body, random);
            case FrameType.BUSY -> {
                Memory.putLong(body, random.nextLong());
                Memory.putLong(body + Long.BYTES, random.nextLong() >>> 16);
                yield BusyFlyweight.BODY_BYTES;
            }
            default -> random.nextInt(64);
        };
    }

    private static int writeRanges(final FrameHeaderFlyweight header, final Random random) {
        final int ranges = 1 + random.nextInt(MissingFlyweight.MAX_RANGES);
        final MissingFlyweight missing = new MissingFlyweight().wrap(header.address());
        for (int i = 0; i < ranges; i++) {
            missing.add(4_096 * i, 8 * (1 + random.nextInt(511)));
        }
        return ranges * MissingFlyweight.RANGE_BYTES;
    }

    private static int writeStay(final FrameHeaderFlyweight header, final Random random) {
        new TracedFlyweight()
                .wrap(header.address())
                .stay(
                        1 + random.nextInt(4),
                        random.nextInt(256),
                        random.nextInt(64),
                        random.nextInt(64),
                        random.nextLong() >>> 1);
        return TracedFlyweight.BODY_BYTES;
    }

    private static int writeSummaries(final long body, final Random random) {
        final SummaryFlyweight summary = new SummaryFlyweight();
        int bytes = 0;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            summary.wrap(body + bytes);
            if (random.nextBoolean()) {
                summary.alive();
            } else {
                final int links = 1 + random.nextInt(3);
                summary.all(links, random.nextInt(3), new byte[random.nextInt(9)]);
                if (random.nextBoolean()) {
                    summary.stopped();
                }
                for (int link = 0; link < links; link++) {
                    summary.capacity(link, random.nextBoolean(), random.nextInt(101), 1_500);
                }
            }
            summary.origin(
                    random.nextInt(),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextInt(SummaryFlyweight.MAX_AGE_MS));
            bytes += summary.length();
        }
        return bytes;
    }

    private static int writeEntries(final long body, final Random random) {
        final LinkStateFlyweight entry = new LinkStateFlyweight();
        int bytes = 0;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            entry.wrap(body + bytes);
            final int node = random.nextInt(LinkStateFlyweight.MAX_NODE + 1);
            if (random.nextBoolean()) {
                entry.acknowledgement();
            } else {
                final int adjacencies =
                        random.nextInt(4) == 0
                                ? LinkStateFlyweight.MAX_ADJACENCIES
                                : random.nextInt(3);
                entry.record(adjacencies, new byte[random.nextInt(33)])
                        .ageMs(random.nextInt(LinkStateFlyweight.MAX_AGE_MS + 1));
                for (int adjacency = 0; adjacency < adjacencies; adjacency++) {
                    final int neighbour = 3 * adjacency + (3 * adjacency >= node ? 1 : 0);
                    entry.adjacency(
                            adjacency,
                            neighbour,
                            random.nextInt(300),
                            random.nextInt(),
                            random.nextLong());
                }
                if (random.nextBoolean()) {
                    entry.stopped();
                }
            }
            entry.origin(
                    node, random.nextLong(), random.nextInt(), random.nextInt(), random.nextInt());
            bytes += entry.length();
        }
        return bytes;
    }

    private static int writeRuns(final FrameHeaderFlyweight header, final Random random) {
        final int count = random.nextInt(EndedFlyweight.MAX_RUNS + 1);
        final EndedFlyweight ended = new EndedFlyweight().wrap(header.address());
        final int first = random.nextInt();
        ended.kind(random.nextInt(FrameType.COUNT), random.nextBoolean(), count > 0)
                .ends(first, first + count * 10);
        for (int run = 0; run < count; run++) {
            ended.run(run, first + run * 10, 1 + random.nextInt(10), 1 + random.nextInt(0xFFFF));
        }
        header.messageCount(0);
        return count * EndedFlyweight.RUN_BYTES;
    }

    private static int writeRecords(final FrameHeaderFlyweight header, final Random random) {
        final int count = 1 + random.nextInt(5);
        final MessageRecordFlyweight message = new MessageRecordFlyweight();
        int offset = 0;
        int length = 0;
        for (int i = 0; i < count; i++) {
            final int payload = random.nextInt(100);
            message.wrap(header.bodyAddress() + offset).payloadLength(payload).tag(i);
            Memory.fill(message.payloadAddress(), payload, i + 1);
            length = offset + MessageRecordFlyweight.LENGTH + payload;
            offset += MessageRecordFlyweight.paddedLength(payload);
        }
        header.messageCount(count);
        return length;
    }
}
