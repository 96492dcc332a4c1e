package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/**
 * A routing algorithm applied to a graph: one path for each pair of switches, and, for adaptive
 * use, the virtual channels a packet may take next. Virtual channels are numbered as in {@link
 * RouteSet}. Used by one thread at a time: tables are made when they are first needed.
 */
public interface Routing {
    /** Used in place of a virtual channel when the packet is still at a host of its source. */
    int INJECTED = -1;

    /** Name on the command line. */
    String name();

    /** The graph. */
    SwitchGraph graph();

    /** Virtual channels of each channel, at least 1. */
    int virtualChannels();

    /**
     * Writes the virtual channels that a packet may ask for next. A packet that waits for all of
     * them, and takes any that becomes free, never deadlocks.
     *
     * @param source switch at which the packet entered.
     * @param at virtual channel by which it arrived, or {@link #INJECTED}.
     * @param destination switch, other than the one reached.
     * @param out room for all virtual channels that leave a switch.
     * @return how many were written, at least 1 for every state that a packet can be in.
     */
    int next(int source, int at, int destination, int[] out);

    /**
     * Whether a virtual channel is an escape path for packets to a destination. If there is no
     * cycle among these, direct or through others, the whole is free of deadlock. Source: Duato
     * 1993. By default all are.
     */
    default boolean isEscape(final int virtualChannel, final int destination) {
        return true;
    }

    /**
     * The turns on which this routing relies, all of which are permitted to any packet; null when
     * what is permitted depends on the packet.
     */
    default TurnRelation relation() {
        return null;
    }

    /**
     * Whether packets of a pair may take several paths: {@link #next} leaves them a choice.
     * Otherwise the paths are those of {@link #routes}, whatever selection is asked for.
     */
    default boolean isAdaptive() {
        return true;
    }

    /**
     * Whether packets rely on escape paths, so that {@link #routes} and {@link #staticRoutes}
     * differ.
     */
    default boolean hasEscapePaths() {
        return false;
    }

    /** Switches at the roots of its spanning trees, a new array; empty when it has none. */
    default int[] roots() {
        return new int[0];
    }

    /**
     * One path for each pair of switches: that of a packet that is never blocked. For a routing
     * with escape paths these are the best that packets can get, but they may wait for one another
     * in a cycle: only {@link #staticRoutes} are fit for static tables.
     *
     * @param selection how one of several shortest candidates is chosen; algorithms that choose by
     *     themselves ignore it.
     * @param seed for a random choice.
     */
    RouteSet routes(PathSelection selection, long seed);

    /**
     * One path for each pair of switches, fit for static tables: if the routing is free of
     * deadlock, so are these paths by themselves, without any choice on the way. For a routing with
     * escape paths they are the escape paths, which may be longer than {@link #routes}.
     *
     * @param selection as in {@link #routes}.
     * @param seed for a random choice.
     */
    default RouteSet staticRoutes(final PathSelection selection, final long seed) {
        return routes(selection, seed);
    }
}
