package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Messages that the application hands to the node. One object serves one side, which owns it and
 * its position; the application puts, the node takes.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 64 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 send slot
 *     12      4 payload length in bytes
 *     16      4 destination node
 *     20      4 destination context
 *     24      4 tag
 *     28      4 region id, 0 for the slot's own buffer
 *     32      8 offset of the payload in the region
 * </pre>
 */
public final class SubmissionRing {
    static final int ENTRY_BYTES = 64;

    private final long address;
    private final int mask;
    private long position;
    private int slot;
    private int lengthBytes;
    private int node;
    private int context;
    private int tag;
    private int region;
    private long regionOffset;

    SubmissionRing(final long address, final int entries) {
        this.address = address;
        mask = entries - 1;
    }

    /** Publishes a message; see the layout for the arguments. The caller has claimed the slot. */
    public void put(
            final int slot,
            final int lengthBytes,
            final int node,
            final int context,
            final int tag,
            final int region,
            final long regionOffset) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putInt(entry + 8, slot);
        Memory.putInt(entry + 12, lengthBytes);
        Memory.putInt(entry + 16, node);
        Memory.putInt(entry + 20, context);
        Memory.putInt(entry + 24, tag);
        Memory.putInt(entry + 28, region);
        Memory.putLong(entry + 32, regionOffset);
        Memory.putLongRelease(entry, ++position);
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES) == position + 1;
    }

    /**
     * Copies the next entry into this object, reading each of its words once.
     *
     * @return false if there is none.
     */
    public boolean take() {
        if (!isReady()) {
            return false;
        }
        final long entry = address + (position & mask) * ENTRY_BYTES;
        slot = Memory.getInt(entry + 8);
        lengthBytes = Memory.getInt(entry + 12);
        node = Memory.getInt(entry + 16);
        context = Memory.getInt(entry + 20);
        tag = Memory.getInt(entry + 24);
        region = Memory.getInt(entry + 28);
        regionOffset = Memory.getLong(entry + 32);
        position++;
        return true;
    }

    /** Send slot of the entry taken. */
    public int slot() {
        return slot;
    }

    /** Payload length in bytes of the entry taken. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Destination node of the entry taken. */
    public int node() {
        return node;
    }

    /** Destination context of the entry taken. */
    public int context() {
        return context;
    }

    /** Tag of the entry taken. */
    public int tag() {
        return tag;
    }

    /** Region id of the entry taken, 0 for the slot's own buffer. */
    public int region() {
        return region;
    }

    /** Offset of the payload in the region, of the entry taken. */
    public long regionOffset() {
        return regionOffset;
    }
}
