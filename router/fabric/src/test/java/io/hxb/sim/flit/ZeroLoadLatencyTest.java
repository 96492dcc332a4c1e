package io.hxb.sim.flit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.route.PathSelection;
import io.hxb.sim.route.StoredRoutes;
import io.hxb.sim.select.SelectionKind;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** A packet alone in the network takes as long as by the formula. */
@Tag("property")
class ZeroLoadLatencyTest {
    private static final int SWITCH_CYCLES = 2;
    private static final int ALLOCATION_CYCLES = 1;
    private static final int LINK_CYCLES = 3;
    private static final int HOST_LINK_CYCLES = 2;
    private static final int FLITS = 20;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mesh:4x3",
                "torus:4x4",
                "torus:3x3x3",
                "hypercube:4",
                "hyper-crossbar:3x2x2",
                "hyperx:3x3",
                "fat-tree:2,4,2",
                "vbft:4,3",
                "myrinet-clos:3",
                "tree:7,2",
                "dragonfly:3,1",
                "random:16,4,5"
            })
    void shouldTakeAsLongAsByTheFormula(final String words) {
        final SwitchGraph graph = GraphSpec.parse(words, 2);
        final RouteSet routes = UpDown.bfs(graph, 0).routes(PathSelection.LOW_PORT, 0);
        for (final Switching switching : Switching.values()) {
            for (int from = 0; from < graph.hostCount(); from += 3) {
                for (int to = 0; to < graph.hostCount(); to += 2) {
                    if (from == to) {
                        continue;
                    }
                    // given
                    final int switches =
                            1 + routes.length(graph.hostSwitch(from), graph.hostSwitch(to));
                    // when
                    final long latency = latency(graph, routes, switching, from, to);
                    // then
                    assertEquals(
                            formula(switching, switches),
                            latency,
                            words + " " + switching + " " + from + " -> " + to);
                }
            }
        }
    }

    @Test
    void shouldTakeAsLongAsDocumentedWithAnyParameters() throws IOException {
        // given the formula of the document
        final String document =
                Files.readString(
                        Path.of(System.getProperty("hxb.root", ".."))
                                .resolve("docs/research/simulator.md"));
        assertTrue(
                document.contains(
                        "latency = S x (switch + allocation) + (S - 1) x link + 2 x host-link"
                                + " + (F - 1) x T"));
        final SplittableRandom random = new SplittableRandom(20_261_123);
        final SwitchGraph graph = GraphSpec.parse("mesh:7", 2);
        final RouteSet routes = UpDown.bfs(graph, 0).routes(PathSelection.LOW_PORT, 0);
        for (int i = 0; i < 400; i++) {
            final int inSwitch = random.nextInt(5);
            final int inAllocation = random.nextInt(4);
            final int onLink = 1 + random.nextInt(5);
            final int onHostLink = 1 + random.nextInt(5);
            final int credit = 1 + random.nextInt(6);
            final double width = 1.0 / (1 + random.nextInt(3));
            final Switching switching = List.of(Switching.values()).get(random.nextInt(3));
            final int flits = 1 + random.nextInt(40);
            final int trip = inSwitch + inAllocation + Math.max(onLink, onHostLink) + credit;
            final boolean isWormhole = switching == Switching.WORMHOLE;
            final int buffer = isWormhole && random.nextBoolean() ? trip : flits;
            final int to = 1 + random.nextInt(13);
            final int s = 1 + to / 2;
            final NetworkConfig config =
                    NetworkConfig.DEFAULTS
                            .withBuffers(1, buffer)
                            .withSwitching(switching)
                            .withCycles(inSwitch, inAllocation, onLink, onHostLink)
                            .withCredits(credit)
                            .withLinkWidth(width);
            // when
            final long latency = latency(graph, routes, config, 0, to, flits);
            // then
            final double flitCycles =
                    switching == Switching.STORE_AND_FORWARD
                            ? 2 + (s - 1) / width
                            : s == 1 ? 1 : 1 / width;
            final double expected =
                    s * (inSwitch + inAllocation)
                            + (s - 1) * onLink
                            + 2 * onHostLink
                            + (flits - 1) * flitCycles
                            - (switching == Switching.STORE_AND_FORWARD
                                    ? 0
                                    : Math.min(inAllocation, (flits - 1) * (flitCycles - 1)));
            assertEquals(
                    expected, (double) latency, 1e-6, config + ", " + flits + " flits to " + to);
        }
    }

    private static long formula(final Switching switching, final int switches) {
        final long header =
                switches * (long) (SWITCH_CYCLES + ALLOCATION_CYCLES)
                        + (switches - 1) * (long) LINK_CYCLES
                        + 2 * HOST_LINK_CYCLES;
        final int times = switching == Switching.STORE_AND_FORWARD ? switches + 1 : 1;
        return header + times * (FLITS - 1L);
    }

    private static long latency(
            final SwitchGraph graph,
            final RouteSet routes,
            final Switching switching,
            final int from,
            final int to) {
        final NetworkConfig config =
                NetworkConfig.DEFAULTS
                        .withBuffers(1, FLITS)
                        .withSwitching(switching)
                        .withCycles(
                                SWITCH_CYCLES, ALLOCATION_CYCLES, LINK_CYCLES, HOST_LINK_CYCLES);
        return latency(graph, routes, config, from, to, FLITS);
    }

    private static long latency(
            final SwitchGraph graph,
            final RouteSet routes,
            final NetworkConfig config,
            final int from,
            final int to,
            final int flits) {
        final long[] latency = {-1};
        final Simulator simulator =
                new Simulator(
                        graph,
                        config,
                        new StoredRoutes(routes, 1, false),
                        SelectionKind.RANDOM.on(graph, 1, 1),
                        new OnePacket(from, to, flits),
                        (source, destination, length, created, hops, now) ->
                                latency[0] = now - created,
                        1);
        simulator.runUntil(10_000);
        simulator.check();
        return latency[0];
    }

    private static final class OnePacket implements TrafficSource {
        private static final long AT = 7;

        private final int from;
        private final int to;
        private final int flits;
        private boolean isSent;

        OnePacket(final int from, final int to, final int flits) {
            this.from = from;
            this.to = to;
            this.flits = flits;
        }

        @Override
        public long next() {
            return isSent ? NEVER : AT;
        }

        @Override
        public void emit(final long now, final Sink sink) {
            isSent = true;
            sink.offer(from, to, flits);
        }

        @Override
        public int shortestFlits() {
            return flits;
        }

        @Override
        public int maxFlits() {
            return flits;
        }
    }
}
