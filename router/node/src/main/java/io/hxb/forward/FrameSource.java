package io.hxb.forward;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowOutput;
import io.hxb.flow.route.OtherPaths;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LoopClock;
import io.hxb.link.OutgoingFrame;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.session.FrameSeals;
import io.hxb.trunk.TrunkSender;

/**
 * Sends the frames that originate at this node: chooses their routes and hands them to the trunk of
 * the first hop. Owned by one loop.
 */
public final class FrameSource implements FlowOutput {
    private static final int OTHER_ROUTES = 4;

    /** A link that was full counts as full for so long. */
    private static final long BUSY_NS = 20_000_000L;

    private final long here;
    private final int clusterId;
    private final int hopLimit;
    private final boolean hasCrc;
    private final TrunkSender[] trunks;
    private final OrderPolicy orders;
    private final RouteCodec codec;
    private final RouteTable routes;
    // Null in a hyper-crossbar.
    private final OtherPaths otherPaths;
    private final Loopback loopback;
    private final Runnable flusher;
    private final LoopClock clock;
    private final CounterBlock counters;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final OutgoingFrame encrypted = new OutgoingFrame();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameCrc crc = new FrameCrc();
    private final long[] hop = new long[2];
    // CRC and seal of the frame that is being sent are written.
    private boolean isFinished;
    private final FrameSeals seals;
    private final BufferPool pool;
    private final BufferPool.Share share;

    /**
     * Makes the originator of one loop.
     *
     * @param parts what all loops of the node share.
     * @param trunks this loop's sender of each dimension, {@code [dimensions]}.
     * @param share this loop's share of the pool.
     * @param clock of this loop.
     * @param counters of this loop.
     * @param flusher flushes all senders of this loop.
     */
    public FrameSource(
            final ForwardParts parts,
            final TrunkSender[] trunks,
            final BufferPool.Share share,
            final LoopClock clock,
            final CounterBlock counters,
            final Runnable flusher) {
        this.counters = counters;
        final ClusterConfig cluster = parts.cluster();
        here = parts.here();
        clusterId = cluster.clusterId();
        hopLimit = cluster.frame().hopLimit();
        hasCrc = cluster.frame().crc();
        this.trunks = trunks.clone();
        orders = new OrderPolicy(cluster.orders());
        codec = new RouteCodec(cluster.shape(), parts.map());
        loopback = new Loopback(parts.pool(), share);
        this.flusher = flusher;
        seals = parts.sessions().newLoop();
        pool = parts.pool();
        this.share = share;
        routes = new RouteTable(cluster, here, parts.map(), this::isReached, clock, counters);
        otherPaths = routes.otherPaths();
        this.clock = clock;
    }

    /** Counts of the frames that originate here, with those of the loop's {@link Forwarder}. */
    CounterBlock counters() {
        return counters;
    }

    /** Seals frames that originate here, and opens frames that end here. */
    FrameSeals seals() {
        return seals;
    }

    /** Frames of this node to itself, which the loop's {@link Forwarder} delivers. */
    Loopback loopback() {
        return loopback;
    }

    private boolean isReached(final int dimension, final int coordinate) {
        return dimension < trunks.length && trunks[dimension].isReached(coordinate);
    }

    @Override
    public RouteTable routes() {
        return routes;
    }

    @Override
    public void announceBulk(final int bytes) {
        for (final TrunkSender trunk : trunks) {
            trunk.announceBulk(bytes);
        }
    }

    @Override
    public void flush() {
        flusher.run();
    }

    @Override
    public OutgoingFrame outgoing() {
        return outgoing;
    }

    @Override
    public int send(final OutgoingFrame frame) {
        final long headerAddress = frame.headerAddress();
        long route = firstRoute(headerAddress);
        isFinished = false;
        for (int others = OTHER_ROUTES; route != Route.NONE; others--) {
            final int hop = direct(headerAddress, route);
            int link = NO_ROUTE;
            if (hop == RouteCodec.HERE) {
                link = sendHere(frame);
            } else if (hop != RouteCodec.NO_HOP && hop >> 8 < trunks.length) {
                link = sendOver(hop, frame);
                if (link == BLOCKED && otherPaths != null) {
                    link = sendAround(frame, hop, route);
                }
            }
            if (link != NO_ROUTE) {
                if (link >= 0) {
                    onSent(headerAddress);
                }
                return link;
            }
            route = others == 0 ? Route.NONE : otherRoute(headerAddress);
        }
        return NO_ROUTE;
    }

    // CRC and seal do not cover what differs from route to route.
    private int sendOver(final int hop, final OutgoingFrame frame) {
        final TrunkSender trunk = trunks[hop >> 8];
        if (isSealedInVain(hop)) {
            return trunk.isReached(hop & 0xFF) ? BLOCKED : NO_ROUTE;
        }
        if (isEncrypted()) {
            return sendEncrypted(hop, frame);
        }
        if (!isFinished && !finish(frame)) {
            return BLOCKED;
        }
        isFinished = true;
        return trunk.offer(hop & 0xFF, 0, frame);
    }

    // The links of the default route are full: another path may have room. Only data goes there,
    // since what is short does not wait for room.
    private int sendAround(final OutgoingFrame frame, final int fullHop, final long fullRoute) {
        final long headerAddress = frame.headerAddress();
        final long destination = header.wrap(headerAddress).destination();
        if (header.type() != FrameType.DATA || TrunkSender.isUrgent(frame)) {
            return BLOCKED;
        }
        final long nowNs = clock.nowNs();
        if (!OtherPaths.isOther(fullRoute)) {
            trunks[fullHop >> 8].busy(fullHop & 0xFF, nowNs + BUSY_NS);
        }
        final int count = otherPaths.count(destination);
        for (int path = 0; path < count; path++) {
            final long route = otherPaths.route(destination, path);
            final int hop = codec.firstHop(route, here, destination);
            if (hop >= 0
                    && trunks[hop >> 8].isWritable(hop & 0xFF)
                    && otherPaths.mayTake(destination, path, nowNs)
                    && routes.isSound(destination, route)) {
                direct(headerAddress, route);
                final int link = sendOver(hop, frame);
                if (link >= 0) {
                    otherPaths.onSent(destination, path, nowNs);
                    counters.increment(CounterType.FORWARD_OTHER_PATH_FRAMES);
                    return link;
                }
            }
        }
        return BLOCKED;
    }

    @Override
    public int sendRange(final OutgoingFrame frame, final int link) {
        if (seals.isEncrypting()) {
            return NO_ROUTE;
        }
        header.wrap(frame.headerAddress());
        final int hop = codec.firstHop(header.route(), here, header.destination());
        if (hop < 0 || hop >> 8 >= trunks.length) {
            return NO_ROUTE;
        }
        if (seals.isOn()) {
            frame.trailer(SealFlyweight.LENGTH);
        }
        if (frame.rangeOffset() + frame.rangeLengthBytes() > frame.lengthBytes()) {
            return NO_ROUTE;
        }
        return trunks[hop >> 8].offerOnLink(link, hop & 0xFF, frame);
    }

    private void onSent(final long headerAddress) {
        counters.increment(CounterType.FORWARD_ORIGINATED_FRAMES);
        if (FrameHeaderFlyweight.isSparse(headerAddress)) {
            counters.increment(CounterType.FORWARD_SPARSE_FRAMES);
        }
    }

    // A frame that no link takes now is sealed when it is offered again.
    private boolean isSealedInVain(final int hop) {
        return seals.isOn() && !trunks[hop >> 8].isWritable(hop & 0xFF);
    }

    private boolean isEncrypted() {
        return seals.isEncrypting() && header.type() == FrameType.DATA;
    }

    // The application's data is encrypted into a buffer of the node, which is sent.
    private int sendEncrypted(final int hop, final OutgoingFrame frame) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long copy = pool.headerAddress(id);
        int link = BLOCKED;
        if (seals.encrypt(
                        frame.headerAddress(),
                        frame.headerLengthBytes(),
                        frame.payloadAddress(),
                        frame.payloadLengthBytes(),
                        copy)
                == FrameSeals.SEALED) {
            encrypted.wrap(copy, FrameHeaderFlyweight.frameLength(copy), share, id);
            link = trunks[hop >> 8].offer(hop & 0xFF, 0, encrypted);
        }
        if (link < 0) {
            share.release(id);
        } else {
            frame.release();
        }
        return link;
    }

    private int sendHere(final OutgoingFrame frame) {
        if (hasCrc) {
            setCrc(frame);
        }
        final int link = loopback.offer(frame);
        if (link >= 0) {
            counters.increment(CounterType.FORWARD_LOOPED_BACK_FRAMES);
        }
        return link;
    }

    /**
     * Sends a frame that lies in one piece to a neighbour, over the links to it alone.
     *
     * @return as {@link #send}.
     */
    public int sendToNeighbour(final OutgoingFrame frame) {
        hop[0] = here;
        hop[1] = header.wrap(frame.headerAddress()).destination();
        return sendBy(codec.encode(hop, 2), frame);
    }

    /**
     * Sends a frame that lies in one piece to another node, only by {@code route}.
     *
     * @return as {@link #send}.
     */
    int sendBy(final long route, final OutgoingFrame frame) {
        final int hop = direct(frame.headerAddress(), route);
        if (hop < 0 || hop >> 8 >= trunks.length) {
            return NO_ROUTE;
        }
        if (!finish(frame)) {
            return BLOCKED;
        }
        final int link = trunks[hop >> 8].offer(hop & 0xFF, 0, frame);
        if (link >= 0) {
            counters.increment(CounterType.FORWARD_ORIGINATED_FRAMES);
        }
        return link;
    }

    /**
     * Writes CRC and seal, where the cluster has them.
     *
     * @return false if there is no session with the destination yet.
     */
    private boolean finish(final OutgoingFrame frame) {
        if (!seals.isOn()) {
            if (hasCrc) {
                setCrc(frame);
            }
            return true;
        }
        frame.trailer(SealFlyweight.LENGTH);
        // Sealed by the key of the cluster when it was written.
        if (header.type() == FrameType.SESSION) {
            return true;
        }
        header.flags(header.flags() | FrameHeaderFlyweight.FLAG_SEALED);
        if (hasCrc) {
            setCrc(frame);
        }
        return seals.seal(
                        frame.headerAddress(),
                        frame.headerLengthBytes(),
                        frame.payloadAddress(),
                        frame.payloadLengthBytes())
                == FrameSeals.SEALED;
    }

    private long firstRoute(final long headerAddress) {
        final long route = Route.ofOrder(orders.next());
        if (!routes.hasTrouble()) {
            return route;
        }
        header.wrap(headerAddress);
        return routes.choose(header.destination(), route, header.type() == FrameType.DATA);
    }

    /** The remaining route when the first hop of the previous one has no link. */
    private long otherRoute(final long headerAddress) {
        header.wrap(headerAddress);
        return routes.onNoLink(header.destination(), header.type() == FrameType.DATA);
    }

    /** Writes the route and what every frame of this node carries; returns the first hop. */
    private int direct(final long headerAddress, final long route) {
        header.wrap(headerAddress)
                .clusterId(clusterId)
                .source(here)
                .hopLimit(hopLimit)
                .route(route);
        return codec.firstHop(route, here, header.destination());
    }

    private void setCrc(final OutgoingFrame frame) {
        header.flags(header.flags() | FrameHeaderFlyweight.FLAG_CRC);
        header.crc(
                crc.compute(
                        frame.headerAddress(),
                        frame.headerLengthBytes(),
                        frame.payloadAddress(),
                        frame.payloadLengthBytes()));
    }
}
