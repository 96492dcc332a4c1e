package io.hxb.trunk;

import io.hxb.topology.Shape;

import java.util.BitSet;

/**
 * What the discovery of one node has seen since start. Written under its lock; others may read
 * slightly old values.
 */
public final class DiscoveryCounters {
    final long[] helloSent;
    final long[] helloReceived;
    final long[] excluded;
    final long[] recovered;
    final long[] trunksLost;
    private final BitSet lost = new BitSet();

    DiscoveryCounters(final int links, final int dimensions) {
        helloSent = new long[links];
        helloReceived = new long[links];
        excluded = new long[links];
        recovered = new long[links];
        trunksLost = new long[dimensions];
    }

    void onLost(final int link, final int neighbour) {
        excluded[link]++;
        lost.set(link * Shape.MAX_EXTENT + neighbour);
    }

    /** True if the neighbour had been lost on the link; it is not any more. */
    boolean takeLost(final int link, final int neighbour) {
        final int index = link * Shape.MAX_EXTENT + neighbour;
        final boolean wasLost = lost.get(index);
        lost.clear(index);
        return wasLost;
    }

    /** Hello frames sent on a link. */
    public long helloSent(final int link) {
        return helloSent[link];
    }

    /** Hello frames that arrived on a link. */
    public long helloReceived(final int link) {
        return helloReceived[link];
    }

    /** Times a neighbour fell silent on a link. */
    public long excluded(final int link) {
        return excluded[link];
    }

    /** Times a neighbour that had fallen silent was heard on a link again. */
    public long recovered(final int link) {
        return recovered[link];
    }

    /** Times the last link of a dimension to some neighbour was lost. */
    public long trunksLost(final int dimension) {
        return trunksLost[dimension];
    }
}
