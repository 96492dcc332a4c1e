package io.hxb.flow;

import io.hxb.flow.order.Sequence;
import io.hxb.flow.order.WorkStack;

import java.util.ArrayList;

/**
 * One open context as its flows see it: the messages it sends, the credit of its sources, and its
 * flows. Owned by the loop that owns the context, except {@link #noRoom} and {@link #isOpen}.
 */
final class FlowContext {
    final int id;
    final int incarnation;

    /** Of the loop that owns the context. */
    final LoopInbox inbox;

    /** How long messages wait for a destination that nobody has opened. */
    final long peerWaitNs;

    /** What its flows may do. */
    final FlowRights rights;

    final MessageSlots slots = new MessageSlots();
    final ContextCredit credit;

    /** Flows whose next frame found no room in the context; filled by any loop. */
    final WorkStack noRoom = new WorkStack();

    /** Those of them that the owner knows. */
    final WaitQueue<ReceiveFlow> roomLine = new WaitQueue<>();

    /** The context that had the number before, while links may still hold its payload. */
    private final FlowContext previous;

    private final ArrayList<SendFlow> sendFlows = new ArrayList<>();
    private final ArrayList<ReceiveFlow> receiveFlows = new ArrayList<>();
    private SendFlow lastSendFlow;
    private int queuedFrames;
    private boolean isMoreComing;

    /** Where the search for closed flows goes on. */
    private int searchIndex;

    /** Epoch of the next flow that is made: later than that of any flow that was forgotten. */
    private int firstEpoch;

    /** Handles of receiving flows of the context, including those that have ended. */
    private int handles;

    private volatile boolean isOpen = true;

    FlowContext(
            final int id,
            final int incarnation,
            final LoopInbox inbox,
            final ContextCredit credit,
            final ContextTerms terms,
            final FlowContext before) {
        this.id = id;
        this.incarnation = incarnation;
        this.inbox = inbox;
        this.credit = credit;
        peerWaitNs = terms.peerWaitNs();
        rights = terms.rights();
        previous = before != null && before.queuedFrames() > 0 ? before : null;
    }

    /** False once the context is closed. Any thread. */
    boolean isOpen() {
        return isOpen;
    }

    void close() {
        isOpen = false;
        credit.close();
    }

    /** True if its application has submitted more than was taken in this turn. */
    boolean isMoreComing() {
        return isMoreComing;
    }

    void onMoreComing(final boolean isMore) {
        isMoreComing = isMore;
    }

    /** A link holds a frame with payload of the context. */
    void onQueued() {
        queuedFrames++;
    }

    /** A link no longer holds such a frame. */
    void onUnqueued() {
        queuedFrames--;
        assert queuedFrames >= 0 : "more frames came back than were queued: " + queuedFrames;
    }

    /** Frames that links hold, of this context and of those that had the number before. */
    int queuedFrames() {
        int frames = 0;
        for (FlowContext context = this; context != null; context = context.previous) {
            frames += context.queuedFrames;
        }
        return frames;
    }

    /** The sending flow used last, if that is the one with {@code key}; else null. */
    SendFlow lastSendFlow(final long key) {
        final SendFlow last = lastSendFlow;
        return last != null && last.key == key ? last : null;
    }

    /** Messages are sent by {@code flow}, probably more than one in a row. */
    void onUsed(final SendFlow flow) {
        lastSendFlow = flow;
    }

    void add(final SendFlow flow) {
        sendFlows.add(flow);
    }

    /** Forgets a flow that is closed; the next one to the same peer has a later epoch. */
    void remove(final SendFlow flow) {
        sendFlows.remove(flow);
        rights.giveBackFlow();
        if (Sequence.epochDistance(firstEpoch, flow.epoch()) > 0) {
            firstEpoch = flow.epoch();
        }
        if (lastSendFlow == flow) {
            lastSendFlow = null;
        }
    }

    /** Epoch of the next flow that is made. */
    int firstEpoch() {
        return firstEpoch;
    }

    int sendFlowCount() {
        return sendFlows.size();
    }

    /**
     * The next of the sending flows, of which there is at least one: each call returns another in
     * turn.
     */
    SendFlow nextSendFlow() {
        searchIndex = searchIndex + 1 < sendFlows.size() ? searchIndex + 1 : 0;
        return sendFlows.get(searchIndex);
    }

    SendFlow sendFlow(final int index) {
        return sendFlows.get(index);
    }

    void add(final ReceiveFlow flow) {
        receiveFlows.add(flow);
        credit.add(flow.window);
        handles++;
    }

    /** A receiving flow that has ended gave its handle back. */
    void onHandleFreed() {
        handles--;
        rights.giveBackFlow();
        assert handles >= 0 : handles;
    }

    /** Handles of receiving flows, including those that have ended. */
    int handles() {
        return handles;
    }

    /** Happens when a flow ends, so a search through all is fast enough. */
    void remove(final ReceiveFlow flow) {
        receiveFlows.remove(flow);
        credit.remove(flow.window);
    }

    int receiveFlowCount() {
        return receiveFlows.size();
    }

    ReceiveFlow receiveFlow(final int index) {
        return receiveFlows.get(index);
    }

    /** Forgets all flows: the context is closed and they have ended. */
    void forgetFlows() {
        for (int count = sendFlows.size(); count > 0; count--) {
            rights.giveBackFlow();
        }
        sendFlows.clear();
        receiveFlows.clear();
        lastSendFlow = null;
    }
}
