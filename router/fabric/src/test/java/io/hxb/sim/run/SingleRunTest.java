package io.hxb.sim.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.flit.Simulator;
import io.hxb.sim.flit.Switching;
import io.hxb.sim.measure.RunResult;
import io.hxb.sim.select.SelectionKind;
import io.hxb.sim.traffic.TrafficConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.List;

/** Runs of the routing algorithms on small networks. */
@Tag("simulation")
class SingleRunTest {
    private static Experiment experiment(
            final String words, final RoutingAlgorithm algorithm, final int lanes) {
        final SwitchGraph graph = GraphSpec.parse(words, 2);
        return Experiment.of(
                        words,
                        graph,
                        algorithm,
                        NetworkConfig.DEFAULTS.withBuffers(lanes, 32),
                        TrafficConfig.uniform(16))
                .withCycles(20_000, 2_000);
    }

    private static RunResult run(final Experiment experiment, final double load) {
        return new SingleRun(experiment, PreparedRoutes.of(experiment), load, Monitor.NONE)
                .afterSlice(Simulator::check)
                .run();
    }

    @ParameterizedTest
    @EnumSource(value = RoutingAlgorithm.class, mode = Mode.EXCLUDE, names = "FAT_TREE")
    void shouldDeliverByEveryAlgorithm(final RoutingAlgorithm algorithm) {
        // given
        final Experiment experiment = experiment("mesh:4x4", algorithm, 8);
        // when
        final RunResult result = run(experiment, 0.05);
        // then
        assertFalse(result.isSaturated(), algorithm + " " + result);
        assertFalse(result.isDeadlocked(), algorithm + " " + result.deadlock());
        assertEquals(result.offered(), result.accepted(), 0.004);
        assertTrue(result.hops() >= 2.4 && result.hops() < 3.2, "links " + result.hops());
    }

    @ParameterizedTest
    @EnumSource(SelectionKind.class)
    void shouldDeliverByEverySelection(final SelectionKind selection) {
        // given
        final Experiment experiment =
                experiment("torus:4x4", RoutingAlgorithm.DUATO, 3).withSelection(selection);
        // when
        final RunResult result = run(experiment, 0.2);
        // then
        assertFalse(result.isSaturated() || result.isDeadlocked(), selection + " " + result);
    }

    @ParameterizedTest
    @EnumSource(Switching.class)
    void shouldSurviveOverload(final Switching switching) {
        // given
        final Experiment base = experiment("torus:4x4", RoutingAlgorithm.DUATO, 3);
        final Experiment experiment =
                Experiment.of(
                                base.graphName(),
                                base.graph(),
                                base.algorithm(),
                                base.network().withSwitching(switching).withQueue(5),
                                base.traffic())
                        .withCycles(20_000, 2_000);
        // when
        final RunResult result = run(experiment, 1);
        // then
        assertTrue(result.isSaturated());
        assertFalse(result.isDeadlocked(), result.deadlock());
        assertTrue(result.accepted() > 0.15, "accepted " + result.accepted());
        assertTrue(result.refused() > 0.1, "refused " + result.refused());
    }

    @Test
    void shouldCarryAWholeFatTreeAlmostWithoutBlocking() {
        // given
        final Experiment experiment =
                Experiment.of(
                                "fat tree",
                                GraphSpec.parse("fat-tree:4,4,2", 4),
                                RoutingAlgorithm.FAT_TREE,
                                NetworkConfig.DEFAULTS.withBuffers(4, 32),
                                TrafficConfig.uniform(16))
                        .withCycles(20_000, 2_000);
        // when
        final RunResult result = run(experiment, 0.7);
        // then
        assertFalse(result.isSaturated(), "" + result);
        assertEquals(0.7, result.accepted(), 0.02);
    }

    @Test
    void shouldSendByAllCablesWhenHostsHavePathsOfTheirOwn() {
        // given two switches with four cables, and four hosts on each
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(2);
        for (int cable = 0; cable < 4; cable++) {
            builder.addLink(0, 1);
        }
        final Experiment one =
                Experiment.of(
                                "four cables",
                                builder.addHosts(4).build(),
                                RoutingAlgorithm.UPDOWN_BFS,
                                NetworkConfig.DEFAULTS.withBuffers(1, 32),
                                TrafficConfig.uniform(16))
                        .withCycles(20_000, 2_000);
        // when
        final RunResult low = run(one.withPaths(PathChoice.LOW_PORT, false), 0.6);
        final RunResult balanced = run(one.withPaths(PathChoice.BALANCED, false), 0.6);
        // then a single cable carries a quarter of the traffic of four
        assertTrue(low.isSaturated(), "" + low);
        assertFalse(balanced.isSaturated(), "" + balanced);
        assertEquals(0.6, balanced.accepted(), 0.02);
    }

    @Test
    void shouldKeepTheOrderOfEveryPairOnStoredPaths() {
        // given
        final Experiment experiment =
                experiment("random:12,4,3", RoutingAlgorithm.DL_UD, 3)
                        .withPaths(PathChoice.HIGH_PHYSICAL, false);
        final int hosts = experiment.graph().hostCount();
        final long[] last = new long[hosts * hosts];
        final Simulator simulator =
                new Simulator(
                        experiment.graph(),
                        experiment.network(),
                        PreparedRoutes.of(experiment).function(),
                        experiment.selection().on(experiment.graph(), 3, 1),
                        experiment.traffic().source(experiment.graph(), 0.4, 1),
                        (source, destination, flits, created, hops, now) -> {
                            // then
                            assertTrue(created >= last[source * hosts + destination]);
                            last[source * hosts + destination] = created;
                        },
                        1);
        // when
        simulator.runUntil(50_000);
        assertTrue(simulator.deliveredPackets() > 5000, "" + simulator.deliveredPackets());
    }

    @Test
    void shouldRepeatARunExactly() {
        // given
        final Experiment experiment = experiment("random:16,4,1", RoutingAlgorithm.L_TURN_ALPHA, 2);
        // when
        final RunResult first = run(experiment, 0.1);
        final RunResult second = run(experiment, 0.1);
        final RunResult other = run(experiment.withSeed(2), 0.1);
        // then
        assertEquals(first.latency(), second.latency());
        assertEquals(first.flitMoves(), second.flitMoves());
        assertTrue(first.flitMoves() != other.flitMoves());
    }

    @Test
    void shouldReportTheDeadlockOfMinimalRoutingOnATorus() {
        // given
        final Experiment experiment = experiment("torus:5x5", RoutingAlgorithm.MINIMAL, 1);
        // when
        final RunResult result = run(experiment, 0.9);
        // then
        assertTrue(result.isDeadlocked());
        assertTrue(result.deadlock().contains("waits for"), result.deadlock());
        assertTrue(result.cycles() <= 20_000);
    }

    @Test
    void shouldTakeAllShortestPathsOfMinimalRouting() {
        // given a hypercube, where a pair of switches has up to 120 of them
        final Experiment experiment =
                experiment("hypercube:5", RoutingAlgorithm.MINIMAL, 4).withCycles(8_000, 2_000);
        final Experiment single = experiment.withPaths(PathChoice.LOW_PORT, false);
        // when
        final RunResult adaptive = run(experiment, 0.6);
        final RunResult lowPort = run(single, 0.6);
        // then
        assertEquals("adaptive", PreparedRoutes.of(experiment).paths());
        assertEquals("low-port", PreparedRoutes.of(single).paths());
        assertFalse(adaptive.isSaturated() || adaptive.isDeadlocked(), adaptive.toString());
        assertTrue(lowPort.isSaturated(), lowPort.toString());
        assertTrue(lowPort.accepted() < 0.6 * adaptive.accepted(), lowPort.toString());
    }

    @Test
    void shouldNotDeadlockOnSinglePathsOfAdaptiveAlgorithms() {
        // given single paths that would lock up a torus, were they those of unblocked packets
        for (final RoutingAlgorithm algorithm :
                List.of(RoutingAlgorithm.DUATO, RoutingAlgorithm.SILLA)) {
            final Experiment experiment =
                    experiment("torus:5x5", algorithm, 3).withPaths(PathChoice.LOW_PORT, false);
            // when
            final RunResult result = run(experiment, 0.9);
            // then
            assertFalse(result.isDeadlocked(), algorithm + " " + result.deadlock());
            assertTrue(result.isSaturated() && result.accepted() > 0.05, result.toString());
        }
    }

    @Test
    void shouldRefuseAChoiceOfPathsThatDoesNothing() {
        for (final RoutingAlgorithm algorithm :
                List.of(
                        RoutingAlgorithm.LASH,
                        RoutingAlgorithm.IN_TRANSIT,
                        RoutingAlgorithm.DFSSSP)) {
            final Experiment experiment = experiment("mesh:4x4", algorithm, 4);
            assertEquals("own", PreparedRoutes.of(experiment).paths());
            for (final PathChoice choice : PathChoice.values()) {
                final Experiment other = experiment.withPaths(choice, false);
                if (algorithm == RoutingAlgorithm.LASH && choice == PathChoice.BALANCED) {
                    assertEquals("balanced", PreparedRoutes.of(other).paths());
                } else if (choice != PathChoice.AUTO) {
                    final String message =
                            assertThrows(SimulationException.class, () -> PreparedRoutes.of(other))
                                    .getMessage();
                    assertTrue(
                            message.contains("--paths " + choice.word() + " does nothing"),
                            message);
                }
            }
        }
    }

    @Test
    void shouldCallADeadlockSaturatedEvenDuringTheWarmUp() {
        // given a warm-up that is longer than the way to the deadlock
        final Experiment experiment =
                experiment("torus:5x5", RoutingAlgorithm.MINIMAL, 1).withCycles(200_000, 190_000);
        // when
        final RunResult result = run(experiment, 0.9);
        // then nothing was measured, and no load that locks up counts as carried
        assertTrue(result.isDeadlocked() && result.cycles() < 190_000, result.toString());
        assertEquals(0, result.packets());
        assertTrue(result.isSaturated());
        assertEquals(true, result.summary(1).get("saturated"));
        assertEquals(0.0, result.summary(1).get("accepted"));
    }

    @Test
    void shouldEndTheWarmUpByItself() {
        // given
        final Experiment experiment =
                experiment("torus:4x4", RoutingAlgorithm.DUATO, 3)
                        .withCycles(100_000, Experiment.AUTOMATIC);
        // when
        final RunResult result = run(experiment, 0.2);
        // then
        assertTrue(result.warmupCycles() >= 3000 && result.warmupCycles() <= 50_000);
        assertTrue(result.latency().halfWidth() < 0.05 * result.latency().mean());
    }

    @Test
    void shouldKeepWhatWasMeasuredWhenInterrupted() {
        // given
        final Experiment experiment =
                experiment("torus:4x4", RoutingAlgorithm.DUATO, 3).withCycles(1_000_000, 1_000);
        final long[] done = {0};
        final Monitor monitor = (cycles, total) -> (done[0] += cycles) < 30_000;
        // when
        final RunResult result =
                new SingleRun(experiment, PreparedRoutes.of(experiment), 0.1, monitor).run();
        // then
        assertTrue(result.cycles() < 100_000, "" + result.cycles());
        assertTrue(result.packets() > 100);
        assertEquals(0.1, result.accepted(), 0.02);
    }

    @Test
    void shouldRefuseWhatCannotWork() {
        // given
        final Experiment tooFew = experiment("torus:4x4", RoutingAlgorithm.DUATO, 2);
        final Experiment noLattice =
                experiment("random:12,4,3", RoutingAlgorithm.UPDOWN_BFS, 1)
                        .withSelection(SelectionKind.ZIGZAG);
        final Experiment fine = experiment("mesh:4x4", RoutingAlgorithm.UPDOWN_BFS, 1);
        final Experiment smallBuffer =
                Experiment.of(
                        "mesh:4x4",
                        fine.graph(),
                        fine.algorithm(),
                        fine.network().withBuffers(1, 8),
                        fine.traffic());
        // then
        assertThrows(GraphException.class, () -> PreparedRoutes.of(tooFew));
        assertThrows(GraphException.class, () -> PreparedRoutes.of(noLattice));
        assertThrows(SimulationException.class, () -> run(smallBuffer, 0.1));
        assertThrows(SimulationException.class, () -> fine.withCycles(100, 100));
    }

    @Test
    void shouldReportBeforehandWhatTablesWouldTakeAndWhichOptionHelps() {
        // given up*/down* in a torus of 4,096 switches, and dimension order in the same
        final PreparedRoutes tables =
                PreparedRoutes.of(experiment("torus:16x16x16", RoutingAlgorithm.UPDOWN_BFS, 2));
        final PreparedRoutes computed =
                PreparedRoutes.of(
                        experiment("torus:16x16x16", RoutingAlgorithm.DIMENSION_ORDER, 2));
        // then distances take two bytes for each of 24,576 channels and destination
        assertTrue(tables.tableBytes() >= 2L * 24_576 * 4_096, "" + tables.tableBytes());
        assertEquals(0, computed.tableBytes());
        computed.requireRoom(8, 1 << 20);
        tables.requireRoom(1, 2 * tables.tableBytes());
        final SimulationException many =
                assertThrows(
                        SimulationException.class,
                        () -> tables.requireRoom(4, 2 * tables.tableBytes()));
        assertTrue(many.getMessage().contains("give --threads 1, take"), many.getMessage());
        final SimulationException one =
                assertThrows(
                        SimulationException.class,
                        () -> tables.requireRoom(1, tables.tableBytes() / 2));
        assertTrue(one.getMessage().contains("--algorithm dimension-order"), one.getMessage());
        assertTrue(one.getMessage().contains("HXB_JAVA_OPTIONS=-Xmx"), one.getMessage());
    }

    @Test
    void shouldKeepWhatItHasMeasuredWhenItIsStopped() {
        // given a run of which about the first tenth is allowed
        final Experiment experiment =
                experiment("torus:4x4", RoutingAlgorithm.UPDOWN_BFS, 1).withCycles(200_000, 2_000);
        final long[] cycles = {0};
        // when
        final RunResult result =
                new SingleRun(
                                experiment,
                                PreparedRoutes.of(experiment),
                                0.05,
                                (done, total) -> {
                                    cycles[0] += done;
                                    return cycles[0] < total / 10;
                                })
                        .run();
        // then
        assertTrue(result.cycles() >= 20_000 && result.cycles() < 40_000, "at " + result.cycles());
        assertEquals(cycles[0], result.cycles());
        assertEquals(0.05, result.accepted(), 0.005);
        assertTrue(result.packets() > 1_000, "packets " + result.packets());
    }

    @Test
    void shouldReportTheUseOfChannelsAndVirtualChannels() {
        // given
        final Experiment experiment = experiment("torus:4x4", RoutingAlgorithm.DUATO, 3);
        // when
        final RunResult result = run(experiment, 0.1);
        // then every channel has a name and a share, and so has every virtual channel
        final RunResult.Use use = result.use();
        assertEquals(64, use.channels().size());
        assertEquals(3, use.lanes().size());
        assertTrue(use.channels().values().stream().allMatch(share -> share > 0 && share < 1));
        assertTrue(use.lanes().stream().allMatch(share -> share > 0), use.lanes().toString());
        // and both are the same flits, those that the packets' links amount to
        final double mean = use.lanes().stream().mapToDouble(Double::doubleValue).sum();
        assertEquals(use.mean(), mean, 1e-9);
        assertEquals(result.accepted() * 32 * result.hops() / 64, mean, 0.02 * mean);
        assertTrue(use.busiest() > use.mean() && use.busiest() < 2 * use.mean());
    }

    @Test
    void shouldMeasureMessagesUntilTheirLastPacket() {
        // given two switches, and at cycle 100 one message of three packets
        final SwitchGraph graph = GraphSpec.parse("mesh:2x1", 1);
        final Experiment experiment =
                Experiment.of(
                                "mesh:2x1",
                                graph,
                                RoutingAlgorithm.UPDOWN_BFS,
                                NetworkConfig.DEFAULTS.withBuffers(1, 16),
                                new TrafficConfig(
                                        "own.txt", "# trace\n100 0 1 40\n", false, 16, "", 0))
                        .withCycles(1_000, 0);
        // when
        final RunResult result = run(experiment, 0.1);
        // then the message takes as long as its last packet, and starts with the first
        assertEquals(3, result.packets());
        assertEquals(1, result.messages().count());
        assertEquals(result.latency().max(), result.messages().max());
        assertTrue(result.messages().mean() >= result.latency().min() + 24, result.toString());
        assertEquals(1L, result.fields().get("messages"));
        assertEquals(result.messages().max(), result.fields().get("message_latency_max"));
    }

    @Test
    void shouldNotCountMessagesOfWhichAPacketWasRefused() {
        // given messages of four packets, and queues of five packets that overflow
        final Experiment base = experiment("torus:4x4", RoutingAlgorithm.DUATO, 3);
        final Experiment experiment =
                Experiment.of(
                                base.graphName(),
                                base.graph(),
                                base.algorithm(),
                                base.network().withQueue(5),
                                new TrafficConfig("uniform", null, false, 16, "64", 0))
                        .withCycles(20_000, 2_000);
        // when
        final RunResult result = run(experiment, 1);
        // then only whole messages count, fewer than the packets would make
        assertTrue(result.refused() > 0.1, "refused " + result.refused());
        assertTrue(result.messages().count() > 100, "whole " + result.messages().count());
        assertTrue(result.messages().count() < 0.9 * result.packets() / 4, result.toString());
        assertTrue(result.messages().mean() > result.latency().mean());
    }
}
