package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Operations on remote memory that the application hands to the node. One object serves one side,
 * which owns it and its position; the application puts, the node takes.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 128 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 slot of the operation
 *     12      4 kind: {@link #PUT}, {@link #PUT_NOTIFY}, {@link #GET}, {@link #ADD}, {@link #SWAP}
 *               or {@link #FENCE}
 *     16      4 destination node
 *     20      4 destination context
 *     24      4 region of this application that is read (PUT) or written (GET)
 *     32      8 offset in that region
 *     40      8 key of the destination's region
 *     48      8 offset in the destination's region
 *     56      8 length in bytes
 *     64      8 tag of a notification, number to add, or expected value
 *     72      8 new value of a SWAP
 * </pre>
 */
public final class OperationRing {
    /** Writes bytes of a region into the destination's. */
    public static final int PUT = 1;

    /** A {@link #PUT} of which the destination's application is notified. */
    public static final int PUT_NOTIFY = 2;

    /** Reads bytes of the destination's region into one of this application. */
    public static final int GET = 3;

    /** Adds to a number of 8 bytes; the outcome has its value before. */
    public static final int ADD = 4;

    /** Replaces a number of 8 bytes if it is the expected one; the outcome has the value before. */
    public static final int SWAP = 5;

    /** Ends when all operations before it are done, and those after it begin after that. */
    public static final int FENCE = 6;

    /** Longest PUT or GET in bytes. */
    public static final int MAX_LENGTH = 1 << 30;

    static final int ENTRY_BYTES = 128;

    private static final int SLOT = 8;
    private static final int KIND = 12;
    private static final int NODE = 16;
    private static final int CONTEXT = 20;
    private static final int REGION = 24;
    private static final int REGION_OFFSET = 32;
    private static final int KEY = 40;
    private static final int OFFSET = 48;
    private static final int LENGTH = 56;
    private static final int FIRST = 64;
    private static final int SECOND = 72;

    private final long address;
    private final int mask;
    private long position;
    private int slot;
    private int kind;
    private int node;
    private int context;
    private int region;
    private long regionOffset;
    private long key;
    private long offset;
    private long lengthBytes;
    private long first;
    private long second;

    OperationRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /**
     * Begins the next entry, which {@link #local}, {@link #remote} and {@link #operands} complete
     * and {@link #publish} hands over.
     */
    public OperationRing begin(
            final int newSlot, final int newKind, final int newNode, final int newContext) {
        final long entry = next();
        Memory.putInt(entry + SLOT, newSlot);
        Memory.putInt(entry + KIND, newKind);
        Memory.putInt(entry + NODE, newNode);
        Memory.putInt(entry + CONTEXT, newContext);
        return local(0, 0, 0).remote(0, 0).operands(0, 0);
    }

    /** Sets which bytes of this application's memory are read or written. */
    public OperationRing local(final int newRegion, final long newOffset, final long newLength) {
        final long entry = next();
        Memory.putInt(entry + REGION, newRegion);
        Memory.putLong(entry + REGION_OFFSET, newOffset);
        Memory.putLong(entry + LENGTH, newLength);
        return this;
    }

    /** Sets the place in the destination's memory. */
    public OperationRing remote(final long newKey, final long newOffset) {
        final long entry = next();
        Memory.putLong(entry + KEY, newKey);
        Memory.putLong(entry + OFFSET, newOffset);
        return this;
    }

    /** Sets the tag of a notification, or the numbers of an atomic operation. */
    public OperationRing operands(final long newFirst, final long newSecond) {
        final long entry = next();
        Memory.putLong(entry + FIRST, newFirst);
        Memory.putLong(entry + SECOND, newSecond);
        return this;
    }

    /** Hands the entry over. The caller has claimed the slot, so that there is room. */
    public void publish() {
        final long entry = next();
        Memory.putLongRelease(entry, ++position);
    }

    private long next() {
        return address + (position & mask) * ENTRY_BYTES;
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return Memory.getLongAcquire(next()) == position + 1;
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
        final long entry = next();
        slot = Memory.getInt(entry + SLOT);
        kind = Memory.getInt(entry + KIND);
        node = Memory.getInt(entry + NODE);
        context = Memory.getInt(entry + CONTEXT);
        region = Memory.getInt(entry + REGION);
        regionOffset = Memory.getLong(entry + REGION_OFFSET);
        key = Memory.getLong(entry + KEY);
        offset = Memory.getLong(entry + OFFSET);
        lengthBytes = Memory.getLong(entry + LENGTH);
        first = Memory.getLong(entry + FIRST);
        second = Memory.getLong(entry + SECOND);
        position++;
        return true;
    }

    /** Slot of the entry taken. */
    public int slot() {
        return slot;
    }

    /** Kind of the entry taken. */
    public int kind() {
        return kind;
    }

    /** Destination node of the entry taken. */
    public int node() {
        return node;
    }

    /** Destination context of the entry taken. */
    public int context() {
        return context;
    }

    /** Region of the entry taken. */
    public int region() {
        return region;
    }

    /** Offset in that region, of the entry taken. */
    public long regionOffset() {
        return regionOffset;
    }

    /** Key of the entry taken. */
    public long key() {
        return key;
    }

    /** Offset in the destination's region, of the entry taken. */
    public long offset() {
        return offset;
    }

    /** Length in bytes of the entry taken. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Tag, addend or expected value of the entry taken. */
    public long first() {
        return first;
    }

    /** New value of the entry taken. */
    public long second() {
        return second;
    }
}
