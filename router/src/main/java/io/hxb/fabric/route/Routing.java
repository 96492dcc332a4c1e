package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/**
 * A routing algorithm applied to a graph: one path for each pair of switches, and, for adaptive
 * use, the virtual channels a packet may take next. Virtual channels are numbered as in {@link
 * RouteSet}. Used by one thread at a time: tables are made when they are first needed.
 */
public interface Routing {
    /** In place of a virtual channel: the packet is still at a host of its source. */
    int INJECTED = -1;

    /** Name on the command line. */
    String name();

    /** The graph. */
    SwitchGraph graph();

    /** Virtual channels of each channel, at least 1. */
    int virtualChannels();

    /**
     * Writes the virtual channels that a packet may ask for next. A packet that waits for all of
     * them, and takes any that gets free, never deadlocks.
     *
     * @param source switch at which the packet entered.
     * @param at virtual channel by which it arrived, or {@link #INJECTED}.
     * @param destination switch, another than the one reached.
     * @param out room for all virtual channels that leave a switch.
     * @return how many were written, at least 1 for every state that a packet can be in.
     */
    int next(int source, int at, int destination, int[] out);

    /**
     * Whether a virtual channel is an escape path for packets to a destination. Without cycles
     * among these, taken directly or over others, the whole is free of deadlock. Source: Duato
     * 1993. By default all are.
     */
    default boolean isEscape(final int virtualChannel, final int destination) {
        return true;
    }

    /**
     * The turns on which this routing rests, all of which are permitted to any packet; null when
     * what is permitted depends on the packet.
     */
    default TurnRelation relation() {
        return null;
    }

    /**
     * One path for each pair of switches.
     *
     * @param selection how one of several shortest candidates is chosen; algorithms that choose by
     *     themselves ignore it.
     * @param seed for a random choice.
     */
    RouteSet routes(PathSelection selection, long seed);
}
