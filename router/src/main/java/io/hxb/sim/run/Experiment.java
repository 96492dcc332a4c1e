package io.hxb.sim.run;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.route.RingRule;
import io.hxb.sim.select.SelectionKind;
import io.hxb.sim.traffic.TrafficConfig;

/**
 * A network, its routing, its traffic and how long to watch it. Immutable.
 *
 * @param graphName the words or the file that the graph came from.
 * @param algorithm routing algorithm.
 * @param root switch at the root of spanning trees, -1 for the algorithm's choice.
 * @param paths which of the permitted shortest paths packets take.
 * @param hasFreeCopies whether a packet may take any copy of the routing's virtual channels at each
 *     switch, when there are several times as many as it needs, instead of keeping to one.
 * @param rings how dimension order uses the rings of a torus.
 * @param selection output selection function, for adaptive paths and free copies.
 * @param cycles to simulate, warm-up included.
 * @param warmupCycles not measured at the start, or {@link #AUTOMATIC}.
 * @param seed of everything random.
 */
public record Experiment(
        String graphName,
        SwitchGraph graph,
        RoutingAlgorithm algorithm,
        int root,
        PathChoice paths,
        boolean hasFreeCopies,
        RingRule rings,
        SelectionKind selection,
        NetworkConfig network,
        TrafficConfig traffic,
        long cycles,
        long warmupCycles,
        long seed) {
    /** The warm-up ends when the latency has settled, at the latest after half of the run. */
    public static final long AUTOMATIC = -1;

    /** Checks the ranges. */
    public Experiment {
        if (cycles < 1 || cycles > 1L << 40) {
            throw new SimulationException("cycles must be 1..2^40: " + cycles);
        }
        if (warmupCycles < AUTOMATIC || warmupCycles >= cycles) {
            throw new SimulationException(
                    "the warm-up must be shorter than the run of "
                            + cycles
                            + " cycles: "
                            + warmupCycles);
        }
    }

    /** The thesis' way: adaptive on shortest permitted paths, random selection, uniform traffic. */
    public static Experiment of(
            final String graphName,
            final SwitchGraph graph,
            final RoutingAlgorithm algorithm,
            final NetworkConfig network,
            final TrafficConfig traffic) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                -1,
                PathChoice.AUTO,
                false,
                RingRule.DEFAULT,
                SelectionKind.RANDOM,
                network,
                traffic,
                100_000,
                5_000,
                1);
    }

    /** The same for another time. */
    public Experiment withCycles(final long total, final long warmup) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                root,
                paths,
                hasFreeCopies,
                rings,
                selection,
                network,
                traffic,
                total,
                warmup,
                seed);
    }

    /** The same with another seed. */
    public Experiment withSeed(final long other) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                root,
                paths,
                hasFreeCopies,
                rings,
                selection,
                network,
                traffic,
                cycles,
                warmupCycles,
                other);
    }

    /** The same with another choice of paths. */
    public Experiment withPaths(final PathChoice choice, final boolean freeCopies) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                root,
                choice,
                freeCopies,
                rings,
                selection,
                network,
                traffic,
                cycles,
                warmupCycles,
                seed);
    }

    /** The same with another use of rings. */
    public Experiment withRings(final RingRule other) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                root,
                paths,
                hasFreeCopies,
                other,
                selection,
                network,
                traffic,
                cycles,
                warmupCycles,
                seed);
    }

    /** The same with another output selection function. */
    public Experiment withSelection(final SelectionKind other) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                root,
                paths,
                hasFreeCopies,
                rings,
                other,
                network,
                traffic,
                cycles,
                warmupCycles,
                seed);
    }

    /** The same with another root. */
    public Experiment withRoot(final int other) {
        return new Experiment(
                graphName,
                graph,
                algorithm,
                other,
                paths,
                hasFreeCopies,
                rings,
                selection,
                network,
                traffic,
                cycles,
                warmupCycles,
                seed);
    }
}
