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
        return new Builder(graphName, graph, algorithm, network, traffic).build();
    }

    /** The same for another time. */
    public Experiment withCycles(final long total, final long warmup) {
        return new Builder(this).cycles(total, warmup).build();
    }

    /** The same with another seed. */
    public Experiment withSeed(final long value) {
        return new Builder(this).seed(value).build();
    }

    /** The same with another choice of paths. */
    public Experiment withPaths(final PathChoice value, final boolean freeCopies) {
        return new Builder(this).paths(value, freeCopies).build();
    }

    /** The same with another use of rings. */
    public Experiment withRings(final RingRule value) {
        return new Builder(this).rings(value).build();
    }

    /** The same with another output selection function. */
    public Experiment withSelection(final SelectionKind value) {
        return new Builder(this).selection(value).build();
    }

    /** The same with another root. */
    public Experiment withRoot(final int value) {
        return new Builder(this).root(value).build();
    }

    /**
     * Names what is to differ from an experiment, or from the defaults. Used by one thread.
     *
     * <p>This is the only place that lists the components by position.
     */
    public static final class Builder {
        private final String graphName;
        private final SwitchGraph graph;
        private final RoutingAlgorithm algorithm;
        private final NetworkConfig network;
        private final TrafficConfig traffic;
        private int root = -1;
        private PathChoice paths = PathChoice.AUTO;
        private boolean hasFreeCopies;
        private RingRule rings = RingRule.DEFAULT;
        private SelectionKind selection = SelectionKind.RANDOM;
        private long cycles = 100_000;
        private long warmupCycles = 5_000;
        private long seed = 1;

        /** Begins with the defaults. */
        public Builder(
                final String graphName,
                final SwitchGraph graph,
                final RoutingAlgorithm algorithm,
                final NetworkConfig network,
                final TrafficConfig traffic) {
            this.graphName = graphName;
            this.graph = graph;
            this.algorithm = algorithm;
            this.network = network;
            this.traffic = traffic;
        }

        Builder(final Experiment given) {
            this(given.graphName, given.graph, given.algorithm, given.network, given.traffic);
            root = given.root;
            paths = given.paths;
            hasFreeCopies = given.hasFreeCopies;
            rings = given.rings;
            selection = given.selection;
            cycles = given.cycles;
            warmupCycles = given.warmupCycles;
            seed = given.seed;
        }

        /** Switch at the root of spanning trees, -1 for the algorithm's choice. */
        public Builder root(final int value) {
            root = value;
            return this;
        }

        /** Which paths packets take, and whether they may take any copy of a virtual channel. */
        public Builder paths(final PathChoice value, final boolean freeCopies) {
            paths = value;
            hasFreeCopies = freeCopies;
            return this;
        }

        /** How dimension order uses the rings of a torus. */
        public Builder rings(final RingRule value) {
            rings = value;
            return this;
        }

        /** Output selection function. */
        public Builder selection(final SelectionKind value) {
            selection = value;
            return this;
        }

        /** Cycles in all, and those of them that are not measured, or {@link #AUTOMATIC}. */
        public Builder cycles(final long total, final long warmup) {
            cycles = total;
            warmupCycles = warmup;
            return this;
        }

        /** Seed of everything random. */
        public Builder seed(final long value) {
            seed = value;
            return this;
        }

        /** The experiment, checked. */
        public Experiment build() {
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
                    seed);
        }
    }
}
