package io.hxb.trunk.health;

import io.hxb.topology.Shape;
import io.hxb.trunk.Port;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Frames received on one link, by the neighbour they came from, which is known by its link address.
 * Counted by the loop that receives on the link; any thread may read.
 */
public final class ReceivedFrameCounts {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle ADDRESSES;

    static {
        try {
            ADDRESSES =
                    MethodHandles.lookup()
                            .findVarHandle(ReceivedFrameCounts.class, "addresses", Addresses.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Port port;
    private final int[] counts = new int[Shape.MAX_EXTENT];
    // Immutable and replaced as a whole: whichever is seen is complete.
    private Addresses addresses = new Addresses(new long[Shape.MAX_EXTENT]);

    /** Begins to count the frames of a port. */
    ReceivedFrameCounts(final Port port) {
        this.port = port;
    }

    /**
     * Counts a frame that came from {@code sourceAddress}.
     *
     * @return false if no neighbour has that address: nothing was counted.
     */
    public boolean count(final long sourceAddress) {
        final int neighbour = ((Addresses) ADDRESSES.getOpaque(this)).find(sourceAddress);
        if (neighbour < 0) {
            return false;
        }
        COUNT.setOpaque(counts, neighbour, counts[neighbour] + 1);
        return true;
    }

    /** Frames received from a neighbour, modulo 2^32, including those of the bypass. */
    public int frames(final int neighbour) {
        return (int) COUNT.getOpaque(counts, neighbour) + port.bypass().heardFrames(neighbour);
    }

    /** Counts frames from {@code address} for {@code neighbour} from now on. */
    synchronized void learn(final int neighbour, final long address) {
        if (addresses.byNeighbour[neighbour] == address) {
            return;
        }
        final long[] changed = addresses.byNeighbour.clone();
        changed[neighbour] = address;
        ADDRESSES.setRelease(this, new Addresses(changed));
    }

    /** An open hash of link addresses, at most half full. */
    private static final class Addresses {
        private static final int BITS = 9;
        private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

        private final long[] byNeighbour;
        private final long[] slots = new long[1 << BITS];
        private final short[] neighbours = new short[1 << BITS];

        Addresses(final long[] byNeighbour) {
            this.byNeighbour = byNeighbour;
            for (int neighbour = 0; neighbour < byNeighbour.length; neighbour++) {
                if (byNeighbour[neighbour] != 0) {
                    final int slot = slot(byNeighbour[neighbour]);
                    slots[slot] = byNeighbour[neighbour];
                    neighbours[slot] = (short) neighbour;
                }
            }
        }

        private int find(final long address) {
            final int slot = slot(address);
            return slots[slot] == address && address != 0 ? neighbours[slot] : -1;
        }

        // Where the address is, or would be put.
        private int slot(final long address) {
            int slot = (int) ((address * MULTIPLIER) >>> -BITS);
            while (slots[slot] != 0 && slots[slot] != address) {
                slot = slot + 1 & (1 << BITS) - 1;
            }
            return slot;
        }
    }
}
