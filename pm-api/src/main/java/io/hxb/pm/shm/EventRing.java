package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Ends of flows that the node reports. One object serves one side, which owns it and its position;
 * the node puts, the application takes and acknowledges through the release ring.
 *
 * <pre>
 * offset length meaning (little-endian); entries of 32 bytes
 *      0      8 stamp: position + 1, written last
 *      8      4 status, a PmStatus
 *     12      4 peer node
 *     16      4 peer context
 * </pre>
 */
public final class EventRing {
    static final int ENTRY_BYTES = 32;

    private static final int STATUS = 8;
    private static final int NODE = 12;
    private static final int CONTEXT = 16;

    private final long address;
    private final int mask;
    private long position;
    private int status;
    private int node;
    private int context;

    EventRing(final long address, final int entries) {
        this.address = address;
        assert Integer.bitCount(entries) == 1 : "no power of two: " + entries;
        mask = entries - 1;
    }

    /** Publishes an event; see the layout for the arguments. */
    public void put(final int status, final int node, final int context) {
        final long entry = address + (position & mask) * ENTRY_BYTES;
        Memory.putInt(entry + STATUS, status);
        Memory.putInt(entry + NODE, node);
        Memory.putInt(entry + CONTEXT, context);
        Memory.putLongRelease(entry, ++position);
    }

    /** True if an entry waits to be taken. */
    public boolean isReady() {
        return Memory.getLongAcquire(address + (position & mask) * ENTRY_BYTES) == position + 1;
    }

    /** Copies the next entry into this object; false if there is none. */
    public boolean take() {
        if (!isReady()) {
            return false;
        }
        final long entry = address + (position & mask) * ENTRY_BYTES;
        status = Memory.getInt(entry + STATUS);
        node = Memory.getInt(entry + NODE);
        context = Memory.getInt(entry + CONTEXT);
        position++;
        return true;
    }

    /** Status of the entry taken. */
    public int status() {
        return status;
    }

    /** Peer node of the entry taken. */
    public int node() {
        return node;
    }

    /** Peer context of the entry taken. */
    public int context() {
        return context;
    }
}
