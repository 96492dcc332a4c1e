package io.hxb.sim.flit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.Routing;
import io.hxb.sim.route.AdaptiveRoutes;
import io.hxb.sim.route.StoredRoutes;
import io.hxb.sim.select.SelectionKind;
import io.hxb.sim.traffic.TrafficConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Random networks in random states lose nothing, and drain when traffic ends. */
@Tag("property")
class ConservationTest {
    private static final long SEED = 20_260_801;
    private static final int RUNS = 60;

    /** Traffic that ends, so that the network can drain. */
    private static final class Ending implements TrafficSource {
        private final TrafficSource source;
        private final long end;

        Ending(final TrafficSource source, final long end) {
            this.source = source;
            this.end = end;
        }

        @Override
        public long next() {
            return source.next() > end ? NEVER : source.next();
        }

        @Override
        public void emit(final long now, final Sink sink) {
            source.emit(now, sink);
        }

        @Override
        public int shortestFlits() {
            return source.shortestFlits();
        }

        @Override
        public int maxFlits() {
            return source.maxFlits();
        }
    }

    @Test
    void shouldLoseNothingInRandomNetworks() {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int run = 0; run < RUNS; run++) {
            checkRun(random.nextLong(), run);
        }
    }

    private static void checkRun(final long seed, final int run) {
        // given
        final SplittableRandom random = new SplittableRandom(seed);
        final SwitchGraph graph =
                RandomGraphs.connected(
                        2 + random.nextInt(12), random.nextInt(14), true, 2, random.nextLong());
        final RoutingAlgorithm[] algorithms = {
            RoutingAlgorithm.UPDOWN_BFS,
            RoutingAlgorithm.L_TURN_ALPHA,
            RoutingAlgorithm.DL_MUTUAL,
            RoutingAlgorithm.SILLA,
            RoutingAlgorithm.IN_TRANSIT
        };
        final RoutingAlgorithm algorithm = algorithms[random.nextInt(algorithms.length)];
        final NetworkConfig config = config(random);
        final Routing routing =
                algorithm.routing(
                        graph, RoutingOptions.DEFAULTS.withVirtualChannels(config.lanes()));
        final boolean isStored = algorithm == RoutingAlgorithm.IN_TRANSIT || random.nextBoolean();
        final boolean isSilla = algorithm == RoutingAlgorithm.SILLA;
        final RouteFunction route =
                isStored && !isSilla
                        ? new StoredRoutes(
                                routing.routes(RoutingOptions.DEFAULTS.selection(), 1),
                                config.lanes(),
                                random.nextBoolean())
                        : new AdaptiveRoutes(routing, config.lanes(), random.nextBoolean());
        final SelectionKind[] kinds = {
            SelectionKind.RANDOM,
            SelectionKind.LFU,
            SelectionKind.SP,
            SelectionKind.MM,
            SelectionKind.LDSF,
            SelectionKind.LRU,
            SelectionKind.MMLRU
        };
        final SelectionKind kind = kinds[random.nextInt(kinds.length)];
        final TrafficSource traffic =
                new TrafficConfig("uniform", null, true, 8, "3,8,20", random.nextInt(2) * 4)
                        .source(graph, 0.1 + random.nextDouble() * 0.9, seed);
        final String what = "run " + run + " seed " + seed + " " + algorithm + " " + config;
        final long[] delivered = {0};
        final Simulator simulator =
                new Simulator(
                        graph,
                        config,
                        route,
                        kind.on(graph, config.lanes(), seed),
                        new Ending(traffic, 1500),
                        (source, destination, flits, created, hops, now) -> delivered[0] += flits,
                        seed);
        // when
        for (long cycle = 1; cycle < 2000; cycle += 1 + cycle % 7) {
            simulator.runUntil(cycle);
            simulator.check();
        }
        simulator.runUntil(1_000_000);
        simulator.check();
        // then
        assertNull(simulator.findDeadlock(), what);
        assertTrue(delivered[0] > 0, what);
        assertEquals(0, simulator.packetCount(), what);
        assertEquals(simulator.offeredFlits() - simulator.refusedFlits(), delivered[0], what);
        assertEquals(delivered[0], simulator.acceptedFlits(), what);
    }

    private static NetworkConfig config(final SplittableRandom random) {
        final Switching[] modes = Switching.values();
        final Switching switching = modes[random.nextInt(modes.length)];
        final NetworkConfig.Arbitration[] arbitrations = NetworkConfig.Arbitration.values();
        final boolean isWormhole = switching == Switching.WORMHOLE;
        return new NetworkConfig(
                2 + random.nextInt(3),
                isWormhole ? 1 + random.nextInt(12) : 8 + random.nextInt(20),
                switching,
                random.nextInt(4),
                random.nextInt(3),
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                random.nextBoolean() ? 1 : 0.3,
                random.nextBoolean(),
                arbitrations[random.nextInt(arbitrations.length)],
                isWormhole || random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(2) * 5);
    }

    @Test
    void shouldFindTheDeadlockOfAFullRing() {
        // given four switches in a ring on which everybody sends two links to the right
        final SwitchGraph graph = Lattice.torus(4).graph(1);
        final NetworkConfig config =
                NetworkConfig.DEFAULTS.withBuffers(1, 4).withSwitching(Switching.WORMHOLE);
        final Simulator simulator =
                new Simulator(
                        graph,
                        config,
                        ring(graph),
                        SelectionKind.RANDOM.on(graph, 1, 1),
                        TrafficConfig.of("shift:2", 64).source(graph, 1, 1),
                        (source, destination, flits, created, hops, now) -> {},
                        1);
        // when
        simulator.runUntil(5000);
        final long moves = simulator.flitMoves();
        final String deadlock = simulator.findDeadlock();
        simulator.runUntil(10_000);
        // then
        assertTrue(deadlock != null && deadlock.startsWith("cycle of 4 channels: ["), deadlock);
        assertEquals(4, Arrays.stream(deadlock.split("waits for")).count() - 1, deadlock);
        assertTrue(simulator.flitMoves() - moves < 64, "flits moved after the deadlock");
        simulator.check();
    }

    /** Always the link to the switch with the next number. */
    private static RouteFunction ring(final SwitchGraph graph) {
        return new RouteFunction() {
            @Override
            public int maxCandidates() {
                return 1;
            }

            @Override
            public int copies() {
                return 1;
            }

            @Override
            public int route(
                    final int from,
                    final int at,
                    final int node,
                    final int to,
                    final int hops,
                    final int copy,
                    final int[] out,
                    final int offset) {
                for (int i = 0; i < graph.degree(node); i++) {
                    if (graph.target(graph.outgoing(node, i)) == (node + 1) % 4) {
                        out[offset] = graph.outgoing(node, i);
                    }
                }
                return 1;
            }
        };
    }
}
