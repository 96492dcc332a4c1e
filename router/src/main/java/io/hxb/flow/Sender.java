package io.hxb.flow;

import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.FrameOwner;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.topology.Shape;

/**
 * The sending half of one loop: takes messages, makes frames of them, sends those again that are
 * lost, and ends flows whose peer is gone. Owned by the loop.
 *
 * <p>Flows with something to do stand in line, each at most once, and get a turn of a bounded
 * number of frames; a flow that cannot go on (no window, its links blocked) leaves the line, so it
 * holds up nobody else.
 */
final class Sender implements FrameOwner {
    private static final int FRAMES_A_TURN = 32;
    private static final int FRAMES_A_ROUND = 256;
    private static final int ROUNDS = 4;
    private static final long BLOCKED_RETRY_NS = 100_000;

    private final FlowTable table;
    private final FlowSettings config;
    private final FlowOutput output;
    private final RouteTable routes;
    private final TxPool pool;
    private final ControlWriter control;
    private final FlowCounters counters;
    private final FlowTimers timers = new FlowTimers();
    private final FlowQueue ready = new FlowQueue();
    private final FlowQueue blocked = new FlowQueue();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private long nowNs;
    private long blockedRetryNs;
    private boolean isUnblocked;

    /** How the last turn ended: done, more to do, or held up by the output or the pool. */
    private boolean hasMore;

    private boolean isHeldUp;
    private boolean isWithoutRoute;

    Sender(
            final FlowTable table,
            final FlowOutput output,
            final TxPool pool,
            final ControlWriter control,
            final FlowCounters counters) {
        this.table = table;
        config = table.config();
        this.output = output;
        routes = output.routes();
        this.pool = pool;
        this.control = control;
        this.counters = counters;
    }

    /** See {@link FlowLoop#submit}. */
    int submit(
            final FlowContext context,
            final int sendSlot,
            final int node,
            final int contextId,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        if (lengthBytes < 0 || lengthBytes > config.maxMessageBytes()) {
            return PmStatus.TOO_LONG;
        }
        if (node < 0 || node >= table.shape().nodeCount()) {
            return PmStatus.PEER_UNREACHABLE;
        }
        if (contextId < 0 || contextId > 0xFFFF) {
            return PmStatus.NO_SUCH_CONTEXT;
        }
        final SendFlow flow = flow(context, node, contextId);
        if (flow == null) {
            counters.flowsExhausted++;
            return PmStatus.NO_BUFFERS;
        }
        context.ensureSlot(sendSlot);
        context.slotAddress[sendSlot] = payloadAddress;
        context.slotLength[sendSlot] = lengthBytes;
        context.slotTag[sendSlot] = tag;
        context.slotNext[sendSlot] = FlowContext.NO_SLOT;
        if (flow.pendingHead == FlowContext.NO_SLOT) {
            flow.pendingHead = sendSlot;
        } else {
            context.slotNext[flow.pendingTail] = sendSlot;
        }
        flow.pendingTail = sendSlot;
        flow.pendingCount++;
        makeReady(flow);
        return PmStatus.OK;
    }

    /** Takes the time for everything until the next call. */
    void now(final long timeNs) {
        nowNs = timeNs;
    }

    @Override
    public void release(final long token) {
        final TxFrame frame = pool.frame((int) token);
        frame.queued--;
        frame.flow.context.queuedFrames--;
        if (frame.queued > 0) {
            return;
        }
        if (frame.isFinished) {
            complete(frame);
        } else if (nowNs - frame.sentNs > 0) {
            frame.sentNs = nowNs;
        }
    }

    /** Looks after the flows whose time has come. */
    int fireTimers() {
        int fired = 0;
        SendFlow flow = timers.poll(nowNs);
        while (flow != null) {
            fired++;
            onTimer(flow);
            arm(flow);
            flow = timers.poll(nowNs);
        }
        return fired;
    }

    /** Sends what may go; returns frames sent. */
    int sendReady() {
        if (isUnblocked || blockedRetryNs - nowNs <= 0) {
            ready.takeAll(blocked);
        }
        isUnblocked = false;
        int frames = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final int sent = sendRound();
            frames += sent;
            if (sent > 0) {
                output.flush();
            }
            if (sent == 0 || blocked.isEmpty()) {
                break;
            }
            ready.takeAll(blocked);
        }
        if (!blocked.isEmpty()) {
            blockedRetryNs = nowNs + BLOCKED_RETRY_NS;
        }
        return frames;
    }

    void onWritable() {
        isUnblocked = true;
    }

    boolean hasReady() {
        return !ready.isEmpty() || (isUnblocked && !blocked.isEmpty());
    }

    long nextDeadlineNs() {
        final long timerNs = timers.firstNs();
        if (blocked.isEmpty()) {
            return timerNs;
        }
        return timerNs == Long.MAX_VALUE ? blockedRetryNs : earlier(timerNs, blockedRetryNs);
    }

    /**
     * Handles an acknowledgement.
     *
     * @param bitmapAddress selective bitmap, bit i of it for acknowledgement + i.
     * @param bitCount bits of it, a multiple of 64; 0 when there is none.
     */
    void onAck(
            final SendFlow flow,
            final int acknowledgement,
            final int windowFrames,
            final long bitmapAddress,
            final int bitCount) {
        if (flow.nextSequence - acknowledgement < 0
                || flow.firstSequence - acknowledgement > config.windowFrames()) {
            counters.outOfWindow++;
            return;
        }
        counters.acksReceived++;
        flow.lastHeardNs = nowNs;
        flow.cutOff.onHeard();
        final int before = flow.inFlight;
        for (int sequence = flow.firstSequence; sequence - acknowledgement < 0; sequence++) {
            acknowledge(flow, sequence);
        }
        for (int first = 0; first < bitCount; first += Long.SIZE) {
            long bits = Memory.getLong(bitmapAddress + (first >> 3));
            while (bits != 0) {
                acknowledge(flow, acknowledgement + first + Long.numberOfTrailingZeros(bits));
                bits &= bits - 1;
            }
        }
        flow.advance();
        if (flow.inFlight != before) {
            flow.roundTrip.onProgress();
            flow.progressNs = nowNs;
            flow.detectLost(nowNs);
        }
        onWindow(flow, acknowledgement + windowFrames);
        if (flow.inFlight == 0 && !flow.hasPending()) {
            flow.isOutstanding = false;
        }
        if (flow.lost > 0 || flow.hasPending()) {
            makeReady(flow);
        } else {
            arm(flow);
        }
    }

    /**
     * A link has failed: what the flows of {@code context} sent over it to a neighbour goes over
     * others at once.
     *
     * @return frames that will be sent again.
     */
    int onLinkFailed(
            final FlowContext context, final int link, final int dimension, final int neighbour) {
        int frames = 0;
        for (SendFlow flow = context.sendFlows; flow != null; flow = flow.nextOfContext) {
            final boolean isThere = Shape.coordinate(flow.peerCoordinates, dimension) == neighbour;
            final int stranded = isThere && flow.state == SendFlow.OPEN ? flow.strand(link) : 0;
            if (stranded > 0) {
                frames += stranded;
                makeReady(flow);
            }
        }
        return frames;
    }

    /** The receiver takes data now. */
    void onAccept(
            final SendFlow flow,
            final int peerIncarnation,
            final int acknowledgement,
            final int windowFrames) {
        if (flow.state != SendFlow.OPENING || acknowledgement != flow.nextSequence) {
            counters.staleIncarnation++;
            return;
        }
        flow.state = SendFlow.OPEN;
        flow.wasOpen = true;
        flow.cutOff.onHeard();
        if (routes.hasTrouble()) {
            routes.onArrived(flow.peerCoordinates, flow.openRoute, flow.openSentNs);
        }
        flow.peerIncarnation = peerIncarnation;
        flow.limit = acknowledgement + windowFrames;
        flow.lastHeardNs = nowNs;
        flow.retries = 0;
        makeReady(flow);
    }

    /**
     * Somebody says that what the flow sends cannot be delivered. Only the peer's node ends the
     * flow; a relay without a way on is no sign of life of the peer either.
     */
    void onUnreachable(final SendFlow flow, final int reason, final int peerIncarnation) {
        if (reason == UnreachableFlyweight.NO_SUCH_CONTEXT && flow.state != SendFlow.CLOSED) {
            counters.peerContextGone++;
            end(flow, PmStatus.NO_SUCH_CONTEXT);
        } else if (reason == UnreachableFlyweight.STALE_INCARNATION
                && flow.state == SendFlow.OPEN
                && flow.peerIncarnation != peerIncarnation) {
            counters.peerRestarted++;
            end(flow, PmStatus.PEER_RESTARTED);
        } else if (reason == UnreachableFlyweight.NO_FLOWS && flow.state == SendFlow.OPENING) {
            end(flow, PmStatus.PEER_FULL);
        }
    }

    /**
     * A relay has no way on for what the flow sends: that goes another way now.
     *
     * @param type of the frame that the relay complains of.
     * @param sequence of that frame.
     * @param route that it had.
     * @param relay coordinate vector of the relay.
     */
    void onRouteBroken(
            final SendFlow flow,
            final int type,
            final int sequence,
            final long route,
            final long relay) {
        if (type != FrameType.DATA) {
            flow.retryNs = nowNs;
        } else if (flow.markBehind(sequence, route, relay) > 0) {
            flow.resendNs = nowNs;
        }
        makeReady(flow);
        arm(flow);
    }

    /**
     * Ends the flow: everything unacknowledged is done with {@code status}. The next message starts
     * it again with the next epoch.
     */
    void end(final SendFlow flow, final int status) {
        final int first = flow.firstSequence;
        final int next = flow.nextSequence;
        final int pending = flow.pendingHead;
        flow.pendingHead = FlowContext.NO_SLOT;
        flow.pendingTail = FlowContext.NO_SLOT;
        flow.pendingCount = 0;
        flow.state = SendFlow.CLOSED;
        flow.epoch = (flow.epoch + 1) & 0xFFFF;
        flow.isOutstanding = false;
        flow.cutOff.onHeard();
        for (int sequence = first; sequence != next; sequence++) {
            final TxFrame frame = flow.takeOut(sequence);
            if (frame != null) {
                frame.isLost = false;
                finish(frame, status);
            }
        }
        flow.resetSequences();
        timers.remove(flow);
        final FlowContext context = flow.context;
        if (!context.isOpen) {
            return;
        }
        for (int slot = pending; slot != FlowContext.NO_SLOT; ) {
            final int following = context.slotNext[slot];
            table.listener().onSendDone(context.id, slot, status);
            slot = following;
        }
        table.listener().onPeerStatus(context.id, flow.peerNode, flow.peerContext, status);
    }

    /** Forgets all sends of a context that is closed already. */
    void forget(final FlowContext context) {
        for (SendFlow flow = context.sendFlows; flow != null; flow = flow.nextOfContext) {
            table.sendFlows().remove(flow);
            end(flow, PmStatus.CONTEXT_CLOSED);
        }
        context.sendFlows = null;
    }

    /** Frames in use, of data and of control. */
    int framesInUse() {
        return pool.framesInUse() + pool.controlInUse();
    }

    private SendFlow flow(final FlowContext context, final int node, final int contextId) {
        final long key = Flow.key(context.id, node, contextId);
        if (context.lastSendFlow != null && context.lastSendFlow.key == key) {
            return context.lastSendFlow;
        }
        SendFlow flow = table.sendFlows().get(key);
        if (flow == null) {
            final long coordinates = table.shape().coordinates(node);
            flow =
                    new SendFlow(
                            context,
                            node,
                            contextId,
                            coordinates,
                            Shape.distance(table.ownCoordinates(), coordinates) == 1,
                            config,
                            routes);
            if (!table.sendFlows().put(flow)) {
                return null;
            }
            flow.nextOfContext = context.sendFlows;
            context.sendFlows = flow;
            flow.opposite = table.receiveFlows().get(key);
            if (flow.opposite != null) {
                flow.opposite.opposite = flow;
            }
        }
        context.lastSendFlow = flow;
        return flow;
    }

    private void makeReady(final SendFlow flow) {
        if (!flow.isReady) {
            flow.isReady = true;
            ready.add(flow);
        }
    }

    private int sendRound() {
        int frames = 0;
        for (int turns = ready.count(); turns > 0 && frames < FRAMES_A_ROUND; turns--) {
            final SendFlow flow = ready.poll();
            flow.isReady = false;
            if (!flow.context.isOpen) {
                continue;
            }
            hasMore = false;
            isHeldUp = false;
            isWithoutRoute = false;
            frames += turn(flow);
            if (isWithoutRoute) {
                flow.cutOff.onNoRoute(nowNs);
            } else if (isHeldUp) {
                flow.isReady = true;
                blocked.add(flow);
            } else if (hasMore) {
                makeReady(flow);
            }
            arm(flow);
        }
        return frames;
    }

    private int turn(final SendFlow flow) {
        if (!flow.isOutstanding && (flow.hasPending() || flow.inFlight > 0)) {
            flow.isOutstanding = true;
            flow.outstandingSinceNs = nowNs;
        }
        if (flow.state != SendFlow.OPEN) {
            open(flow);
            return 0;
        }
        int frames = flow.lost > 0 ? sendLost(flow) : 0;
        while (!isHeldUp && flow.hasPending()) {
            if (!flow.hasWindow()) {
                stall(flow);
                break;
            }
            if (frames >= FRAMES_A_TURN) {
                hasMore = true;
                break;
            }
            final TxFrame frame = pool.acquire(flow.inFlight);
            if (frame == null) {
                counters.buffersExhausted++;
                isHeldUp = true;
                break;
            }
            build(flow, frame);
            frames += transmit(flow, frame);
        }
        return frames;
    }

    private void open(final SendFlow flow) {
        if (flow.state == SendFlow.CLOSED) {
            if (!flow.hasPending()) {
                return;
            }
            flow.resetSequences();
            flow.state = SendFlow.OPENING;
            flow.startTimes(nowNs);
        }
        if (flow.retryNs - nowNs <= 0) {
            if (flow.retries > 0) {
                routes.onLost(flow.peerCoordinates, flow.openRoute);
            }
            final boolean isSent = control.sendOpen(flow);
            isWithoutRoute = control.hadNoRoute();
            if (isWithoutRoute) {
                return;
            }
            flow.openRoute = control.lastRoute();
            flow.openSentNs = nowNs;
            flow.retryNs =
                    nowNs
                            + (isSent
                                    ? flow.roundTrip.retryNs(flow.retries++)
                                    : config.minTimeoutNs());
        }
    }

    private void stall(final SendFlow flow) {
        if (!flow.isStalled) {
            flow.isStalled = true;
            counters.windowStalls++;
        }
    }

    private int sendLost(final SendFlow flow) {
        final boolean mayRepeat = flow.resendNs - nowNs <= 0;
        int frames = 0;
        int repeated = 0;
        for (int sequence = flow.firstSequence;
                sequence != flow.nextSequence && flow.lost > 0 && !isHeldUp;
                sequence++) {
            final TxFrame frame = flow.frame(sequence);
            if (frame == null || !frame.isLost || frame.queued > 0) {
                continue;
            }
            if (frame.attempts > 0 && !frame.isStranded) {
                if (!mayRepeat || repeated == config.resendFrames()) {
                    continue;
                }
                repeated++;
            }
            frames += transmit(flow, frame);
        }
        if (repeated > 0) {
            flow.resendNs = nowNs + flow.roundTrip.resendPauseNs();
        }
        return frames;
    }

    /** Makes a frame of the message that waits longest, or of several small ones. */
    private void build(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int first = flow.pendingHead;
        final int second = context.slotNext[first];
        frame.firstSlot = first;
        frame.attempts = 0;
        frame.isLost = false;
        frame.isFinished = false;
        frame.isStranded = false;
        final boolean isShared =
                second != FlowContext.NO_SLOT
                        && context.slotLength[first] <= config.inlineBytes()
                        && context.slotLength[second] <= config.inlineBytes();
        if (isShared) {
            frame.sharedIndex = pool.acquireShared(flow.sharedInFlight);
        }
        if (frame.sharedIndex != TxFrame.NOT_SHARED) {
            buildShared(flow, frame);
        } else {
            buildSingle(flow, frame);
        }
        flow.add(frame);
        if (flow.inFlight == 1) {
            flow.progressNs = nowNs;
        }
        counters.messagesSent += frame.messageCount;
        counters.bytesSent +=
                frame.headerLengthBytes - FrameHeaderFlyweight.LENGTH + frame.payloadLengthBytes;
        header.wrap(frame.headerAddress)
                .clear()
                .type(FrameType.DATA)
                .destination(flow.peerCoordinates)
                .sourceIncarnation(context.incarnation)
                .destinationIncarnation(flow.peerIncarnation)
                .sourceContext(context.id)
                .destinationContext(flow.peerContext)
                .sequence(frame.sequence)
                .epoch(flow.epoch)
                .bodyLength(
                        frame.headerLengthBytes
                                - FrameHeaderFlyweight.LENGTH
                                + frame.payloadLengthBytes)
                .messageCount(frame.messageCount);
    }

    private void buildSingle(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int slot = flow.pendingHead;
        final long record = frame.ownHeaderAddress + FrameHeaderFlyweight.LENGTH;
        Memory.putInt(record, context.slotLength[slot]);
        Memory.putInt(record + 4, context.slotTag[slot]);
        frame.headerAddress = frame.ownHeaderAddress;
        frame.headerLengthBytes = FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH;
        frame.payloadAddress = context.slotAddress[slot];
        frame.payloadLengthBytes = context.slotLength[slot];
        frame.messageCount = 1;
        flow.pendingHead = context.slotNext[slot];
        flow.pendingCount--;
    }

    private void buildShared(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int roomBytes = config.mtuBytes() - FrameHeaderFlyweight.LENGTH;
        frame.headerAddress = pool.sharedHeaderAddress(frame.sharedIndex);
        final long body = frame.headerAddress + FrameHeaderFlyweight.LENGTH;
        int offset = 0;
        int endBytes = 0;
        int count = 0;
        int slot = flow.pendingHead;
        while (slot != FlowContext.NO_SLOT) {
            final int lengthBytes = context.slotLength[slot];
            final int neededBytes = offset + MessageRecordFlyweight.LENGTH + lengthBytes;
            if (lengthBytes > config.inlineBytes() || neededBytes > roomBytes) {
                break;
            }
            Memory.putInt(body + offset, lengthBytes);
            Memory.putInt(body + offset + 4, context.slotTag[slot]);
            Memory.copy(
                    context.slotAddress[slot],
                    body + offset + MessageRecordFlyweight.LENGTH,
                    lengthBytes);
            endBytes = neededBytes;
            offset += MessageRecordFlyweight.paddedLength(lengthBytes);
            count++;
            slot = context.slotNext[slot];
        }
        frame.headerLengthBytes = FrameHeaderFlyweight.LENGTH + endBytes;
        frame.payloadAddress = 0;
        frame.payloadLengthBytes = 0;
        frame.messageCount = count;
        flow.pendingHead = slot;
        flow.pendingCount -= count;
        flow.sharedInFlight++;
        counters.framesShared++;
    }

    /** Sends a frame, or keeps it as lost when the output is blocked; returns frames sent. */
    private int transmit(final SendFlow flow, final TxFrame frame) {
        writeFlags(flow, frame);
        frame.queued++;
        flow.context.queuedFrames++;
        final int link =
                output.send(
                        frame.headerAddress,
                        frame.headerLengthBytes,
                        frame.payloadAddress,
                        frame.payloadLengthBytes,
                        this,
                        frame.index);
        if (link < 0) {
            frame.queued--;
            flow.context.queuedFrames--;
        }
        if (link < 0) {
            counters.outputBlocked += link == FlowOutput.BLOCKED ? 1 : 0;
            counters.noRoute += link == FlowOutput.NO_ROUTE ? 1 : 0;
            isWithoutRoute = link == FlowOutput.NO_ROUTE;
            isHeldUp = true;
            if (!frame.isLost) {
                flow.markLost(frame);
            }
            return 0;
        }
        if (frame.attempts == 0) {
            counters.framesSent++;
        } else {
            counters.framesResent++;
        }
        flow.onTransmitted(frame, link, nowNs);
        return 1;
    }

    private void writeFlags(final SendFlow flow, final TxFrame frame) {
        header.wrap(frame.headerAddress);
        final boolean isUrgent = isUrgent(flow, frame);
        header.flags(
                (frame.attempts > 0 ? FrameHeaderFlyweight.FLAG_AGAIN : 0)
                        | (isUrgent ? FrameHeaderFlyweight.FLAG_ACK_NOW : 0));
        if (flow.opposite != null && !flow.opposite.array.isEnded()) {
            table.window(flow.opposite);
            ControlWriter.acknowledge(header, flow.opposite, flow.opposite.array.next());
            flow.opposite.onAcknowledged(false);
        }
    }

    /**
     * True if the acknowledgement should not be delayed: the frame was sent before, it uses up the
     * window, or it ends a burst, after which a sender with few send buffers waits for it.
     */
    private boolean isUrgent(final SendFlow flow, final TxFrame frame) {
        if (frame.attempts > 0) {
            return true;
        }
        flow.burstFrames++;
        final boolean isUrgent =
                flow.hasPending()
                        ? flow.limit - frame.sequence == 1
                        : flow.burstFrames >= config.ackEveryFrames() / 2;
        if (isUrgent) {
            flow.burstFrames = 0;
        }
        return isUrgent;
    }

    private void acknowledge(final SendFlow flow, final int sequence) {
        if (sequence - flow.firstSequence < 0 || flow.nextSequence - sequence <= 0) {
            return;
        }
        final TxFrame frame = flow.frame(sequence);
        if (frame != null) {
            if (routes.hasTrouble() && frame.attempts == 1) {
                final long route = FrameHeaderFlyweight.routeAt(frame.headerAddress);
                routes.onArrived(flow.peerCoordinates, route, frame.sentNs);
            }
            flow.onArrived(frame, nowNs, counters);
            finish(frame, PmStatus.OK);
        }
    }

    private void onWindow(final SendFlow flow, final int limit) {
        if (limit - flow.limit > 0) {
            flow.limit = limit;
            flow.isStalled = false;
            flow.isProbing = false;
            flow.isWindowReturned = false;
        } else if (limit - flow.limit < 0
                && flow.inFlight == 0
                && !flow.hasPending()
                && flow.limit - flow.nextSequence > 0) {
            flow.limit = flow.nextSequence;
            flow.isWindowReturned = true;
            control.sendProbe(flow, 0);
        }
    }

    private void finish(final TxFrame frame, final int status) {
        frame.status = status;
        frame.isFinished = true;
        if (frame.queued == 0) {
            complete(frame);
        }
    }

    private void complete(final TxFrame frame) {
        final SendFlow flow = frame.flow;
        final FlowContext context = flow.context;
        final int status = frame.status;
        int slot = frame.firstSlot;
        int count = frame.messageCount;
        if (frame.sharedIndex != TxFrame.NOT_SHARED) {
            flow.sharedInFlight--;
        }
        pool.release(frame);
        isUnblocked |= !blocked.isEmpty();
        while (count-- > 0 && context.isOpen) {
            final int following = context.slotNext[slot];
            table.listener().onSendDone(context.id, slot, status);
            slot = following;
        }
    }

    private void onTimer(final SendFlow flow) {
        if (!flow.context.isOpen || flow.state == SendFlow.CLOSED) {
            return;
        }
        if (flow.isOutstanding && (silenceEndsNs(flow) - nowNs <= 0 || isCutOff(flow))) {
            counters.peerUnreachable++;
            end(flow, PmStatus.PEER_UNREACHABLE);
            return;
        }
        if (flow.cutOff.isWaiting() && flow.cutOff.retryNs - nowNs <= 0) {
            flow.cutOff.onRetry();
            makeReady(flow);
        }
        if (flow.state == SendFlow.OPENING) {
            makeReady(flow);
            return;
        }
        if (flow.inFlight > flow.lost) {
            if (flow.overtakenNs - nowNs <= 0) {
                flow.detectLost(nowNs);
            }
            final long timeoutNs = flow.roundTrip.timeoutNs();
            if (flow.progressNs + timeoutNs - nowNs <= 0) {
                timeOut(flow, timeoutNs);
            }
        }
        if (flow.lost > 0) {
            makeReady(flow);
        }
        if (flow.isProbing && flow.retryNs - nowNs <= 0) {
            control.sendProbe(flow, flow.pendingCount);
            if (control.hadNoRoute()) {
                flow.cutOff.onNoRoute(nowNs);
                flow.retryNs = flow.cutOff.retryNs;
            } else {
                flow.retryNs = nowNs + flow.roundTrip.retryNs(flow.retries++);
            }
        }
    }

    private void timeOut(final SendFlow flow, final long timeoutNs) {
        flow.progressNs = nowNs;
        // Mostly an end of the flow has waited for its CPU and nothing is lost: a single frame goes
        // first, and its acknowledgement tells what has arrived (as RFC 8985's tail loss probe).
        final int mostFrames = flow.roundTrip.isBackedOff() ? config.resendFrames() : 1;
        if (flow.markOldest(nowNs, timeoutNs, mostFrames) > 0) {
            counters.timeouts++;
            flow.roundTrip.onTimeout();
        }
        if (flow.takeRouteSilent()) {
            // The next ones go by another route, whose round trips begin anew.
            flow.roundTrip.onProgress();
            flow.markOldest(nowNs, 0, config.resendFrames());
        }
    }

    /** Sets the time at which the flow has to be looked at again. */
    private void arm(final SendFlow flow) {
        if (flow.state == SendFlow.CLOSED) {
            return;
        }
        long wakeNs = flow.isOutstanding ? silenceEndsNs(flow) : Long.MAX_VALUE;
        if (flow.cutOff.isWaiting()) {
            wakeNs = earlier(wakeNs, flow.cutOff.retryNs);
        }
        if (flow.state == SendFlow.OPENING) {
            final boolean isIdle = flow.isReady || flow.cutOff.isWaiting();
            wakeNs = isIdle ? wakeNs : earlier(wakeNs, flow.retryNs);
        } else {
            if (flow.inFlight > flow.lost) {
                wakeNs = earlier(wakeNs, flow.progressNs + flow.roundTrip.timeoutNs());
                wakeNs = earlier(wakeNs, flow.overtakenNs);
            }
            if (flow.lost > 0 && !flow.isReady) {
                wakeNs = earlier(wakeNs, flow.resendNs);
            }
            armProbe(flow);
            if (flow.isProbing) {
                wakeNs = earlier(wakeNs, flow.retryNs);
            }
        }
        timers.atLatest(flow, wakeNs);
    }

    private void armProbe(final SendFlow flow) {
        final boolean isShut = flow.inFlight == 0 && flow.hasPending() && !flow.hasWindow();
        if (isShut && !flow.isProbing) {
            flow.retries = 0;
            flow.retryNs = flow.isWindowReturned ? nowNs : nowNs + flow.roundTrip.retryNs(0);
        }
        flow.isProbing = isShut;
    }

    /** A peer that never answered may not be up yet: it gets the whole peer timeout. */
    private boolean isCutOff(final SendFlow flow) {
        return flow.wasOpen && flow.cutOff.isLongerThan(routes.settings().partitionNs(), nowNs);
    }

    private long silenceEndsNs(final SendFlow flow) {
        final long heardNs = flow.lastHeardNs;
        final long sinceNs = flow.outstandingSinceNs;
        return (heardNs - sinceNs > 0 ? heardNs : sinceNs) + config.peerTimeoutNs();
    }

    /** The earlier of two times, of which either may be Long.MAX_VALUE for never. */
    private static long earlier(final long oneNs, final long otherNs) {
        if (oneNs == Long.MAX_VALUE || otherNs == Long.MAX_VALUE) {
            return oneNs == Long.MAX_VALUE ? otherNs : oneNs;
        }
        return oneNs - otherNs <= 0 ? oneNs : otherNs;
    }

    /** A line of flows; a flow stands in one line at a time. */
    private static final class FlowQueue {
        private SendFlow head;
        private SendFlow tail;
        private int count;

        private void add(final SendFlow flow) {
            flow.nextReady = null;
            if (tail == null) {
                head = flow;
            } else {
                tail.nextReady = flow;
            }
            tail = flow;
            count++;
        }

        private SendFlow poll() {
            final SendFlow flow = head;
            head = flow.nextReady;
            if (head == null) {
                tail = null;
            }
            flow.nextReady = null;
            count--;
            return flow;
        }

        private void takeAll(final FlowQueue other) {
            while (!other.isEmpty()) {
                add(other.poll());
            }
        }

        private boolean isEmpty() {
            return count == 0;
        }

        private int count() {
            return count;
        }
    }
}
