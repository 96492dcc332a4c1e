package io.hxb.pm;

import io.hxb.linux.Memory;

import org.agrona.DirectBuffer;

import java.lang.foreign.MemorySegment;

/**
 * A received message, read in place in the node's receive pool: a reusable flyweight that {@link
 * PmContext#receive} fills. Owned by the thread that owns the context. The bytes stay as they are
 * until the message is released.
 */
public final class PmMessage {
    static final long NO_HANDLE = -1;

    private final MappedBuffer buffer = new MappedBuffer(0, 0);
    private long handle = NO_HANDLE;
    private long address;
    private int lengthBytes;
    private int tag;
    private int sourceNode;
    private int sourceContext;

    /** Makes a message to be filled. */
    public PmMessage() {
        // Empty until it is filled.
    }

    void set(
            final long handle,
            final long address,
            final int lengthBytes,
            final int tag,
            final int sourceNode,
            final int sourceContext) {
        this.handle = handle;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.tag = tag;
        this.sourceNode = sourceNode;
        this.sourceContext = sourceContext;
    }

    void clear() {
        handle = NO_HANDLE;
    }

    /**
     * {@return the handle that names the message in {@link PmContext#release(long)}: 0 or more, -1
     * if there is none}
     */
    public long handle() {
        return handle;
    }

    /** {@return the address of the payload, 8-byte aligned, in memory mapped read-only} */
    public long address() {
        return address;
    }

    /** {@return the payload length in bytes, 0 to {@link PmDevice#mtuBytes()}} */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** {@return the 32 bits given by the sender} */
    public int tag() {
        return tag;
    }

    /** {@return node id of the sender} */
    public int sourceNode() {
        return sourceNode;
    }

    /** {@return the context of the sender} */
    public int sourceContext() {
        return sourceContext;
    }

    /**
     * {@return the view of the payload, the same object at every call; valid until the message is
     * released}
     */
    public DirectBuffer buffer() {
        buffer.wrap(address, lengthBytes);
        return buffer;
    }

    /**
     * {@return the payload as a segment, a new small object at each call; code that must not
     * allocate uses {@link #address()} or {@link #buffer()}} It must not be used after the release.
     */
    public MemorySegment segment() {
        return Memory.ALL.asSlice(address, lengthBytes).asReadOnly();
    }
}
