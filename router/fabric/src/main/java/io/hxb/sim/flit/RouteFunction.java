package io.hxb.sim.flit;

/** Determines where a header may go next. Owned by one run. */
public interface RouteFunction {
    /** Used in place of a lane when the packet comes from a host. */
    int FROM_HOST = -1;

    /** Maximum number of lanes that {@link #route} writes. */
    int maxCandidates();

    /** Number of copies of the routing's virtual channels that a packet may be bound to. */
    int copies();

    /** Whether {@link #route} is told the host of the destination, not its switch. */
    default boolean isPerHost() {
        return false;
    }

    /**
     * Writes the lanes that a packet may take next.
     *
     * @param from switch at which it entered.
     * @param at lane by which it arrived, or {@link #FROM_HOST}.
     * @param node switch at which it is, another than that of the destination.
     * @param to switch of its destination; its host where {@link #isPerHost} says so.
     * @param hops links between switches passed since it entered.
     * @param copy 0 to {@code copies() - 1}.
     * @param out where to write.
     * @param offset first index to write at.
     * @return how many were written; negative when the packet has to go to a host of this switch
     *     and start again there.
     */
    int route(int from, int at, int node, int to, int hops, int copy, int[] out, int offset);
}
