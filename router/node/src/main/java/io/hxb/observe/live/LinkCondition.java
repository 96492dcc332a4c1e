package io.hxb.observe.live;

import java.util.Locale;

/** How a link of a node fares, worst last. */
public enum LinkCondition {
    /** It carries its full load to all neighbours that are heard on it. */
    GOOD,
    /** It carries less than its full load, because it lost frames. */
    WEAK,
    /** No neighbour is heard on it. */
    ALONE,
    /** It is left out towards at least one neighbour. */
    FAILED,
    /** Its NIC is down, gone or without a carrier. */
    DOWN,
    /** Its node does not run, so that nobody knows; what its counters show is how it was last. */
    UNKNOWN;

    private static final int FULL_PERCENT = 100;

    /**
     * Judges a link.
     *
     * @param isUp whether frames can pass its NIC.
     * @param neighbours neighbours that are heard on it.
     * @param failed neighbours towards which it is left out.
     * @param weightPercent share of its full load.
     */
    public static LinkCondition of(
            final boolean isUp,
            final long neighbours,
            final long failed,
            final long weightPercent) {
        if (!isUp) {
            return DOWN;
        }
        if (failed > 0) {
            return FAILED;
        }
        if (neighbours == 0) {
            return ALONE;
        }
        return weightPercent < FULL_PERCENT ? WEAK : GOOD;
    }

    /** The condition of a link of a node in that state, if its counters show this one. */
    public LinkCondition at(final NodeState state) {
        return state == NodeState.RUNNING ? this : UNKNOWN;
    }

    /** How soon somebody should look at a link in this condition, if it is not good. */
    public Urgency urgency() {
        return this == FAILED || this == DOWN ? Urgency.NOT_WORKING : Urgency.LESS;
    }

    /** The word that people write. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The condition in a word, or three when links to some neighbours failed. */
    public String text(final long failedNeighbours) {
        return this == FAILED ? "failed to " + failedNeighbours : word();
    }
}
