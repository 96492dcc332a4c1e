package io.hxb.forward;

import io.hxb.flow.FlowLoop;
import io.hxb.flow.FlowOutput;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.linux.Memory;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;
import io.hxb.trunk.Discovery;
import io.hxb.trunk.HeardFrames;
import io.hxb.trunk.TrunkSender;

/**
 * The per-frame path of one loop: every received frame comes in by {@link #onFrame}, every frame of
 * this node's flows by {@link #send}. Owned by that loop.
 *
 * <p>A relayed frame is sent from the memory it arrived in; only its hop limit and its place in a
 * detour change, and the link puts its own addresses before it. Source: PM/Ethernet-HXB, a relay
 * node reuses the receive buffer as the send buffer and changes only the header.
 */
public final class Forwarder implements FrameSink, FlowOutput {
    /** Number of the link that frames to this node itself take. */
    public static final int LOOPBACK = Integer.MAX_VALUE;

    private static final int LOOPBACK_FRAMES = 256;
    private static final int OTHER_ROUTES = 4;
    private static final int MAX_WAY = 32;

    private final Shape shape;
    private final long here;
    private final int clusterId;
    private final int hopLimit;
    private final boolean hasCrc;
    private final int relayBacklogFrames;
    private final TrunkSender[] trunks;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final OrderPolicy orders;
    private final RouteCodec codec;
    private final RouteTable routes;
    private final UnreachablePace pace;
    private final Discovery discovery;
    private final HeardFrames[] heard;
    private final Runnable flusher;
    private final ForwardCounters counters = new ForwardCounters();
    private final FrameHeaderFlyweight received = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight sending = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight reply = new FrameHeaderFlyweight();
    private final UnreachableFlyweight unreachable = new UnreachableFlyweight();
    private final FrameCrc crc = new FrameCrc();
    private final long[] way = new long[MAX_WAY];
    private final long[] loopback = new long[LOOPBACK_FRAMES];
    private int loopbackHead;
    private int loopbackTail;
    private long nowNs;
    private FlowLoop flows;

    /**
     * Makes the forwarding path of one loop.
     *
     * @param settings what is the same for all loops of the node.
     * @param trunks this loop's sender of each dimension, {@code [dimensions]}.
     * @param share this loop's share of the pool.
     * @param orders chooses the order of frames sent here.
     * @param flusher flushes all senders of this loop.
     */
    public Forwarder(
            final ForwardSettings settings,
            final TrunkSender[] trunks,
            final BufferPool.Share share,
            final OrderPolicy orders,
            final Runnable flusher) {
        shape = settings.shape();
        here = settings.here();
        clusterId = settings.clusterId();
        hopLimit = settings.hopLimit();
        hasCrc = settings.hasCrc();
        relayBacklogFrames = settings.relayBacklogFrames();
        pool = settings.pool();
        discovery = settings.discovery();
        heard = discovery.health().heard();
        this.trunks = trunks.clone();
        this.share = share;
        this.orders = orders;
        this.flusher = flusher;
        codec = new RouteCodec(shape);
        pace = new UnreachablePace(shape.nodeCount());
        routes =
                new RouteTable(
                        settings.routes(), shape, here, hopLimit, orders.orders(), this::isReached);
    }

    /** Sets the flows that frames to this node go to; before the first frame. */
    public void flows(final FlowLoop flowLoop) {
        flows = flowLoop;
    }

    /** What this loop has seen. */
    public ForwardCounters counters() {
        return counters;
    }

    /** Sets the time that frames of this turn are handled at, in ns. */
    public void time(final long turnNs) {
        nowNs = turnNs;
        routes.now(turnNs);
    }

    @Override
    public RouteTable routes() {
        return routes;
    }

    private boolean isReached(final int dimension, final int coordinate) {
        return dimension < trunks.length && trunks[dimension].isReached(coordinate);
    }

    @Override
    public void onFrame(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        counters.receive(link.index(), lengthBytes);
        final int reason = FrameValidator.checkHeader(headerAddress, lengthBytes, clusterId);
        if (reason != DropReason.NONE) {
            onInvalidHeader(link, reason, headerAddress, lengthBytes, sourceAddress);
            owner.release(token);
            return;
        }
        heard[link.index()].count(sourceAddress);
        final long destination = received.wrap(headerAddress).destination();
        if (destination == here) {
            deliver(owner, token, headerAddress, lengthBytes);
        } else if (destination == FrameHeaderFlyweight.ANY_DESTINATION) {
            onLinkLocal(link, headerAddress, sourceAddress);
            owner.release(token);
        } else if (received.source() == here) {
            counters.drop(DropReason.OWN);
            owner.release(token);
        } else {
            relay(owner, token, headerAddress, destination);
        }
    }

    private void relay(
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final long destination) {
        final int hopsLeft = received.hopLimit() - 1;
        if (hopsLeft <= 0) {
            counters.drop(DropReason.HOP_LIMIT);
            tellUnreachable(UnreachableFlyweight.HOP_LIMIT, headerAddress);
            owner.release(token);
            return;
        }
        final long route = received.route();
        final int hop = codec.nextHop(route, here, destination);
        final int dimension = hop >> 8;
        if (hop < 0 || dimension >= trunks.length || (hop & 0xFF) >= shape.extent(dimension)) {
            counters.drop(DropReason.NO_ROUTE);
            owner.release(token);
            return;
        }
        received.hopLimit(hopsLeft);
        if (Route.isDetour(route)) {
            received.route(codec.passed(route, here));
        }
        final int frameBytes = FrameHeaderFlyweight.LENGTH + received.bodyLength();
        final int link =
                trunks[dimension].offer(
                        hop & 0xFF,
                        relayBacklogFrames,
                        headerAddress,
                        frameBytes,
                        0,
                        0,
                        owner,
                        token);
        if (link >= 0) {
            counters.relayed++;
            counters.relayedBytes += frameBytes;
        } else {
            onNotRelayed(link, headerAddress);
            owner.release(token);
        }
    }

    private void onNotRelayed(final int reason, final long headerAddress) {
        if (reason == TrunkSender.BLOCKED) {
            counters.drop(DropReason.LINK_BLOCKED);
        } else {
            counters.drop(DropReason.NO_ROUTE);
            tellUnreachable(UnreachableFlyweight.NO_ROUTE, headerAddress);
        }
    }

    private void deliver(
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            counters.drop(reason);
            owner.release(token);
            return;
        }
        if (owner instanceof BufferPool.Share || owner instanceof BufferPool) {
            counters.delivered++;
            flows.onFrame(headerAddress, lengthBytes, (int) token);
            return;
        }
        final int id = lengthBytes <= pool.frameBytes() ? share.acquire() : BufferPool.NONE;
        if (id == BufferPool.NONE) {
            counters.drop(DropReason.POOL_EMPTY);
        } else {
            counters.copied++;
            counters.copiedBytes += lengthBytes;
            counters.delivered++;
            Memory.copy(headerAddress, pool.headerAddress(id), lengthBytes);
        }
        owner.release(token);
        if (id != BufferPool.NONE) {
            flows.onFrame(pool.headerAddress(id), lengthBytes, id);
        }
    }

    private void onLinkLocal(final Link link, final long headerAddress, final long sourceAddress) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            counters.drop(reason);
            return;
        }
        counters.linkLocal++;
        discovery.onFrame(link.index(), headerAddress, sourceAddress, nowNs);
    }

    private void onInvalidHeader(
            final Link link,
            final int reason,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress) {
        counters.drop(reason);
        discovery.onInvalid(link.index(), reason, headerAddress, lengthBytes, sourceAddress, nowNs);
    }

    private void tellUnreachable(final int why, final long headerAddress) {
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        final long source = sending.wrap(headerAddress).source();
        final int node = shape.node(source);
        if (type == FrameType.UNREACHABLE || node < 0 || !pace.isDue(node, nowNs)) {
            return;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        reply.wrap(pool.headerAddress(id))
                .clear()
                .type(FrameType.UNREACHABLE)
                .destination(source)
                .sourceContext(sending.destinationContext())
                .destinationContext(sending.sourceContext())
                .destinationIncarnation(sending.sourceIncarnation())
                .epoch(sending.epoch())
                .bodyLength(UnreachableFlyweight.LENGTH);
        unreachable.wrap(reply.bodyAddress()).reason(why).offendingHeader(headerAddress);
        final long back = codec.reverse(sending.route(), source, here, sending.destination(), way);
        final int frameBytes = FrameHeaderFlyweight.LENGTH + UnreachableFlyweight.LENGTH;
        int link = NO_ROUTE;
        if (back != Route.NONE) {
            link = sendBy(back, reply.address(), frameBytes, 0, 0, share, id);
        }
        if (link == NO_ROUTE) {
            link = send(reply.address(), frameBytes, 0, 0, share, id);
        }
        if (link < 0) {
            share.release(id);
        } else {
            counters.unreachableSent++;
        }
    }

    @Override
    public int send(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        long route = Route.ofOrder(orders.next());
        if (routes.hasTrouble()) {
            sending.wrap(headerAddress);
            route = routes.choose(sending.destination(), route, sending.type() == FrameType.DATA);
            if (route == Route.NONE) {
                return NO_ROUTE;
            }
        }
        final int link =
                sendBy(
                        route,
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        owner,
                        token);
        return link != NO_ROUTE
                ? link
                : sendElsewhere(
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        owner,
                        token);
    }

    /** The first hop of the route has no link: takes others as long as there are any. */
    private int sendElsewhere(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        int link = NO_ROUTE;
        for (int tries = 0; tries < OTHER_ROUTES && link == NO_ROUTE; tries++) {
            sending.wrap(headerAddress);
            final long route =
                    routes.onNoLink(sending.destination(), sending.type() == FrameType.DATA);
            if (route == Route.NONE) {
                return NO_ROUTE;
            }
            link =
                    sendBy(
                            route,
                            headerAddress,
                            headerLengthBytes,
                            payloadAddress,
                            payloadLengthBytes,
                            owner,
                            token);
        }
        return link;
    }

    private int sendBy(
            final long route,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        sending.wrap(headerAddress)
                .clusterId(clusterId)
                .source(here)
                .hopLimit(hopLimit)
                .route(route);
        if (hasCrc) {
            sending.flags(sending.flags() | FrameHeaderFlyweight.FLAG_CRC);
            sending.crc(
                    crc.compute(
                            headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes));
        }
        final int hop = codec.nextHop(route, here, sending.destination());
        if (hop < 0) {
            return loopBack(
                    headerAddress,
                    headerLengthBytes,
                    payloadAddress,
                    payloadLengthBytes,
                    owner,
                    token);
        }
        if (hop >> 8 >= trunks.length) {
            return NO_ROUTE;
        }
        final int link =
                trunks[hop >> 8].offer(
                        hop & 0xFF,
                        0,
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        owner,
                        token);
        counters.originated += link >= 0 ? 1 : 0;
        return link;
    }

    private int loopBack(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        final int lengthBytes = headerLengthBytes + payloadLengthBytes;
        if (loopbackTail - loopbackHead == LOOPBACK_FRAMES || lengthBytes > pool.frameBytes()) {
            return BLOCKED;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long copy = pool.headerAddress(id);
        Memory.copy(headerAddress, copy, headerLengthBytes);
        Memory.copy(payloadAddress, copy + headerLengthBytes, payloadLengthBytes);
        loopback[loopbackTail++ & (LOOPBACK_FRAMES - 1)] = (long) lengthBytes << 32 | id;
        counters.loopedBack++;
        counters.originated++;
        owner.release(token);
        return LOOPBACK;
    }

    /**
     * Hands the frames that this node sent to itself to its flows.
     *
     * @return frames handed over.
     */
    public int deliverLoopback() {
        int count = 0;
        while (loopbackHead != loopbackTail && count < LOOPBACK_FRAMES) {
            final long entry = loopback[loopbackHead++ & (LOOPBACK_FRAMES - 1)];
            final int id = (int) entry;
            counters.received++;
            deliver(share, id, pool.headerAddress(id), (int) (entry >>> 32));
            count++;
        }
        return count;
    }

    /** True while frames of this node to itself wait. */
    public boolean hasLoopback() {
        return loopbackHead != loopbackTail;
    }

    @Override
    public void flush() {
        flusher.run();
    }
}
