package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Messages that the node hands to the application. Several loops of the node may put, each at
 * positions it has claimed in the node's private memory: fields first with {@link #write}, then
 * {@link #publish}. The application takes in order of position.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 32 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 receive buffer id
 *     12      4 offset of the payload in the buffer
 *     16      4 payload length in bytes
 *     20      4 tag
 *     24      4 source node
 *     28      4 source context
 * </pre>
 */
public final class DeliveryRing {
    static final int ENTRY_BYTES = 32;

    private static final int BUFFER = 8;
    private static final int OFFSET = 12;
    private static final int LENGTH = 16;
    private static final int TAG = 20;
    private static final int SOURCE_NODE = 24;
    private static final int SOURCE_CONTEXT = 28;

    private final long address;
    private final int mask;

    DeliveryRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Address of the entry for {@code position}, for the accessors below. */
    public long entry(final long position) {
        return address + (position & mask) * ENTRY_BYTES;
    }

    /** Writes all fields except the stamp; see the layout for the arguments. */
    public void write(
            final long position,
            final int bufferId,
            final int payloadOffset,
            final int lengthBytes,
            final int tag,
            final int sourceNode,
            final int sourceContext) {
        final long entry = entry(position);
        Memory.putInt(entry + BUFFER, bufferId);
        Memory.putInt(entry + OFFSET, payloadOffset);
        Memory.putInt(entry + LENGTH, lengthBytes);
        Memory.putInt(entry + TAG, tag);
        Memory.putInt(entry + SOURCE_NODE, sourceNode);
        Memory.putInt(entry + SOURCE_CONTEXT, sourceContext);
    }

    /** Publishes the entry at {@code position}. */
    public void publish(final long position) {
        Memory.putLongRelease(entry(position), position + 1);
    }

    /** True if the entry at {@code position} has been published. */
    public boolean isReady(final long position) {
        return Memory.getLongAcquire(entry(position)) == position + 1;
    }

    /** Receive buffer id of an entry. */
    public static int bufferId(final long entry) {
        return Memory.getInt(entry + BUFFER);
    }

    /** Offset of the payload in its buffer. */
    public static int payloadOffset(final long entry) {
        return Memory.getInt(entry + OFFSET);
    }

    /** Payload length in bytes of an entry. */
    public static int lengthBytes(final long entry) {
        return Memory.getInt(entry + LENGTH);
    }

    /** Tag of an entry. */
    public static int tag(final long entry) {
        return Memory.getInt(entry + TAG);
    }

    /** Source node of an entry. */
    public static int sourceNode(final long entry) {
        return Memory.getInt(entry + SOURCE_NODE);
    }

    /** Source context of an entry. */
    public static int sourceContext(final long entry) {
        return Memory.getInt(entry + SOURCE_CONTEXT);
    }
}
