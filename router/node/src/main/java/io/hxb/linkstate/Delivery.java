package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.time.Deadline;
import io.hxb.time.TokenBucket;

import java.util.Arrays;

/**
 * What one neighbour is still to be told: records that it has not acknowledged, and
 * acknowledgements that it waits for. Guarded by the lock of {@link LinkStates}.
 */
final class Delivery {
    /** Time after which a record is sent again; doubled each time. */
    static final long MIN_TIMEOUT_NS = 10_000_000L;

    /** Longest such time. */
    static final long MAX_TIMEOUT_NS = 200_000_000L;

    /** A neighbour that has not answered for so long gets a frame every 200 ms only. */
    static final long SILENCE_NS = 1_000_000_000L;

    /** Frames that a neighbour is sent at once. */
    static final int BURST_FRAMES = 64;

    /** Time after which it may be sent another one. */
    static final long FRAME_NS = 2_000_000L;

    /** Frames that a neighbour may send at once: twice as many, as frames can be held up. */
    static final int TAKEN_BURST_FRAMES = 2 * BURST_FRAMES;

    /** Time after which it may send another one. */
    static final long TAKEN_FRAME_NS = FRAME_NS / 2;

    private static final byte OWED = 1;
    private static final byte SENT = 2;
    private static final byte ACKNOWLEDGING = 4;
    private static final int MAX_DOUBLINGS = 5;

    // By node number.
    private final byte[] states;
    private final byte[] tries;
    private final long[] dueNs;
    private final TokenBucket sending = new TokenBucket(BURST_FRAMES, FRAME_NS);
    private final TokenBucket taking = new TokenBucket(TAKEN_BURST_FRAMES, TAKEN_FRAME_NS);
    private boolean isUp;
    private boolean hasToldStart;
    private int incarnation;
    // Not later than the first that is due.
    private long soonestNs = Deadline.NEVER;
    private boolean isUnanswered;
    private long unansweredNs;
    private long sentNs;
    private int turn;

    Delivery(final int nodes) {
        states = new byte[nodes];
        tries = new byte[nodes];
        dueNs = new long[nodes];
    }

    boolean isUp() {
        return isUp;
    }

    /** The neighbour is there, or gone: nothing is known of what it has heard. */
    void up(final boolean value) {
        isUp = value;
        hasToldStart = false;
        Arrays.fill(states, (byte) 0);
        soonestNs = Deadline.NEVER;
        isUnanswered = false;
    }

    /**
     * What the neighbour tells of itself: true if it may have forgotten what it acknowledged,
     * because it did so before this start of it.
     */
    boolean isNewStart(final LinkStateFlyweight ofItself) {
        final boolean isNew = !hasToldStart || incarnation != ofItself.incarnation();
        hasToldStart = true;
        incarnation = ofItself.incarnation();
        return isNew;
    }

    /** Whether another frame of the neighbour is read. */
    boolean take(final long nowNs) {
        isUnanswered = false;
        return taking.take(nowNs);
    }

    /**
     * The neighbour may not have the record of a node; one that is owed stays so, and is sent again
     * when it is due.
     */
    void oweAgain(final int node, final long nowNs) {
        if (isSettled(node)) {
            owe(node, nowNs);
        }
    }

    /** There is a record of a node which the neighbour does not have. */
    void owe(final int node, final long nowNs) {
        states[node] = OWED;
        tries[node] = 0;
        dueNs[node] = nowNs;
        soonestNs = Deadline.earlier(soonestNs, nowNs);
    }

    /** True if the record of a node is not owed. */
    boolean isSettled(final int node) {
        return (states[node] & OWED) == 0;
    }

    /** The neighbour has sent the record of a node that counts, so it has it. */
    void onHeard(final int node, final long nowNs) {
        // Its frame crossed one with the same record, which acknowledges it; if that is lost, the
        // neighbour sends it again and is acknowledged then.
        states[node] = (states[node] & (OWED | SENT)) == (OWED | SENT) ? 0 : ACKNOWLEDGING;
        soonestNs = states[node] == 0 ? soonestNs : Deadline.earlier(soonestNs, nowNs);
    }

    /** The neighbour is to hear which record of a node is known here; none is owed. */
    void acknowledge(final int node, final long nowNs) {
        states[node] = ACKNOWLEDGING;
        soonestNs = Deadline.earlier(soonestNs, nowNs);
    }

    /** The neighbour has acknowledged the record of a node, or there is none any more. */
    void settle(final int node) {
        states[node] = 0;
    }

    /** True if an acknowledgement is to be sent; it counts as sent then. */
    boolean acknowledges(final int node) {
        if ((states[node] & ACKNOWLEDGING) == 0) {
            return false;
        }
        states[node] = 0;
        return true;
    }

    /** True if the record of a node is to be sent now. */
    boolean isOwed(final int node, final long nowNs) {
        return (states[node] & OWED) != 0 && dueNs[node] - nowNs <= 0;
    }

    /** The record of a node goes out; returns whether it did so before. */
    boolean onSent(final int node, final long nowNs) {
        final boolean isAgain = (states[node] & SENT) != 0;
        states[node] |= SENT;
        dueNs[node] = nowNs + Math.min(MAX_TIMEOUT_NS, MIN_TIMEOUT_NS << tries[node]);
        tries[node] = (byte) Math.min(MAX_DOUBLINGS, tries[node] + 1);
        if (!isUnanswered) {
            isUnanswered = true;
            unansweredNs = nowNs;
        }
        return isAgain;
    }

    /** A frame goes out. */
    void onFrame(final long nowNs) {
        sending.take(nowNs);
        sentNs = nowNs;
    }

    /** The node number whose record is looked at next. */
    int turn() {
        return turn;
    }

    /** The turn goes to the next node number. */
    void nextTurn() {
        turn = turn + 1 < states.length ? turn + 1 : 0;
    }

    /** When the next frame is due, nowNs or later; {@link Deadline#NEVER} if none is. */
    long frameNs(final long nowNs) {
        if (!isUp || soonestNs == Deadline.NEVER) {
            return Deadline.NEVER;
        }
        if (soonestNs - nowNs <= 0) {
            look(nowNs);
        }
        final long due = Deadline.notBefore(nowNs, soonestNs);
        if (due == Deadline.NEVER) {
            return due;
        }
        long earliest = due;
        if (isUnanswered && nowNs - unansweredNs >= SILENCE_NS) {
            earliest = later(earliest, sentNs + MAX_TIMEOUT_NS);
        }
        return sending.has(nowNs, 1) ? earliest : later(earliest, nowNs + FRAME_NS);
    }

    private static long later(final long oneNs, final long otherNs) {
        return oneNs - otherNs >= 0 ? oneNs : otherNs;
    }

    private void look(final long nowNs) {
        soonestNs = Deadline.NEVER;
        for (int node = 0; node < states.length; node++) {
            if ((states[node] & ACKNOWLEDGING) != 0) {
                soonestNs = nowNs;
                return;
            }
            if ((states[node] & OWED) != 0) {
                soonestNs = Deadline.earlier(soonestNs, dueNs[node]);
            }
        }
    }
}
