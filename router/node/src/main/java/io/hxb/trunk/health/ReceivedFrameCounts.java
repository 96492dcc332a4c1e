package io.hxb.trunk.health;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Frames received on one link, and their bytes, by the neighbour they came from, which is known by
 * its link address. Counted by the loop that receives on the link; any thread may read.
 */
public final class ReceivedFrameCounts {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
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
    private final long[] counts = new long[Shape.MAX_EXTENT];
    private final long[] bytes = new long[Shape.MAX_EXTENT];
    // Immutable and replaced as a whole: whichever is seen is complete.
    private Addresses addresses = new Addresses(new long[Shape.MAX_EXTENT]);

    /** Begins to count the frames of a port. */
    ReceivedFrameCounts(final Port port) {
        this.port = port;
    }

    /**
     * Counts a frame that came from {@code sourceAddress}.
     *
     * @param lengthBytes of header and body.
     * @return false if no neighbour has that address: nothing was counted.
     */
    public boolean count(final long sourceAddress, final int lengthBytes) {
        final int neighbour = ((Addresses) ADDRESSES.getOpaque(this)).find(sourceAddress);
        if (neighbour < 0) {
            return false;
        }
        COUNT.setOpaque(counts, neighbour, counts[neighbour] + 1);
        bytes[neighbour] += lengthBytes;
        return true;
    }

    /** Counts the bytes of a frame that was counted when its first segment arrived. */
    public void addBytes(final long sourceAddress, final int lengthBytes) {
        final int neighbour = ((Addresses) ADDRESSES.getOpaque(this)).find(sourceAddress);
        if (neighbour >= 0) {
            bytes[neighbour] += lengthBytes;
        }
    }

    /** Adds these counts to those of the loop that receives on the link. Called at start. */
    public void addCounters(final CounterBlock block) {
        final int index = port.link().index();
        block.neighbours(
                        CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES,
                        index,
                        (into, at, count) -> System.arraycopy(counts, 0, into, at, count))
                .neighbours(
                        CounterType.LINK_NEIGHBOUR_RECEIVED_BYTES,
                        index,
                        (into, at, count) -> System.arraycopy(bytes, 0, into, at, count));
    }

    /** Frames received from a neighbour, modulo 2^32, including those of the bypass. */
    public int frames(final int neighbour) {
        return (int) (long) COUNT.getOpaque(counts, neighbour)
                + port.bypass().heardFrames(neighbour);
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
