package io.hxb.pm.rma;

import io.hxb.pm.shm.NotificationRing;

/**
 * A put of another application with a notification: all its bytes can be read. Filled by {@link
 * PmRemoteMemory#poll(PmNotification)}. Reusable; owned by the thread that owns the context.
 */
public final class PmNotification {
    private int node;
    private int context;
    private long key;
    private long offset;
    private long lengthBytes;
    private long tag;

    /** Makes a notification to be filled. */
    public PmNotification() {
        // Everything is 0 until it is filled.
    }

    void set(final NotificationRing ring) {
        node = ring.node();
        context = ring.context();
        key = ring.key();
        offset = ring.offset();
        lengthBytes = ring.lengthBytes();
        tag = ring.tag();
    }

    /** {@return the node of the application that has put} */
    public int node() {
        return node;
    }

    /** {@return its context} */
    public int context() {
        return context;
    }

    /** {@return the key by which it has put, which names the region} */
    public long key() {
        return key;
    }

    /** {@return the offset in the region of the first byte put} */
    public long offset() {
        return offset;
    }

    /** {@return the number of bytes put} */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** {@return 64 bits of the other application's choice} */
    public long tag() {
        return tag;
    }
}
