package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Receive buffers and events that the application gives back, one entry for each message. One
 * object serves one side, which owns it and its position; the application puts, the node takes.
 *
 * <pre>
 * entries of 8 bytes: bits 32-63 stamp (position + 1), 0-31 receive buffer id, or EVENT
 * </pre>
 */
public final class ReleaseRing {
    /** Returned by {@link #take()} when there is no entry. */
    public static final long NONE = -1;

    /** Put in place of a buffer id when an event has been taken. */
    public static final int EVENT = -1;

    static final int ENTRY_BYTES = 8;

    private final long address;
    private final int mask;
    private long position;

    ReleaseRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Publishes that one message of {@code bufferId}, or an event, is done with. */
    public void put(final int bufferId) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        position++;
        Memory.putLongRelease(entry, (position << 32) | (bufferId & 0xFFFF_FFFFL));
    }

    /** Entries that the ring holds. */
    public int entries() {
        return mask + 1;
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        final long value = Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES);
        return (int) (value >>> 32) == (int) (position + 1);
    }

    /** Takes the next entry: the buffer id as its low 32 bits, or {@link #NONE}. */
    public long take() {
        final long value = Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES);
        if ((int) (value >>> 32) != (int) (position + 1)) {
            return NONE;
        }
        position++;
        return value & 0xFFFF_FFFFL;
    }
}
