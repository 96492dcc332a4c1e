package io.hxb.pm;

/**
 * The messages that an application has received and not released, counted for each receive buffer,
 * and their handles. A handle consists of a number that grows with each message and of the buffer;
 * in place of a buffer, the highest numbers name the rings by which other contexts of the node send
 * directly. Owned by the context's thread.
 */
final class HeldMessages {
    private static final int BUFFER_BITS = 24;
    private static final int BUFFER_MASK = (1 << BUFFER_BITS) - 1;
    private static final long POSITION_MASK = Long.MAX_VALUE >>> BUFFER_BITS;

    private final int[] counts;
    private int total;

    /** Makes the books of this number of receive buffers. */
    HeldMessages(final int receiveBuffers) {
        counts = new int[receiveBuffers];
    }

    /**
     * Notes a message received.
     *
     * @param position of its entry in the delivery ring.
     * @return its handle, 0 or more.
     */
    long hold(final long position, final int bufferId) {
        counts[bufferId]++;
        total++;
        return handle(position, bufferId);
    }

    /** Handle of a message with this number in a buffer, or in place of one. */
    static long handle(final long position, final int bufferId) {
        return ((position << BUFFER_BITS) | bufferId) & Long.MAX_VALUE;
    }

    /** What is in place of a buffer in handles of messages in the ring with this index. */
    static int ringBits(final int ring) {
        return BUFFER_MASK - ring;
    }

    /** Index of the ring that a handle names, if there is one with it; else at least that. */
    static int ring(final long handle) {
        return handle < 0 ? Integer.MAX_VALUE : BUFFER_MASK - ((int) handle & BUFFER_MASK);
    }

    /** Number of a message, as far as its handle has it. */
    static long position(final long handle) {
        return handle >>> BUFFER_BITS;
    }

    /** How far a number that a handle has is behind {@code first}. */
    static long positionsBetween(final long first, final long position) {
        return (position - first) & POSITION_MASK;
    }

    /** Notes that a message in a ring is held, or with -1 that it no longer is. */
    void onDirect(final int messages) {
        total += messages;
    }

    /**
     * The buffer of a message held.
     *
     * @throws IllegalStateException if no such message is held.
     */
    public int bufferId(final long handle) {
        final int bufferId = (int) handle & BUFFER_MASK;
        if (handle < 0 || bufferId >= counts.length || counts[bufferId] == 0) {
            throw new IllegalStateException("no message with this handle is held: " + handle);
        }
        return bufferId;
    }

    /** Notes that a message in a buffer is no longer held. */
    void release(final int bufferId) {
        assert counts[bufferId] > 0 : "released more often than received: buffer " + bufferId;
        counts[bufferId]--;
        total--;
    }

    /** Number of messages held. */
    public int count() {
        return total;
    }
}
