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
 *     28      4 region id, 0 for the slot's own buffer, -1 for the begin of a run
 *     32      8 offset of the payload in the region; of a run its begin in the ShortRing
 *     40      8 position in the {@link ShortRing} of the messages submitted before this one
 * </pre>
 */
public final class SubmissionRing {
    /** Region of an entry that begins a run of short messages. */
    public static final int RUN = -1;

    static final int ENTRY_BYTES = 64;

    private static final int SLOT = 8;
    private static final int LENGTH = 12;
    private static final int NODE = 16;
    private static final int CONTEXT = 20;
    private static final int TAG = 24;
    private static final int REGION = 28;
    private static final int REGION_OFFSET = 32;
    private static final int SHORTS_BEFORE = 40;

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
    private long shortsBefore;

    SubmissionRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
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
            final long regionOffset,
            final long shortsBefore) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putInt(entry + SLOT, slot);
        Memory.putInt(entry + LENGTH, lengthBytes);
        Memory.putInt(entry + NODE, node);
        Memory.putInt(entry + CONTEXT, context);
        Memory.putInt(entry + TAG, tag);
        Memory.putInt(entry + REGION, region);
        Memory.putLong(entry + REGION_OFFSET, regionOffset);
        Memory.putLong(entry + SHORTS_BEFORE, shortsBefore);
        Memory.putLongRelease(entry, ++position);
    }

    /**
     * Publishes that short messages for one destination follow.
     *
     * @param begin position of the first in the {@link ShortRing}.
     * @param shortsBefore position after the last before it.
     */
    public void putRun(
            final int node, final int context, final long begin, final long shortsBefore) {
        put(0, 0, node, context, 0, RUN, begin, shortsBefore);
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES) == position + 1;
    }

    /** As {@link #shortsBefore}, of the entry that waits; what is taken then may differ from it. */
    public long peekShortsBefore() {
        return Memory.getLong(address + (position & mask) * ENTRY_BYTES + SHORTS_BEFORE);
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
        slot = Memory.getInt(entry + SLOT);
        lengthBytes = Memory.getInt(entry + LENGTH);
        node = Memory.getInt(entry + NODE);
        context = Memory.getInt(entry + CONTEXT);
        tag = Memory.getInt(entry + TAG);
        region = Memory.getInt(entry + REGION);
        regionOffset = Memory.getLong(entry + REGION_OFFSET);
        shortsBefore = Memory.getLong(entry + SHORTS_BEFORE);
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

    /** Position in the {@link ShortRing} up to which messages go before the entry taken. */
    public long shortsBefore() {
        return shortsBefore;
    }
}
