package io.hxb.sim.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hxb.fabric.EdgeList;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.Switching;
import io.hxb.sim.measure.RunResult;
import io.hxb.sim.route.RingRule;
import io.hxb.sim.traffic.TrafficConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Comparison with an independent simulator: BookSim 2 (commit 28f4329), separable allocators,
 * routing delay 0, allocation 1 and 1, st_final 1, credit_delay 1, 20,000 measured cycles, traffic
 * with self; {@code docs/research/simulator.md} has its options in our words.
 */
@Tag("simulation")
class BookSimTest {
    private static final Path GRAPHS =
            Path.of(System.getProperty("hxb.root", ".."))
                    .resolve("router/fabric/src/test/resources/graphs");

    private static SwitchGraph graph(final String name) throws IOException {
        return switch (name) {
            case "mesh" -> Lattice.mesh(8, 8).graph(1);
            case "torus" -> Lattice.torus(8, 8).graph(1);
            case "torus4" -> Lattice.torus(8, 8).graph(4);
            default -> EdgeList.parse(name, Files.readString(GRAPHS.resolve(name + ".edges")), 4);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "mesh,    uniform, 2, 8,   1,   0.05, .0502, 27.1, 5",
        "mesh,    uniform, 2, 8,   1,   0.35, .3501, 32.6, 5",
        "torus,   uniform, 2, 8,   1,   0.05, .0502, 26.3, 5",
        "torus,   uniform, 2, 8,   1,   0.30, .3001, 31.9, 5",
        "torus,   shuffle, 2, 8,   1,   0.10, .1000, 28.5, 5",
        "torus,   shuffle, 2, 8,   1,   0.11, .1100, 30.4, 5",
        "mesh,    uniform, 1, 4,   8,   0.01, .0100, 36.2, 5",
        "mesh,    uniform, 1, 4,   8,   0.05, .0502, 39.8, 5",
        "mesh,    uniform, 1, 4,   8,   0.08, .0802, 44.3, 5",
        "mesh,    uniform, 1, 4,   8,   0.10, .1004, 50.0, 5",
        "irr64_0, uniform, 3, 128, 128, 0.01, .0104, 159,  5",
        "irr64_0, uniform, 3, 128, 128, 0.05, .0520, 218,  5",
        "irr64_0, uniform, 3, 128, 128, 0.10, .1025, 357,  10",
        "irr64_0, uniform, 1, 128, 128, 0.01, .0104, 153,  5",
        "irr64_0, uniform, 1, 128, 128, 0.04, .0413, 181,  5",
        "torus4,  uniform, 3, 128, 128, 0.01, .0104, 165,  5",
        "torus4,  uniform, 3, 128, 128, 0.05, .0520, 324,  10"
    })
    void shouldAgreeWithBookSim(
            final String network,
            final String pattern,
            final int lanes,
            final int buffer,
            final int packet,
            final double load,
            final double accepted,
            final double latency,
            final double percent)
            throws IOException {
        // given credits that take the link, a cycle to be sent, and BookSim's delay of one
        final boolean isAnynet = !network.equals("mesh") && !network.equals("torus");
        final int linkCycles = network.equals("torus") ? 2 : 1;
        final NetworkConfig config =
                NetworkConfig.DEFAULTS
                        .withBuffers(lanes, buffer)
                        .withSwitching(Switching.WORMHOLE)
                        .withExclusive(false)
                        .withCycles(2, 1, linkCycles, 1)
                        .withCredits(linkCycles + 2);
        final Experiment experiment =
                Experiment.of(
                                network,
                                graph(network),
                                isAnynet
                                        ? RoutingAlgorithm.MINIMAL
                                        : RoutingAlgorithm.DIMENSION_ORDER,
                                config,
                                TrafficConfig.of(pattern, packet).withSelf())
                        .withPaths(isAnynet ? PathChoice.LOW_PORT : PathChoice.ADAPTIVE, true)
                        .withRings(new RingRule(RingRule.Ties.RANDOM, RingRule.Channels.KEEP))
                        .withCycles(60_000, 5_000);
        // when, with more cycles than BookSim had, since 64 hosts send few packets in 20,000
        final RunResult result =
                new SingleRun(experiment, PreparedRoutes.of(experiment), load, Monitor.NONE).run();
        // then
        assertFalse(result.isDeadlocked(), result.deadlock());
        assertEquals(accepted, result.accepted(), percent / 100 * accepted, result.toString());
        assertEquals(latency, result.latency().mean(), percent / 100 * latency, result.toString());
    }
}
