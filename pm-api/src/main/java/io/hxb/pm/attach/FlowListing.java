package io.hxb.pm.attach;

import java.util.List;

/**
 * A node's answer to who talks to whom. Immutable.
 *
 * @param flows the busiest, those that carried most bytes first, at most {@link #MAX_FLOWS}.
 * @param total how many there are that the asker may see.
 * @param timeNs when the node had looked, by {@link System#nanoTime}.
 */
public record FlowListing(List<ListedFlow> flows, long total, long timeNs) {
    /** Flows in an answer, at most. */
    public static final int MAX_FLOWS = 1_024;

    /** Bytes of the memory that is lent for an answer. */
    public static final int LENGTH_BYTES = MAX_FLOWS * ListedFlow.LENGTH_BYTES;

    /** Whose view is asked for: that of the asker. */
    public static final long OWN_VIEW = 0;

    /** A node answers one user no more often than once in this time. */
    public static final long PAUSE_NS = 100_000_000;

    /** Copies the list. */
    public FlowListing {
        flows = List.copyOf(flows);
    }

    /** Whose view is asked for: that of a user. Only operators may. */
    public static long viewOf(final int uid) {
        return 1L + uid;
    }
}
