package io.hxb.trunk.discovery;

/**
 * What the discovery of one node has seen since start. Written under its lock; others may read
 * slightly old values.
 */
public final class DiscoveryCounters {
    private final long[] helloSent;
    private final long[] helloReceived;

    DiscoveryCounters(final int links) {
        helloSent = new long[links];
        helloReceived = new long[links];
    }

    /** Hello frames sent on a link. */
    public long helloSent(final int link) {
        return helloSent[link];
    }

    /** Hello frames that arrived on a link. */
    public long helloReceived(final int link) {
        return helloReceived[link];
    }

    void onHelloSent(final int link) {
        helloSent[link]++;
    }

    void onHelloReceived(final int link) {
        helloReceived[link]++;
    }
}
