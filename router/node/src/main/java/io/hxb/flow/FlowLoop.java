package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.BufferPool;
import io.hxb.link.LoopClock;
import io.hxb.log.LoopErrors;
import io.hxb.pm.PmStatus;
import io.hxb.time.Deadline;

/**
 * The agent of the flows of one loop. Owned by that loop: every method is called by its thread,
 * except {@link #counters()}.
 *
 * <p>In one wake-up the loop calls {@link #onFrame} for what it received and {@link #submit} for
 * what applications want to send, then {@link #doWork} once, and waits at most until {@link
 * #nextDeadlineNs}.
 */
public final class FlowLoop implements FlowPort {
    private final FlowTable table;
    private final BufferPool.Share share;
    private final LoopClock clock = new LoopClock();
    private final CounterBlock counters;
    private final LoopInbox inbox;
    private final Sender sender;
    private final SendFeedback feedback;
    private final Receiver receiver;
    private final AckScheduler acks;
    private final ControlReader reader;
    private final FlowOutput output;
    private final CreditRecallTimer recall;
    private final SweepTimer sweep;
    private final LoopContexts contexts;
    private final StaleFrameReplies staleFrameReplies;
    private final int maxMessageBytes;
    private final int nodeCount;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private FlowContext lastContext;

    /** Makes the agent of one loop, for a node that has only this one. */
    public FlowLoop(final FlowTable table, final FlowOutput output, final BufferPool.Share share) {
        this(table, output, share, CounterBlock.unpublished(0, 0), () -> {});
    }

    /**
     * Makes the agent of one loop. Allocates; called at start.
     *
     * @param output where the loop's frames go.
     * @param share the loop's share of the pool.
     * @param counters of the loop.
     * @param wakeUp called by other loops when {@link #doWork} of this one has something to do.
     */
    public FlowLoop(
            final FlowTable table,
            final FlowOutput output,
            final BufferPool.Share share,
            final CounterBlock counters,
            final Runnable wakeUp) {
        this.table = table;
        this.output = output;
        this.share = share;
        this.counters = counters;
        inbox = new LoopInbox(table.inboxLinks(), wakeUp);
        maxMessageBytes = table.sizes().maxMessageBytes();
        nodeCount = table.shape().nodeCount();
        recall = new CreditRecallTimer(table.config());
        sweep = new SweepTimer(table.config().idleTimeoutNs());
        final int windowFrames = table.config().windowFrames();
        final TxPool memory = new TxPool(table.sizes(), windowFrames, table.arena());
        final int ackBodyBytes = TxPool.ackBodyBytes(windowFrames, table.sizes().frameBytes());
        final ControlWriter control =
                new ControlWriter(output, memory, counters, clock, ackBodyBytes);
        final LoopParts parts =
                new LoopParts(
                        table, output, memory, control, counters, clock, inbox, recall, sweep);
        sender = new Sender(parts);
        feedback = sender.feedback();
        acks = new AckScheduler(parts);
        staleFrameReplies = new StaleFrameReplies(parts);
        receiver = new Receiver(parts, share, feedback, acks, staleFrameReplies);
        reader = new ControlReader(parts, receiver, feedback, staleFrameReplies);
        contexts = new LoopContexts(parts, receiver, new IdleFlowSweeper(parts, sender, receiver));
    }

    /**
     * Takes a message to send. It joins the messages that wait for its flow, whatever the state of
     * the receiver's window and the links, and is sent by the next {@link #doWork}. Small messages
     * that wait together share a frame, into which they are copied.
     *
     * <p>{@link FlowListener#onSendDone} follows exactly once, when the receiving node has the
     * message or the flow has ended; also for messages that were copied, so that done always means
     * arrived. Payload memory must not change until then. If the context closes first, the memory
     * has to stay mapped until {@link #queuedFrames} is 0.
     *
     * @param contextId an open context that this loop owns.
     * @param sendSlot the caller's number for the message, 0 to 65,535; not in use by another
     *     message of the context.
     * @param payloadAddress first byte.
     * @param lengthBytes 0 to {@link FlowSizes#maxMessageBytes()}.
     * @param tag carried to the receiver.
     * @return {@code PmStatus.OK}; or nothing was taken and onSendDone will not be called:
     *     CONTEXT_CLOSED, TOO_LONG, PEER_UNREACHABLE (no such node in the shape), NO_SUCH_CONTEXT
     *     (the number is out of range), FLOW_LIMIT (too many flows, see {@link
     *     FlowSizes#maxFlows()}).
     */
    public int submit(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        final FlowContext context = context(contextId);
        if (context == null) {
            return PmStatus.CONTEXT_CLOSED;
        }
        if (context.inbox != inbox) {
            throw new IllegalStateException("context is owned by another loop: " + contextId);
        }
        if (sendSlot < 0 || sendSlot > 0xFFFF) {
            throw new IllegalArgumentException("sendSlot must be 0..65535: " + sendSlot);
        }
        if (lengthBytes < 0 || lengthBytes > maxMessageBytes) {
            return PmStatus.TOO_LONG;
        }
        if (destinationNode < 0 || destinationNode >= nodeCount) {
            return PmStatus.PEER_UNREACHABLE;
        }
        if (destinationContext < 0 || destinationContext > 0xFFFF) {
            return PmStatus.NO_SUCH_CONTEXT;
        }
        final SendFlow flow = sender.flow(context, destinationNode, destinationContext);
        if (flow == null) {
            sweep.onShort(clock.nowNs());
            counters.increment(CounterType.FLOW_REFUSED_EVENTS);
            return PmStatus.FLOW_LIMIT;
        }
        context.slots.put(sendSlot, payloadAddress, lengthBytes, tag);
        sender.submit(flow, sendSlot, lengthBytes);
        return PmStatus.OK;
    }

    /**
     * Takes a message as {@link #submit} does, and reports a refusal by {@link
     * FlowListener#onSendDone} within the call: for callers that look for the outcome there anyway.
     * Nothing is reported for a context that is not open.
     */
    @Override
    public void submitOrReport(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        final int status =
                submit(
                        contextId,
                        sendSlot,
                        destinationNode,
                        destinationContext,
                        payloadAddress,
                        lengthBytes,
                        tag);
        if (status != PmStatus.OK && status != PmStatus.CONTEXT_CLOSED) {
            table.listener().onSendDone(contextId, sendSlot, status);
        }
    }

    /**
     * Takes short messages for one destination from the front of a run in a ShortRing: as many as
     * the flow is free to send. They are copied into frames, sent by the next {@link #doWork};
     * {@link FlowListener#onRunDone} follows for each frame. The rest has to be submitted.
     *
     * @param contextId an open context that this loop owns.
     * @param destinationNode of the shape.
     * @param destinationContext 0 to 65,535.
     * @param address of the first record, in memory that may change at the same time.
     * @param lengthBytes of all records.
     * @param maxMessages how many may be taken.
     * @param isNewRun true if the first record begins a run: then it begins a frame, too.
     * @return see {@link StageResult}; NONE, too, when the context is closed.
     */
    @Override
    public long stage(
            final int contextId,
            final int destinationNode,
            final int destinationContext,
            final long address,
            final int lengthBytes,
            final int maxMessages,
            final boolean isNewRun) {
        final FlowContext context = context(contextId);
        final SendFlow flow =
                context == null ? null : sender.flow(context, destinationNode, destinationContext);
        return flow == null
                ? StageResult.NONE
                : sender.stage(flow, address, lengthBytes, maxMessages, isNewRun);
    }

    // One context submits many messages in a row.
    private FlowContext context(final int contextId) {
        final FlowContext last = lastContext;
        if (last != null && last.id == contextId && last.isOpen()) {
            return last;
        }
        lastContext = table.context(contextId);
        return lastContext;
    }

    @Override
    public long waitingBytes(
            final int contextId, final int destinationNode, final int destinationContext) {
        final SendFlow flow =
                table.sendFlows().get(Flow.key(contextId, destinationNode, destinationContext));
        return flow == null ? 0 : flow.backlog.waitingBytes();
    }

    @Override
    public void endFlow(
            final int contextId, final int destinationNode, final int destinationContext) {
        final SendFlow flow =
                table.sendFlows().get(Flow.key(contextId, destinationNode, destinationContext));
        if (flow != null && !flow.isClosed() && flow.context.inbox == inbox) {
            feedback.end(flow, PmStatus.PEER_UNREACHABLE);
        }
    }

    /**
     * Sets whether a context has more messages than this turn took: small ones that do not fill a
     * frame then wait for the next turn, but no longer if that brings none for their flow.
     *
     * @param contextId a context that this loop owns; nothing happens when it is closed.
     */
    @Override
    public void moreComing(final int contextId, final boolean isMoreComing) {
        final FlowContext context = context(contextId);
        if (context != null) {
            context.onMoreComing(isMoreComing);
        }
    }

    /**
     * Takes a frame for this node of a type that belongs to flows; data is delivered within the
     * call if it is next in order. The frame has been validated: version, cluster, length, records.
     *
     * @param lengthBytes header and body.
     * @param bufferId pool buffer it lies in; ownership passes, also if this throws.
     */
    public void onFrame(final long headerAddress, final int lengthBytes, final int bufferId) {
        boolean isKept = false;
        try {
            isKept = take(headerAddress, lengthBytes, bufferId);
        } finally {
            if (!isKept) {
                share.release(bufferId);
            }
        }
    }

    // True if the buffer is kept.
    private boolean take(final long headerAddress, final int lengthBytes, final int bufferId) {
        header.wrap(headerAddress);
        final int type = header.type();
        if (lengthBytes < FrameHeaderFlyweight.LENGTH + header.bodyLength()
                || table.shape().node(header.source()) < 0) {
            counters.increment(CounterType.FLOW_MALFORMED_FRAMES);
            return false;
        }
        final FlowContext context = table.context(header.destinationContext());
        if (context == null) {
            counters.increment(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES);
            if (isAnswered(type)) {
                staleFrameReplies.answer(header, null);
            }
            return false;
        }
        if (type == FrameType.DATA) {
            return receiver.onData(context, headerAddress, bufferId);
        }
        context.inbox.hand(bufferId, inbox);
        return true;
    }

    /**
     * The context, which had no room, has room again: hands over what waits for it, fairly among
     * its sources.
     *
     * @param contextId a context that this loop owns; nothing happens when it is closed.
     */
    @Override
    public void resume(final int contextId) {
        final FlowContext context = table.context(contextId);
        if (context != null) {
            receiver.resume(context);
        }
    }

    /**
     * Does what is due: handles acknowledgements, sends, acknowledges, checks timers, and flushes
     * the output when something was sent. Bounded; never blocks.
     *
     * @return frames handled, 0 when there was nothing to do.
     */
    public int doWork(final long nowNs) {
        clock.begin(nowNs);
        sender.beginTurn(nowNs);
        int work = handleInbox();
        work += attend();
        sender.fireTimers();
        contexts.doWork(nowNs);
        work += sender.sendReady();
        final int acksSent = acks.sendAcks(nowNs) + staleFrameReplies.sendNotices(nowNs);
        if (acksSent > 0) {
            output.flush();
        }
        return work + acksSent;
    }

    /**
     * The latest time at which {@link #doWork} has to be called, if nothing happens before.
     *
     * @return {@code nowNs} if it should be called again at once; Long.MAX_VALUE for never.
     */
    public long nextDeadlineNs(final long nowNs) {
        if (sender.hasReady() || !inbox.isEmpty()) {
            return nowNs;
        }
        long deadlineNs =
                Deadline.earlier(sender.nextDeadlineNs(nowNs), acks.nextDeadlineNs(nowNs));
        if (acks.hasAcks()) {
            deadlineNs = Deadline.earlier(deadlineNs, nowNs + table.config().ackDelayNs());
        }
        deadlineNs = Deadline.earlier(deadlineNs, staleFrameReplies.nextDeadlineNs());
        deadlineNs = Deadline.earlier(deadlineNs, contexts.nextDeadlineNs(nowNs));
        return Deadline.notBefore(nowNs, deadlineNs);
    }

    /** The links, which were full, take frames again. */
    public void onLinkWritable() {
        sender.onWritable();
    }

    /**
     * A link to a neighbour has failed: what this loop's flows sent over it is sent again by the
     * next {@link #doWork}, over other links.
     *
     * @param link index of the link, as {@link FlowOutput#send} returned it.
     * @param dimension dimension of the link.
     * @param neighbour coordinate of the neighbour in that dimension.
     * @return frames that will be sent again.
     */
    public int onLinkFailed(final int link, final int dimension, final int neighbour) {
        int frames = 0;
        for (final FlowContext context : contexts.all()) {
            frames += feedback.onLinkFailed(context, link, dimension, neighbour);
        }
        return frames;
    }

    /**
     * Frames with payload of a context, open or closed, that links hold queued: while there are any
     * its send memory must stay mapped.
     */
    @Override
    public int queuedFrames(final int contextId) {
        return table.queuedFrames(contextId);
    }

    @Override
    public void openContext(final int contextId, final int incarnation, final ContextTerms terms) {
        contexts.add(table.openContext(contextId, incarnation, inbox, recall, terms));
    }

    /**
     * Closes a context; nothing happens when it is not open. Unacknowledged sends are forgotten,
     * buffers in its ordering arrays go back to the pool, and from now on its sources are notified
     * that nobody is there. Frames the application holds still come back by {@link #released}; its
     * send memory stays mapped until {@link #queuedFrames} is 0.
     */
    @Override
    public void closeContext(final int contextId) {
        final FlowContext context = table.context(contextId);
        if (context != null) {
            context.close();
            remove(context);
        }
    }

    @Override
    public boolean walk(final FlowWalk walk, final int maxFlows) {
        return walk.step(contexts.all(), maxFlows);
    }

    @Override
    public int creditFrames(final int contextId) {
        final FlowContext context = table.context(contextId);
        return context == null ? 0 : context.credit.limitFrames();
    }

    @Override
    public void released(final int flowHandle, final int bufferId) {
        share.release(bufferId);
        releasedCopy(flowHandle);
    }

    @Override
    public void releasedCopy(final int flowHandle) {
        final ReceiveFlow flow = table.flowOf(flowHandle);
        if (flow != null) {
            receiver.onReleased(flow);
        }
    }

    @Override
    public void abandoned(final int flowHandle, final int sequence, final int messagesLeft) {
        final ReceiveFlow flow = table.flowOf(flowHandle);
        if (flow != null) {
            flow.onAbandoned(sequence, messagesLeft);
        }
    }

    /** What this loop counts. */
    public CounterBlock counters() {
        return counters;
    }

    /** Frames that are in flight, queued, or being written; 0 when the loop has nothing to do. */
    public int framesInUse() {
        return sender.framesInUse();
    }

    private void remove(final FlowContext context) {
        contexts.remove(context);
        // What other loops have received is acknowledged, too.
        attend();
        if (acks.settle(context) > 0) {
            output.flush();
        }
        feedback.forget(context);
        receiver.forget(context);
        context.forgetFlows();
        attend();
    }

    private int handleInbox() {
        int frames = 0;
        int id = inbox.takeFrames();
        while (id != BufferPool.NONE) {
            final int following = inbox.following(id);
            read(id);
            id = following;
            frames++;
        }
        return frames;
    }

    // Whatever is wrong with one frame, those after it are read.
    private void read(final int bufferId) {
        boolean isKept = false;
        try {
            isKept = reader.onFrame(bufferId);
        } catch (final RuntimeException | Error e) {
            LoopErrors.INSTANCE.onError(e);
        }
        if (!isKept) {
            share.release(bufferId);
        }
    }

    private int attend() {
        int flows = 0;
        Flow flow = inbox.takeFlows();
        while (flow != null) {
            final Flow following = (Flow) flow.take();
            try {
                attend(flow);
            } catch (final RuntimeException | Error e) {
                LoopErrors.INSTANCE.onError(e);
            }
            flow = following;
            flows++;
        }
        return flows;
    }

    private void attend(final Flow flow) {
        if (flow instanceof ReceiveFlow receiving) {
            receiver.attend(receiving);
        } else if (flow instanceof SendFlow sending) {
            attend(sending);
        }
    }

    private void attend(final SendFlow flow) {
        final long posted = flow.mailbox.take();
        if (AckMailbox.isAck(posted) && flow.isOpen() && AckMailbox.epoch(posted) == flow.epoch()) {
            feedback.onAck(
                    flow,
                    AckMailbox.acknowledgement(posted),
                    AckMailbox.windowFrames(posted),
                    0,
                    0);
        }
    }

    /** True for the types of frames whose sender gets an answer when nobody is there. */
    private static boolean isAnswered(final int type) {
        return type == FrameType.DATA
                || type == FrameType.OPEN
                || type == FrameType.PROBE
                || type == FrameType.CLOSE;
    }
}
