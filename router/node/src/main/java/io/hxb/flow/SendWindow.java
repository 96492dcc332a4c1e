package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Memory;
import io.hxb.time.Deadline;

/**
 * What one flow has in flight: which frames are acknowledged, which are lost, how many more the
 * receiver takes, and when to look again. Owned by the loop of the flow.
 *
 * <pre>
 *   firstSequence          nextSequence        limit
 *        |  sent: in flight,    |  may be sent   |  may not be sent yet
 *        |  lost or arrived     |                |
 * </pre>
 */
final class SendWindow {
    private final TxFrame[] frames;
    private final int mask;

    /** A bit for each frame of the last window: set if it was sent more than once. */
    private final long[] resent;

    private final LossDetector lossDetector;
    private final RttEstimator rttEstimator;

    /** First sequence not acknowledged, next one to send, first one that may not be sent. */
    private int firstSequence;

    private int nextSequence;
    private int limit;

    /** First sequence that the receiver has not delivered, as far as it has acknowledged. */
    private int deliveredTo;

    /** Short frames since the last longer one, up to as many as can be in flight. */
    private int shortFrames;

    private int inFlight;
    private int lost;
    private boolean isStalled;
    private long stalledSinceNs;
    private boolean isReturned;

    /** Since the flow was made: what it has sent, each message once, and frames sent again. */
    private long sentMessages;

    private long sentBytes;
    private long resentFrames;

    /** A bit for each link that has taken a frame. */
    private long links;

    /** When a frame was sent last, or the flow began. */
    private long sentNs;

    /** When the oldest frame began to wait for news. */
    private long progressNs;

    /** When frames may be sent again that were sent again before. */
    private long resendNs;

    /** When the first of the frames that were overtaken counts as lost. */
    private long overtakenNs;

    SendWindow(
            final int windowFrames,
            final LossDetector lossDetector,
            final RttEstimator rttEstimator) {
        this.lossDetector = lossDetector;
        this.rttEstimator = rttEstimator;
        frames = new TxFrame[windowFrames];
        mask = windowFrames - 1;
        resent = new long[Math.max(1, windowFrames / Long.SIZE)];
    }

    /** Back to {@code sequence}, as before the first frame of an epoch; nothing is in flight. */
    void restart(final int sequence) {
        firstSequence = sequence;
        nextSequence = sequence;
        limit = sequence;
        deliveredTo = sequence;
        inFlight = 0;
        lost = 0;
        isStalled = false;
        isReturned = false;
        lossDetector.restart();
    }

    /** The first frames of an epoch are sent from {@code nowNs} on. */
    void start(final long nowNs) {
        sentNs = nowNs;
        resendNs = nowNs;
        progressNs = nowNs;
        overtakenNs = Long.MAX_VALUE;
    }

    /** The receiver takes {@code windowFrames} from {@code sequence} on: the first of an epoch. */
    void open(final int sequence, final int windowFrames) {
        restart(sequence);
        limit = sequence + windowFrames;
        isReturned = windowFrames == 0;
    }

    /** Everything before {@code sequence}, which was sent, has been delivered. */
    void onDelivered(final int sequence) {
        if (sequence - deliveredTo > 0) {
            deliveredTo = sequence;
        }
    }

    /** True if the receiver has reported that it delivered everything. */
    boolean isDelivered() {
        return deliveredTo == nextSequence;
    }

    /** Messages sent since the flow was made, each once. */
    long sentMessages() {
        return sentMessages;
    }

    /** Bytes of them in frames, headers of frames aside. */
    long sentBytes() {
        return sentBytes;
    }

    /** Frames that were sent again, whole or in part. */
    long resentFrames() {
        return resentFrames;
    }

    /** A bit for each link that has taken a frame. */
    long links() {
        return links;
    }

    int firstSequence() {
        return firstSequence;
    }

    int nextSequence() {
        return nextSequence;
    }

    int inFlight() {
        return inFlight;
    }

    int lost() {
        return lost;
    }

    /** True if frames are in flight that do not count as lost. */
    boolean isAwaiting() {
        return inFlight > lost;
    }

    /** True if the receiver takes another frame and there is a place to remember it. */
    boolean hasRoom() {
        return hasRoom(0);
    }

    /** As {@link #hasRoom()}, for a frame after {@code staged} others. */
    boolean hasRoom(final int staged) {
        return roomFrames() > staged;
    }

    /** Frames that may be sent now; 0 or less if there is no room. */
    int roomFrames() {
        return Math.min(limit - nextSequence, mask + 1 - (nextSequence - firstSequence));
    }

    /** True if {@code sequence} is the last one that may be sent. */
    boolean isLast(final int sequence) {
        return limit - sequence == 1;
    }

    /** Notes that messages wait and the window is used up; true if that is new. */
    boolean stall(final long nowNs) {
        final boolean isNew = !isStalled;
        stalledSinceNs = isNew ? nowNs : stalledSinceNs;
        isStalled = true;
        return isNew;
    }

    /** For how many ns messages have waited for the window; 0 if they do not. */
    long stalledNs(final long nowNs) {
        return isStalled ? nowNs - stalledSinceNs : 0;
    }

    /** The receiver takes frames before {@code newLimit}; false if that is not more than before. */
    boolean raise(final int newLimit) {
        if (newLimit - limit <= 0) {
            return false;
        }
        limit = newLimit;
        isStalled = false;
        isReturned = false;
        return true;
    }

    /**
     * The receiver named {@code newLimit}, which is less than before: true if it may have the rest
     * back, because nothing is in flight that could use it.
     */
    boolean giveBack(final int newLimit) {
        if (newLimit - limit >= 0 || inFlight > 0 || limit - nextSequence <= 0) {
            return false;
        }
        limit = nextSequence;
        isReturned = true;
        return true;
    }

    /** True if the window was given back and the receiver has granted none since. */
    boolean isReturned() {
        return isReturned;
    }

    /** True if {@code acknowledgement} can be of what was sent. */
    boolean isPlausible(final int acknowledgement) {
        return nextSequence - acknowledgement >= 0
                && firstSequence - acknowledgement <= frames.length;
    }

    /**
     * True if an acknowledgement contradicts what was acknowledged before, or names what was not
     * sent: the receiver would have delivered less, or be missing what has arrived.
     *
     * @param bitmapAddress as that of {@link SendFeedback#onAck}.
     */
    boolean isContradicted(
            final int acknowledgement, final long bitmapAddress, final int bitCount) {
        if (acknowledgement - deliveredTo < 0 || nextSequence - acknowledgement < 0) {
            return true;
        }
        // Frames that arrived may wait for a context that takes no more: then all of these are set.
        final int arrived = Math.min(firstSequence - acknowledgement, bitCount);
        for (int first = 0; first < arrived; first += Long.SIZE) {
            final long needed = -1L >>> Math.max(0, Long.SIZE - (arrived - first));
            if ((Memory.getLong(bitmapAddress + (first >> 3)) & needed) != needed) {
                return true;
            }
        }
        return false;
    }

    /** True if an acknowledgement shows that all is there that was acknowledged before. */
    boolean isConfirmed(final int acknowledgement) {
        return acknowledgement - firstSequence >= 0 && nextSequence - acknowledgement >= 0;
    }

    /** The receiver was asked for window. */
    void onProbed(final long nowNs) {
        sentNs = nowNs;
    }

    /** Time for which no frame was sent. */
    long unusedNs(final long nowNs) {
        return nowNs - sentNs;
    }

    private static boolean isShort(final TxFrame frame) {
        return frame.lengthBytes() + FrameHeaderFlyweight.LENGTH <= SendFlow.SPARSE_FRAME_BYTES;
    }

    /** True if what is in flight is little: some short frames, as with round trips. */
    boolean isSparse() {
        return inFlight <= SendFlow.SPARSE_FRAMES && shortFrames >= nextSequence - firstSequence;
    }

    /** True if {@code sequence} was sent and is not before the oldest frame in flight. */
    boolean isInFlight(final int sequence) {
        return sequence - firstSequence >= 0 && nextSequence - sequence > 0;
    }

    /** The frame at {@code sequence}, which is in flight; null if it has arrived. */
    TxFrame frame(final int sequence) {
        return frames[sequence & mask];
    }

    /** Gives a frame of {@code flow} the next sequence. */
    void add(final SendFlow flow, final TxFrame frame, final long nowNs) {
        assert nextSequence - firstSequence <= mask : "more frames than places";
        assert frames[nextSequence & mask] == null : "place of a frame that is in flight";
        frame.assign(flow, nextSequence);
        frames[nextSequence & mask] = frame;
        resent[resentWord(nextSequence)] &= ~(1L << nextSequence);
        nextSequence++;
        sentMessages += frame.messageCount();
        sentBytes += frame.lengthBytes();
        shortFrames = isShort(frame) ? Math.min(shortFrames + 1, frames.length) : 0;
        if (inFlight++ == 0) {
            progressNs = nowNs;
        }
    }

    /** Notes that a frame went out on {@code link}. */
    void onTransmitted(final TxFrame frame, final int link, final long nowNs) {
        // That of frames for this node itself is none of its links.
        if (link >= 0 && link < Long.SIZE) {
            links |= 1L << link;
        }
        if (frame.attempts() > 0) {
            resentFrames++;
            resent[resentWord(frame.sequence())] |= 1L << frame.sequence();
        }
        if (frame.isLost()) {
            lost--;
        }
        sentNs = nowNs;
        lossDetector.onTransmitted(frame, link, nowNs);
    }

    /** True if the frame with {@code sequence} is one of the last window and was sent again. */
    boolean wasResent(final int sequence) {
        final int age = nextSequence - sequence;
        return age > 0
                && age <= frames.length
                && (resent[resentWord(sequence)] & 1L << sequence) != 0;
    }

    private int resentWord(final int sequence) {
        return (sequence & mask) / Long.SIZE;
    }

    /** Notes that a frame has arrived; the caller gives it up. */
    void onArrived(final TxFrame frame, final long nowNs, final CounterBlock counters) {
        frames[frame.sequence() & mask] = null;
        inFlight--;
        if (frame.isLost()) {
            lost--;
        }
        assert lost >= 0 && lost <= inFlight : lost + " lost of " + inFlight;
        lossDetector.onArrived(frame, nowNs, counters);
    }

    /** Steps over what has been acknowledged at the front. */
    void advance() {
        while (firstSequence != nextSequence && frames[firstSequence & mask] == null) {
            firstSequence++;
        }
        assert firstSequence != nextSequence || inFlight == 0 : "in flight: " + inFlight;
    }

    /** Removes the frame at {@code sequence}, which has not arrived; null if there is none. */
    TxFrame takeOut(final int sequence) {
        final TxFrame frame = frames[sequence & mask];
        frames[sequence & mask] = null;
        return frame;
    }

    /** Something was acknowledged, or the timer ran out: the time begins again. */
    void onProgress(final long nowNs) {
        progressNs = nowNs;
    }

    /** True if nothing was acknowledged for {@code timeoutNs}. */
    boolean isTimedOut(final long timeoutNs, final long nowNs) {
        return progressNs + timeoutNs - nowNs <= 0;
    }

    /** True if frames may be sent again that were sent again before. */
    boolean mayRepeat(final long nowNs) {
        return resendNs - nowNs <= 0;
    }

    /** Frames may be sent again from {@code timeNs} on. */
    void repeatAt(final long timeNs) {
        resendNs = timeNs;
    }

    /**
     * When to look at the window again, Long.MAX_VALUE for never.
     *
     * @param isReady true if the flow will have a turn anyway.
     */
    long wakeNs(final boolean isReady) {
        long wakeNs = Long.MAX_VALUE;
        if (inFlight > lost) {
            wakeNs = Deadline.earlier(progressNs + rttEstimator.timeoutNs(), overtakenNs);
        }
        return lost > 0 && !isReady ? Deadline.earlier(wakeNs, resendNs) : wakeNs;
    }

    /** Looks for lost frames if it is time for that. */
    void detectLostWhenDue(final long nowNs) {
        if (overtakenNs - nowNs <= 0) {
            detectLost(nowNs);
        }
    }

    /**
     * Marks frames as lost that later ones have overtaken for too long or by too many; sets the
     * time to look again.
     */
    void detectLost(final long nowNs) {
        overtakenNs = Long.MAX_VALUE;
        if (!lossDetector.hasArrived()) {
            return;
        }
        final long reorderTimeoutNs = rttEstimator.reorderTimeoutNs();
        final int windowFrames = lossDetector.reorderingWindowFrames();
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame == null || frame.isLost() || frame.isQueued()) {
                continue;
            }
            final int overtakenBy = lossDetector.overtakenBy(frame);
            if (overtakenBy <= 0) {
                if (frame.attempts() == 1) {
                    break;
                }
                continue;
            }
            if (lossDetector.isOvertaken(frame, overtakenBy, windowFrames)) {
                giveUp(frame);
            } else if (lossDetector.isLaterThere(frame)) {
                if (nowNs - frame.sentNs() >= reorderTimeoutNs) {
                    giveUp(frame);
                } else {
                    overtakenNs = Math.min(overtakenNs, frame.sentNs() + reorderTimeoutNs);
                }
            }
        }
    }

    /**
     * The retransmission timer has expired again. If a retransmission seemed spurious meanwhile,
     * because its acknowledgement came too early, that counts as valid now: everything sent before
     * it is lost.
     *
     * @return true if frames were marked as lost for that.
     */
    boolean detectLossBeforeSpuriousRetransmit(final long nowNs) {
        if (!lossDetector.acceptSpuriousRetransmit()) {
            return false;
        }
        final int before = lost;
        detectLost(nowNs);
        return lost > before;
    }

    /**
     * Marks at most {@code maxFrames} of the oldest frames as lost that are older than {@code
     * ageNs}; returns how many.
     */
    int markOldest(final long nowNs, final long ageNs, final int maxFrames) {
        int marked = 0;
        for (int sequence = firstSequence;
                sequence != nextSequence && marked < maxFrames;
                sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame != null
                    && !frame.isLost()
                    && !frame.isQueued()
                    && nowNs - frame.sentNs() >= ageNs) {
                giveUp(frame);
                marked++;
            }
        }
        return marked;
    }

    /**
     * Marks the frames as lost whose route takes the same hop beyond {@code relay} as {@code
     * route}, if they were sent after the frame that the relay reports, or that is no longer here.
     *
     * @return how many.
     */
    int markBehind(final int badSequence, final long route, final long relay) {
        final TxFrame bad = frame(badSequence);
        int marked = 0;
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame != null
                    && !frame.isLost()
                    && !frame.isQueued()
                    && frame.attempts() > 0
                    && (bad == null || frame.order() - bad.order() >= 0)
                    && lossDetector.sharesHop(frame, route, relay)) {
                markLost(frame);
                marked++;
            }
        }
        return marked;
    }

    /** Marks the frames as lost that took a link which has failed; returns how many. */
    int strand(final int link) {
        int stranded = 0;
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame == null || frame.attempts() == 0 || frame.takenLink() != link) {
                continue;
            }
            frame.strand();
            stranded++;
            if (!frame.isLost()) {
                markLost(frame);
            }
        }
        return stranded;
    }

    private void giveUp(final TxFrame frame) {
        markLost(frame);
        lossDetector.onGivenUp(frame);
    }

    /** Marks a frame as lost that was not yet. */
    void markLost(final TxFrame frame) {
        frame.markLost();
        lost++;
        assert lost <= inFlight : lost + " lost of " + inFlight;
    }
}
