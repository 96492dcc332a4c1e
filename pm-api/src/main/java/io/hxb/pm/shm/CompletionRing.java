package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Send slots that the node gives back, one by one or by the run. One object serves one side, which
 * owns it and its position; the node puts, the application takes.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 16 bytes
 *      0      4 stamp: position + 1, written last
 *      4      4 messages: 1, or those of a run that are done, which the slot is the first of
 *      8      4 send slot
 *     12      4 a PmStatus: 0 or negative
 * </pre>
 */
public final class CompletionRing {
    static final int ENTRY_BYTES = 16;

    /** Of a word with the slot, whose upper half is the status. */
    private static final int SLOT = 8;

    private final long address;
    private final int mask;
    private int position;
    private int slot;
    private int messages;
    private int status;

    CompletionRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Publishes that slots are free again; see the layout for the arguments. */
    public void put(final int slot, final int messages, final int status) {
        final long entry = address + (long) (position & mask) * ENTRY_BYTES;
        position++;
        Memory.putLong(entry + SLOT, (long) status << 32 | slot);
        Memory.putLongRelease(entry, (long) messages << 32 | (position & 0xFFFF_FFFFL));
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return (int) Memory.getLongAcquire(address + (long) (position & mask) * ENTRY_BYTES)
                == position + 1;
    }

    /**
     * Copies the next entry into this object.
     *
     * @return false if there is none.
     */
    public boolean take() {
        final long entry = address + (long) (position & mask) * ENTRY_BYTES;
        final long first = Memory.getLongAcquire(entry);
        if ((int) first != position + 1) {
            return false;
        }
        final long second = Memory.getLong(entry + SLOT);
        position++;
        messages = (int) (first >>> 32);
        slot = (int) second;
        status = (int) (second >>> 32);
        return true;
    }

    /** Send slot of the entry taken. */
    public int slot() {
        return slot;
    }

    /** Messages of the entry taken. */
    public int messages() {
        return messages;
    }

    /** Status of the entry taken, 0 or negative. */
    public int status() {
        return status;
    }
}
