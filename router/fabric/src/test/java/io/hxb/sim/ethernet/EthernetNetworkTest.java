package io.hxb.sim.ethernet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.generate.Crossbars;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.route.PathSelection;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.route.CrossbarRoutes;
import io.hxb.sim.traffic.TrafficConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Switches that store and forward, learn, flood, drop and pause. */
@Tag("simulation")
class EthernetNetworkTest {
    private static final long MS = 1_000_000;

    private static boolean[] all(final SwitchGraph graph) {
        final boolean[] links = new boolean[graph.linkCount()];
        Arrays.fill(links, true);
        return links;
    }

    @Test
    void shouldFloodUnknownHostsAndLearnKnownOnes() {
        // given a tree of 7 switches with two hosts each
        final SwitchGraph graph = Trees.tree(7, 2, 2);
        final WindowedTraffic flows = new WindowedTraffic(List.of(new int[] {0, 13}), 14, 1500, 1);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT,
                        new LearningForwarding(graph, List.of(all(graph))),
                        flows);
        network.wake(0, 0);
        // when
        network.runUntil(10 * MS);
        // then the first frame went to all twelve others, no later one did
        assertEquals(12, network.discardedFrames());
        assertTrue(network.deliveredFrames() > 100);
        assertEquals(0, network.droppedFrames());
        network.check();
    }

    @Test
    void shouldTakeAsLongAsStoreAndForwardTakes() {
        // given five switches in a row, a frame at a time from one end to the other
        final SwitchGraph graph = Trees.tree(5, 1, 1);
        final WindowedTraffic flows = new WindowedTraffic(List.of(new int[] {0, 4}), 5, 1500, 1);
        final EthernetConfig config = EthernetConfig.GIGABIT.withJitter(0);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph, config, new LearningForwarding(graph, List.of(all(graph))), flows);
        network.wake(0, 0);
        // when
        network.runUntil(100 * MS);
        // then frame and acknowledgement cross six links and five switches each
        final long dataNs = 6 * ((1500 + 24) * 8 + config.linkNs()) + 5 * config.switchNs();
        final long ackNs = 6 * ((64 + 24) * 8 + config.linkNs()) + 5 * config.switchNs();
        final double frames = 100.0 * MS / (dataNs + ackNs);
        assertEquals(frames, flows.deliveredBytes() / 1500.0, 1);
    }

    @Test
    void shouldDropWithoutPauseAndNotWithIt() {
        for (final EthernetConfig.Pause pause :
                List.of(EthernetConfig.Pause.NONE, EthernetConfig.Pause.ALL)) {
            // given seven hosts that blast one
            final SwitchGraph graph = Trees.tree(2, 1, 4);
            final List<ConstantRateTraffic.Flow> flows = new ArrayList<>();
            for (int host = 1; host < 8; host++) {
                flows.add(new ConstantRateTraffic.Flow(host, 0, 0));
            }
            final ConstantRateTraffic constantRateTraffic = new ConstantRateTraffic(flows, 8, 1500);
            final EthernetNetwork network =
                    new EthernetNetwork(
                            graph,
                            EthernetConfig.GIGABIT.withPause(pause),
                            new PathForwarding(
                                    UpDown.bfs(graph, 0).routes(PathSelection.LOW_PORT, 0)),
                            constantRateTraffic);
            flows.forEach(flow -> network.wake(flow.source(), 0));
            // when
            network.runUntil(50 * MS);
            network.check();
            // then the receiver's link is full, and only without PAUSE something is lost
            double bytes = 0;
            for (int flow = 0; flow < flows.size(); flow++) {
                bytes += constantRateTraffic.deliveredBytes(flow);
            }
            assertEquals(0.05 * 1e9 / 8 * 1500 / 1524, bytes, 0.01 * bytes, pause.toString());
            assertEquals(
                    pause == EthernetConfig.Pause.NONE,
                    network.droppedFrames() > 0,
                    network.droppedFrames() + " dropped");
            assertNull(network.findDeadlock());
        }
    }

    @Test
    void shouldFindTheDeadlockOfPausedRings() {
        // given a ring on which everybody sends three links to the right
        final SwitchGraph graph = Lattice.torus(6).graph(1);
        final List<ConstantRateTraffic.Flow> flows = new ArrayList<>();
        for (int host = 0; host < 6; host++) {
            flows.add(new ConstantRateTraffic.Flow(host, (host + 3) % 6, 0));
        }
        final ConstantRateTraffic constantRateTraffic = new ConstantRateTraffic(flows, 6, 1500);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT.withPause(EthernetConfig.Pause.ALL),
                        (node, input, vlan, source, destination, out) -> {
                            out[0] = graph.channelCount() + graph.hostCount() + destination;
                            for (int i = 0; i < graph.degree(node) && node != destination; i++) {
                                if (graph.target(graph.outgoing(node, i)) == (node + 1) % 6) {
                                    out[0] = graph.outgoing(node, i);
                                }
                            }
                            return 1;
                        },
                        constantRateTraffic);
        flows.forEach(flow -> network.wake(flow.source(), 0));
        // when
        network.runUntil(100 * MS);
        final long before = network.deliveredFrames();
        network.runUntil(200 * MS);
        // then
        assertNotNull(network.findDeadlock());
        assertEquals(before, network.deliveredFrames());
        network.check();
    }

    @Test
    void shouldLoseNoFrameUncountedInRandomNetworks() {
        for (int seed = 1; seed <= 20; seed++) {
            // given
            final SwitchGraph graph = RandomGraphs.connected(3 + seed, seed, true, 2, seed);
            final EthernetConfig.Pause[] uses = EthernetConfig.Pause.values();
            final EthernetConfig config =
                    EthernetConfig.GIGABIT
                            .withPortBytes(8000 + 997 * seed)
                            .withPause(uses[seed % uses.length]);
            final RandomFrames frames =
                    new RandomFrames(
                            new TrafficConfig("uniform", null, false, 1500, "64,700,1500", 0)
                                    .source(graph, 0.3, seed),
                            graph.hostCount(),
                            8);
            final EthernetNetwork network =
                    new EthernetNetwork(
                            graph,
                            config,
                            new PathForwarding(
                                    UpDown.bfs(graph, 0).routes(PathSelection.LOW_PORT, 0)),
                            frames);
            // when
            for (long ms = 1; ms <= 5; ms++) {
                frames.run(network, ms * MS);
                // then
                network.check();
            }
            assertTrue(network.deliveredFrames() > 0, "seed " + seed);
            assertNull(network.findDeadlock(), "Up*/Down* cannot lock up, seed " + seed);
        }
    }

    @Test
    void shouldRelayInAHyperCrossbar() {
        // given
        final SwitchGraph graph = Crossbars.hyperCrossbar(4, 4, 3);
        final RandomFrames frames =
                new RandomFrames(
                        TrafficConfig.uniform(1500).source(graph, 0.1, 1), graph.hostCount(), 8);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT,
                        new RoutedForwarding(
                                graph, new CrossbarRoutes(graph, Lattice.mesh(4, 4, 3), 1)),
                        frames);
        // when
        frames.run(network, 20 * MS);
        // then
        network.check();
        assertEquals(0, network.droppedFrames());
        assertTrue(frames.deliveredBytes() > 0.98 * frames.offeredBytes());
    }

    @Test
    void shouldRefuseVlansWithLoops() {
        // given
        final SwitchGraph graph = Lattice.torus(4).graph(1);
        // then
        assertThrows(
                SimulationException.class,
                () -> new LearningForwarding(graph, List.of(all(graph))));
    }
}
