package io.hxb.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Link addresses by neighbour. Written by one thread at a time, read by the senders of all loops:
 * each address is written at once and stands for itself, so opaque access is enough to be seen, and
 * nothing is ordered by it.
 */
public final class NeighbourAddresses {
    private static final VarHandle ADDRESS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] addresses;

    /** Makes {@code count} addresses, all 0, which stands for none. */
    public NeighbourAddresses(final int count) {
        addresses = new long[count];
    }

    /** How many there are. */
    public int count() {
        return addresses.length;
    }

    /** The address at an index, 0 to {@link #count} - 1; any thread. */
    public long get(final int index) {
        return (long) ADDRESS.getOpaque(addresses, index);
    }

    /**
     * Sets the address at an index, 0 to {@link #count} - 1; the thread that owns the link, or
     * under its lock.
     */
    public void set(final int index, final long address) {
        ADDRESS.setOpaque(addresses, index, address);
    }
}
