package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Puts of others of which the application is notified. One object serves one side, which owns it
 * and its position; the node puts, the application takes, and publishes in {@link RemoteMemoryArea}
 * how many it has taken.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 64 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 node that has put
 *     12      4 context there
 *     16      8 key of the region
 *     24      8 offset of the first byte put
 *     32      8 length in bytes
 *     40      8 tag
 * </pre>
 */
public final class NotificationRing {
    static final int ENTRY_BYTES = 64;

    private static final int NODE = 8;
    private static final int CONTEXT = 12;
    private static final int KEY = 16;
    private static final int OFFSET = 24;
    private static final int LENGTH = 32;
    private static final int TAG = 40;

    private final long address;
    private final int mask;
    private long position;
    private int node;
    private int context;
    private long key;
    private long offset;
    private long lengthBytes;
    private long tag;

    NotificationRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Begins the next entry with who has put; {@link #publish} completes it. */
    public NotificationRing source(final int sourceNode, final int sourceContext) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putInt(entry + NODE, sourceNode);
        Memory.putInt(entry + CONTEXT, sourceContext);
        return this;
    }

    /** Completes the entry that {@link #source} has begun; the caller knows that there is room. */
    public void publish(
            final long putKey, final long putOffset, final long putLength, final long putTag) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putLong(entry + KEY, putKey);
        Memory.putLong(entry + OFFSET, putOffset);
        Memory.putLong(entry + LENGTH, putLength);
        Memory.putLong(entry + TAG, putTag);
        Memory.putLongRelease(entry, ++position);
    }

    /** Entries put or taken by this side so far. */
    public long position() {
        return position;
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES) == position + 1;
    }

    /**
     * Copies the next entry into this object.
     *
     * @return false if there is none.
     */
    public boolean take() {
        if (!isReady()) {
            return false;
        }
        final long entry = address + (position & mask) * ENTRY_BYTES;
        node = Memory.getInt(entry + NODE);
        context = Memory.getInt(entry + CONTEXT);
        key = Memory.getLong(entry + KEY);
        offset = Memory.getLong(entry + OFFSET);
        lengthBytes = Memory.getLong(entry + LENGTH);
        tag = Memory.getLong(entry + TAG);
        position++;
        return true;
    }

    /** Node of the entry taken. */
    public int node() {
        return node;
    }

    /** Context of the entry taken. */
    public int context() {
        return context;
    }

    /** Key of the entry taken. */
    public long key() {
        return key;
    }

    /** Offset of the entry taken. */
    public long offset() {
        return offset;
    }

    /** Length of the entry taken. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Tag of the entry taken. */
    public long tag() {
        return tag;
    }
}
