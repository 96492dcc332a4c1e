package io.hxb.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which context holds which receive buffer. A delivering loop books a buffer in; the loop that owns
 * the context books messages out. In the node's private memory: applications cannot reach it.
 */
final class BufferLedger {
    /** Returned by {@link #release} for a buffer the context does not hold. */
    static final int NOT_HELD = -1;

    private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(int[].class);

    private final int[] owner;
    private final int[] messages;
    private final int[] flowHandle;

    /** By buffer: the sequence of its frame, and the messages in it. */
    private final long[] frame;

    BufferLedger(final int bufferCount) {
        owner = new int[bufferCount];
        messages = new int[bufferCount];
        flowHandle = new int[bufferCount];
        frame = new long[bufferCount];
    }

    /** Books buffer {@code id}, with the frame {@code sequence} of a flow, to a context. */
    void book(
            final int id,
            final int contextId,
            final int messageCount,
            final int handle,
            final int sequence) {
        assert (int) OWNER.getAcquire(owner, id) == 0 : "a buffer is in one context's books";
        assert messageCount > 0;
        messages[id] = messageCount;
        flowHandle[id] = handle;
        frame[id] = (long) sequence << Integer.SIZE | messageCount;
        OWNER.setRelease(owner, id, contextId + 1);
    }

    /**
     * Books one message of buffer {@code id} out.
     *
     * @param id any number an application has written.
     * @return messages left; at 0 the buffer is out of the books; {@link #NOT_HELD}.
     */
    int release(final int id, final int contextId) {
        if (id < 0 || id >= owner.length || (int) OWNER.getAcquire(owner, id) != contextId + 1) {
            return NOT_HELD;
        }
        final int left = --messages[id];
        if (left == 0) {
            OWNER.setRelease(owner, id, 0);
        }
        return left;
    }

    /** The flow of the frame in buffer {@code id}; valid until its next delivery. */
    int flowHandle(final int id) {
        return flowHandle[id];
    }

    /** The sequence of the frame in buffer {@code id}; as {@link #flowHandle}. */
    int sequence(final int id) {
        return (int) (frame[id] >>> Integer.SIZE);
    }

    /** Messages of the frame in buffer {@code id} that were not released; 65,535 for all. */
    int messagesLeft(final int id) {
        return messages[id] == (int) frame[id] ? 0xFFFF : messages[id];
    }

    /** True if the context holds buffer {@code id}; in that case its last message is booked out. */
    boolean takeOut(final int id, final int contextId) {
        if ((int) OWNER.getAcquire(owner, id) != contextId + 1) {
            return false;
        }
        OWNER.setRelease(owner, id, 0);
        return true;
    }

    /** Buffers that contexts hold; exact only while nothing moves. */
    int heldBuffers() {
        int buffers = 0;
        for (int id = 0; id < owner.length; id++) {
            buffers += (int) OWNER.getAcquire(owner, id) == 0 ? 0 : 1;
        }
        return buffers;
    }

    int bufferCount() {
        return owner.length;
    }
}
