package io.hxb.trunk.health;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One loop's part in the health of the trunks: notes when frames came and went, sends status frames
 * over the loop's own senders, and tells the loop what was excluded. Owned by that loop.
 */
public final class HealthLoop {
    /** Told by the loop's own turn of links that must not be used any more. */
    @FunctionalInterface
    public interface ExclusionHandler {
        /** Frames on their way over a link to a neighbour have to go over others. */
        void onExcluded(Port port, int neighbour);
    }

    private static final VarHandle POLLS;
    private static final VarHandle UNREAD = MethodHandles.arrayElementVarHandle(int[].class);

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(HealthLoop.class, "polls", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Turns look after noted frames; a loop that has none wakes for the last of them later. */
    private static final long LAST_LOOK_NS = 2_000_000;

    private final TrunkHealth health;
    private final Port[] ports;
    private final LinkSender[] senders;
    private final TrunkSender[] trunks;
    private final int[] received;
    private final long[] sendErrors;
    private final int[] unreadPolls;
    private final int[] lastUnread;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final ExclusionHandler handler;
    private final Runnable wakeUp;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private int bufferId;
    private int exclusionsSeen;
    private boolean isNoted;
    private int polls;

    /**
     * Lets a loop take part; before it starts.
     *
     * @param ports all ports of the node, by link index, {@code [links]}.
     * @param senders the loop's senders, by link index, {@code [links]}.
     * @param trunks the loop's trunks, {@code [dimensions]}.
     * @param received indexes of the links it receives on.
     * @param share the loop's share of the pool.
     * @param handler called by {@link #doWork}.
     * @param wakeUp ends the loop's sleep; called by other loops.
     */
    public HealthLoop(
            final TrunkHealth health,
            final Port[] ports,
            final LinkSender[] senders,
            final TrunkSender[] trunks,
            final int[] received,
            final BufferPool pool,
            final BufferPool.Share share,
            final ExclusionHandler handler,
            final Runnable wakeUp) {
        this.health = health;
        this.ports = ports.clone();
        this.senders = senders.clone();
        this.trunks = trunks.clone();
        this.received = received.clone();
        this.pool = pool;
        this.share = share;
        this.handler = handler;
        this.wakeUp = wakeUp;
        sendErrors = new long[senders.length];
        unreadPolls = new int[senders.length];
        lastUnread = new int[senders.length];
        health.add(this);
    }

    /** Frames came or went in this turn, or a NIC has changed. */
    public void note() {
        isNoted = true;
    }

    /** The loop has asked for frames on all its links and received them, but for unread ones. */
    public void onPolled() {
        POLLS.setOpaque(this, polls + 1);
    }

    /** At the last {@link #onPolled} frames were left waiting on a link. */
    public void onUnread(final int linkIndex) {
        if (lastUnread[linkIndex] != polls) {
            lastUnread[linkIndex] = polls;
            UNREAD.setOpaque(unreadPolls, linkIndex, unreadPolls[linkIndex] + 1);
        }
    }

    /**
     * Does what is due: judges links, sends status frames, hands exclusions to the loop.
     *
     * @return status frames queued.
     */
    public int doWork(final long nowNs) {
        int sent = 0;
        if (health.isDue(nowNs, isNoted)) {
            isNoted = false;
            noteSendErrors(nowNs);
            sent = health.work(nowNs, this);
        }
        if (health.exclusions() != exclusionsSeen) {
            handExclusions();
        }
        return sent;
    }

    private void noteSendErrors(final long nowNs) {
        for (int i = 0; i < senders.length; i++) {
            final long errors = senders[i].sendErrors();
            if (errors != sendErrors[i]) {
                sendErrors[i] = errors;
                health.onSendErrors(i, nowNs);
            }
        }
    }

    private void handExclusions() {
        final int seen = exclusionsSeen;
        exclusionsSeen = health.exclusions();
        for (final Port port : ports) {
            for (int neighbour = 0; neighbour < Shape.MAX_EXTENT; neighbour++) {
                if (health.isExcludedSince(port.link().index(), neighbour, seen)) {
                    handler.onExcluded(port, neighbour);
                }
            }
        }
    }

    /**
     * When {@link #doWork} has to be called at the latest.
     *
     * <p>The loop that worked last has found what is due next, such as a question to a neighbour
     * that says nothing, and the keeper may be asleep until later: so it wakes for that itself.
     *
     * @param isKeeper true for the one loop that always looks after what is due by time.
     * @return time in ns; {@code Long.MAX_VALUE} for never.
     */
    public long nextDeadlineNs(final boolean isKeeper) {
        final long dueNs = health.dueNs();
        final boolean isWokenByTime = isKeeper || health.isPlanner(this);
        if (isNoted) {
            final long lookNs = health.lookNs() + LAST_LOOK_NS;
            return isWokenByTime && dueNs - lookNs < 0 ? dueNs : lookNs;
        }
        return isWokenByTime ? dueNs : Long.MAX_VALUE;
    }

    void wake() {
        wakeUp.run();
    }

    /** How often all that waited on a link was received, as far as this loop receives on it. */
    int drains(final int linkIndex) {
        return (int) POLLS.getOpaque(this) - (int) UNREAD.getOpaque(unreadPolls, linkIndex);
    }

    int[] received() {
        return received;
    }

    TrunkSender trunk(final int dimension) {
        return trunks[dimension];
    }

    /** Frames that wait in this loop's sender of a link; other loops get a slightly old value. */
    int queuedFrames(final Port port) {
        return senders[port.link().index()].queuedFrames();
    }

    /** Sends what is queued, so that what is counted as sent is on its way. */
    void flush(final Port[] trunk) {
        for (final Port port : trunk) {
            final LinkSender sender = senders[port.link().index()];
            if (sender.queuedFrames() > 0 && !sender.isBlocked()) {
                sender.flush();
            }
        }
    }

    /** The body of a new status frame about {@code links} links; null when no buffer is free. */
    LinkStatusFlyweight prepare(final int links) {
        bufferId = share.acquire();
        if (bufferId == BufferPool.NONE) {
            return null;
        }
        header.wrap(pool.headerAddress(bufferId)).clear();
        return status.wrap(header.bodyAddress()).clear(links);
    }

    /** Queues the status frame that was prepared; false if the link does not take it. */
    boolean send(final Port port, final TrunkPartner partner, final NodeIdentity self) {
        header.type(FrameType.LINK_STATUS)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(self.clusterId())
                .sourceIncarnation(self.incarnation())
                .destinationIncarnation(partner.incarnation)
                .source(self.here())
                .destination(FrameHeaderFlyweight.ANY_DESTINATION)
                .bodyLength(status.length());
        final boolean isTaken =
                senders[port.link().index()].offer(
                        partner.neighbour,
                        header.address(),
                        FrameHeaderFlyweight.LENGTH + status.length(),
                        0,
                        0,
                        share,
                        bufferId);
        if (!isTaken) {
            share.release(bufferId);
        }
        return isTaken;
    }
}
