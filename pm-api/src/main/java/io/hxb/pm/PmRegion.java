package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.pm.attach.Attachment;

import java.lang.foreign.MemorySegment;

/**
 * Memory that the application and its node share, from which messages are sent without any copy
 * ({@link PmContext#sendFrom}, {@link PmLargeMessages}). The application ensures that only one
 * thread at a time writes a byte; contexts of any thread of the device may send from it.
 */
public final class PmRegion implements AutoCloseable {
    private final PmDevice device;
    private final Attachment.RegionMemory memory;
    private final MemorySegment segment;
    private final boolean isWritable;
    private boolean isClosed;

    PmRegion(
            final PmDevice device, final Attachment.RegionMemory memory, final boolean isWritable) {
        this.device = device;
        this.memory = memory;
        this.isWritable = isWritable;
        segment = Memory.ALL.asSlice(memory.address(), memory.lengthBytes());
    }

    /** {@return the address of the first byte, 4,096-byte aligned} */
    public long address() {
        return memory.address();
    }

    /** {@return the length in bytes} */
    public long lengthBytes() {
        return memory.lengthBytes();
    }

    /** {@return true if the node writes to it, as {@link PmDevice#openWritableRegion} describes} */
    public boolean isWritable() {
        return isWritable;
    }

    /**
     * {@return all bytes of the region, which must not be used after {@link #close}; they read as
     * zeros after the device is closed}
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Checks a range of the region.
     *
     * @throws IndexOutOfBoundsException if it is not inside.
     * @throws IllegalStateException if the region is closed.
     */
    void checkRange(final long offset, final long lengthBytes) {
        if (isClosed) {
            throw new IllegalStateException("the region is closed: " + memory.id());
        }
        if (offset < 0 || lengthBytes < 0 || offset > memory.lengthBytes() - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    "range outside of a region of "
                            + memory.lengthBytes()
                            + " bytes: "
                            + offset
                            + "+"
                            + lengthBytes);
        }
    }

    int id() {
        return memory.id();
    }

    PmDevice device() {
        return device;
    }

    /**
     * Gives the region back, and revokes its keys. First wait until all sends from it, and all
     * operations on remote memory that use it here, are done.
     */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            device.closeRegion(memory);
        }
    }
}
