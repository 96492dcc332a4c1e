package io.hxb.manager.control;

/** What a management server has done since its start. Owned by the control. */
final class ControlCounts {
    private long rounds;
    private long changes;
    private long refused;
    private long refusals;
    private long withdrawn;
    private long remembered;

    ControlCounts() {}

    void addRound() {
        rounds++;
    }

    void addChanges(final int count) {
        changes += count;
    }

    void addRefused(final int count) {
        refused += count;
    }

    void addRefusal() {
        refusals++;
    }

    void addWithdrawn(final int count) {
        withdrawn += count;
    }

    void addRemembered() {
        remembered++;
    }

    /** Changes that were put into the history. */
    long remembered() {
        return remembered;
    }

    /** Rounds. */
    long rounds() {
        return rounds;
    }

    /** Pairs that were moved. */
    long changes() {
        return changes;
    }

    /** Pairs that were not moved because a host refused. */
    long refused() {
        return refused;
    }

    /** Times that a host has refused. */
    long refusals() {
        return refusals;
    }

    /** Pairs that were given back because others set them, or a host was lost. */
    long withdrawn() {
        return withdrawn;
    }
}
