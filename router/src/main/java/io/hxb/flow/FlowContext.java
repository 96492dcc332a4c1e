package io.hxb.flow;

import io.hxb.flow.order.WorkStack;

import java.util.Arrays;

/**
 * The flows' books on one open context: its messages to send by send slot, and how many frames its
 * sources may send. Owned by the loop that owns the context, except {@link #waiting}.
 *
 * <p>Credit: every frame that was announced to a source and every frame that the application holds
 * is committed; the sum stays within the quota. Sources share it evenly; who gets none waits in
 * line.
 */
final class FlowContext {
    static final int NO_SLOT = -1;

    final int id;
    final int incarnation;
    final FlowLoop owner;
    final int quotaFrames;

    /** How long messages wait for a destination that nobody has opened. */
    final long peerWaitNs;

    /** Flows whose next frame found no room in the context; filled by any loop. */
    final WorkStack waiting = new WorkStack();

    volatile boolean isOpen = true;

    /** The context that had the number before, while links may still hold its payload. */
    FlowContext previous;

    int[] slotNext = new int[0];
    int[] slotLength = new int[0];
    int[] slotTag = new int[0];
    long[] slotAddress = new long[0];

    /** Its application has submitted more than was taken in this turn. */
    boolean isMoreComing;

    int queuedFrames;
    SendFlow lastSendFlow;
    SendFlow sendFlows;
    ReceiveFlow receiveFlows;

    private ReceiveFlow waitingHead;
    private ReceiveFlow waitingTail;
    private ReceiveFlow creditHead;
    private ReceiveFlow creditTail;
    private int committedFrames;
    private int activeFlows;
    private int creditLineLength;

    FlowContext(
            final int id,
            final int incarnation,
            final FlowLoop owner,
            final int quotaFrames,
            final long peerWaitNs) {
        this.id = id;
        this.incarnation = incarnation;
        this.owner = owner;
        this.quotaFrames = quotaFrames;
        this.peerWaitNs = peerWaitNs;
    }

    /** Makes room for send slot {@code slot}; doubles, so that it is rarely done. */
    void ensureSlot(final int slot) {
        if (slot >= slotNext.length) {
            final int count = Math.max(64, Integer.highestOneBit(slot) << 1);
            slotNext = Arrays.copyOf(slotNext, count);
            slotLength = Arrays.copyOf(slotLength, count);
            slotTag = Arrays.copyOf(slotTag, count);
            slotAddress = Arrays.copyOf(slotAddress, count);
        }
    }

    /** Puts a flow at the end of those that wait for room in the context. */
    void addWaiting(final ReceiveFlow flow) {
        if (waitingTail == null) {
            waitingHead = flow;
        } else {
            waitingTail.nextWaiting = flow;
        }
        waitingTail = flow;
    }

    boolean hasWaiting() {
        return waitingHead != null;
    }

    ReceiveFlow pollWaiting() {
        final ReceiveFlow flow = waitingHead;
        waitingHead = flow.nextWaiting;
        if (waitingHead == null) {
            waitingTail = null;
        }
        flow.nextWaiting = null;
        return flow;
    }

    /** Takes a flow out of the list of all; done when a flow ends, so walking it is good enough. */
    void removeReceiveFlow(final ReceiveFlow flow) {
        if (receiveFlows == flow) {
            receiveFlows = flow.nextOfContext;
            return;
        }
        ReceiveFlow before = receiveFlows;
        while (before != null && before.nextOfContext != flow) {
            before = before.nextOfContext;
        }
        if (before != null) {
            before.nextOfContext = flow.nextOfContext;
        }
    }

    /** True while a source waits for credit. */
    boolean isShortOfCredit() {
        return creditHead != null;
    }

    int committedFrames() {
        return committedFrames;
    }

    /**
     * Raises what {@code flow} may send as far as its share allows; else it waits in line.
     *
     * @param windowFrames slots of the ordering array.
     */
    void grant(final ReceiveFlow flow, final int windowFrames) {
        final int next = flow.array.next();
        if (next - flow.limit > 0) {
            commit(flow, next - flow.limit);
            flow.limit = next;
        }
        flow.growTarget(next, windowFrames);
        final int sharers = activeFlows + creditLineLength + (flow.committedFrames == 0 ? 1 : 0);
        final int share = Math.max(1, quotaFrames / Math.max(1, sharers));
        final int wanted =
                Math.min(share - flow.committedFrames, next + flow.targetFrames - flow.limit);
        final int granted = Math.min(wanted, quotaFrames - committedFrames);
        if (granted > 0) {
            commit(flow, granted);
            flow.limit += granted;
        } else if (wanted > 0 && flow.limit == next) {
            joinCreditLine(flow);
        }
    }

    /** Takes {@code frames} of a flow's credit back. */
    void commit(final ReceiveFlow flow, final int frames) {
        final boolean wasActive = flow.committedFrames > 0;
        flow.committedFrames += frames;
        committedFrames += frames;
        final boolean isActive = flow.committedFrames > 0;
        if (wasActive != isActive) {
            activeFlows += isActive ? 1 : -1;
        }
    }

    /** The source that waits longest, if there is credit for it; it leaves the line. */
    ReceiveFlow pollCreditLine() {
        if (creditHead == null || quotaFrames - committedFrames <= 0) {
            return null;
        }
        final ReceiveFlow flow = creditHead;
        creditHead = flow.nextCredit;
        if (creditHead == null) {
            creditTail = null;
        }
        flow.nextCredit = null;
        flow.isInCreditLine = false;
        creditLineLength--;
        return flow;
    }

    private void joinCreditLine(final ReceiveFlow flow) {
        if (flow.isInCreditLine) {
            return;
        }
        flow.isInCreditLine = true;
        creditLineLength++;
        owner.onShortOfCredit();
        if (creditTail == null) {
            creditHead = flow;
        } else {
            creditTail.nextCredit = flow;
        }
        creditTail = flow;
    }
}
