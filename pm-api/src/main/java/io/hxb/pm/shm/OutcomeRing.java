package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Operations on remote memory that are done. One object serves one side, which owns it and its
 * position; the node puts, the application takes.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 32 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 slot of the operation
 *     12      4 status, a PmStatus
 *     16      8 value before an atomic operation
 * </pre>
 */
public final class OutcomeRing {
    static final int ENTRY_BYTES = 32;

    private static final int SLOT = 8;
    private static final int STATUS = 12;
    private static final int VALUE = 16;

    private final long address;
    private final int mask;
    private long position;
    private int slot;
    private int status;
    private long value;

    OutcomeRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Publishes an outcome; see the layout for the arguments. */
    public void put(final int doneSlot, final int doneStatus, final long doneValue) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putInt(entry + SLOT, doneSlot);
        Memory.putInt(entry + STATUS, doneStatus);
        Memory.putLong(entry + VALUE, doneValue);
        Memory.putLongRelease(entry, ++position);
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
        slot = Memory.getInt(entry + SLOT);
        status = Memory.getInt(entry + STATUS);
        value = Memory.getLong(entry + VALUE);
        position++;
        return true;
    }

    /** Slot of the entry taken. */
    public int slot() {
        return slot;
    }

    /** Status of the entry taken. */
    public int status() {
        return status;
    }

    /** Value of the entry taken. */
    public long value() {
        return value;
    }
}
