package io.hxb.context;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowRights;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.linux.Futex;
import io.hxb.linux.Memory;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.EventRing;
import io.hxb.pm.shm.ReleaseRing;
import io.hxb.remote.RemoteEndpoint;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.invoke.VarHandle;

/**
 * One open context, seen from the node. Owned by the loop that serves it; other loops deliver into
 * it and report the end of flows. Whatever the application writes is checked here against private
 * books; the first violation closes the context.
 */
final class ContextEndpoint {
    private static final Logger LOGGER = LoggerFactory.getLogger(ContextEndpoint.class);
    private static final int RELEASES_PER_TURN = 512;

    private final int contextId;
    private final int incarnation;
    private final AttachedProcess attachedProcess;
    private final ContextParts parts;
    private final BufferPool pool;
    private final BufferLedger books;

    /** The buffers to which its messages are copied; null if they stay in the node's pool. */
    private final BufferPool own;

    private final EndpointMemory memory;
    private final long peerWaitNs;
    private final FlowRights rights;
    private final int signal;
    private final ControlMemory control;
    private final EndpointSends sends;
    private final DeliveryRing deliveries;
    private final ReleaseRing releases;
    private final EventRing events;
    private final DeliveryCounts counts;

    private LoopActivity loop;
    private FlowPort port;
    private CounterBlock counters;
    private boolean isReleaseAwaited;
    private CloseReason closeReason = CloseReason.NONE;
    private boolean isFlowClosed;
    private int eventsOut;
    private int directChanges;

    /** Set once, by the owner; other loops deliver into it. */
    private volatile RemoteEndpoint remote;

    ContextEndpoint(
            final ContextParts parts,
            final NodeMemory node,
            final EndpointMemory memory,
            final int contextId,
            final int incarnation,
            final long peerWaitNs,
            final FlowRights rights) {
        this.parts = parts;
        this.rights = rights;
        pool = node.pool();
        this.memory = memory;
        attachedProcess = memory.application();
        this.contextId = contextId;
        this.incarnation = incarnation;
        own = memory.receivePool();
        books = own == null ? node.books() : new BufferLedger(own.bufferCount());
        this.peerWaitNs = peerWaitNs;
        signal = memory.signal();
        control =
                new ControlMemory(
                        memory.control().address(), memory.sendSlots(), memory.deliveryEntries());
        control.initialize(contextId);
        sends = new EndpointSends(contextId, attachedProcess, parts, memory, control);
        deliveries = control.deliveryRing();
        releases = control.releaseRing();
        events = control.eventRing();
        counts = new DeliveryCounts(memory.deliveryEntries());
    }

    /** The memory and descriptors that it shares with the application. */
    EndpointMemory memory() {
        return memory;
    }

    int contextId() {
        return contextId;
    }

    int incarnation() {
        return incarnation;
    }

    AttachedProcess application() {
        return attachedProcess;
    }

    boolean isClosing() {
        return closeReason != CloseReason.NONE;
    }

    /** Starts to be served by a loop. */
    void start(final LoopActivity activity, final FlowPort flows) {
        loop = activity;
        port = flows;
        counters = activity.counters();
        sends.start(flows, counters);
        final int quota = parts.receiveQuotaFrames();
        port.openContext(
                contextId,
                incarnation,
                new ContextTerms(
                        own == null ? quota : Math.min(quota, own.bufferCount()),
                        own != null,
                        peerWaitNs,
                        rights));
    }

    /** Delivers one frame; any loop. The answer to {@link FlowListener#onFrame}. */
    int deliver(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        if (own != null) {
            return copy(ends, bufferId, bodyAddress, bodyLengthBytes, messageCount);
        }
        final long first = counts.claim(messageCount);
        if (first == DeliveryCounts.FULL) {
            return FlowListener.FULL;
        }
        final long bufferAddress = pool.address(bufferId);
        enter(first, ends, bufferId, bufferAddress, bodyAddress, bodyLengthBytes, messageCount);
        return FlowListener.DELIVERED;
    }

    private int copy(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        final int copyId = own.acquire();
        if (copyId == BufferPool.NONE) {
            counts.stall();
            return FlowListener.FULL;
        }
        final long first = counts.claim(messageCount);
        if (first == DeliveryCounts.FULL) {
            own.release(copyId);
            return FlowListener.FULL;
        }
        // Only now, because a context that is closed waits for what was claimed before its memory
        // is unmapped.
        final long bufferAddress = pool.address(bufferId);
        final long offset = bodyAddress - bufferAddress;
        Memory.copy(bodyAddress, own.address(copyId) + offset, bodyLengthBytes);
        // Lengths are read from memory that the application cannot write.
        enter(first, ends, copyId, bufferAddress, bodyAddress, bodyLengthBytes, messageCount);
        return FlowListener.COPIED;
    }

    // Enters the messages that lie in one buffer, or at the same offsets in another one.
    private void enter(
            final long first,
            final FlowEndpoints ends,
            final int bufferId,
            final long bufferAddress,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        final long end = bodyAddress + bodyLengthBytes;
        final long header = bodyAddress - FrameHeaderFlyweight.LENGTH;
        final int sequence = Memory.getInt(header + FrameHeaderFlyweight.SEQUENCE_OFFSET);
        long record = bodyAddress;
        for (int i = 0; i < messageCount && record <= end - MessageRecordFlyweight.LENGTH; i++) {
            final int lengthBytes = Memory.getInt(record);
            deliveries.write(
                    first + i,
                    bufferId,
                    (int) (record + MessageRecordFlyweight.LENGTH - bufferAddress),
                    lengthBytes,
                    Memory.getInt(record + 4),
                    ends.sourceNode(),
                    ends.sourceContext());
            record += MessageRecordFlyweight.paddedLength(lengthBytes);
        }
        // From here on the application may release the buffer, so it is not read any more.
        books.book(bufferId, contextId, messageCount, ends.flowHandle(), sequence);
        // The first one last, so that the application does not read cache lines that are written.
        for (int i = messageCount - 1; i >= 0; i--) {
            deliveries.publish(first + i);
        }
        wake(ControlMemory.MESSAGES);
        // Last, because the owner may have the memory given back as soon as all that was claimed is
        // counted.
        counts.published(messageCount);
    }

    /** What its application sends; the owner. */
    EndpointSends sends() {
        return sends;
    }

    // Once for all sends that end in one turn: the fence in it costs as much as the rest.
    private void wakeWhenDue() {
        final int untold = sends.takeUnnotified();
        if (untold != 0) {
            wake(untold);
        }
    }

    /**
     * A flow has ended; any loop. False if the application has not taken too many earlier events.
     */
    synchronized boolean onPeerStatus(final int peerNode, final int peerContext, final int status) {
        if (eventsOut == ControlMemory.EVENT_ENTRIES) {
            return false;
        }
        eventsOut++;
        events.put(status, peerNode, peerContext);
        wake(ControlMemory.MESSAGES);
        if (eventsOut > ControlMemory.EVENT_ENTRIES / 2) {
            sends.pause();
        }
        return true;
    }

    private synchronized boolean onEventTaken() {
        if (eventsOut == 0) {
            return false;
        }
        eventsOut--;
        return true;
    }

    /** A link of the node has changed; the owner. */
    void onLinkEvent() {
        wake(ControlMemory.LINKS);
    }

    /** Something about its direct rings waits to be asked for; the owner. */
    void onDirectChange(final boolean isReceiverGone) {
        if (!isClosing()) {
            directChanges += isReceiverGone ? ControlMemory.RECEIVER_GONE : 1;
            control.directChanges(directChanges);
            wake(ControlMemory.MESSAGES | ControlMemory.SENDS | ControlMemory.LINKS);
        }
    }

    private void wake(final int interest) {
        VarHandle.fullFence();
        final int waiting = control.takeWaiting(interest);
        if ((waiting & ControlMemory.ON_WORD) != 0) {
            Futex.wake(control.waitingWord());
        } else if (waiting != 0) {
            SignalSocket.signal(signal);
        }
    }

    /** Takes what the application has written, a bounded amount; returns how much. */
    int doWork(final long nowNs) {
        wakeWhenDue();
        if (isClosing()) {
            return 0;
        }
        final int released = takeReleases();
        if (isClosing()) {
            return released;
        }
        final int taken = sends.take(nowNs);
        if (sends.isHeld()) {
            loop.onHeld(sends.heldUntilNs());
        }
        if (taken < 0) {
            return violated(CloseReason.of(-taken));
        }
        loop.onTaken(released + taken);
        final int remotely = remote == null ? 0 : remote.doWork(nowNs);
        return remotely < 0 ? violated(CloseReason.of(-remotely)) : released + taken + remotely;
    }

    /** Lets it use remote memory; the owner, once. */
    void openRemote(final RemoteEndpoint opened) {
        // Before its ends are open, because frames may come at once.
        remote = opened;
        opened.start(
                port,
                incarnation,
                new ContextTerms(parts.receiveQuotaFrames(), true, peerWaitNs, rights));
    }

    /** What it does with remote memory, or null. */
    RemoteEndpoint remote() {
        return remote;
    }

    /** There are outcomes or notifications; the owner. */
    void wakeForRemote() {
        wake(ControlMemory.REMOTE);
    }

    /** It wants to work at that time; the owner. */
    void wakeAt(final long atNs) {
        loop.onHeld(atNs);
    }

    private int takeReleases() {
        int messages = 0;
        int frames = 0;
        long entry = ReleaseRing.NONE;
        while (messages < RELEASES_PER_TURN && (entry = releases.take()) != ReleaseRing.NONE) {
            final int id = (int) entry;
            messages++;
            if (id == ReleaseRing.EVENT) {
                if (!onEventTaken()) {
                    return violated(CloseReason.BAD_RELEASE);
                }
                messages--;
                continue;
            }
            final int left = books.release(id, contextId);
            if (left == BufferLedger.NOT_HELD) {
                return violated(CloseReason.BAD_RELEASE);
            }
            if (left == 0) {
                frames++;
                giveBack(id);
            }
        }
        if (messages > 0) {
            counts.released(messages, frames);
        }
        if (counts.isStalled() && counts.takeStalled()) {
            port.resume(contextId);
        }
        return messages;
    }

    /** What the application has released counts, although it has closed the context since. */
    private void takeLastReleases() {
        for (int left = releases.entries(); left > 0; left--) {
            final long entry = releases.take();
            final int id = (int) entry;
            if (entry == ReleaseRing.NONE) {
                return;
            }
            final int messagesLeft = id == ReleaseRing.EVENT ? 1 : books.release(id, contextId);
            if (messagesLeft == BufferLedger.NOT_HELD) {
                return;
            }
            if (messagesLeft == 0) {
                giveBack(id);
            }
        }
    }

    private void giveBack(final int id) {
        if (own == null) {
            port.released(books.flowHandle(id), id);
        } else {
            // Read before the buffer may hold another frame.
            final int flowHandle = books.flowHandle(id);
            own.release(id);
            port.releasedCopy(flowHandle);
        }
    }

    private int violated(final CloseReason reason) {
        LOGGER.warn(
                "context {} of {} is closed: {}", contextId, attachedProcess.name(), reason.text());
        close(reason);
        return 1;
    }

    private static CounterType counterOf(final CloseReason reason) {
        return switch (reason) {
            case DETACHED -> CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS;
            case GONE -> CounterType.CONTEXT_CLOSED_DEAD_EVENTS;
            case NODE_CLOSED -> CounterType.CONTEXT_CLOSED_BY_NODE_EVENTS;
            default -> CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS;
        };
    }

    /** Why it is closed; NONE while it is open. */
    CloseReason closeReason() {
        return closeReason;
    }

    /** Begins to close; {@link #finishClosing} ends it. */
    void close(final CloseReason reason) {
        if (!isClosing()) {
            closeReason = reason;
            counters.increment(counterOf(reason));
            counts.close();
            if (remote != null) {
                remote.close();
            }
            control.close(reason.code());
            wake(ControlMemory.MESSAGES | ControlMemory.SENDS | ControlMemory.REMOTE);
            loop.onClosing();
        }
    }

    /**
     * Continues to close: waits until no loop delivers, gives the buffers back, ends the flows,
     * waits until no link reads the memory.
     *
     * @param isToAnswer true to let others have the answers to what they did with its memory.
     * @return true when everything is done.
     */
    boolean finishClosing(final long nowNs, final boolean isToAnswer) {
        if (!counts.isQuiet()) {
            return false;
        }
        if (!isFlowClosed) {
            isFlowClosed = true;
            takeLastReleases();
            for (int id = 0; id < books.bufferCount(); id++) {
                if (books.takeOut(id, contextId)) {
                    port.abandoned(
                            books.flowHandle(id), books.sequence(id), books.messagesLeft(id));
                    giveBack(id);
                }
            }
            port.closeContext(contextId);
        }
        if (remote != null && !remote.finishClosing(nowNs, isToAnswer)) {
            return false;
        }
        if (port.queuedFrames(contextId) > 0) {
            return false;
        }
        sends.releaseRegions();
        return true;
    }

    /** True if there is something to do for the application. */
    boolean hasWork() {
        return !isClosing()
                && (sends.isReady() || releases.isReady() || (remote != null && remote.hasWork()));
    }

    /** The loop is about to sleep: notifies the application whether a release has to wake it. */
    void prepareToSleep() {
        wakeWhenDue();
        if (isClosing()) {
            return;
        }
        if (remote != null) {
            remote.prepareToSleep();
        }
        final boolean isAwaited =
                counts.isStalled() || counts.framesHeld() * 4 > port.creditFrames(contextId);
        if (isAwaited != isReleaseAwaited) {
            isReleaseAwaited = isAwaited;
            control.releaseAwaited(isAwaited);
        }
    }

    long delivered() {
        return counts.delivered();
    }
}
