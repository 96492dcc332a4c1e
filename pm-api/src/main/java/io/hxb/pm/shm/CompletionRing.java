package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Send slots that the node gives back. One object serves one side, which owns it and its position;
 * the node puts, the application takes.
 *
 * <pre>
 * entries of 8 bytes: bits 32-63 stamp (position + 1), 16-31 the status negated, 0-15 send slot
 * </pre>
 */
public final class CompletionRing {
    /** Returned by {@link #take()} when there is no entry. */
    public static final long NONE = -1;

    static final int ENTRY_BYTES = 8;

    private final long address;
    private final int mask;
    private long position;

    CompletionRing(final long address, final int entries) {
        this.address = address;
        mask = entries - 1;
    }

    /**
     * Publishes that a slot is free again.
     *
     * @param slot send slot, 0 to 65,535.
     * @param status a PmStatus: 0 or negative.
     */
    public void put(final int slot, final int status) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        position++;
        Memory.putLongRelease(
                entry, (position << 32) | ((-status & 0xFFFFL) << 16) | (slot & 0xFFFFL));
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        final long value = Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES);
        return (int) (value >>> 32) == (int) (position + 1);
    }

    /** Takes the next entry: {@link #NONE}, or what {@link #slot} and {@link #status} unpack. */
    public long take() {
        final long value = Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES);
        if ((int) (value >>> 32) != (int) (position + 1)) {
            return NONE;
        }
        position++;
        return value & 0xFFFF_FFFFL;
    }

    /** The slot of an entry taken. */
    public static int slot(final long entry) {
        return (int) entry & 0xFFFF;
    }

    /** The status of an entry taken, 0 or negative. */
    public static int status(final long entry) {
        return -((int) entry >>> 16);
    }
}
