package io.hxb.vlan.health;

/**
 * What a {@link PathHealth} has counted since its start, and what it knows now. Immutable.
 *
 * @param sent probes sent.
 * @param received probes received and believed.
 * @param refused frames of the EtherType that were not believed.
 * @param withheld probes that were not sent, because there were too many.
 * @param failures paths that were found dead.
 * @param recoveries paths that were found alive again.
 * @param moves times that traffic to a host took another VID for it.
 * @param defaultMoves times that the default VID was replaced by another one, or came back.
 * @param hosts hosts whose paths are looked after now.
 * @param deadPaths paths that are dead now.
 * @param halfPairs pairs whose ends send in different VIDs now.
 */
public record HealthCounts(
        long sent,
        long received,
        long refused,
        long withheld,
        long failures,
        long recoveries,
        long moves,
        long defaultMoves,
        int hosts,
        int deadPaths,
        int halfPairs) {}
