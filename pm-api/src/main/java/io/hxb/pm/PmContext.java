package io.hxb.pm;

import io.hxb.linux.EventFd;
import io.hxb.linux.Memory;
import io.hxb.linux.PollSet;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.EventRing;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.ReleaseRing;
import io.hxb.pm.shm.SubmissionRing;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * An endpoint of messages: others send to its number on its node. Owned by one application thread,
 * which alone calls its methods; none of them allocates and only the awaiting ones block.
 *
 * <p>A message is written into a claimed send buffer, which the node sends from without copying and
 * gives back when the peer's node has acknowledged it. Messages of one context to one other arrive
 * in the order sent, exactly once, or an event says that they may not have.
 */
public final class PmContext implements AutoCloseable {
    private static final byte FREE = 0;
    private static final byte CLAIMED = 1;
    private static final byte IN_FLIGHT = 2;

    private static final int IDLE_CALLS_BEFORE_CLOCK = 256;
    private static final long ALIVE_CHECK_NS = 100_000_000L;
    private static final long SILENT_NS = 15 * NodePage.BEAT_INTERVAL_NS;

    private final PmDevice device;
    private final PmAttachment attachment;

    /** True if the node's loop runs on this context's thread, and so never while it does. */
    private final boolean isInvoked;

    private final PmAttachment.ContextMemory memory;
    private final NodePage node;
    private final ControlMemory control;
    private final SubmissionRing submissions;
    private final CompletionRing completions;
    private final DeliveryRing deliveries;
    private final ReleaseRing releases;
    private final EventRing events;
    private final long receivePool;
    private final int receiveBufferBytes;
    private final int mtuBytes;
    private final long spinNs;
    private final PollSet pollSet = new PollSet(2);

    private final int[] freeSlots;
    private final byte[] slotState;
    private final int[] slotNode;
    private final int[] slotContext;
    private final int[] slotLength;
    private final MemorySegment[] slotSegments;
    private final UnsafeBuffer[] slotBuffers;
    private final int[] heldMessages;
    private final int[] failedSlots;
    private final int[] failedStatus;
    private final int[] failedNode;
    private final int[] failedContext;

    private SendDoneListener sendDoneListener = (slot, status) -> {};
    private int freeCount;
    private int inFlightCount;
    private int messagesHeld;
    private long failedHead;
    private long failedTail;
    private long position;
    private int sleepSignalled;
    private int idleCalls;
    private long aliveCheckedNs;
    private long lastBeat;
    private long lastBeatNs;
    private boolean hasUntoldSends;
    private boolean isNodeGone;
    private boolean isClosed;
    private boolean isWaiting;
    private int expectedSignals;

    PmContext(
            final PmDevice device,
            final PmAttachment attachment,
            final PmAttachment.ContextMemory memory,
            final long spinNs) {
        this.device = device;
        this.attachment = attachment;
        this.memory = memory;
        this.spinNs = spinNs;
        isInvoked = attachment.invoker() != null;
        node = new NodePage(attachment.nodePageAddress());
        control =
                new ControlMemory(
                        memory.controlAddress(), memory.sendBuffers(), memory.deliveryEntries());
        control.check();
        submissions = control.submissionRing();
        completions = control.completionRing();
        deliveries = control.deliveryRing();
        releases = control.releaseRing();
        events = control.eventRing();
        receivePool = attachment.receivePoolAddress();
        receiveBufferBytes = device.facts().receiveBufferBytes();
        mtuBytes = device.facts().mtuBytes();
        final int slots = memory.sendBuffers();
        freeSlots = new int[slots];
        slotState = new byte[slots];
        slotNode = new int[slots];
        slotContext = new int[slots];
        slotLength = new int[slots];
        slotSegments = new MemorySegment[slots];
        slotBuffers = new UnsafeBuffer[slots];
        failedSlots = new int[slots];
        failedStatus = new int[slots];
        failedNode = new int[slots];
        failedContext = new int[slots];
        heldMessages = new int[device.facts().receiveBuffers()];
        for (int slot = slots - 1; slot >= 0; slot--) {
            freeSlots[freeCount++] = slot;
        }
        pollSet.add(memory.wakeApplication());
        pollSet.add(attachment.descriptor());
    }

    /** This context's number. */
    public int contextId() {
        return memory.contextId();
    }

    /** Number of send buffers. */
    public int sendBufferCount() {
        return memory.sendBuffers();
    }

    /** Longest message that a send buffer holds, in bytes; at most {@link PmDevice#mtuBytes()}. */
    public int maxLengthBytes() {
        return Math.min(mtuBytes, memory.sendBufferBytes());
    }

    /**
     * Claims a send buffer for one message; {@link #send} or {@link #abandon} ends the claim.
     *
     * @param destinationNode node id, 0 to {@link PmDevice#nodeCount()} - 1; this node too.
     * @param destinationContext context there, 0 to {@link PmDevice#contextCount()} - 1.
     * @param lengthBytes longest payload that will be sent, 0 to {@link #maxLengthBytes()}.
     * @return the slot, 0 or more, or {@link PmStatus#NO_BUFFERS} when all are claimed or under
     *     way: receive, await or poll, then try again; {@link PmStatus#CONTEXT_CLOSED} or {@link
     *     PmStatus#NODE_GONE}: close the context.
     * @throws IllegalArgumentException if an argument is out of range. Source: SCore 5.6
     *     pmGetSendBuffer(3).
     */
    public int claim(
            final int destinationNode, final int destinationContext, final int lengthBytes) {
        checkDestination(destinationNode, destinationContext);
        if (lengthBytes < 0 || lengthBytes > maxLengthBytes()) {
            throw new IllegalArgumentException(
                    "lengthBytes must be 0.." + maxLengthBytes() + ": " + lengthBytes);
        }
        if (freeCount == 0) {
            pollCompletions();
            if (freeCount == 0) {
                return idleStatus(PmStatus.NO_BUFFERS);
            }
        }
        final int slot = freeSlots[--freeCount];
        slotState[slot] = CLAIMED;
        slotNode[slot] = destinationNode;
        slotContext[slot] = destinationContext;
        slotLength[slot] = lengthBytes;
        return slot;
    }

    /** Address of a claimed slot's buffer, 64-byte aligned, in memory shared with the node only. */
    public long sendAddress(final int slot) {
        checkClaimed(slot);
        return memory.sendPoolAddress() + (long) slot * memory.sendBufferBytes();
    }

    /** View of a claimed slot's buffer, always the same object for a slot. */
    public MutableDirectBuffer sendBuffer(final int slot) {
        final long address = sendAddress(slot);
        UnsafeBuffer buffer = slotBuffers[slot];
        if (buffer == null) {
            buffer = new UnsafeBuffer(address, memory.sendBufferBytes());
            slotBuffers[slot] = buffer;
        }
        return buffer;
    }

    /** A claimed slot's buffer as a segment, always the same object for a slot. */
    public MemorySegment sendSegment(final int slot) {
        final long address = sendAddress(slot);
        MemorySegment segment = slotSegments[slot];
        if (segment == null) {
            segment = Memory.ALL.asSlice(address, memory.sendBufferBytes());
            slotSegments[slot] = segment;
        }
        return segment;
    }

    /**
     * Hands the message in a claimed slot to the node. The buffer is not to be touched until {@link
     * #isSendDone}.
     *
     * @param lengthBytes payload from the buffer's start, 0 to what was claimed.
     * @param tag any 32 bits, given to the receiver with the message.
     * @return {@link PmStatus#OK}; or {@link PmStatus#CONTEXT_CLOSED} or {@link
     *     PmStatus#NODE_GONE}: nothing is sent, close the context. Source: SCore 5.6 pmSend(3).
     */
    public int send(final int slot, final int lengthBytes, final int tag) {
        checkClaimed(slot);
        if (lengthBytes < 0 || lengthBytes > slotLength[slot]) {
            throw new IllegalArgumentException(
                    "lengthBytes must be 0.." + slotLength[slot] + ": " + lengthBytes);
        }
        return submit(slot, lengthBytes, tag, 0, 0);
    }

    /**
     * Hands over a message that lies in a region: the node sends it from there. Uses a claimed slot
     * for its destination and for {@link #isSendDone}, but not the slot's buffer.
     *
     * @param region of this context's device; its bytes are not to be changed until the send is
     *     done.
     * @param offset first byte of the payload in the region.
     * @param lengthBytes 0 to {@link PmDevice#mtuBytes()}.
     * @param tag any 32 bits, given to the receiver with the message.
     * @return as {@link #send}.
     */
    public int sendFrom(
            final int slot,
            final PmRegion region,
            final long offset,
            final int lengthBytes,
            final int tag) {
        checkClaimed(slot);
        region.checkRange(offset, lengthBytes);
        if (region.device() != device) {
            throw new IllegalArgumentException("the region is of another device");
        }
        if (lengthBytes > mtuBytes) {
            throw new IllegalArgumentException(
                    "lengthBytes must be 0.." + mtuBytes + ": " + lengthBytes);
        }
        return submit(slot, lengthBytes, tag, region.id(), offset);
    }

    /** Gives a claimed slot back unsent. */
    public void abandon(final int slot) {
        checkClaimed(slot);
        free(slot);
    }

    /**
     * True if nothing of {@code slot} is under way: its message has been acknowledged by the peer's
     * node, or has failed, which an event told. A slot that was claimed and sent again since speaks
     * of the newer message.
     */
    public boolean isSendDone(final int slot) {
        checkSlot(slot);
        if (slotState[slot] == IN_FLIGHT) {
            pollCompletions();
        }
        return slotState[slot] != IN_FLIGHT;
    }

    /** Number of messages handed over that are not yet acknowledged or failed. */
    public int unfinishedSends() {
        pollCompletions();
        return inFlightCount;
    }

    /**
     * Receives the next message, in place.
     *
     * @param message filled when the result is OK; must be released (in any order), and may be
     *     reused for the next receive at once if its handle is kept.
     * @return {@link PmStatus#OK}, {@link PmStatus#EMPTY}, {@link PmStatus#CONTEXT_CLOSED} or
     *     {@link PmStatus#NODE_GONE}. Source: SCore 5.6 pmReceive(3).
     */
    public int receive(final PmMessage message) {
        final long next = position;
        if (isClosed || !deliveries.isReady(next) || control.state() != ControlMemory.OPEN) {
            return idleStatus(PmStatus.EMPTY);
        }
        final long entry = deliveries.entry(next);
        final int bufferId = DeliveryRing.bufferId(entry);
        heldMessages[bufferId]++;
        messagesHeld++;
        position = next + 1;
        message.set(
                ((next << 24) | bufferId) & Long.MAX_VALUE,
                receivePool
                        + (long) bufferId * receiveBufferBytes
                        + DeliveryRing.payloadOffset(entry),
                DeliveryRing.lengthBytes(entry),
                DeliveryRing.tag(entry),
                DeliveryRing.sourceNode(entry),
                DeliveryRing.sourceContext(entry));
        return PmStatus.OK;
    }

    /** Releases a message and empties the flyweight; its bytes are not to be read any more. */
    public void release(final PmMessage message) {
        final long handle = message.handle();
        message.clear();
        release(handle);
    }

    /**
     * Releases the message that had this handle; its bytes are not to be read any more.
     *
     * @throws IllegalStateException if no such message is held. Source: SCore 5.6
     *     pmReleaseReceiveBuffer(3).
     */
    public void release(final long handle) {
        final int bufferId = (int) handle & 0xFF_FFFF;
        if (handle < 0 || bufferId >= heldMessages.length || heldMessages[bufferId] == 0) {
            throw new IllegalStateException("no message with this handle is held: " + handle);
        }
        checkOpen();
        heldMessages[bufferId]--;
        messagesHeld--;
        releases.put(bufferId);
        if (isInvoked) {
            return;
        }
        VarHandle.fullFence();
        if (control.isReleaseAwaited()) {
            wakeNode();
        }
    }

    /** Number of messages received and not yet released. */
    public int messagesHeld() {
        return messagesHeld;
    }

    /**
     * Takes the next event.
     *
     * @param event filled when the result is OK.
     * @return {@link PmStatus#OK} or {@link PmStatus#EMPTY}.
     */
    public int pollEvent(final PmEvent event) {
        if (isClosed) {
            return PmStatus.EMPTY;
        }
        device.pollLinkEvents();
        final int before = inFlightCount;
        pollCompletions();
        // Whoever waits for finished sends next has not been told of these.
        hasUntoldSends |= inFlightCount != before;
        if (failedHead != failedTail) {
            final int index = (int) (failedHead++ % failedSlots.length);
            event.set(
                    failedStatus[index],
                    failedNode[index],
                    failedContext[index],
                    failedSlots[index]);
            return PmStatus.OK;
        }
        if (!events.take()) {
            return PmStatus.EMPTY;
        }
        event.set(events.status(), events.node(), events.context(), PmEvent.NO_SLOT);
        releases.put(ReleaseRing.EVENT);
        return PmStatus.OK;
    }

    /**
     * Waits until a message or an event can be taken: spins for the time set in the options, then
     * sleeps.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK}, {@link PmStatus#TIMED_OUT}, {@link PmStatus#CONTEXT_CLOSED},
     *     {@link PmStatus#NODE_GONE} (within a second of the node's death) or {@link
     *     PmStatus#NODE_SILENT} (when the node has stood still for 3 seconds of waiting).
     */
    public int await(final long timeoutNs) {
        return await(ControlMemory.MESSAGES, timeoutNs);
    }

    /**
     * Waits until a send is done that was not when last asked; otherwise as {@link #await(long)}.
     * For a sender that got {@link PmStatus#NO_BUFFERS} and receives nothing.
     */
    public int awaitSends(final long timeoutNs) {
        return awaitTold(ControlMemory.SENDS, timeoutNs);
    }

    /** Waits for a message, an event or a finished send; otherwise as {@link #await(long)}. */
    public int awaitAny(final long timeoutNs) {
        return awaitTold(ControlMemory.MESSAGES | ControlMemory.SENDS, timeoutNs);
    }

    private int awaitTold(final int interest, final long timeoutNs) {
        final int status = await(interest, timeoutNs);
        hasUntoldSends = false;
        return status;
    }

    /**
     * A descriptor for the application's own poll or epoll. It becomes readable only while armed:
     * call {@link #arm}, poll if it returned true, then call {@link #disarm}. Poll {@link
     * PmDevice#descriptor()} along with it to notice the death of the node.
     */
    public int descriptor() {
        return memory.wakeApplication();
    }

    /**
     * Arms {@link #descriptor()} for the next message or event, and with {@code withSends} for the
     * next finished send. It also becomes readable when a link of the node fails or recovers, see
     * {@link PmDevice#onLinkEvent}.
     *
     * @return true if armed; false if there is something to take already, or the context is closed.
     */
    public boolean arm(final boolean withSends) {
        final int interest = ControlMemory.MESSAGES | (withSends ? ControlMemory.SENDS : 0);
        if (isClosed) {
            return false;
        }
        startWaiting(interest);
        device.pollLinkEvents();
        if (isReady(interest) || closedStatus() != PmStatus.OK) {
            hasUntoldSends &= !withSends;
            endWaiting();
            return false;
        }
        return true;
    }

    /** Ends what {@link #arm} began. */
    public void disarm() {
        if (!isClosed) {
            endWaiting();
        }
    }

    private void startWaiting(final int interest) {
        isWaiting = true;
        control.waiting(interest | ControlMemory.LINKS);
    }

    // A signal comes for each wait that the node has ended, perhaps after the wait: only then is
    // there something to read, and most waits of a loop that hears its links end without.
    private void endWaiting() {
        if (isWaiting) {
            isWaiting = false;
            expectedSignals += control.endWaiting() ? 1 : 0;
        }
        if (expectedSignals > 0) {
            expectedSignals -= SignalSocket.drain(memory.wakeApplication());
        }
    }

    /** Why the node has closed this context, in words. */
    public String closeReason() {
        return isClosed
                ? CloseReason.DETACHED.text()
                : CloseReason.of(control.closeReason()).text();
    }

    /**
     * Closes the context: what was not yet acknowledged may be lost, and messages held are
     * released. Wait for {@link #unfinishedSends()} to reach 0 before, when it matters. Blocks for
     * at most 5 seconds.
     */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            freeCount = 0;
            device.onClosed(this);
            attachment.closeContext(memory);
            pollSet.close();
        }
    }

    PmDevice device() {
        return device;
    }

    boolean hasFreeSlot() {
        return freeCount > 0;
    }

    /**
     * Sets who is told of every send slot that comes back, within calls of the context's own
     * methods; for protocols over a context. One at a time.
     */
    public void sendDoneListener(final SendDoneListener listener) {
        sendDoneListener = listener;
    }

    private int submit(
            final int slot,
            final int lengthBytes,
            final int tag,
            final int region,
            final long regionOffset) {
        final int closed = closedStatus();
        if (closed != PmStatus.OK) {
            free(slot);
            return closed;
        }
        slotState[slot] = IN_FLIGHT;
        inFlightCount++;
        submissions.put(
                slot, lengthBytes, slotNode[slot], slotContext[slot], tag, region, regionOffset);
        if (!isInvoked) {
            VarHandle.fullFence();
            wakeNode();
        }
        return PmStatus.OK;
    }

    // The caller has put a full fence behind what the node is to see.
    private void wakeNode() {
        final int sleep = node.sleep(memory.loop());
        if (sleep != 0 && sleep != sleepSignalled) {
            sleepSignalled = sleep;
            EventFd.signal(memory.wakeNode());
        }
    }

    private void pollCompletions() {
        if (isClosed) {
            return;
        }
        long entry = completions.take();
        while (entry != CompletionRing.NONE) {
            onCompletion(CompletionRing.slot(entry), CompletionRing.status(entry));
            entry = completions.take();
        }
    }

    private void onCompletion(final int slot, final int status) {
        if (slotState[slot] != IN_FLIGHT) {
            throw new IllegalStateException("the completion ring was overwritten: slot " + slot);
        }
        inFlightCount--;
        if (status != PmStatus.OK) {
            if (failedTail - failedHead == failedSlots.length) {
                failedHead++;
            }
            final int index = (int) (failedTail++ % failedSlots.length);
            failedSlots[index] = slot;
            failedStatus[index] = status;
            failedNode[index] = slotNode[slot];
            failedContext[index] = slotContext[slot];
        }
        free(slot);
        sendDoneListener.onSendDone(slot, status);
    }

    private void free(final int slot) {
        slotState[slot] = FREE;
        freeSlots[freeCount++] = slot;
    }

    private int await(final int interest, final long timeoutNs) {
        if (timeoutNs < 0) {
            throw new IllegalArgumentException("timeoutNs must be 0 or more: " + timeoutNs);
        }
        if (isClosed) {
            return PmStatus.CONTEXT_CLOSED;
        }
        if (isReady(interest)) {
            return PmStatus.OK;
        }
        final long startNs = System.nanoTime();
        final PmInvoker invoker = attachment.invoker();
        long nowNs = startNs;
        while (true) {
            device.pollLinkEvents();
            final long leftNs = timeoutNs - (nowNs - startNs);
            final boolean isSpinning = nowNs - startNs < spinNs;
            if (invoker != null) {
                invoker.run(isSpinning ? 0 : Math.max(leftNs, 0));
            } else if (isSpinning || leftNs <= 0) {
                Thread.onSpinWait();
            } else {
                sleep(interest, Math.min(leftNs, ALIVE_CHECK_NS));
            }
            if (isReady(interest)) {
                return PmStatus.OK;
            }
            final boolean isSilent =
                    (!isSpinning || leftNs <= 0) && invoker == null && isNodeSilent(nowNs);
            if (leftNs <= 0) {
                return idleStatus(isSilent ? PmStatus.NODE_SILENT : PmStatus.TIMED_OUT);
            }
            final int closed = closedStatus();
            if (closed != PmStatus.OK) {
                return closed;
            }
            if (isSilent) {
                return PmStatus.NODE_SILENT;
            }
            nowNs = System.nanoTime();
        }
    }

    private void sleep(final int interest, final long timeoutNs) {
        startWaiting(interest);
        if (!isReady(interest)
                && !device.hasLinkEvents()
                && control.state() == ControlMemory.OPEN) {
            pollSet.await(timeoutNs);
            if (pollSet.ready(1) != 0) {
                isNodeGone = !attachment.isNodeAlive();
            }
        }
        endWaiting();
    }

    // Beats are counted, not timed, so that clocks of two processes need not agree.
    private boolean isNodeSilent(final long nowNs) {
        final long beat = node.beat();
        if (beat != lastBeat || beat == 0) {
            lastBeat = beat;
            lastBeatNs = nowNs;
            return false;
        }
        return nowNs - lastBeatNs > SILENT_NS;
    }

    private boolean isReady(final int interest) {
        return failedHead != failedTail
                || ((interest & ControlMemory.MESSAGES) != 0
                        && (deliveries.isReady(position) || events.isReady()))
                || ((interest & ControlMemory.SENDS) != 0
                        && (hasUntoldSends || completions.isReady()));
    }

    // Called when there was nothing to do; now and then asks whether the node still lives.
    private int idleStatus(final int status) {
        final int closed = closedStatus();
        if (closed != PmStatus.OK) {
            return closed;
        }
        if (++idleCalls >= IDLE_CALLS_BEFORE_CLOCK) {
            idleCalls = 0;
            final long nowNs = System.nanoTime();
            if (nowNs - aliveCheckedNs > ALIVE_CHECK_NS) {
                aliveCheckedNs = nowNs;
                isNodeGone = !attachment.isNodeAlive();
            }
        }
        return status;
    }

    private int closedStatus() {
        if (isClosed) {
            return PmStatus.CONTEXT_CLOSED;
        }
        if (isNodeGone || node.state() != NodePage.ALIVE) {
            return PmStatus.NODE_GONE;
        }
        return control.state() == ControlMemory.OPEN ? PmStatus.OK : PmStatus.CONTEXT_CLOSED;
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the context is closed: " + memory.contextId());
        }
    }

    void checkDestination(final int destinationNode, final int destinationContext) {
        device.checkNode(destinationNode);
        if (destinationContext < 0 || destinationContext >= device.contextCount()) {
            throw new IllegalArgumentException(
                    "destinationContext must be 0.."
                            + (device.contextCount() - 1)
                            + ": "
                            + destinationContext);
        }
    }

    private void checkSlot(final int slot) {
        checkOpen();
        if (slot < 0 || slot >= slotState.length) {
            throw new IllegalArgumentException(
                    "slot must be 0.." + (slotState.length - 1) + ": " + slot);
        }
    }

    private void checkClaimed(final int slot) {
        checkSlot(slot);
        if (slotState[slot] != CLAIMED) {
            throw new IllegalStateException("slot is not claimed: " + slot);
        }
    }

    /** Told of every send slot that comes back, before it can be claimed again. */
    @FunctionalInterface
    public interface SendDoneListener {
        /**
         * A message sent is done.
         *
         * @param status {@link PmStatus#OK} if the peer's node has it, or why it may not.
         */
        void onSendDone(int slot, int status);
    }
}
