package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowLoop;
import io.hxb.flow.route.RouteTable;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.LoopClock;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Memory;
import io.hxb.log.LoopErrors;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.session.FrameSeals;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.health.ReceivedFrameCounts;

/**
 * The per-frame path of one loop: every received frame enters through {@link #onBuffer} or {@link
 * #onFrame} and is delivered or relayed; frames of this node's flows leave through its {@link
 * FrameSource}. Owned by that loop.
 *
 * <p>Nothing that arrives makes it throw: an exception is a defect of this node, is logged, and
 * costs the one frame, which is dropped.
 *
 * <p>A relayed frame is sent from the memory it arrived in; only its hop limit and its place in a
 * detour change, and the link puts its own addresses before it. Source: PM/Ethernet-HXB, a relay
 * node reuses the receive buffer as the send buffer and changes only the header.
 */
public final class Forwarder implements FrameSink {
    private final Shape shape;
    private final long here;
    private final int clusterId;
    private final int relayBacklogFrames;
    private final TrunkSender[] trunks;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final RouteCodec codec;
    private final Discovery discovery;
    private final ReceivedFrameCounts[] heard;
    private final LoopClock clock;
    private final Loopback loopback;
    private final FrameSource frameSource;
    private final UnreachableReplies answers;
    private final Tracer tracer;
    private final NodeFrames nodeFrames;
    // Null in a hyper-crossbar.
    private final BusyReplies busyReplies;
    private final FragmentJoin fragments;
    private final FragmentJoin.Relay relayedFragments = this::relayFragment;
    private final FlowLoop flows;
    private final FrameSeals seals;
    private final Sessions sessions;
    private final CounterBlock counters;
    private final OutgoingFrame outgoing;
    private final FrameHeaderFlyweight received = new FrameHeaderFlyweight();
    private final FrameCrc crc = new FrameCrc();
    // Of the frame that is being handled: its memory has not been passed on, and it has been
    // counted as delivered, relayed or dropped.
    private boolean hasFrame;
    private boolean isCounted;
    // The pool buffer in which it lies, or NONE.
    private int bufferId;
    // Index of the link on which it arrived.
    private int arrivedOn;
    // Its first segment was counted for the health of the link.
    private boolean isHeard;

    /**
     * Makes the forwarding path of one loop.
     *
     * @param parts what all loops of the node share.
     * @param heard where the frames of each link are counted, {@code [links]}.
     * @param trunks this loop's sender of each dimension, {@code [dimensions]}.
     * @param share this loop's share of the pool.
     * @param clock of this loop.
     * @param frameSource sends the frames of this loop's flows and of the path itself.
     * @param flows of this loop, which get the frames to this node.
     */
    public Forwarder(
            final ForwardParts parts,
            final ReceivedFrameCounts[] heard,
            final TrunkSender[] trunks,
            final BufferPool.Share share,
            final LoopClock clock,
            final FrameSource frameSource,
            final FlowLoop flows) {
        shape = parts.cluster().shape();
        here = parts.here();
        clusterId = parts.cluster().clusterId();
        relayBacklogFrames = parts.cluster().socket().senderQueueFrames();
        pool = parts.pool();
        discovery = parts.discovery();
        this.heard = heard.clone();
        this.trunks = trunks.clone();
        this.share = share;
        this.clock = clock;
        this.frameSource = frameSource;
        this.flows = flows;
        codec = new RouteCodec(shape, parts.map());
        loopback = frameSource.loopback();
        seals = frameSource.seals();
        sessions = parts.sessions();
        counters = frameSource.counters();
        outgoing = frameSource.outgoing();
        fragments = new FragmentJoin(parts, share, frameSource, counters);
        answers = new UnreachableReplies(parts, share, codec, frameSource, counters);
        tracer = new Tracer(parts, share, clock, frameSource);
        nodeFrames = new NodeFrames(parts, tracer, frameSource, clock);
        busyReplies =
                parts.map() == null ? null : new BusyReplies(parts, share, frameSource, counters);
    }

    /** Traced frames of this loop. */
    public Tracer tracer() {
        return tracer;
    }

    /** What this loop has seen. */
    public CounterBlock counters() {
        return counters;
    }

    /** The routes of the frames that this node sends. */
    public RouteTable routes() {
        return frameSource.routes();
    }

    @Override
    public void onBuffer(
            final Link link,
            final BufferPool.Share owner,
            final int id,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        bufferId = id;
        isHeard = false;
        handle(link, owner, id, pool.headerAddress(id), lengthBytes, sourceAddress);
    }

    @Override
    public void onJoined(
            final Link link,
            final BufferPool.Share owner,
            final int id,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        bufferId = id;
        isHeard = true;
        heard[link.index()].addBytes(sourceAddress, lengthBytes);
        handle(link, owner, id, pool.headerAddress(id), lengthBytes, sourceAddress);
    }

    // As kernels that relay segments count them: a frame that has lost others is one frame all the
    // same, and what is sent again counts for itself.
    @Override
    public void onFirstSegment(final Link link, final long sourceAddress) {
        heard[link.index()].count(sourceAddress, 0);
    }

    @Override
    public LongFrameJoin longFrames() {
        return fragments.frames();
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
        bufferId = BufferPool.NONE;
        isHeard = false;
        handle(link, owner, token, headerAddress, lengthBytes, sourceAddress);
    }

    private void handle(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress) {
        counters.increment(CounterType.FORWARD_RECEIVED_FRAMES);
        counters.increment(CounterType.LINK_RECEIVED_FRAMES, link.index());
        counters.add(CounterType.LINK_RECEIVED_BYTES, link.index(), lengthBytes);
        hasFrame = true;
        isCounted = false;
        arrivedOn = link.index();
        try {
            take(link, owner, token, headerAddress, lengthBytes, sourceAddress);
        } catch (final RuntimeException | Error e) {
            onFault(owner, token, e);
        }
    }

    // Whatever a frame contains, the frames after it are received, and its memory is not lost.
    private void onFault(final FrameOwner owner, final long token, final Throwable thrown) {
        if (!isCounted) {
            drop(DropReason.FAULT);
        }
        if (hasFrame) {
            giveBack(owner, token);
        }
        LoopErrors.INSTANCE.onError(thrown);
    }

    private void drop(final int reason) {
        isCounted = true;
        counters.increment(CounterType.ofReason(reason));
    }

    private void giveBack(final FrameOwner owner, final long token) {
        hasFrame = false;
        owner.release(token);
    }

    private void take(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress) {
        final int reason = FrameValidator.checkHeader(headerAddress, lengthBytes, clusterId);
        if (reason != DropReason.NONE) {
            onInvalidHeader(link, reason, headerAddress, lengthBytes, sourceAddress);
            giveBack(owner, token);
            return;
        }
        final boolean isOfNeighbour =
                isHeard || heard[link.index()].count(sourceAddress, lengthBytes);
        final long destination = received.wrap(headerAddress).destination();
        if (!isOfNeighbour && destination != FrameHeaderFlyweight.ANY_DESTINATION) {
            // A neighbour that has not introduced itself must not send to others either.
            drop(DropReason.UNKNOWN_NEIGHBOUR);
            giveBack(owner, token);
        } else if (destination == here && received.type() == FrameType.FRAGMENT) {
            join(link.index(), sourceAddress, owner, token, headerAddress);
        } else if (destination == here) {
            receive(owner, token, headerAddress, lengthBytes);
        } else if (destination == FrameHeaderFlyweight.ANY_DESTINATION) {
            onLinkLocal(link, headerAddress, sourceAddress);
            giveBack(owner, token);
        } else if (received.source() == here) {
            drop(DropReason.OWN_SOURCE);
            giveBack(owner, token);
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
            drop(DropReason.HOP_LIMIT);
            answers.answer(UnreachableFlyweight.HOP_LIMIT, headerAddress, clock.nowNs());
            giveBack(owner, token);
            return;
        }
        final long route = received.route();
        final int hop = codec.nextHop(route, here, destination);
        final int dimension = hop >> 8;
        if (hop == RouteCodec.NO_HOP) {
            onNotRelayed(TrunkSender.NO_ROUTE, headerAddress);
            giveBack(owner, token);
            return;
        }
        if (hop < 0 || dimension >= trunks.length || (hop & 0xFF) >= shape.extent(dimension)) {
            drop(DropReason.NO_ROUTE);
            giveBack(owner, token);
            return;
        }
        final long source = received.source();
        received.hopLimit(hopsLeft);
        if (Route.isDetour(route)) {
            received.route(codec.passed(route, here));
        }
        if (FrameHeaderFlyweight.isSparse(headerAddress)) {
            counters.increment(CounterType.FORWARD_SPARSE_FRAMES);
        }
        final boolean isTrace = TraceFlyweight.isTrace(headerAddress);
        if (isTrace) {
            tracer.beforeRelay(headerAddress);
        }
        final int frameBytes = FrameHeaderFlyweight.frameLength(headerAddress);
        outgoing.wrap(headerAddress, frameBytes, owner, token);
        final int link =
                FragmentFlyweight.isFragment(headerAddress)
                        ? trunks[dimension].offerFragment(
                                hop & 0xFF,
                                relayBacklogFrames,
                                outgoing,
                                FragmentFlyweight.number(headerAddress))
                        : trunks[dimension].offer(hop & 0xFF, relayBacklogFrames, outgoing);
        if (link >= 0) {
            hasFrame = false;
            isCounted = true;
            counters.increment(CounterType.FORWARD_RELAYED_FRAMES);
            counters.add(CounterType.FORWARD_RELAYED_BYTES, frameBytes);
            if (busyReplies != null) {
                busyReplies.onRelayed(
                        trunks[dimension], hop & 0xFF, source, destination, route, clock.nowNs());
            }
        } else {
            onNotRelayed(link, headerAddress);
            giveBack(owner, token);
        }
        if (isTrace) {
            tracer.afterRelay(arrivedOn, link);
        }
    }

    /**
     * Tells the sources of frames on longer ways which links the kernel should not need for them.
     */
    public void reportBusy(final KernelRelay kernel) {
        if (busyReplies != null) {
            busyReplies.reportKernel(kernel, clock.nowNs());
        }
    }

    private void onNotRelayed(final int reason, final long headerAddress) {
        if (reason == TrunkSender.BLOCKED) {
            drop(DropReason.LINK_BLOCKED);
        } else {
            drop(DropReason.NO_ROUTE);
            answers.answer(UnreachableFlyweight.NO_ROUTE, headerAddress, clock.nowNs());
        }
    }

    // The seal is that of the whole frame.
    private void join(
            final int link,
            final long sourceAddress,
            final FrameOwner owner,
            final long token,
            final long headerAddress) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            drop(reason);
            giveBack(owner, token);
            return;
        }
        final long source = received.source();
        final int frameBytes = FragmentFlyweight.frameBytes(headerAddress);
        final int whole;
        if (bufferId != BufferPool.NONE) {
            hasFrame = false;
            whole = fragments.frames().onBuffer(link, sourceAddress, bufferId, clock.nowNs());
        } else {
            whole = fragments.frames().onFrame(link, sourceAddress, headerAddress, clock.nowNs());
            giveBack(owner, token);
        }
        final int dropReason = fragments.dropReason();
        if (dropReason != DropReason.NONE) {
            drop(dropReason);
            return;
        }
        isCounted = true;
        counters.increment(CounterType.FORWARD_FRAGMENTS_FRAMES);
        if (whole != BufferPool.NONE) {
            counters.increment(CounterType.FORWARD_RECEIVED_FRAMES);
            counters.increment(CounterType.FORWARD_REASSEMBLED_FRAMES);
            takeWhole(whole, frameBytes, source);
        }
    }

    // As if it had arrived in one piece.
    private void takeWhole(final int id, final int frameBytes, final long source) {
        hasFrame = true;
        isCounted = false;
        bufferId = id;
        try {
            final long headerAddress = pool.headerAddress(id);
            final int reason = checkWhole(headerAddress, frameBytes, source);
            if (reason == DropReason.NONE) {
                receive(share, id, headerAddress, frameBytes);
            } else {
                drop(reason);
                giveBack(share, id);
            }
        } catch (final RuntimeException | Error e) {
            onFault(share, id, e);
        }
    }

    private int checkWhole(final long headerAddress, final int frameBytes, final long source) {
        final int reason = FrameValidator.checkHeader(headerAddress, frameBytes, clusterId);
        if (reason != DropReason.NONE) {
            return reason;
        }
        received.wrap(headerAddress);
        if (received.source() != source || received.destination() != here) {
            return DropReason.COORDINATES;
        }
        return received.type() == FrameType.FRAGMENT ? DropReason.TYPE : DropReason.NONE;
    }

    // A frame that another node sent to this one: its seal is checked before anything else.
    private void receive(
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes) {
        final int reason = open(headerAddress);
        if (reason != DropReason.NONE) {
            drop(reason > 0 ? DropReason.COORDINATES : reason);
            giveBack(owner, token);
        } else if (received.type() == FrameType.SESSION) {
            takeSession(headerAddress);
            giveBack(owner, token);
        } else if (received.type() >= FrameType.TRACE) {
            takeOther(headerAddress);
            giveBack(owner, token);
        } else {
            deliver(owner, token, headerAddress, lengthBytes);
        }
    }

    private int open(final long headerAddress) {
        if (seals.isOn()) {
            return seals.open(headerAddress);
        }
        return FrameHeaderFlyweight.isSealed(headerAddress) ? DropReason.SEAL : DropReason.NONE;
    }

    private void takeSession(final long headerAddress) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            drop(reason);
        } else {
            deliverCounted();
            sessions.onFrame(headerAddress, Sessions.ROUTED, clock.nowNs());
        }
    }

    // What is no part of a flow.
    private void takeOther(final long headerAddress) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            drop(reason);
            return;
        }
        deliverCounted();
        nodeFrames.take(headerAddress, arrivedOn);
    }

    private void deliver(
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes) {
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            drop(reason);
            giveBack(owner, token);
            return;
        }
        if (FrameHeaderFlyweight.isSparse(headerAddress)) {
            counters.increment(CounterType.FORWARD_SPARSE_FRAMES);
        }
        if (bufferId != BufferPool.NONE) {
            deliverCounted();
            hasFrame = false;
            flows.onFrame(headerAddress, lengthBytes, bufferId);
            return;
        }
        final int id = lengthBytes <= pool.frameBytes() ? share.acquire() : BufferPool.NONE;
        if (id == BufferPool.NONE) {
            drop(DropReason.POOL_EMPTY);
        } else {
            counters.increment(CounterType.FORWARD_COPIED_FRAMES);
            counters.add(CounterType.FORWARD_COPIED_BYTES, lengthBytes);
            deliverCounted();
            Memory.copy(headerAddress, pool.headerAddress(id), lengthBytes);
        }
        giveBack(owner, token);
        if (id != BufferPool.NONE) {
            flows.onFrame(pool.headerAddress(id), lengthBytes, id);
        }
    }

    private void deliverCounted() {
        isCounted = true;
        counters.increment(CounterType.FORWARD_DELIVERED_FRAMES);
    }

    private void onLinkLocal(final Link link, final long headerAddress, final long sourceAddress) {
        final int opened = open(headerAddress);
        if (opened < DropReason.NONE) {
            drop(opened);
            discovery.onNotOpened(
                    link.index(), opened, headerAddress, sourceAddress, clock.nowNs());
            return;
        }
        final int reason = FrameValidator.checkEndToEnd(headerAddress, shape, crc);
        if (reason != DropReason.NONE) {
            drop(reason);
            return;
        }
        counters.increment(CounterType.FORWARD_CONTROL_FRAMES);
        isCounted = true;
        if (opened == FrameSeals.ELSEWHERE) {
            return;
        }
        if (received.type() == FrameType.SESSION) {
            sessions.onFrame(headerAddress, link.index(), clock.nowNs());
        } else {
            discovery.onFrame(link.index(), headerAddress, sourceAddress, clock.nowNs());
        }
    }

    private void onInvalidHeader(
            final Link link,
            final int reason,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress) {
        drop(reason);
        if (reason == DropReason.LENGTH) {
            counters.increment(CounterType.LINK_CUT_FRAMES, link.index());
            counters.set(CounterType.LINK_CUT_BYTES, link.index(), lengthBytes);
        }
        discovery.onInvalid(
                link.index(), reason, headerAddress, lengthBytes, sourceAddress, clock.nowNs());
    }

    /**
     * Hands the frames that this node sent to itself to its flows.
     *
     * @return frames handed over.
     */
    public int deliverLoopback() {
        int count = 0;
        while (!loopback.isEmpty() && count < Loopback.FRAMES) {
            final long entry = loopback.poll();
            final int id = Loopback.id(entry);
            counters.increment(CounterType.FORWARD_RECEIVED_FRAMES);
            hasFrame = true;
            isCounted = false;
            bufferId = id;
            try {
                deliver(share, id, pool.headerAddress(id), Loopback.lengthBytes(entry));
            } catch (final RuntimeException | Error e) {
                onFault(share, id, e);
            }
            count++;
        }
        return count;
    }

    /** Requests lost fragments and gives up frames that stay incomplete; returns how many. */
    public int doWork(final long nowNs) {
        return fragments.doWork(relayedFragments, nowNs);
    }

    // A part of a frame for another node that has arrived as segments, of which some are lost.
    private void relayFragment(final int id, final int lengthBytes) {
        counters.increment(CounterType.FORWARD_RECEIVED_FRAMES);
        hasFrame = true;
        isCounted = false;
        bufferId = id;
        try {
            final long header = pool.headerAddress(id);
            relay(share, id, header, received.wrap(header).destination());
        } catch (final RuntimeException | Error e) {
            onFault(share, id, e);
        }
    }

    /** The latest time for the next {@link #doWork}; Long.MAX_VALUE for never. */
    public long nextDeadlineNs() {
        return fragments.nextDeadlineNs();
    }

    /** Gives the buffers of incomplete frames back. */
    public void close() {
        fragments.close();
    }

    /** True while frames of this node to itself wait. */
    public boolean hasLoopback() {
        return !loopback.isEmpty();
    }
}
