package io.hxb.remote;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmAccess;
import io.hxb.pm.shm.NotificationRing;
import io.hxb.pm.shm.OperationRing;
import io.hxb.pm.shm.RemoteMemoryArea;

import org.agrona.collections.IntArrayQueue;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;

/**
 * The end of a context at which others change and read its application's memory. Puts and atomic
 * operations are performed on arrival, by the loop that received them; the loop that owns the
 * context reads for gets and sends the answers, to each requester in the order of its requests and
 * to different ones in turns.
 */
final class Target {
    private static final int ARRIVALS = 1_024;
    private static final int REQUESTS = 256;
    private static final int ANSWERS_PER_TURN = 64;

    private final int endId;
    private final GrantTable grants;
    private final CounterBlock counters;
    private final RemoteMemoryArea area;
    private final NotificationRing notifications;
    private final FragmentPool fragments;
    private final long[] fragmentPeer;
    private final int[] fragmentBytes;

    /** Answers that were lost because their requester was reopened. */
    private final IntArrayQueue again = new IntArrayQueue();

    private final ArrivalQueue arrivals = new ArrivalQueue(ARRIVALS);
    private final ArrayDeque<Request> free = new ArrayDeque<>(REQUESTS);
    private final ArrayDeque<Requester> ready = new ArrayDeque<>();

    /** Those whose next notification has no room, or whose next request comes too late. */
    private final ArrayDeque<Requester> blocked = new ArrayDeque<>();

    private final Long2ObjectHashMap<Requester> requesters = new Long2ObjectHashMap<>();
    private final ArrayDeque<Requester> spare = new ArrayDeque<>();
    private final RemoteRecordFlyweight answer = new RemoteRecordFlyweight();
    private FlowPort port;
    private boolean hasNotified;
    private boolean isClosed;

    Target(
            final int contextId,
            final GrantTable grants,
            final CounterBlock counters,
            final RemoteMemoryArea area,
            final int maxMessageBytes) {
        endId = ContextKind.end(ContextKind.ANSWERS, contextId);
        this.grants = grants;
        this.counters = counters;
        this.area = area;
        notifications = area.notificationRing();
        fragments =
                new FragmentPool(
                        area.answerAddress(),
                        area.fragments(),
                        area.fragmentBytes(),
                        maxMessageBytes);
        fragmentPeer = new long[area.fragments()];
        fragmentBytes = new int[area.fragments()];
        for (int i = 0; i < REQUESTS; i++) {
            free.add(new Request());
        }
    }

    void start(final FlowPort flows) {
        port = flows;
    }

    /** Performs what a frame asks for, as {@link FlowListener#onFrame}; any loop. */
    int onFrame(final FlowEndpoints ends, final long bodyAddress, final int messageCount) {
        final long first = arrivals.claim(messageCount + 1);
        if (first == ArrivalQueue.FULL) {
            return FlowListener.FULL;
        }
        final long source = ArrivalEntry.source(ends, ContextKind.REQUESTS);
        long message = bodyAddress;
        for (int i = 0; i < messageCount; i++) {
            if (source >= 0 && ArrivalEntry.isRecord(message)) {
                perform(first + i, source, ArrivalEntry.record(message));
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

    private void perform(final long entry, final long source, final long record) {
        switch (RemoteRecordFlyweight.kind(record)) {
            case OperationRing.PUT, OperationRing.PUT_NOTIFY -> put(entry, source, record);
            case OperationRing.GET ->
                    arrivals.write(
                            entry,
                            ArrivalEntry.what(OperationRing.GET, true, PmStatus.OK),
                            source,
                            RemoteRecordFlyweight.operationOf(record),
                            RemoteRecordFlyweight.keyOf(record),
                            RemoteRecordFlyweight.offset(record),
                            RemoteRecordFlyweight.lengthBytes(record),
                            0);
            case OperationRing.ADD, OperationRing.SWAP -> change(entry, source, record);
            case RemoteRecordFlyweight.PING -> answerLater(entry, source, record, PmStatus.OK, 0);
            default -> {
                counters.addShared(CounterType.REMOTE_MALFORMED_RECORDS, 1);
                arrivals.write(entry, ArrivalEntry.NOTHING, 0, 0, 0, 0, 0, 0);
            }
        }
    }

    private void put(final long entry, final long source, final long record) {
        final Grant grant = grants.find(RemoteRecordFlyweight.keyOf(record));
        final long offset = RemoteRecordFlyweight.offset(record);
        final long lengthBytes = RemoteRecordFlyweight.lengthBytes(record);
        final int status =
                grant == null ? PmStatus.BAD_KEY : grant.enter(PmAccess.WRITE, offset, lengthBytes);
        if (status == PmStatus.OK) {
            Memory.copy(
                    RemoteRecordFlyweight.dataAddress(record),
                    grant.address() + offset,
                    lengthBytes);
            grant.leave();
            counters.addShared(CounterType.REMOTE_WRITTEN_BYTES, lengthBytes);
        }
        if (status != PmStatus.OK || !RemoteRecordFlyweight.isLast(record)) {
            if (status == PmStatus.OK) {
                arrivals.write(entry, ArrivalEntry.NOTHING, 0, 0, 0, 0, 0, 0);
            } else {
                answerLater(entry, source, record, status, 0);
            }
            return;
        }
        counters.addShared(CounterType.REMOTE_PERFORMED_OPERATIONS, 1);
        final long wholeBytes = RemoteRecordFlyweight.second(record);
        if (RemoteRecordFlyweight.kind(record) == OperationRing.PUT_NOTIFY && wholeBytes >= 0) {
            arrivals.write(
                    entry,
                    ArrivalEntry.what(OperationRing.PUT_NOTIFY, true, PmStatus.OK),
                    source,
                    RemoteRecordFlyweight.operationOf(record),
                    RemoteRecordFlyweight.keyOf(record),
                    Math.max(0, offset + lengthBytes - wholeBytes),
                    wholeBytes,
                    RemoteRecordFlyweight.first(record));
        } else {
            answerLater(entry, source, record, PmStatus.OK, 0);
        }
    }

    private void change(final long entry, final long source, final long record) {
        final Grant grant = grants.find(RemoteRecordFlyweight.keyOf(record));
        final long offset = RemoteRecordFlyweight.offset(record);
        int status = PmStatus.BAD_KEY;
        if (grant != null) {
            status =
                    (offset & Long.BYTES - 1) == 0
                            ? grant.enter(PmAccess.ATOMIC, offset, Long.BYTES)
                            : PmStatus.BAD_RANGE;
        }
        long before = 0;
        if (status == PmStatus.OK) {
            final long address = grant.address() + offset;
            before =
                    RemoteRecordFlyweight.kind(record) == OperationRing.ADD
                            ? Memory.getAndAddLong(address, RemoteRecordFlyweight.first(record))
                            : swap(
                                    address,
                                    RemoteRecordFlyweight.first(record),
                                    RemoteRecordFlyweight.second(record));
            grant.leave();
            counters.addShared(CounterType.REMOTE_PERFORMED_OPERATIONS, 1);
        }
        answerLater(entry, source, record, status, before);
    }

    private static long swap(final long address, final long expected, final long desired) {
        while (true) {
            if (Memory.compareAndSetLong(address, expected, desired)) {
                return expected;
            }
            final long seen = Memory.getLongVolatile(address);
            if (seen != expected) {
                return seen;
            }
        }
    }

    private void answerLater(
            final long entry,
            final long source,
            final long record,
            final int status,
            final long value) {
        if (status != PmStatus.OK) {
            counters.addShared(CounterType.REMOTE_REFUSED_REQUESTS, 1);
        }
        arrivals.write(
                entry,
                ArrivalEntry.what(
                        RemoteRecordFlyweight.DONE, RemoteRecordFlyweight.isLast(record), status),
                source,
                RemoteRecordFlyweight.operationOf(record),
                value,
                0,
                0,
                0);
    }

    /** Answers what has arrived, a bounded amount; the owner, as all below. */
    int doWork() {
        int work = sendAgain();
        while (!free.isEmpty() && arrivals.next()) {
            work++;
            take();
        }
        if (work > 0) {
            arrivals.release();
        }
        if (arrivals.takeStalled()) {
            port.resume(requestEnd());
        }
        if (!isClosed && !blocked.isEmpty() && area.hasRoom(notifications.position())) {
            ready.addAll(blocked);
            blocked.clear();
        }
        int answers = 0;
        while (answers < ANSWERS_PER_TURN && fragments.freeCount() > 0 && !ready.isEmpty()) {
            answers += serve(ready.poll());
        }
        return work + answers;
    }

    private int requestEnd() {
        return ContextKind.end(ContextKind.REQUESTS, ContextKind.number(endId));
    }

    private void take() {
        final int kind = ArrivalEntry.kind(arrivals.what());
        if (kind == ArrivalEntry.FRAME) {
            port.releasedCopy((int) arrivals.tag());
        } else if (kind != ArrivalEntry.NOTHING) {
            final long peer = arrivals.source();
            Requester requester = requesters.get(peer);
            if (requester == null) {
                requester = (spare.isEmpty() ? new Requester() : spare.poll()).of(peer);
                requesters.put(peer, requester);
                ready.add(requester);
            }
            requester.add(free.poll().take(arrivals));
        }
    }

    /** Sends one answer to a requester; 0 if it has to wait. */
    private int serve(final Requester requester) {
        final Request request = requester.first();
        final boolean isToTell = request.kind() == OperationRing.PUT_NOTIFY;
        final boolean isGet = request.kind() == OperationRing.GET;
        if ((isToTell && !area.hasRoom(notifications.position())) || isTooLate(request)) {
            blocked.add(requester);
            return 0;
        }
        if (isToTell) {
            respond(requester.peer(), request);
        }
        final long leftBytes = isGet ? request.lengthBytes() - request.answeredBytes() : 0;
        final int slot = fragments.take(RemoteRecordFlyweight.LENGTH + leftBytes);
        answer.wrap(fragments.address(slot));
        final int roomBytes = fragments.roomBytes(slot) - RemoteRecordFlyweight.LENGTH;
        final int dataBytes = isGet ? read(request, roomBytes) : done(request);
        answer.operation(request.operation());
        final boolean isOver = answer.kind() != RemoteRecordFlyweight.DATA || answer.isLast();
        if (isOver) {
            free.add(requester.removeFirst());
        }
        final long peer = requester.peer();
        if (requester.isEmpty()) {
            spare.add(requesters.remove(peer));
        } else {
            ready.add(requester);
        }
        fragmentPeer[slot] = peer;
        fragmentBytes[slot] = RemoteRecordFlyweight.LENGTH + dataBytes;
        submit(slot);
        return 1;
    }

    // The memory of a context that closes is not lent any more: that its keys are unknown would be
    // the wrong reason.
    private boolean isTooLate(final Request request) {
        return (isClosed || grants.isClosed())
                && (request.kind() == OperationRing.GET
                        || (request.kind() == RemoteRecordFlyweight.DONE
                                && request.status() == PmStatus.BAD_KEY));
    }

    private void respond(final long peer, final Request request) {
        notifications
                .source(ArrivalEntry.node(peer), ArrivalEntry.context(peer))
                .publish(request.key(), request.offset(), request.lengthBytes(), request.tag());
        hasNotified = true;
    }

    private int done(final Request request) {
        final boolean isDone = request.kind() == RemoteRecordFlyweight.DONE;
        answer.begin(RemoteRecordFlyweight.DONE, request.isLast() ? RemoteRecordFlyweight.LAST : 0)
                .status(request.status())
                .key(isDone ? request.key() : 0);
        return 0;
    }

    /** Reads the next bytes for a get; how many. */
    private int read(final Request request, final int roomBytes) {
        final long begin = request.answeredBytes();
        final long wholeBytes = request.lengthBytes();
        // The whole range at first, so that nothing is sent of a get that is not all inside.
        final int bytes = (int) Math.min(roomBytes, Math.max(0, wholeBytes - begin));
        final Grant grant = grants.find(request.key());
        final int status =
                grant == null
                        ? PmStatus.BAD_KEY
                        : grant.enter(PmAccess.READ, request.offset(), wholeBytes);
        if (status != PmStatus.OK) {
            counters.addShared(CounterType.REMOTE_REFUSED_REQUESTS, 1);
            answer.begin(RemoteRecordFlyweight.DONE, RemoteRecordFlyweight.LAST).status(status);
            return 0;
        }
        final boolean isLast = begin + bytes == wholeBytes;
        answer.begin(RemoteRecordFlyweight.DATA, isLast ? RemoteRecordFlyweight.LAST : 0)
                .range(begin, bytes);
        Memory.copy(grant.address() + request.offset() + begin, answer.dataAddress(), bytes);
        grant.leave();
        request.onAnswered(bytes);
        counters.addShared(CounterType.REMOTE_READ_BYTES, bytes);
        if (isLast) {
            counters.addShared(CounterType.REMOTE_PERFORMED_OPERATIONS, 1);
        }
        return bytes;
    }

    /**
     * An answer has been taken by its requester's node, or is lost with its flow. If that flow was
     * to an earlier opening of the requester, it is sent again: the request may be of this one.
     */
    void onSendDone(final int slot, final int status) {
        if (status == PmStatus.PEER_RESTARTED) {
            again.add(slot);
        } else {
            fragments.giveBack(slot);
        }
    }

    private int sendAgain() {
        final int count = again.size();
        for (int i = 0; i < count; i++) {
            submit(again.removeInt());
        }
        return count;
    }

    private void submit(final int slot) {
        final long peer = fragmentPeer[slot];
        port.submitOrReport(
                endId,
                slot,
                ArrivalEntry.node(peer),
                ContextKind.end(ContextKind.ANSWERS, ArrivalEntry.context(peer)),
                fragments.address(slot),
                fragmentBytes[slot],
                0);
    }

    /** True once after notifications were put. */
    boolean takeNotified() {
        final boolean has = hasNotified;
        hasNotified = false;
        return has;
    }

    /** True if {@link #doWork} has something to do. */
    boolean hasWork() {
        return !again.isEmpty()
                || (!free.isEmpty() && arrivals.isReady())
                || (fragments.freeCount() > 0 && !ready.isEmpty())
                || (!blocked.isEmpty() && area.hasRoom(notifications.position()));
    }

    /** True if it waits for the application to take notifications. */
    boolean isBlocked() {
        return !blocked.isEmpty();
    }

    /** Takes nothing any more; {@link #isAnswered} follows. */
    void close() {
        isClosed = true;
        arrivals.close();
    }

    /**
     * Answers what was performed before {@link #close}; once no loop performs anything any more.
     * Nothing is read any more, and puts for whose notification there is no room stay unanswered.
     *
     * @return true if no other answer is still to be sent or acknowledged.
     */
    boolean isAnswered() {
        doWork();
        return !arrivals.isReady()
                && ready.isEmpty()
                && again.isEmpty()
                && fragments.freeCount() == fragmentPeer.length;
    }

    /** True when no loop performs anything any more. */
    boolean isQuiet() {
        return arrivals.isQuiet();
    }

    /** Gives the frames back that were not looked at; nothing is answered any more. */
    void forget() {
        while (arrivals.next()) {
            if (ArrivalEntry.kind(arrivals.what()) == ArrivalEntry.FRAME) {
                port.releasedCopy((int) arrivals.tag());
            }
        }
    }
}
