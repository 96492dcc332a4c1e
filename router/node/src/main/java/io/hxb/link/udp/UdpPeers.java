package io.hxb.link.udp;

import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * The addresses that the neighbours of a link may have: those that the cluster file gives them. A
 * host whose name has several addresses may be heard from any of them. Immutable.
 */
public final class UdpPeers {
    /** Addresses of one neighbour that are heard; a name may have more. */
    public static final int MAX_ADDRESSES = 4;

    /** Nobody is heard. */
    public static final UdpPeers NONE = new UdpPeers(new long[Shape.MAX_EXTENT][0]);

    private static final long[] NOBODY = {};

    private final long[][] byNeighbour;

    private UdpPeers(final long[][] byNeighbour) {
        this.byNeighbour = byNeighbour;
    }

    /**
     * Collects addresses.
     *
     * @param byNeighbour as from {@link UdpAddress#parse}, {@code [coordinates][addresses]}, null
     *     or empty for no neighbour; those after the first {@link #MAX_ADDRESSES} are left out.
     */
    public static UdpPeers of(final long[]... byNeighbour) {
        final long[][] addresses = new long[Shape.MAX_EXTENT][];
        for (int i = 0; i < addresses.length; i++) {
            final long[] given = i < byNeighbour.length ? byNeighbour[i] : null;
            addresses[i] = given == null ? NOBODY : limited(given);
        }
        return new UdpPeers(addresses);
    }

    private static long[] limited(final long[] addresses) {
        return Arrays.copyOf(addresses, Math.min(addresses.length, MAX_ADDRESSES));
    }

    /** The same, except for the addresses of one neighbour. */
    public UdpPeers with(final int neighbour, final long... addresses) {
        final long[][] changed = byNeighbour.clone();
        changed[neighbour] = addresses;
        return of(changed);
    }

    /** True if the neighbour may have that address. */
    boolean mayHave(final int neighbour, final long address) {
        for (final long known : byNeighbour[neighbour]) {
            if (known == address) {
                return true;
            }
        }
        return false;
    }

    /**
     * True if the neighbour has exactly these addresses, in any order, ignoring those that are not
     * heard.
     */
    public boolean isKnown(final int neighbour, final long... addresses) {
        final long[] known = byNeighbour[neighbour].clone();
        final long[] given = limited(addresses);
        Arrays.sort(known);
        Arrays.sort(given);
        return Arrays.equals(known, given);
    }

    /** The address of a neighbour that is tried first; 0 if there is no such neighbour. */
    long first(final int neighbour) {
        return byNeighbour[neighbour].length == 0 ? 0 : byNeighbour[neighbour][0];
    }

    /** All addresses of a neighbour; it must not be changed. */
    long[] of(final int neighbour) {
        return byNeighbour[neighbour];
    }

    /** All addresses of all neighbours, each once, in ascending order. */
    long[] all() {
        return Arrays.stream(byNeighbour)
                .flatMapToLong(Arrays::stream)
                .sorted()
                .distinct()
                .toArray();
    }
}
