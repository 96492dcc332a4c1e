package io.hxb.trunk.health;

import io.hxb.link.LinkSender;
import io.hxb.trunk.TrunkSender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one loop has received and sent, as far as links are judged by it. Written by that loop;
 * others get slightly old values.
 */
final class LoopTraffic {
    private static final VarHandle POLLS;
    private static final VarHandle UNREAD = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle WAITING = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle SAMPLED = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        try {
            POLLS = MethodHandles.lookup().findVarHandle(LoopTraffic.class, "polls", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LinkSender[] senders;
    private final TrunkSender[] trunks;
    private final int[] received;
    private final int[] unreadPolls;
    private final int[] lastUnread;
    private final Runnable wakeUp;
    // By link: frames handed to the kernel by the last look at what waits there, and those of them
    // that waited.
    private final long[] sampled;
    private final int[] waiting;
    private int polls;

    /**
     * Prepares to count.
     *
     * @param senders the loop's senders, by link index, {@code [links]}.
     * @param trunks the loop's trunks, {@code [dimensions]}.
     * @param received indexes of the links it receives on.
     * @param wakeUp ends the loop's sleep; called by other loops.
     */
    LoopTraffic(
            final LinkSender[] senders,
            final TrunkSender[] trunks,
            final int[] received,
            final Runnable wakeUp) {
        this.senders = senders.clone();
        this.trunks = trunks.clone();
        this.received = received.clone();
        this.wakeUp = wakeUp;
        unreadPolls = new int[senders.length];
        lastUnread = new int[senders.length];
        sampled = new long[senders.length];
        waiting = new int[senders.length];
    }

    /** Looks at what waits in the kernel and in NICs; by the loop itself. */
    void sampleWaiting() {
        for (int i = 0; i < senders.length; i++) {
            final long frames = senders[i].sentFrames();
            if (frames != sampled[i] || waiting[i] != 0) {
                WAITING.setOpaque(waiting, i, senders[i].unsentFrames());
                SAMPLED.setRelease(sampled, i, frames);
            }
        }
    }

    /**
     * Frames that the loop has handed to a link's kernel queue or NIC and that may wait there
     * still: those that waited at the last look, and all handed over since.
     */
    int waitingFrames(final int linkIndex) {
        final long seen = (long) SAMPLED.getAcquire(sampled, linkIndex);
        final long since = senders[linkIndex].sentFrames() - seen;
        return (int) WAITING.getOpaque(waiting, linkIndex) + (int) Math.max(0, since);
    }

    /** The loop has asked for frames on all its links and received them, except for unread ones. */
    void onPolled() {
        POLLS.setOpaque(this, polls + 1);
    }

    /** At the last {@link #onPolled} frames were left waiting on a link. */
    void onUnread(final int linkIndex) {
        if (lastUnread[linkIndex] != polls) {
            lastUnread[linkIndex] = polls;
            UNREAD.setOpaque(unreadPolls, linkIndex, unreadPolls[linkIndex] + 1);
        }
    }

    /** How often everything that waited on a link was received, if this loop receives on it. */
    int drains(final int linkIndex) {
        return (int) POLLS.getOpaque(this) - (int) UNREAD.getOpaque(unreadPolls, linkIndex);
    }

    /** Indexes of the links that the loop receives on. */
    int[] received() {
        return received;
    }

    /** Frames queued for a neighbour on one link of a trunk, modulo 2^32. */
    int sentFrames(final int dimension, final int number, final int neighbour) {
        return trunks[dimension].sentFrames(number, neighbour);
    }

    /** Frames that wait in the loop's sender of a link. */
    int queuedFrames(final int linkIndex) {
        return senders[linkIndex].queuedFrames();
    }

    /** Ends the loop's sleep. */
    void wake() {
        wakeUp.run();
    }
}
