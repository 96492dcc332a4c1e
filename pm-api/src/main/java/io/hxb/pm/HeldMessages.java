package io.hxb.pm;

/**
 * The messages that an application has received and not released, counted for each receive buffer,
 * and their handles. Owned by the context's thread.
 */
final class HeldMessages {
    private static final int BUFFER_BITS = 24;

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
        return ((position << BUFFER_BITS) | bufferId) & Long.MAX_VALUE;
    }

    /**
     * The buffer of a message held.
     *
     * @throws IllegalStateException if no such message is held.
     */
    public int bufferId(final long handle) {
        final int bufferId = (int) handle & ((1 << BUFFER_BITS) - 1);
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
