package io.hxb.remote;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.OperationRing;
import io.hxb.pm.shm.OutcomeRing;
import io.hxb.pm.shm.RemoteMemoryArea;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * The end of a context that directs its application's operations to the memory of others: sends
 * requests, each peer's in order and those of different peers in turns, and ends operations when
 * they are answered. Owned by the loop of the context; what is read is put into its place by the
 * loop that receives it.
 */
final class Initiator {
    private static final int ARRIVALS = 1_024;
    private static final int OPERATIONS_PER_TURN = 256;
    private static final int REQUESTS_PER_TURN = 64;
    private static final int SLOT_BITS = 16;
    private static final int PING_SLOT = (1 << SLOT_BITS) - 1;

    /** A peer may have this many times the places for requests that are free. */
    private static final int ALPHA = 4;

    /** A request is sent to a peer that has not replied and was not heard for this long. */
    private static final long ASK_NS = 500_000_000L;

    private final int endId;
    private final int nodeCount;
    private final int contexts;
    private final RemoteHost host;
    private final CounterBlock counters;
    private final OperationRing entries;
    private final OutcomeRing outcomes;
    private final FragmentPool fragments;
    private final RemotePeer[] fragmentPeer;
    private final RemoteOperation[] operations;
    private final ArrivalQueue arrivals = new ArrivalQueue(ARRIVALS);
    private final Long2ObjectHashMap<RemotePeer> peers = new Long2ObjectHashMap<>();
    private final ArrayDeque<RemotePeer> line = new ArrayDeque<>();
    private final ArrayDeque<RemotePeer> failing = new ArrayDeque<>();
    private final ArrayDeque<RemotePeer> spare = new ArrayDeque<>();
    private final RemoteRecordFlyweight request = new RemoteRecordFlyweight();
    private FlowPort port;

    /** Of the last operation; begins anywhere, so that late answers to others are not taken. */
    private long numbers = new SplittableRandom().nextLong() >>> (SLOT_BITS + 2);

    private long askNs;
    private boolean isAsking;
    private boolean hasOutcomes;
    private boolean isHeld;
    private long heldUntilNs;

    Initiator(
            final int contextId,
            final int nodeCount,
            final int contexts,
            final RemoteHost host,
            final CounterBlock counters,
            final RemoteMemoryArea area,
            final int maxMessageBytes) {
        endId = ContextKind.end(ContextKind.REQUESTS, contextId);
        this.nodeCount = nodeCount;
        this.contexts = contexts;
        this.host = host;
        this.counters = counters;
        entries = area.operationRing();
        outcomes = area.outcomeRing();
        fragments =
                new FragmentPool(
                        area.requestAddress(),
                        area.fragments(),
                        area.fragmentBytes(),
                        maxMessageBytes);
        fragmentPeer = new RemotePeer[area.fragments()];
        operations = new RemoteOperation[area.operations()];
        for (int slot = 0; slot < operations.length; slot++) {
            operations[slot] = new RemoteOperation(slot);
        }
    }

    void start(final FlowPort flows) {
        port = flows;
    }

    /** Takes a frame with answers, as {@link FlowListener#onFrame}; any loop. */
    int onFrame(final FlowEndpoints ends, final long bodyAddress, final int messageCount) {
        final long first = arrivals.claim(messageCount + 1);
        if (first == ArrivalQueue.FULL) {
            return FlowListener.FULL;
        }
        final long source = ArrivalEntry.source(ends, ContextKind.ANSWERS);
        long message = bodyAddress;
        for (int i = 0; i < messageCount; i++) {
            if (source >= 0 && ArrivalEntry.isRecord(message)) {
                arrive(first + i, source, ArrivalEntry.record(message));
            } else {
                counters.addShared(CounterType.REMOTE_MALFORMED_RECORDS, 1);
                arrivals.write(first + i, ArrivalEntry.NOTHING, 0, 0, 0, 0, 0, 0);
            }
            message = ArrivalEntry.following(message);
        }
        arrivals.write(
                first + messageCount, ArrivalEntry.FRAME, source, 0, 0, 0, 0, ends.flowHandle());
        arrivals.published(messageCount + 1);
        return FlowListener.COPIED;
    }

    private void arrive(final long entry, final long source, final long record) {
        final long number = RemoteRecordFlyweight.operationOf(record);
        final int slot = (int) number & PING_SLOT;
        final boolean isData = RemoteRecordFlyweight.kind(record) == RemoteRecordFlyweight.DATA;
        final boolean isAnswer =
                isData || RemoteRecordFlyweight.kind(record) == RemoteRecordFlyweight.DONE;
        final boolean isKnown = slot < operations.length || (slot == PING_SLOT && !isData);
        // Data of an operation that has failed in the meantime belongs nowhere.
        if (!isAnswer || !isKnown || (isData && !operations[slot].place(number, source, record))) {
            arrivals.write(entry, ArrivalEntry.NOTHING, 0, 0, 0, 0, 0, 0);
            return;
        }
        arrivals.write(
                entry,
                ArrivalEntry.what(
                        RemoteRecordFlyweight.kind(record),
                        RemoteRecordFlyweight.isLast(record),
                        RemoteRecordFlyweight.statusOf(record)),
                source,
                number,
                RemoteRecordFlyweight.keyOf(record),
                0,
                isData ? RemoteRecordFlyweight.lengthBytes(record) : 0,
                0);
    }

    /**
     * Does what is due, a bounded amount.
     *
     * @return the amount of work, or minus the code of a {@link CloseReason} if the application has
     *     broken the rules.
     */
    int doWork(final long nowNs) {
        int work = takeAnswers(nowNs);
        work += failPeers();
        for (int i = 0; i < OPERATIONS_PER_TURN && entries.take(); i++) {
            final CloseReason reason = takeEntry(nowNs);
            if (reason != CloseReason.NONE) {
                return -reason.code();
            }
            work++;
        }
        work += sendRequests(nowNs);
        return work + ask(nowNs);
    }

    private CloseReason takeEntry(final long nowNs) {
        final int slot = entries.slot();
        if (slot < 0 || slot >= operations.length) {
            return CloseReason.BAD_SLOT;
        }
        final RemoteOperation operation = operations[slot];
        if (operation.isOpen()) {
            return CloseReason.SLOT_IN_FLIGHT;
        }
        final int node = entries.node();
        final int context = entries.context();
        if (node < 0 || node >= nodeCount || context < 0 || context >= contexts) {
            return CloseReason.BAD_DESTINATION;
        }
        final int kind = entries.kind();
        final boolean isTransfer = kind >= OperationRing.PUT && kind <= OperationRing.GET;
        final long lengthBytes = isTransfer ? entries.lengthBytes() : 0;
        if (kind < OperationRing.PUT
                || kind > OperationRing.FENCE
                || lengthBytes < 0
                || lengthBytes > OperationRing.MAX_LENGTH) {
            return CloseReason.BAD_OPERATION;
        }
        LentRegion region = null;
        if (isTransfer) {
            region = host.region(entries.region());
            // The application may have taken it back in the meantime.
            if (region == null
                    || (kind == OperationRing.GET && !region.isWritten())
                    || !region.use(entries.regionOffset(), lengthBytes)) {
                outcomes.put(slot, PmStatus.BAD_RANGE, 0);
                hasOutcomes = true;
                return CloseReason.NONE;
            }
        }
        final long peerId = ArrivalEntry.peer(node, context);
        operation.begin(nextNumber(slot), peerId, entries, region, lengthBytes);
        RemotePeer peer = peers.get(peerId);
        if (peer == null) {
            peer = (spare.isEmpty() ? new RemotePeer() : spare.poll()).of(peerId, nowNs);
            peers.put(peerId, peer);
        }
        peer.add(operation, nowNs);
        enterLine(peer);
        return CloseReason.NONE;
    }

    private long nextNumber(final int slot) {
        numbers++;
        return (numbers << SLOT_BITS | slot) & Long.MAX_VALUE;
    }

    private void enterLine(final RemotePeer peer) {
        if (peer.toSend() != null && !peer.isHeldUp() && peer.enterLine()) {
            line.add(peer);
        }
    }

    private int sendRequests(final long nowNs) {
        if (line.isEmpty() || (isHeld && heldUntilNs - nowNs > 0)) {
            return 0;
        }
        final int permitted = host.permits(REQUESTS_PER_TURN, nowNs);
        int sent = 0;
        int fences = 0;
        // Each peer in the line is looked at, and then as long as one of them can send.
        int stuck = 0;
        while (sent < permitted && stuck < line.size() && fragments.freeCount() > 0) {
            final RemotePeer peer = line.poll();
            peer.leaveLine();
            if (peer.toSend() != null && peer.toSend().isFence()) {
                passFence(peer);
                fences++;
                stuck = 0;
            } else if (peer.underWay() > ALPHA * fragments.freeCount()) {
                stuck++;
            } else if (peer.toSend() != null) {
                send(peer);
                sent++;
                stuck = 0;
            }
            enterLine(peer);
            forgetIfIdle(peer);
        }
        host.giveBackPermits(permitted - sent);
        isHeld = sent == permitted && permitted < REQUESTS_PER_TURN && !line.isEmpty();
        heldUntilNs = isHeld ? host.nextPermitNs(nowNs) : heldUntilNs;
        return sent + fences;
    }

    private void passFence(final RemotePeer peer) {
        if (!peer.isHeldUp()) {
            finish(peer);
        }
    }

    private void send(final RemotePeer peer) {
        final RemoteOperation operation = peer.toSend();
        final int slot = fragments.take(RemoteRecordFlyweight.LENGTH + operation.leftBytes());
        final int dataBytes =
                operation.write(
                        request.wrap(fragments.address(slot)),
                        fragments.roomBytes(slot) - RemoteRecordFlyweight.LENGTH);
        if (operation.isSent()) {
            peer.onSent();
        }
        submit(peer, slot, dataBytes);
    }

    private void submit(final RemotePeer peer, final int slot, final int dataBytes) {
        fragmentPeer[slot] = peer;
        peer.onFragment();
        port.submitOrReport(
                endId,
                slot,
                ArrivalEntry.node(peer.id()),
                ContextKind.end(ContextKind.REQUESTS, ArrivalEntry.context(peer.id())),
                fragments.address(slot),
                RemoteRecordFlyweight.LENGTH + dataBytes,
                0);
    }

    /** A request has been taken by the peer's node, or is lost with its flow. */
    void onSendDone(final int slot, final int status) {
        final RemotePeer peer = fragmentPeer[slot];
        fragmentPeer[slot] = null;
        fragments.giveBack(slot);
        if (peer.onFragmentDone(status)) {
            failing.add(peer);
        }
        forgetIfIdle(peer);
    }

    private void forgetIfIdle(final RemotePeer peer) {
        if (peer.isIdle() && peers.remove(peer.id()) != null) {
            spare.add(peer);
        }
    }

    /** Ends the operations of peers of whose requests one was lost. */
    private int failPeers() {
        int work = 0;
        for (int left = failing.size(); left > 0; left--) {
            final RemotePeer peer = failing.poll();
            work++;
            if (failUntil(peer, Long.MAX_VALUE, peer.failure())) {
                peer.onFailed();
                forgetIfIdle(peer);
            } else {
                failing.add(peer);
            }
        }
        return work;
    }

    /**
     * Ends operations in order, as failed, up to one with {@code number}.
     *
     * @return false if one of them cannot end yet, because a loop is just placing what it reads.
     */
    private boolean failUntil(final RemotePeer peer, final long number, final int status) {
        boolean isDone = true;
        while (isDone && peer.first() != null && peer.first().number() < number) {
            peer.first().fail(status);
            isDone = finish(peer);
        }
        return isDone;
    }

    /** What was sent before a ping that is answered, and is not, has lost its answer. */
    private void failSent(final RemotePeer peer, final long number) {
        boolean isDone = true;
        while (isDone
                && peer.first() != null
                && peer.first().isSent()
                && peer.first().number() < number) {
            peer.first().fail(PmStatus.PEER_UNREACHABLE);
            isDone = finish(peer);
        }
    }

    /** Ends the first operation of a peer. */
    private boolean finish(final RemotePeer peer) {
        final RemoteOperation operation = peer.first();
        if (!operation.end()) {
            return false;
        }
        peer.removeFirst();
        outcomes.put(operation.slot(), operation.status(), operation.value());
        hasOutcomes = true;
        enterLine(peer);
        return true;
    }

    private int takeAnswers(final long nowNs) {
        int work = 0;
        while (arrivals.next()) {
            work++;
            final int kind = ArrivalEntry.kind(arrivals.what());
            if (kind == ArrivalEntry.FRAME) {
                port.releasedCopy((int) arrivals.tag());
            } else if (kind != ArrivalEntry.NOTHING) {
                takeAnswer(nowNs);
            }
        }
        if (work > 0) {
            arrivals.release();
        }
        if (arrivals.takeStalled()) {
            port.resume(ContextKind.end(ContextKind.ANSWERS, ContextKind.number(endId)));
        }
        return work;
    }

    private void takeAnswer(final long nowNs) {
        final RemotePeer peer = peers.get(arrivals.source());
        if (peer == null) {
            return;
        }
        peer.onHeard(nowNs);
        final long number = arrivals.operation();
        final int slot = (int) number & PING_SLOT;
        if (slot == PING_SLOT) {
            if (peer.onPong(number)) {
                failSent(peer, peer.sentBeforePing());
                forgetIfIdle(peer);
            }
            return;
        }
        final RemoteOperation operation = operations[slot];
        if (operation.number() != number || !operation.isOpen() || !isOf(peer, operation)) {
            return;
        }
        operation.onAnswer(
                ArrivalEntry.status(arrivals.what()), arrivals.key(), arrivals.lengthBytes());
        // An answer to what was not sent in full would be a lie, or belongs to a lost part.
        if (ArrivalEntry.isLast(arrivals.what()) && operation.isSent()) {
            // Answers come in order: what is still before it has lost its own.
            failUntil(peer, number, PmStatus.PEER_UNREACHABLE);
            if (peer.first() == operation) {
                if (!operation.isComplete()) {
                    operation.fail(PmStatus.PEER_UNREACHABLE);
                }
                finish(peer);
            }
            forgetIfIdle(peer);
        }
    }

    private static boolean isOf(final RemotePeer peer, final RemoteOperation operation) {
        return operation.peer() == peer.id();
    }

    /** Sends requests to peers whose replies have been missing for long. */
    private int ask(final long nowNs) {
        if (peers.isEmpty()) {
            isAsking = false;
            return 0;
        }
        if (isAsking && askNs - nowNs > 0) {
            return 0;
        }
        isAsking = true;
        askNs = nowNs + ASK_NS / 2;
        int asked = 0;
        for (final RemotePeer peer : peers.values()) {
            if (peer.isRequestDue(ASK_NS, nowNs) && fragments.freeCount() > 0) {
                final int slot = fragments.take(RemoteRecordFlyweight.LENGTH);
                final long number = nextNumber(PING_SLOT);
                request.wrap(fragments.address(slot))
                        .begin(RemoteRecordFlyweight.PING, RemoteRecordFlyweight.LAST)
                        .operation(number);
                peer.onAsked(number, nowNs);
                submit(peer, slot, 0);
                asked++;
            }
        }
        return asked;
    }

    /** When {@link #doWork} is due if nothing happens; only if {@link #isTimed}. */
    long nextNs() {
        return isHeld && heldUntilNs - askNs < 0 ? heldUntilNs : askNs;
    }

    /** True while something is waited for that may not happen. */
    boolean isTimed() {
        return isAsking;
    }

    /** True once after outcomes were put. */
    boolean takeOutcomes() {
        final boolean has = hasOutcomes;
        hasOutcomes = false;
        return has;
    }

    /** True if {@link #doWork} has something to do now. */
    boolean hasWork() {
        return entries.isReady()
                || arrivals.isReady()
                || !failing.isEmpty()
                || (!line.isEmpty() && !isHeld && fragments.freeCount() > 0 && !isCrowded());
    }

    // One peer alone that has all the places it may have waits for acknowledgements.
    private boolean isCrowded() {
        boolean isCrowded = true;
        // Goes round once: an iterator would be an object for each look.
        for (int left = line.size(); left > 0; left--) {
            final RemotePeer peer = line.poll();
            isCrowded &= peer.underWay() > ALPHA * fragments.freeCount();
            line.add(peer);
        }
        return isCrowded;
    }

    /** Takes nothing any more. */
    void close() {
        arrivals.close();
    }

    /** True when no loop places anything any more. */
    boolean isQuiet() {
        return arrivals.isQuiet();
    }

    /** Gives back the frames that were not looked at, and all regions. */
    void forget() {
        while (arrivals.next()) {
            if (ArrivalEntry.kind(arrivals.what()) == ArrivalEntry.FRAME) {
                port.releasedCopy((int) arrivals.tag());
            }
        }
        for (final RemoteOperation operation : operations) {
            if (operation.isOpen()) {
                final boolean isEnded = operation.end();
                assert isEnded : "data was placed beyond the end";
            }
        }
    }
}
