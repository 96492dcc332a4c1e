package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.forward.TraceReport;
import io.hxb.forward.Tracer;
import io.hxb.frame.TracedFlyweight;
import io.hxb.link.sim.SimFaults;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.KeyRing;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Traced frames in whole clusters, in virtual time. */
@Tag("simulation")
class TraceSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MS = 1_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2, 2);
    private static final int TO = 7;

    private static SimCluster cluster(
            final long seed, final SecurityConfig.Mode mode, final SimFaults faults) {
        final ClusterConfig open =
                ClusterConfig.of(
                        "sim", SHAPE, Backend.UDP, LinkPlan.udp(SHAPE.dimensions(), 2, 20_000));
        final boolean isKeyed = mode != SecurityConfig.Mode.NONE;
        final ClusterConfig config =
                isKeyed ? open.withSecurity(new SecurityConfig(mode, List.of("key"))) : open;
        final KeyRing ring = isKeyed ? SimHardware.ring(config, 1) : KeyRing.NONE;
        return new SimCluster(seed, config, faults, 1_024, SimApplication.SLOTS, node -> ring);
    }

    private static Tracer tracer(final SimCluster cluster) {
        return cluster.members.getFirst().loop.forwarder().tracer();
    }

    // Sends frames 5 ms apart and returns the nodes that reported each, by its number.
    private static Map<Long, List<Integer>> trace(
            final SimCluster cluster, final int order, final int frames) {
        final Tracer tracer = tracer(cluster);
        tracer.log().want(true);
        final Map<Long, List<Integer>> reports = new HashMap<>();
        final TraceReport report = new TraceReport();
        for (long number = 0; number < frames; number++) {
            if (tracer.send(TO, number, order, 16) >= 0) {
                reports.put(number, new ArrayList<>());
            }
            final long untilNs = cluster.clock.nanoTime() + 5 * MS;
            cluster.runUntil(() -> cluster.clock.nanoTime() - untilNs >= 0, SECOND);
            while (tracer.log().take(report)) {
                reports.get(report.number()).add(report.node());
            }
        }
        tracer.log().want(false);
        return reports;
    }

    @ParameterizedTest
    @EnumSource(SecurityConfig.Mode.class)
    void shouldBeReportedByEveryNodeOnTheWay(final SecurityConfig.Mode mode) {
        // given
        try (SimCluster cluster = cluster(1, mode, SimFaults.NONE.withDelay(20_000, 5_000))) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            // Sessions of nodes that are no neighbours begin with the first frames.
            trace(cluster, DimensionOrder.of(2, 0, 1), 20);
            // when
            final Map<Long, List<Integer>> reports = trace(cluster, DimensionOrder.of(2, 0, 1), 20);
            // then: z, then x, then y
            assertEquals(20, reports.size());
            final List<Integer> way =
                    List.of(
                            SHAPE.node(SHAPE.parseCoordinates("0,0,1")),
                            SHAPE.node(SHAPE.parseCoordinates("1,0,1")),
                            TO);
            reports.values().forEach(nodes -> assertEquals(way, nodes.stream().sorted().toList()));
            assertEquals(0, cluster.leftovers());
        }
    }

    @Test
    void shouldSurviveLossesAndLoseNoBuffer() {
        for (long seed = 0; seed < 2; seed++) {
            // given
            final SimFaults faults = SimFaults.NONE.withDelay(20_000, 50_000).withLoss(0.2, 0.2);
            try (SimCluster cluster = cluster(seed, SecurityConfig.Mode.AUTHENTICATE, faults)) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 20 * SECOND));
                // when
                final Map<Long, List<Integer>> reports = trace(cluster, -1, 100);
                // then: some are reported; links duplicate some, too
                final long all = reports.values().stream().mapToInt(List::size).sum();
                assertTrue(all > 20 && all < 400, all + " reports, seed " + seed);
                assertEquals(0, cluster.leftovers(), "seed " + seed);
            }
        }
    }

    @Test
    void shouldTraceTheLongestFrame() {
        // given
        try (SimCluster cluster =
                cluster(5, SecurityConfig.Mode.NONE, SimFaults.NONE.withDelay(20_000, 0))) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            final Tracer tracer = tracer(cluster);
            tracer.log().want(true);
            // when
            assertTrue(tracer.send(TO, 1, -1, tracer.maxBodyBytes()) >= 0);
            final TraceReport report = new TraceReport();
            final List<Integer> kinds = new ArrayList<>();
            cluster.runUntil(() -> false, 10 * MS);
            while (tracer.log().take(report)) {
                kinds.add(report.kind());
            }
            // then
            assertEquals(
                    List.of(
                            TracedFlyweight.RELAYED,
                            TracedFlyweight.RELAYED,
                            TracedFlyweight.ARRIVED),
                    kinds.stream().sorted().toList());
        }
    }
}
