package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Round trips of short messages beside bulk data that fills all links between two nodes, whose
 * queues hold 2 ms of it. In virtual time.
 */
@Tag("simulation")
class LoneMessagesSimulationTest {
    private static final long MS = 1_000_000L;
    private static final long RATE_BPS = 1_000_000_000L;
    private static final int QUEUE_BYTES = 250_000;
    private static final long SPAN_NS = 100 * MS;

    /** Messages of the bulk flow that wait or are on the way, in bytes: more than links hold. */
    private static final int BULK_BYTES = 6_000_000;

    @ParameterizedTest
    @CsvSource({"1, 9000, false", "6, 9000, false", "6, 60000, false", "6, 9000, true"})
    void shouldNotWaitBehindBulkThatWaitsForLinks(
            final int links, final int frameBytes, final boolean isBothWays) {
        final ClusterConfig config =
                ClusterConfig.of("sim", Shape.of(2), Backend.UDP, LinkPlan.udp(1, links, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME);
        final SimFaults wires =
                SimFaults.NONE.withDelay(20_000, 0).withRate(RATE_BPS, QUEUE_BYTES / frameBytes);
        try (Arena arena = Arena.ofConfined();
                SimCluster cluster =
                        new SimCluster(
                                0,
                                config,
                                wires,
                                2_048,
                                BULK_BYTES / frameBytes,
                                node -> SimHardware.ring(config, 1),
                                frameBytes,
                                0)) {
            // given
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "neighbours");
            for (final SimCluster.Member member : cluster.members) {
                final SimApplication application = member.application;
                application.exchange =
                        new SimExchange(member.loop.flows(), cluster.clock, arena, 7);
                application.isBulk = true;
                application.targets = new int[] {1 - cluster.members.indexOf(member)};
            }
            sendBulk(cluster, 0);
            if (isBothWays) {
                sendBulk(cluster, 1);
            }
            cluster.runUntil(() -> false, 20 * MS);
            final SimApplication receiving = cluster.members.get(1).application;
            final long before = receiving.received;
            // when
            final SimExchange asking = cluster.members.get(0).application.exchange;
            asking.ask(1);
            cluster.runUntil(() -> false, SPAN_NS);
            // then: but for the first, which opens the flow
            final List<Long> sorted = asking.roundTrips.stream().skip(1).sorted().toList();
            assertTrue(sorted.size() > 20, sorted.size() + " round trips");
            final double median = sorted.get(sorted.size() / 2) / 1e6;
            final double most = sorted.get(sorted.size() * 99 / 100) / 1e6;
            final double share =
                    (receiving.received - before)
                            * frameBytes
                            * 8.0
                            / (RATE_BPS / 1e9 * links * SPAN_NS);
            System.out.printf(
                    "simulation: %d links, frames of %d bytes%s: %d round trips, median %.2f ms,"
                            + " 99 %% %.2f ms; bulk %.3f of the links%n",
                    links,
                    frameBytes,
                    isBothWays ? ", both ways" : "",
                    sorted.size(),
                    median,
                    most,
                    share);
            final double queueMs = QUEUE_BYTES * 8e3 / RATE_BPS;
            final int ways = isBothWays ? 2 : 1;
            assertTrue(median <= ways * queueMs + 0.2, median + " ms");
            assertTrue(most <= ways * 1.5 * queueMs + 0.2, most + " ms");
            assertTrue(share >= (isBothWays ? 0.9 : 0.96), share + " of what the links carry");
            assertEquals(0, receiving.failed);
        }
    }

    private static void sendBulk(final SimCluster cluster, final int node) {
        cluster.members.get(node).application.toSend = Long.MAX_VALUE;
    }
}
