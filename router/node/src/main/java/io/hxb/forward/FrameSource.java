package io.hxb.forward;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowOutput;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.LoopClock;
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

    private final long here;
    private final int clusterId;
    private final int hopLimit;
    private final boolean hasCrc;
    private final TrunkSender[] trunks;
    private final OrderPolicy orders;
    private final RouteCodec codec;
    private final RouteTable routes;
    private final Loopback loopback;
    private final Runnable flusher;
    private final CounterBlock counters;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameCrc crc = new FrameCrc();
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
        codec = new RouteCodec(cluster.shape());
        loopback = new Loopback(parts.pool(), share);
        this.flusher = flusher;
        seals = parts.sessions().newLoop();
        pool = parts.pool();
        this.share = share;
        routes = new RouteTable(cluster, here, this::isReached, clock, counters);
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
    public int send(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        long route = firstRoute(headerAddress);
        boolean isFinished = false;
        for (int others = OTHER_ROUTES; route != Route.NONE; others--) {
            final int hop = direct(headerAddress, route);
            int link = NO_ROUTE;
            if (hop == RouteCodec.HERE) {
                link =
                        sendHere(
                                headerAddress,
                                headerLengthBytes,
                                payloadAddress,
                                payloadLengthBytes,
                                owner,
                                token);
            } else if (hop >> 8 < trunks.length && isSealedInVain(hop)) {
                link = trunks[hop >> 8].isReached(hop & 0xFF) ? BLOCKED : NO_ROUTE;
            } else if (hop >> 8 < trunks.length && isEncrypted()) {
                link =
                        sendEncrypted(
                                hop,
                                headerAddress,
                                headerLengthBytes,
                                payloadAddress,
                                payloadLengthBytes);
                if (link >= 0) {
                    owner.release(token);
                }
            } else if (hop >> 8 < trunks.length) {
                // CRC and seal do not cover what differs from route to route.
                if (!isFinished
                        && !finish(
                                headerAddress,
                                headerLengthBytes,
                                payloadAddress,
                                payloadLengthBytes)) {
                    return BLOCKED;
                }
                isFinished = true;
                link =
                        trunks[hop >> 8].offer(
                                hop & 0xFF,
                                0,
                                headerAddress,
                                headerLengthBytes + trailerBehind(payloadLengthBytes),
                                payloadAddress,
                                payloadLengthBytes,
                                owner,
                                token);
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
    private int sendEncrypted(
            final int hop,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return BLOCKED;
        }
        final long frame = pool.headerAddress(id);
        int link = BLOCKED;
        if (seals.encrypt(
                        headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes, frame)
                == FrameSeals.SEALED) {
            final int length = FrameHeaderFlyweight.frameLength(frame);
            link = trunks[hop >> 8].offer(hop & 0xFF, 0, frame, length, 0, 0, share, id);
        }
        if (link < 0) {
            share.release(id);
        }
        return link;
    }

    private int sendHere(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        if (hasCrc) {
            setCrc(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes);
        }
        final int link =
                loopback.offer(
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        owner,
                        token);
        if (link >= 0) {
            counters.increment(CounterType.FORWARD_LOOPED_BACK_FRAMES);
        }
        return link;
    }

    /**
     * Sends a frame that lies in one piece to another node, only by {@code route}.
     *
     * @return as {@link #send}.
     */
    int sendBy(
            final long route,
            final long headerAddress,
            final int lengthBytes,
            final FrameOwner owner,
            final long token) {
        final int hop = direct(headerAddress, route);
        if (hop == RouteCodec.HERE || hop >> 8 >= trunks.length) {
            return NO_ROUTE;
        }
        if (!finish(headerAddress, lengthBytes, 0, 0)) {
            return BLOCKED;
        }
        final int link =
                trunks[hop >> 8].offer(
                        hop & 0xFF,
                        0,
                        headerAddress,
                        lengthBytes + trailerBehind(0),
                        0,
                        0,
                        owner,
                        token);
        if (link >= 0) {
            counters.increment(CounterType.FORWARD_ORIGINATED_FRAMES);
        }
        return link;
    }

    // The trailer of a frame in one piece is part of that piece; otherwise the link finds it.
    private int trailerBehind(final int payloadLengthBytes) {
        return payloadLengthBytes == 0 && seals.isOn() ? SealFlyweight.LENGTH : 0;
    }

    /**
     * Writes CRC and seal, where the cluster has them.
     *
     * @return false if there is no session with the destination yet.
     */
    private boolean finish(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        final boolean isOn = seals.isOn();
        // Sealed by the key of the cluster when it was written.
        if (isOn && header.type() == FrameType.SESSION) {
            return true;
        }
        if (isOn) {
            header.flags(header.flags() | FrameHeaderFlyweight.FLAG_SEALED);
        }
        if (hasCrc) {
            setCrc(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes);
        }
        return !isOn
                || seals.seal(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes)
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
        return codec.nextHop(route, here, header.destination());
    }

    private void setCrc(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes) {
        header.flags(header.flags() | FrameHeaderFlyweight.FLAG_CRC);
        header.crc(
                crc.compute(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes));
    }
}
