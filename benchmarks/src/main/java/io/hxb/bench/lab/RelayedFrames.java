package io.hxb.bench.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * Frames with which C programs play two nodes of a 2x2 hyper-crossbar, (0,0) and (1,1), between
 * which node (1,0) relays. Stateless.
 */
final class RelayedFrames {
    static final String LEFT = "0,0";
    static final String MIDDLE = "1,0";
    static final String RIGHT = "1,1";

    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int HOPS = 8;
    private static final int ROOM_BYTES = 256;

    private final ClusterConfig cluster;
    private final int mtu;
    private int incarnation = 1;

    /**
     * Prepares frames.
     *
     * @param links links in each dimension.
     * @param mtu MTU of the NICs.
     */
    RelayedFrames(final int links, final int mtu) {
        cluster = HxbNode.cluster(SHAPE, links);
        this.mtu = mtu;
    }

    /** The cluster of the three nodes. */
    ClusterConfig cluster() {
        return cluster;
    }

    /**
     * The ends start again: a relay that had given them up takes them back with their first hello,
     * where the old ones would have to answer its heartbeats, which C programs do not.
     */
    void restartEnds() {
        incarnation++;
    }

    /** Header of data frames from one end to the other, hex. */
    String data(final String source, final String destination) {
        try (Arena arena = Arena.ofConfined()) {
            final FrameHeaderFlyweight header = header(arena, FrameType.DATA, source);
            header.destination(SHAPE.parseCoordinates(destination))
                    .destinationIncarnation(incarnation)
                    .sourceContext(1)
                    .destinationContext(1)
                    .epoch(1)
                    .messageCount(1);
            return hex(header.address(), FrameHeaderFlyweight.LENGTH);
        }
    }

    /**
     * A hello frame, hex.
     *
     * @param source coordinates of the node that is played.
     * @param dimension of the port that is played, 0 or 1.
     * @param number of that port in its trunk.
     */
    String hello(final String source, final int dimension, final int number) {
        try (Arena arena = Arena.ofConfined()) {
            final FrameHeaderFlyweight header = header(arena, FrameType.HELLO, source);
            final HelloFlyweight hello =
                    new HelloFlyweight()
                            .wrap(header.bodyAddress())
                            .clear()
                            .dimension(dimension)
                            .linkNumber(number)
                            .fingerprint(cluster.fingerprint())
                            .node(SHAPE.node(SHAPE.parseCoordinates(source)))
                            .incarnation(incarnation)
                            .shape(1 | 1 << 8)
                            .dimensions(SHAPE.dimensions())
                            .mtuBytes(mtu)
                            .name("bench");
            header.destination(FrameHeaderFlyweight.ANY_DESTINATION)
                    .hopLimit(1)
                    .bodyLength(hello.length());
            return hex(header.address(), FrameHeaderFlyweight.LENGTH + hello.length());
        }
    }

    private FrameHeaderFlyweight header(final Arena arena, final int type, final String source) {
        final MemorySegment memory = arena.allocate(ROOM_BYTES, Long.BYTES);
        return new FrameHeaderFlyweight()
                .wrap(memory.address())
                .clear()
                .type(type)
                .hopLimit(HOPS)
                .order(DimensionOrder.DEFAULT)
                .clusterId(cluster.clusterId())
                .sourceIncarnation(incarnation)
                .source(SHAPE.parseCoordinates(source));
    }

    private static String hex(final long address, final int lengthBytes) {
        final byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = Memory.getByte(address + i);
        }
        return HexFormat.of().formatHex(bytes);
    }
}
