package io.hxb.trunk.health;

import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;

import java.util.function.LongSupplier;

/**
 * One loop's part in the health of the trunks: notes when frames were received or sent, works on it
 * when something is due, and reports to the loop which links were excluded. Owned by that loop.
 */
public final class HealthLoop {
    /** Called in the loop's own turn for links that must not be used any more. */
    @FunctionalInterface
    public interface ExclusionHandler {
        /** Frames on their way over a link to a neighbour have to go over others. */
        void onExcluded(Port port, int neighbour);
    }

    /**
     * Noted frames are looked at in later turns; a loop without further turns wakes up for the last
     * of them after this time.
     */
    private static final long LAST_LOOK_NS = 2_000_000;

    private final TrunkHealth health;
    private final HealthSchedule plan;
    private final Exclusions exclusions;
    private final LoopTraffic traffic;
    private final StatusSender sender;
    private final LinkSender[] senders;
    private final long[] sendErrors;
    private final ExclusionHandler handler;
    private final LongSupplier waited;
    private long waitedNs;
    private int exclusionsSeen;
    private boolean isNoted;

    /**
     * Lets a loop take part; before it starts.
     *
     * @param senders the loop's senders, by link index, {@code [links]}.
     * @param trunks the loop's trunks, {@code [dimensions]}.
     * @param received indexes of the links it receives on.
     * @param share the loop's share of the pool.
     * @param handler called by {@link #doWork}.
     * @param wakeUp ends the loop's sleep; called by other loops.
     * @param waited time in ns that the loop's thread has waited for its CPU so far.
     */
    public HealthLoop(
            final TrunkHealth health,
            final LinkSender[] senders,
            final TrunkSender[] trunks,
            final int[] received,
            final BufferPool.Share share,
            final ExclusionHandler handler,
            final Runnable wakeUp,
            final LongSupplier waited) {
        this.health = health;
        this.waited = waited;
        this.senders = senders.clone();
        this.handler = handler;
        plan = health.plan();
        exclusions = health.exclusions();
        sendErrors = new long[senders.length];
        traffic = new LoopTraffic(senders, trunks, received, wakeUp);
        sender = health.newStatusSender(senders, share);
        health.add(traffic);
    }

    /** Frames were received or sent in this turn, or a NIC has changed. */
    public void note() {
        isNoted = true;
    }

    /** The loop has asked for frames on all its links and received them, except for unread ones. */
    public void onPolled() {
        traffic.onPolled();
    }

    /** At the last {@link #onPolled} frames were left waiting on a link. */
    public void onUnread(final int linkIndex) {
        traffic.onUnread(linkIndex);
    }

    /**
     * Does what is due: judges links, sends status frames, hands exclusions to the loop.
     *
     * @return status frames queued.
     */
    public int doWork(final long nowNs) {
        int sent = 0;
        if (plan.isDue(nowNs, isNoted)) {
            isNoted = false;
            noteSendErrors(nowNs);
            noteAway(nowNs);
            traffic.sampleWaiting();
            sent = health.work(nowNs, this, sender);
        }
        if (exclusions.count() != exclusionsSeen) {
            handExclusions();
        }
        return sent;
    }

    private void noteAway(final long nowNs) {
        final long now = waited.getAsLong();
        health.onAway(now - waitedNs, nowNs);
        waitedNs = now;
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
        exclusionsSeen = exclusions.count();
        for (int link = 0; link < senders.length; link++) {
            for (int neighbour = 0; neighbour < Shape.MAX_EXTENT; neighbour++) {
                if (exclusions.isExcludedSince(link, neighbour, seen)) {
                    handler.onExcluded(health.port(link), neighbour);
                }
            }
        }
    }

    /**
     * The latest time at which {@link #doWork} has to be called.
     *
     * <p>The loop that worked last has found what is due next, such as a probe to a silent
     * neighbour, while the keeper may be asleep until later; so it wakes up for that itself.
     *
     * @param isKeeper true for the one loop that always wakes up for what is due.
     * @return time in ns; {@code Long.MAX_VALUE} for never.
     */
    public long nextDeadlineNs(final boolean isKeeper) {
        final long dueNs = plan.dueNs();
        final boolean isWokenByTime = isKeeper || plan.isPlanner(this);
        if (isNoted) {
            final long lookNs = plan.lookNs() + LAST_LOOK_NS;
            return isWokenByTime && dueNs - lookNs < 0 ? dueNs : lookNs;
        }
        return isWokenByTime ? dueNs : Long.MAX_VALUE;
    }
}
