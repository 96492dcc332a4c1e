package io.hxb.pm;

import io.hxb.pm.attach.Attachment;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.EventRing;
import io.hxb.pm.shm.NodePage;

import org.agrona.MutableDirectBuffer;

import java.lang.foreign.MemorySegment;

/**
 * An endpoint of messages: others send to its number on its node. Owned by one application thread,
 * which alone calls its methods; none of them allocates, and only those with a time-out block.
 *
 * <p>A message is written into a claimed send buffer, which the node sends from and gives back when
 * the peer's node has acknowledged it; only messages that wait together are copied, into frames
 * that they share. Messages of one context to one other arrive in the order sent, exactly once, or
 * an event reports that they may not have.
 *
 * <p>The simplest way is this: {@link #send(int, int, byte[], int, long)} sends a copy and {@link
 * #receive(PmMessage, long)} waits for a message. Both return a {@link PmStatus}; {@link
 * PmStatus#EVENT} asks for {@link #pollEvent}. Programs that cannot afford the copy or the wait use
 * {@link #claim(int, int, int)}, {@link #send(int, int, int)} and {@link #receive(PmMessage)}.
 */
public final class PmContext implements AutoCloseable {
    private final PmDevice device;
    private final Attachment.ContextMemory memory;
    private final ContextState state;
    private final SendClaims claims;
    private final ContextSends sends;
    private final ReceiveEnd receives;
    private final ContextEvents events;
    private final ContextWaiter waiter;
    private final RemoteMemoryAccess remote;
    private final ContextResources resources;
    private boolean isHandling;

    PmContext(
            final PmDevice device,
            final Attachment attachment,
            final Attachment.ContextMemory memory,
            final int maxLengthBytes,
            final long spinNs) {
        this.device = device;
        this.memory = memory;
        final ControlMemory control =
                new ControlMemory(
                        memory.controlAddress(), memory.send().count(), memory.deliveryEntries());
        control.check();
        final NodePage node = new NodePage(attachment.nodePageAddress());
        final NodeWaker waker = new NodeWaker(node, memory.wakeUps(), device.isInvoker());
        state =
                new ContextState(
                        memory.contextId(), control, new NodeWatch(node, attachment::isNodeAlive));
        final int ownNode = device.nodeId();
        final ReceivedMessages held = new ReceivedMessages(memory.deliveryEntries());
        final DirectReceives directs =
                new DirectReceives(ownNode, device.mtuBytes(), memory.deliveryEntries(), held);
        final DirectRings rings =
                new DirectRings(
                        control,
                        attachment,
                        memory.contextId(),
                        new DirectSends(attachment, memory.contextId(), device.contextCount()),
                        directs);
        final SendEnd sendEnd =
                new SendEnd(control, memory.send(), maxLengthBytes, waker, ownNode, rings);
        receives = new ReceiveEnd(control, memory.receive(), waker, held, rings);
        final EventRing ring = control.eventRing();
        final ContextSleep sleep =
                new ContextSleep(control, rings, memory.wakeUps(), attachment.descriptor());
        waiter = new ContextWaiter(device, state, sendEnd, receives, ring, sleep, spinNs);
        claims = new SendClaims(state, sendEnd, waiter);
        sends = new ContextSends(device, state, sendEnd, maxLengthBytes, waiter, directs);
        events = new ContextEvents(device, state, waiter, sendEnd.failed(), ring, receives);
        remote =
                new RemoteMemoryAccess(
                        device, attachment, memory.contextId(), state, waker, waiter);
        resources = new ContextResources(attachment, memory, rings, sleep);
    }

    /** {@return this context's number} */
    public int contextId() {
        return memory.contextId();
    }

    /** {@return the number of send buffers} */
    public int sendBufferCount() {
        return memory.send().count();
    }

    /**
     * {@return the longest message that is written in send buffers, in bytes: {@link
     * PmDevice#mtuBytes()}, or {@link PmContextOptions#sendBufferBytes()} if that is less}
     */
    public int maxLengthBytes() {
        return sends.maxLengthBytes();
    }

    /**
     * Claims a send buffer for one message; {@link #send} or {@link #abandon} ends the claim.
     *
     * @param destinationNode node id, 0 to {@link PmDevice#nodeCount()} - 1; this node too.
     * @param destinationContext context there, 0 to {@link PmDevice#contextCount()} - 1.
     * @param lengthBytes longest payload that will be sent, 0 to {@link #maxLengthBytes()}.
     * @return the slot, 0 or more, or {@link PmStatus#NO_BUFFERS} when all that the destination may
     *     have are claimed or under way, see {@link #destination}: receive, await or poll, then try
     *     again; {@link PmStatus#DROPPED} instead if its options ask for it; {@link
     *     PmStatus#CONTEXT_CLOSED} or {@link PmStatus#NODE_GONE}: close the context.
     * @throws IllegalArgumentException if an argument is out of range. Source: SCore 5.6
     *     pmGetSendBuffer(3).
     */
    public int claim(
            final int destinationNode, final int destinationContext, final int lengthBytes) {
        device.checkDestination(destinationNode, destinationContext);
        sends.checkLength(lengthBytes);
        return claims.claim(destinationNode, destinationContext, lengthBytes);
    }

    /**
     * As {@link #claim(int, int, int)}, but waits for a buffer of its destination when it has none
     * left.
     *
     * @param destinationNode node id, 0 to {@link PmDevice#nodeCount()} - 1; this node too.
     * @param destinationContext context there, 0 to {@link PmDevice#contextCount()} - 1.
     * @param lengthBytes payload length, 0 to {@link #maxLengthBytes()}.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return the slot, 0 or more; or, all negative, {@link PmStatus#TIMED_OUT}, {@link
     *     PmStatus#EVENT} when a message sent before has failed (take the events, then try again),
     *     {@link PmStatus#CONTEXT_CLOSED}, {@link PmStatus#NODE_GONE} or {@link
     *     PmStatus#NODE_SILENT}; and if the destination's options ask for it, {@link
     *     PmStatus#NO_BUFFERS} or {@link PmStatus#DROPPED}.
     */
    public int claim(
            final int destinationNode,
            final int destinationContext,
            final int lengthBytes,
            final long timeoutNs) {
        device.checkDestination(destinationNode, destinationContext);
        sends.checkLength(lengthBytes);
        return claims.claim(destinationNode, destinationContext, lengthBytes, timeoutNs);
    }

    /**
     * One destination of this context's messages: how much to it is not finished, and what is done
     * when it is slow. The send buffers are shared among the destinations by how many are free: one
     * that takes nothing leaves some to the others, and those that take nothing have equal parts of
     * the rest. Of 8 buffers or more no destination gets all, of 256 one alone gets 200; one of
     * which nothing is done while 512 messages to others are gets 32.
     *
     * @param node node id, 0 to {@link PmDevice#nodeCount()} - 1; this node too.
     * @param context context there, 0 to {@link PmDevice#contextCount()} - 1.
     * @return a new small object, which may be kept.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public PmDestination destination(final int node, final int context) {
        device.checkDestination(node, context);
        return new PmDestination(sends, node, context);
    }

    /**
     * {@return the address where the message of a claimed slot is written, 8-byte aligned, in
     * memory shared with the node only; as many bytes as were claimed may be}
     *
     * @param slot of a message that was claimed and not yet sent.
     */
    public long sendAddress(final int slot) {
        return sends.address(slot);
    }

    /**
     * {@return the view of where the message of a claimed slot is written, the same object for a
     * slot} It may end where the claim does.
     *
     * @param slot of a message that was claimed and not yet sent.
     */
    public MutableDirectBuffer sendBuffer(final int slot) {
        return sends.buffer(slot);
    }

    /**
     * {@return what {@link #sendBuffer} returns, as a segment: a new small object at each call;
     * code that must not allocate uses {@link #sendAddress} or {@link #sendBuffer}}
     *
     * @param slot of a message that was claimed and not yet sent.
     */
    public MemorySegment sendSegment(final int slot) {
        return sends.segment(slot);
    }

    /**
     * Hands the message in a claimed slot to the node. The buffer must not be touched until {@link
     * #isSendDone}.
     *
     * @param slot as {@link #claim(int, int, int)} returned it.
     * @param lengthBytes payload from the buffer's start, 0 to what was claimed.
     * @param tag any 32 bits, given to the receiver with the message.
     * @return {@link PmStatus#OK}; or {@link PmStatus#CONTEXT_CLOSED} or {@link
     *     PmStatus#NODE_GONE}: nothing is sent, close the context. Source: SCore 5.6 pmSend(3).
     */
    public int send(final int slot, final int lengthBytes, final int tag) {
        return sends.send(slot, lengthBytes, tag);
    }

    /**
     * Sends a copy of {@code payload}; waits for a buffer when the destination has none left, but
     * not for the message to arrive: {@link #awaitAllSends} does. The simple way; {@link
     * #claim(int, int, int)} does without the copy.
     *
     * @param destinationNode node id, 0 to {@link PmDevice#nodeCount()} - 1; this node too.
     * @param destinationContext context there, 0 to {@link PmDevice#contextCount()} - 1.
     * @param payload 0 to {@link #maxLengthBytes()} bytes; may be changed after the call.
     * @param tag any 32 bits, given to the receiver with the message.
     * @param timeoutNs longest wait for a buffer in ns, 0 or more.
     * @return {@link PmStatus#OK} if the message is on its way; if it fails later, {@link
     *     #pollEvent} reports it. Else nothing is sent, for the reason that {@link #claim(int, int,
     *     int, long)} gives.
     * @throws IllegalArgumentException if an argument is out of range.
     */
    public int send(
            final int destinationNode,
            final int destinationContext,
            final byte[] payload,
            final int tag,
            final long timeoutNs) {
        final int slot = claim(destinationNode, destinationContext, payload.length, timeoutNs);
        return slot < 0 ? slot : sends.sendCopy(slot, payload, tag);
    }

    /**
     * Hands over a message that lies in a region: the node sends it from there. Uses a claimed slot
     * for its destination and for {@link #isSendDone}, but not the slot's buffer.
     *
     * @param slot as {@link #claim(int, int, int)} returned it.
     * @param region of this context's device; its bytes must not be changed until the send is done.
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
        return sends.sendFrom(slot, region, offset, lengthBytes, tag);
    }

    /**
     * Gives a claimed slot back unsent.
     *
     * @param slot of a message that was claimed and not yet sent.
     */
    public void abandon(final int slot) {
        sends.abandon(slot);
    }

    /**
     * {@return true if nothing of {@code slot} is under way: its message has been acknowledged by
     * the peer's node, or has failed, which an event reported} For a slot that was claimed and sent
     * again in the meantime, this is about the newer message.
     *
     * @param slot 0 to {@link #sendBufferCount()} - 1.
     */
    public boolean isSendDone(final int slot) {
        return sends.isDone(slot);
    }

    /** {@return the number of messages handed over that are not yet acknowledged or failed} */
    public int unfinishedSends() {
        return sends.unfinished();
    }

    /**
     * Receives the next message, in place, if there is one; does not wait.
     *
     * @param message filled when the result is OK; must be released (in any order), and may be
     *     reused for the next receive at once if its handle is kept.
     * @return {@link PmStatus#OK}, {@link PmStatus#EMPTY}, {@link PmStatus#CONTEXT_CLOSED} or
     *     {@link PmStatus#NODE_GONE}. Source: SCore 5.6 pmReceive(3).
     */
    public int receive(final PmMessage message) {
        if (state.isClosed() || !receives.isReady() || !state.isOpenAtNode()) {
            return state.idle(PmStatus.EMPTY);
        }
        receives.take(message);
        return PmStatus.OK;
    }

    /**
     * Receives several messages: calls the handler for each in turn and releases it. Does not wait.
     *
     * @param handler called for each message; what it throws is passed on.
     * @param limit most messages, 1 or more.
     * @return the number of messages received, 0 if there is none; {@link PmStatus#CONTEXT_CLOSED}
     *     or {@link PmStatus#NODE_GONE}: close the context.
     * @throws IllegalStateException if a handler calls it, or closes the context.
     */
    public int receive(final PmMessageHandler handler, final int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be 1 or more: " + limit);
        }
        checkNotHandling();
        isHandling = true;
        int count = 0;
        try {
            while (count < limit
                    && !state.isClosed()
                    && receives.isReady()
                    && state.isOpenAtNode()) {
                count += receives.take(handler, limit - count);
            }
        } finally {
            isHandling = false;
        }
        return count > 0 ? count : state.idle(0);
    }

    private void checkNotHandling() {
        if (isHandling) {
            throw new IllegalStateException("a handler of messages is called just now");
        }
    }

    /**
     * Receives the next message, in place; waits for it as {@link #await(long)} does.
     *
     * @param message filled when the result is OK; must be released (in any order), and may be
     *     reused for the next receive at once if its handle is kept.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if there was a message; {@link PmStatus#EVENT} if there is none
     *     but {@link #pollEvent} has an event, until it is taken; {@link PmStatus#TIMED_OUT},
     *     {@link PmStatus#CONTEXT_CLOSED}, {@link PmStatus#NODE_GONE} or {@link
     *     PmStatus#NODE_SILENT}.
     */
    public int receive(final PmMessage message, final long timeoutNs) {
        final int status = receive(message);
        if (status != PmStatus.EMPTY) {
            return status;
        }
        final int waited = await(timeoutNs);
        return waited == PmStatus.OK ? receive(message) : waited;
    }

    /**
     * Releases a message and empties the flyweight; its bytes are not to be read any more.
     *
     * @param message received by this context and not released.
     * @throws IllegalStateException if it holds no message.
     */
    public void release(final PmMessage message) {
        final long handle = message.handle();
        message.clear();
        release(handle);
    }

    /**
     * Releases the message that had this handle; its bytes are not to be read any more.
     *
     * @param handle as {@link PmMessage#handle()} returned it.
     * @throws IllegalStateException if no such message is held. Source: SCore 5.6
     *     pmReleaseReceiveBuffer(3).
     */
    public void release(final long handle) {
        state.checkOpen();
        receives.release(handle);
    }

    /** {@return the number of messages received and not yet released} */
    public int messagesHeld() {
        return receives.held().count();
    }

    /**
     * Takes the next event: what went wrong with a message or with everything sent to a peer. Call
     * it until it has none left whenever a wait has ended with {@link PmStatus#EVENT}, and
     * occasionally while messages come without a pause. Does not wait.
     *
     * @param event filled when the result is OK.
     * @return {@link PmStatus#OK} or {@link PmStatus#EMPTY}.
     */
    public int pollEvent(final PmEvent event) {
        return events.poll(event);
    }

    /**
     * Waits until {@link #receive(PmMessage)} has a message: spins for the time set in the options,
     * then sleeps. An event ends the wait, too, unless there is a message: messages come first.
     * Link events are handed to {@link PmDevice#onLinkEvent} meanwhile and do not end it.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if there is a message to receive; {@link PmStatus#EVENT} if there
     *     is none but {@link #pollEvent} has an event, until it is taken; {@link
     *     PmStatus#TIMED_OUT}, {@link PmStatus#CONTEXT_CLOSED} (also when another thread has closed
     *     the device), {@link PmStatus#NODE_GONE} (within a second of the node's death), {@link
     *     PmStatus#NODE_SILENT} (when the node has stood still for 3 seconds of waiting) or {@link
     *     PmStatus#INTERRUPTED} (within 0.1 s when the thread is interrupted, which it still is
     *     afterwards).
     */
    public int await(final long timeoutNs) {
        return waiter.await(ControlMemory.MESSAGES, timeoutNs);
    }

    /**
     * Waits until a send has finished, with or without success, since the last call. For a sender
     * that got {@link PmStatus#NO_BUFFERS} and receives nothing.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if a send is done; {@link PmStatus#EVENT} if none is, but one
     *     that failed before has not been taken by {@link #pollEvent}; otherwise as {@link
     *     #await(long)}.
     */
    public int awaitSends(final long timeoutNs) {
        return waiter.await(ControlMemory.SENDS, timeoutNs);
    }

    /**
     * Waits for a message or a finished send.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if there is either; otherwise as {@link #await(long)}.
     */
    public int awaitAny(final long timeoutNs) {
        return waiter.await(ControlMemory.MESSAGES | ControlMemory.SENDS, timeoutNs);
    }

    /**
     * Waits until everything sent has been acknowledged by the peers' nodes; before {@link #close},
     * for example. Claimed slots that were not sent do not count.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK} if nothing is under way and {@link #pollEvent} has reported all
     *     that failed; {@link PmStatus#EVENT} if a message failed: take the events, then call it
     *     again for the rest; otherwise as {@link #await(long)}.
     */
    public int awaitAllSends(final long timeoutNs) {
        return sends.awaitAll(timeoutNs);
    }

    /**
     * {@return a descriptor for the application's own poll or epoll} It becomes readable only while
     * armed: call {@link #arm}, poll if it returned true, then call {@link #disarm}. Poll {@link
     * PmDevice#descriptor()} as well to notice the death of the node.
     */
    public int descriptor() {
        return memory.wakeUps().application();
    }

    /**
     * Arms {@link #descriptor()} for the next message or event, and with {@code withSends} for the
     * next finished send. It also becomes readable when a link of the node fails or recovers, see
     * {@link PmDevice#onLinkEvent}.
     *
     * @param withSends true to arm it for finished sends, too.
     * @return true if armed; false if there is something to take already, or the context is closed.
     */
    public boolean arm(final boolean withSends) {
        return waiter.arm(ControlMemory.MESSAGES | (withSends ? ControlMemory.SENDS : 0));
    }

    /** Ends what {@link #arm} began. */
    public void disarm() {
        waiter.disarm();
    }

    /** {@return a text with the reason the node has closed this context} */
    public String closeReason() {
        return state.closeReason();
    }

    /**
     * Closes the context: messages that were not yet acknowledged may be lost, and messages held
     * are released. Where that matters, wait for {@link #unfinishedSends()} to reach 0 first. Never
     * blocks.
     */
    @Override
    public void close() {
        checkNotHandling();
        if (!state.isClosed()) {
            device.onClosed(this);
            state.close();
            sends.close();
            resources.close();
        }
    }

    /**
     * Ends the use of the context permanently while its thread may be using it, which is another
     * one than the caller: its waits end, and its memory reads as zeros until it closes the
     * context.
     */
    void detach() {
        state.detach();
        waiter.wakeForGood();
        resources.decommit(state);
    }

    /**
     * What remote memory needs of this context, for that alone.
     *
     * @return the same rights as this context, for its thread.
     * @hidden
     */
    @SuppressWarnings({"exports", "InvalidBlockTag"})
    public RemoteMemoryAccess remoteDoor() {
        state.checkOpen();
        return remote;
    }

    PmDevice device() {
        return device;
    }

    /**
     * Sets the listener that is called for every send slot that comes back, within calls of the
     * context's own methods; for protocols over a context. There is one at a time.
     *
     * @param listener called from now on, instead of the one before.
     */
    public void sendDoneListener(final SendDoneListener listener) {
        sends.listener(listener);
    }

    /** Called for every send slot that comes back, before it can be claimed again. */
    @FunctionalInterface
    public interface SendDoneListener {
        /**
         * A message sent is done.
         *
         * @param slot the slot, which can be claimed again after the call.
         * @param status {@link PmStatus#OK} if the peer's node has it, or why it may not.
         */
        void onSendDone(int slot, int status);

        /**
         * What a claim found full has room again, though perhaps no send is done: a ring to another
         * context of this node. Called within {@link PmContext#unfinishedSends} and within waits
         * for sends, perhaps several times.
         */
        default void onRoom() {
            // For those who wait for finished sends alone.
        }
    }
}
