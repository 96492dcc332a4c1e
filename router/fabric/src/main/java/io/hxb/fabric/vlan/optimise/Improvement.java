package io.hxb.fabric.vlan.optimise;

import java.util.List;

/**
 * Changes of VLANs that are worth making, in this order. Loads are means of the intervals, relative
 * to the fastest link. Immutable.
 *
 * @param moves the changes; none if nothing is worth it.
 * @param busiestBefore load of the busiest channel now.
 * @param busiestAfter expected load of the busiest channel after the changes.
 * @param isLimited whether more changes would be worth making than are allowed.
 */
public record Improvement(
        List<Move> moves, double busiestBefore, double busiestAfter, boolean isLimited) {
    /** Copies the list. */
    public Improvement {
        moves = List.copyOf(moves);
    }

    /**
     * A pair that takes another VLAN.
     *
     * @param low the smaller host.
     * @param high the larger one.
     * @param from index of the VLAN that it has.
     * @param to index of the one that it gets.
     * @param channel the busy one that it leaves.
     * @param before load of that channel before this change.
     * @param after the highest expected load after this change, of this channel and those of the
     *     new path.
     */
    public record Move(
            int low, int high, int from, int to, int channel, double before, double after) {}
}
