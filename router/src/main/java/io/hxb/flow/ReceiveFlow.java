package io.hxb.flow;

import io.hxb.flow.order.OrderingArray;
import io.hxb.flow.order.Sequence;
import io.hxb.flow.order.WorkStack;
import io.hxb.frame.FrameHeaderFlyweight;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One flow at its receiving end. The ordering array and the arrivals belong to all loops, the rest
 * to the loop that owns the context.
 */
final class ReceiveFlow extends Flow {
    /** Arrivals: acknowledge at once. */
    static final long NOW = 1L << 62;

    /** Arrivals: one that could not be delivered at once. */
    static final long OUT_OF_ORDER = 1L << 61;

    /** Arrivals: one that had arrived before and was sent again. */
    static final long AGAIN = 1L << 60;

    /** Questions in a row, without new data, after which answers are taken to get lost. */
    private static final int MOST_ASKS = 2;

    private static final int FIRST_TARGET_FRAMES = 16;
    private static final VarHandle ARRIVALS;

    static {
        try {
            ARRIVALS =
                    MethodHandles.lookup().findVarHandle(ReceiveFlow.class, "arrivals", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final OrderingArray<ReceiveFlow> array;
    final int firstSequence;
    final int peerIncarnation;
    final int epoch;
    final int handle;
    final FlowEnds ends;
    final Waiting waiting = new Waiting(this);

    /** First sequence that the source may not send yet. */
    int limit;

    /** The limit that the source was told last. */
    int announcedLimit;

    /** Frames announced and not released yet. */
    int committedFrames;

    /** Window that the source has earned by using it. */
    int targetFrames;

    int releasedFrames;
    int debtFrames;
    long debtSinceNs;
    long lastHeardNs;
    boolean isAckNow;
    boolean isOutOfOrder;
    boolean isInAckList;
    boolean isInDelayList;
    boolean isInCreditLine;
    boolean isSettled;
    boolean isInWaitingLine;
    SendFlow opposite;
    ReceiveFlow nextAck;
    ReceiveFlow nextDelayed;
    ReceiveFlow nextCredit;
    ReceiveFlow nextWaiting;
    ReceiveFlow nextOfContext;

    /**
     * Route of the frame sent again that came last; written by the loop that got it, and any one of
     * several will do.
     */
    long askedRoute;

    /** Sequence of the frame that came last of those that had arrived before; written likewise. */
    int againSequence;

    /** The source does not know of {@link #againSequence} yet. */
    boolean hasAgain;

    private int asks;
    private int grownAt;
    private volatile long arrivals;

    ReceiveFlow(
            final FlowContext context,
            final int peerNode,
            final int peerContext,
            final long peerCoordinates,
            final int peerIncarnation,
            final int epoch,
            final int firstSequence,
            final int windowFrames,
            final int handle) {
        super(context, peerNode, peerContext, peerCoordinates);
        this.peerIncarnation = peerIncarnation;
        this.epoch = epoch;
        this.handle = handle;
        ends = new FlowEnds(context.id, context.incarnation, peerNode, peerContext, handle);
        this.firstSequence = firstSequence;
        array = new OrderingArray<>(windowFrames, firstSequence);
        limit = firstSequence;
        announcedLimit = firstSequence;
        grownAt = firstSequence;
        targetFrames = Math.min(FIRST_TARGET_FRAMES, windowFrames);
    }

    /** True if {@code frame} is of the incarnation and epoch of this flow. */
    boolean isOf(final FrameHeaderFlyweight frame) {
        return peerIncarnation == frame.sourceIncarnation() && epoch == frame.epoch();
    }

    /**
     * True if {@code open} comes from a later epoch or incarnation. An earlier incarnation counts
     * as later when this one has been silent for {@code silenceNs}: the peer's clock may have been
     * set back.
     */
    boolean isBefore(final FrameHeaderFlyweight open, final long nowNs, final long silenceNs) {
        if (peerIncarnation == open.sourceIncarnation()) {
            return Sequence.epochDistance(epoch, open.epoch()) > 0;
        }
        return Sequence.isBefore(peerIncarnation, open.sourceIncarnation())
                || nowNs - lastHeardNs > silenceNs;
    }

    /** Takes the last {@code frames} that were announced back. */
    void takeBack(final int frames) {
        limit -= frames;
        announcedLimit = limit;
        context.commit(this, -frames);
    }

    /** Notes an arrival; any thread. */
    void arrived(final int frames, final long marks) {
        ARRIVALS.getAndAdd(this, (long) frames);
        if (marks != 0) {
            ARRIVALS.getAndBitwiseOr(this, marks);
        }
    }

    /** Takes the arrivals noted so far. */
    long takeArrivals() {
        return arrivals == 0 ? 0 : (long) ARRIVALS.getAndSet(this, 0L);
    }

    /** The source asked again for what it was told: true if it does not seem to hear it. */
    boolean isAskedAgain() {
        return ++asks >= MOST_ASKS;
    }

    /** The source has sent something new. */
    void onNews() {
        asks = 0;
    }

    /** A source that used half of what it may gets twice as much. */
    void growTarget(final int next, final int windowFrames) {
        if (targetFrames < windowFrames && next - grownAt >= targetFrames / 2) {
            grownAt = next;
            targetFrames = Math.min(windowFrames, 2 * targetFrames);
        }
    }

    /** Notes that the source was told what has arrived; {@code isSelective}: with the bitmap. */
    void onAcknowledged(final boolean isSelective) {
        announcedLimit = limit;
        hasAgain &= !isSelective;
        if (isSelective || !isOutOfOrder) {
            debtFrames = 0;
            isAckNow = false;
        }
    }

    /** Heap bytes of a flow whose window has {@code windowFrames}, rounded up. */
    static int bytes(final int windowFrames) {
        return 768 + 8 * windowFrames;
    }

    /** True once a frame of this flow has arrived. */
    boolean hasArrivals() {
        return array.next() != firstSequence || !array.isEmpty();
    }

    /** Frames handed to the context and not released by it. */
    int heldFrames() {
        return array.next() - firstSequence - releasedFrames;
    }

    /** The flow in the stack of those that wait for room in the context. */
    static final class Waiting extends WorkStack.Node {
        final ReceiveFlow flow;

        Waiting(final ReceiveFlow flow) {
            this.flow = flow;
        }
    }
}
