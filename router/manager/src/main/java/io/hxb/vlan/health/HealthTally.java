package io.hxb.vlan.health;

/** Counts what a {@link PathHealth} does. Owned by its thread. */
final class HealthTally {
    private long sent;
    private long received;
    private long refused;
    private long withheld;
    private long failures;
    private long recoveries;
    private long moves;
    private long defaultMoves;

    void sent() {
        sent++;
    }

    void received() {
        received++;
    }

    void refused() {
        refused++;
    }

    void withheld() {
        withheld++;
    }

    void failed() {
        failures++;
    }

    void recovered() {
        recoveries++;
    }

    void moved() {
        moves++;
    }

    void defaultMoved() {
        defaultMoves++;
    }

    HealthCounts counts(final int hosts, final int deadPaths, final int halfPairs) {
        return new HealthCounts(
                sent,
                received,
                refused,
                withheld,
                failures,
                recoveries,
                moves,
                defaultMoves,
                hosts,
                deadPaths,
                halfPairs);
    }
}
