package io.hxb.node.ip;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;

/**
 * Packets for all nodes that have arrived and are to be passed on, copied: any loop puts them in,
 * the owner takes them out. Bounded; allocates nothing. It has a lock, since such packets are few.
 */
final class CopyQueue {
    /** Bytes before each packet: its length with padding, its length, the node where it began. */
    private static final int HEADER_BYTES = 16;

    private static final int ALIGNMENT = 8;

    private final long memory;
    private final int capacityBytes;

    /** Places of the next packet to be taken and to be put in, which only grow. */
    private long first;

    private long last;

    /** Memory from {@code arena}; {@code capacityBytes} is a power of two. */
    CopyQueue(final Arena arena, final int capacityBytes) {
        assert Integer.bitCount(capacityBytes) == 1 : "no power of two: " + capacityBytes;
        this.capacityBytes = capacityBytes;
        memory = arena.allocate(capacityBytes, ALIGNMENT).address();
    }

    private long address(final long place) {
        return memory + (place & capacityBytes - 1);
    }

    /**
     * Copies a packet; any loop.
     *
     * @return false if there is no room.
     */
    synchronized boolean put(final int origin, final long packet, final int lengthBytes) {
        final int bytes = HEADER_BYTES + lengthBytes + ALIGNMENT - 1 & -ALIGNMENT;
        final int toEndBytes = capacityBytes - (int) (last & capacityBytes - 1);
        final int skippedBytes = bytes > toEndBytes ? toEndBytes : 0;
        if (last + skippedBytes + bytes - first > capacityBytes) {
            return false;
        }
        if (skippedBytes > 0) {
            write(skippedBytes, 0, origin);
        }
        final long entry = write(bytes, lengthBytes, origin);
        Memory.copy(packet, entry + HEADER_BYTES, lengthBytes);
        return true;
    }

    private long write(final int bytes, final int lengthBytes, final int origin) {
        final long entry = address(last);
        Memory.putInt(entry, bytes);
        Memory.putInt(entry + 4, lengthBytes);
        // A gap at the end may have no room for it.
        if (bytes >= HEADER_BYTES) {
            Memory.putInt(entry + 8, origin);
        }
        last += bytes;
        return entry;
    }

    /** True if there is none. */
    synchronized boolean isEmpty() {
        return first == last;
    }

    /**
     * The first entry, or 0 if there is none; it stays until {@link #remove}. The owner, as all
     * below.
     */
    synchronized long peek() {
        if (first != last && Memory.getInt(address(first) + 4) == 0) {
            first += Memory.getInt(address(first));
        }
        return first == last ? 0 : address(first);
    }

    /** Node where the packet of an entry began. */
    static int origin(final long entry) {
        return Memory.getInt(entry + 8);
    }

    static int lengthBytes(final long entry) {
        return Memory.getInt(entry + 4);
    }

    /** Address of the packet of an entry. */
    static long packet(final long entry) {
        return entry + HEADER_BYTES;
    }

    /** Takes the first entry out. */
    synchronized void remove() {
        first += Memory.getInt(address(first));
    }
}
