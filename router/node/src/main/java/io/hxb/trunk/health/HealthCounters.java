package io.hxb.trunk.health;

/**
 * What the health of one node's trunks has seen since start. Written under its lock; others may
 * read slightly old values.
 */
public final class HealthCounters {
    private final long[] statusSent;
    private final long[] statusReceived;
    private final long[] statusBad;
    private final long[] statusStale;
    private final long[] excluded;
    private final long[] recovered;
    private final long[] trunksLost;

    HealthCounters(final int links, final int dimensions) {
        statusSent = new long[links];
        statusReceived = new long[links];
        statusBad = new long[links];
        statusStale = new long[links];
        excluded = new long[links];
        recovered = new long[links];
        trunksLost = new long[dimensions];
    }

    /** Status frames sent on a link, heartbeats included. */
    public long statusSent(final int link) {
        return statusSent[link];
    }

    /** Status frames that arrived on a link and were accepted. */
    public long statusReceived(final int link) {
        return statusReceived[link];
    }

    /** Invalid status frames on a link: forged, misdirected or contradictory. */
    public long statusBad(final int link) {
        return statusBad[link];
    }

    /** Status frames on a link of an incarnation that is over, or of a stranger. */
    public long statusStale(final int link) {
        return statusStale[link];
    }

    /** Times a link to a neighbour was excluded. */
    public long excluded(final int link) {
        return excluded[link];
    }

    /** Times a link to a neighbour that had been excluded was used again. */
    public long recovered(final int link) {
        return recovered[link];
    }

    /** Times the last link of a dimension to some neighbour was excluded. */
    public long trunksLost(final int dimension) {
        return trunksLost[dimension];
    }

    void onStatusSent(final int link) {
        statusSent[link]++;
    }

    void onStatusReceived(final int link) {
        statusReceived[link]++;
    }

    void onStatusBad(final int link) {
        statusBad[link]++;
    }

    void onStatusStale(final int link) {
        statusStale[link]++;
    }

    void onExcluded(final int link, final int dimension, final boolean isLast) {
        excluded[link]++;
        trunksLost[dimension] += isLast ? 1 : 0;
    }

    void onRecovered(final int link) {
        recovered[link]++;
    }
}
