package io.hxb.flow;

import io.hxb.flow.order.OrderingArray;
import io.hxb.flow.order.Sequence;
import io.hxb.flow.order.WorkStack;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;

import java.util.Arrays;

/**
 * One flow at its receiving end. The ordering array and the arrivals belong to all loops, the rest
 * to the loop that owns the context: what the source may send ({@link ReceiveWindow}), what has to
 * be acknowledged ({@link PendingAck}), and where the flow waits.
 */
final class ReceiveFlow extends Flow {
    /** Probes without a reply after which the source is considered gone. */
    static final int MAX_ASKS = 16;

    final OrderingArray<ReceiveFlow> array;
    final ArrivalSummary arrivalSummary = new ArrivalSummary();
    final ReceiveWindow window;
    final PendingAck pendingAck = new PendingAck();
    final PiggybackPredictor piggyback = new PiggybackPredictor();
    final FlowEndpoints ends;
    final DeliveredAmount delivered = new DeliveredAmount();

    /**
     * Its places among the flows to be acknowledged immediately, and among those that have some
     * time.
     */
    final WaitQueue.Place<ReceiveFlow> ackPlace = new WaitQueue.Place<>(this);

    final WaitQueue.Place<ReceiveFlow> delayPlace = new WaitQueue.Place<>(this);

    /** Its place among the flows that wait for credit. */
    final WaitQueue.Place<ReceiveFlow> creditPlace = new WaitQueue.Place<>(this);

    /**
     * Its places among the flows that wait for room in the context: as noted by any loop, and as
     * seen by the owner.
     */
    final RoomNode roomNode = new RoomNode(this);

    final WaitQueue.Place<ReceiveFlow> roomPlace = new WaitQueue.Place<>(this);

    private final int peerIncarnation;
    private final int epoch;
    private final int firstSequence;

    /** When its ticket was issued, as {@link FlowCookies} count. */
    private final long issueNs;

    private int releasedFrames;

    /** Frames that the context did not release: sequence, and messages left. */
    private long[] abandoned = new long[0];

    private int abandonedFrames;
    private long lastHeardNs;
    private long askedNs;

    /** When the source may be asked for window again, and the pause before; 0 for none. */
    private long recallNs;

    private long recallPauseNs;

    /**
     * When the source may be asked again to close the flow; how often it was asked since it was
     * heard.
     */
    private long closeNs;

    private int asks;
    private boolean isSettled;
    private boolean isRestartNotified;
    private SendFlow opposite;

    /**
     * Makes the flow of {@code frame}, which is one of its first.
     *
     * @param peerNode node that it came from.
     * @param first sequence of the flow: its ticket.
     * @param issuedNs when the ticket was issued.
     * @param handle names the flow towards the context.
     */
    ReceiveFlow(
            final FlowContext context,
            final int peerNode,
            final FrameHeaderFlyweight frame,
            final int first,
            final long issuedNs,
            final int windowFrames,
            final int handle) {
        super(context, peerNode, frame.sourceContext(), frame.source());
        peerIncarnation = frame.sourceIncarnation();
        epoch = frame.epoch();
        firstSequence = first;
        issueNs = issuedNs;
        ends = new FlowEndpoints(context.id, context.incarnation, peerNode, peerContext, handle);
        array = new OrderingArray<>(windowFrames, firstSequence);
        window = new ReceiveWindow(firstSequence, windowFrames);
    }

    /** True if {@code frame} is of the incarnation and epoch of this flow. */
    boolean isOf(final FrameHeaderFlyweight frame) {
        return peerIncarnation == frame.sourceIncarnation() && epoch == frame.epoch();
    }

    /**
     * True if {@code frame}, which shows a ticket issued at {@code issuedNs}, is of a later epoch
     * or incarnation of its source.
     */
    boolean isBefore(final FrameHeaderFlyweight frame, final long issuedNs) {
        if (issuedNs != issueNs) {
            return issuedNs - issueNs > 0;
        }
        return peerIncarnation == frame.sourceIncarnation()
                ? Sequence.epochDistance(epoch, frame.epoch()) > 0
                : Sequence.isBefore(peerIncarnation, frame.sourceIncarnation());
    }

    /** True once no late frame can show the flow's ticket any more. */
    boolean isCookieExpired(final long lifetimeNs, final long nowNs) {
        return nowNs - issueNs >= lifetimeNs;
    }

    int peerIncarnation() {
        return peerIncarnation;
    }

    int epoch() {
        return epoch;
    }

    /** The source was heard. */
    void onHeard(final long nowNs) {
        lastHeardNs = nowNs;
        asks = 0;
        recallPauseNs = 0;
    }

    /**
     * True if the silent source may be asked for window: ever more rarely while it stays silent.
     */
    boolean mayRecall(final long nowNs) {
        return recallPauseNs == 0 || recallNs - nowNs <= 0;
    }

    /** The source is asked for window. */
    void onRecalled(final long nowNs) {
        recallPauseNs =
                recallPauseNs == 0
                        ? CreditRecallTimer.RECALL_NS
                        : Math.min(2 * recallPauseNs, CreditRecallTimer.MAX_PAUSE_NS);
        recallNs = nowNs + recallPauseNs;
    }

    /** The source is asked to close the flow; it may be asked again after {@code pauseNs}. */
    void onAsked(final long pauseNs, final long nowNs) {
        closeNs = nowNs + pauseNs;
        asks++;
    }

    /** True if the source may be asked to close the flow. */
    boolean mayAsk(final long nowNs) {
        return closeNs == 0 || closeNs - nowNs <= 0;
    }

    /**
     * True if the source has replied to none of many requests, to which every live source replies.
     */
    boolean isUnresponsive(final long nowNs) {
        return asks > MAX_ASKS && closeNs - nowNs <= 0;
    }

    /** For how long the source has not been heard. */
    long silentNs(final long nowNs) {
        return nowNs - lastHeardNs;
    }

    /**
     * The source is asked for the window that it does not use; returns for how long it has not
     * answered.
     */
    long unansweredNs(final long nowNs) {
        if (askedNs - lastHeardNs < 0) {
            askedNs = nowNs;
        }
        return nowNs - askedNs;
    }

    /** Frames that the source may send and has not sent. */
    int unusedFrames() {
        return window.unusedFrames(array.next());
    }

    /** Brings what the source may send up to date. */
    void grant() {
        context.credit.grant(this);
    }

    /** Takes back the last {@code frames} that were announced. */
    void takeBack(final int frames) {
        context.credit.takeBack(window, frames);
    }

    /** Notes that an acknowledgement was sent; {@code isSelective}: with the bitmap. */
    void onAcknowledged(final boolean isSelective) {
        window.onAnnounced();
        pendingAck.onAcknowledged(isSelective);
    }

    /** The context has released one frame. */
    void onReleased() {
        releasedFrames++;
        context.credit.onReleased(window);
    }

    /** The context, which is about to be closed, has not released all of a frame. */
    void onAbandoned(final int sequence, final int messagesLeft) {
        if (abandonedFrames == abandoned.length) {
            abandoned = Arrays.copyOf(abandoned, Math.max(16, 2 * abandonedFrames));
        }
        abandoned[abandonedFrames++] = (long) sequence << Integer.SIZE | messagesLeft;
    }

    /** True if the context, which is about to be closed, has released all that has arrived. */
    boolean isAllReleased() {
        return abandonedFrames == 0 && array.seenTo() - (firstSequence + releasedFrames) <= 0;
    }

    /**
     * What is to be remembered of the flow when its context is closed. Frames that the context has
     * not released and does not name are the last ones.
     */
    Tombstone leaveTombstone(final int windowFrames, final long nowNs) {
        // A loop that has just delivered may not have reported it, but the context has released it.
        final int releasedTo = firstSequence + releasedFrames;
        final int arrivedTo = array.seenTo();
        final int seenTo = arrivedTo - releasedTo > 0 ? arrivedTo : releasedTo;
        final Tombstone.Builder stone = new Tombstone.Builder(seenTo, windowFrames);
        // By their distance from what comes next, since sequences wrap around.
        final long before = (long) seenTo << Integer.SIZE;
        for (int i = 0; i < abandonedFrames; i++) {
            abandoned[i] -= before;
        }
        Arrays.sort(abandoned, 0, abandonedFrames);
        for (int i = 0; i < abandonedFrames; i++) {
            final long frame = abandoned[i] + before;
            stone.add((int) (frame >>> Integer.SIZE), 1, (int) frame);
        }
        if (seenTo != releasedTo) {
            stone.add(releasedTo, seenTo - releasedTo, EndedFlyweight.ALL_MESSAGES);
        }
        return stone.build(this, nowNs);
    }

    /** True once a frame of this flow has arrived. */
    boolean hasArrivals() {
        return array.next() != firstSequence || !array.isEmpty();
    }

    /** True while the context has frames that it has not released. */
    boolean hasHeldFrames() {
        return heldFrames() > 0;
    }

    /** After the end, takes back what was announced and never came; true the first time. */
    boolean settle() {
        if (isSettled) {
            return false;
        }
        isSettled = true;
        context.credit.onArrived(window, array.next());
        context.credit.commit(window, heldFrames() - window.committedFrames());
        return true;
    }

    boolean isSettled() {
        return isSettled;
    }

    private int heldFrames() {
        final int frames = array.next() - firstSequence - releasedFrames;
        assert frames >= 0 : "more frames released than delivered: " + frames;
        return frames;
    }

    /** The flow to the peer, whose frames carry acknowledgements of this one; or null. */
    SendFlow opposite() {
        return opposite;
    }

    /**
     * Makes the two flows between the same ends known to each other; {@code sending} may be null.
     */
    void join(final SendFlow sending) {
        opposite = sending;
        if (sending != null) {
            sending.onJoined(this);
        }
    }

    /** The flow ends: its opposite forgets it. */
    void part() {
        if (opposite != null) {
            opposite.onJoined(null);
            opposite = null;
        }
    }

    /** The application was notified that the peer is a new incarnation, by the flow to the peer. */
    void onRestartNotified() {
        isRestartNotified = true;
    }

    boolean isRestartNotified() {
        return isRestartNotified;
    }

    /** Heap bytes of a flow whose window has {@code windowFrames}, rounded up. */
    static int bytes(final int windowFrames) {
        return 1_088 + 8 * windowFrames;
    }

    /** The flow in the stack of those that wait for room in the context. */
    static final class RoomNode extends WorkStack.Node {
        final ReceiveFlow flow;

        RoomNode(final ReceiveFlow flow) {
            this.flow = flow;
        }
    }
}
