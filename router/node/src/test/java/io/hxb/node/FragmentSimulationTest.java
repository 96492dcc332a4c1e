package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SplittableRandom;

/** Clusters whose frames are longer than their links take, in virtual time. */
@Tag("simulation")
@Tag("search")
class FragmentSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.longFrameSeeds", 4 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);
    private static final int MESSAGES = 100;

    // Of a link of 1 Gbit/s.
    private static final long RATE_BPS = 1_000_000_000L;
    private static final int LONG_BYTES = 60_000;
    private static final long BULK_BYTES = 40_000_000;

    private static ClusterConfig config(
            final Shape shape, final int links, final boolean isSealed, final long seed) {
        final ClusterConfig config =
                ClusterConfig.of(
                                "sim",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), links, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME)
                        .withOrders(
                                seed % 2 == 0
                                        ? OrderConfig.DEFAULT
                                        : OrderConfig.all(shape.dimensions()));
        final SecurityConfig.Mode mode =
                seed % 3 == 0 ? SecurityConfig.Mode.ENCRYPT : SecurityConfig.Mode.AUTHENTICATE;
        return isSealed ? config.withSecurity(new SecurityConfig(mode, List.of("key"))) : config;
    }

    @Test
    void shouldDeliverEverythingOnceAndInOrderAsFragments() {
        long fragments = 0;
        long completed = 0;
        long doubled = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            if (ONLY_SEED >= 0 && ONLY_SEED != seed) {
                continue;
            }
            try (SimCluster cluster = lossyCluster(seed)) {
                run(cluster);
                for (final SimCluster.Member member : cluster.members) {
                    final CounterBlock seen = member.counters();
                    fragments += seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES);
                    completed += seen.value(CounterType.FLOW_COMPLETED_FRAMES);
                    doubled += seen.value(CounterType.FORWARD_DROPPED_FRAGMENT_DOUBLED_FRAMES);
                }
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            } catch (final AssertionError e) {
                throw new AssertionError("replay by -Dhxb.sim.seed=" + seed, e);
            }
        }
        System.out.printf(
                "simulation: %d fragments, %d frames completed, %d fragments doubled%n",
                fragments, completed, doubled);
        assertTrue(ONLY_SEED >= 0 || (fragments > 0 && completed > 0 && doubled > 0));
    }

    private static SimCluster lossyCluster(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final Shape shape =
                switch ((int) (seed % 4)) {
                    case 0 -> Shape.of(2, 2, 2);
                    case 1 -> Shape.of(3, 3);
                    case 2 -> Shape.of(4);
                    default -> Shape.of(2, 3);
                };
        final SimFaults faults =
                SimFaults.NONE
                        .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                        .withLoss(random.nextInt(6) / 100.0, random.nextInt(6) / 100.0)
                        .withReordering(random.nextInt(30) / 100.0, 200_000)
                        .withCorruption(random.nextInt(3) / 100.0)
                        .withTrains(
                                1 + random.nextInt(2) * random.nextInt(45),
                                random.nextInt(6) / 100.0,
                                random.nextInt(2) * random.nextDouble());
        final ClusterConfig config =
                config(shape, 1 + random.nextInt(3), random.nextInt(3) == 0, seed);
        return new SimCluster(
                seed,
                config,
                faults,
                seed % 5 == 0 ? 256 : 1_024,
                SimApplication.SLOTS,
                node -> SimHardware.ring(config, 1),
                SimHardware.MTU_BYTES,
                280 + random.nextInt(900));
    }

    private static void run(final SimCluster cluster) {
        assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
        // when
        cluster.members.forEach(member -> member.application.toSend = MESSAGES);
        final boolean isDone =
                cluster.runUntil(
                        () ->
                                cluster.members.stream()
                                        .allMatch(m -> m.application.done == MESSAGES),
                        60 * SECOND);
        // then
        assertTrue(isDone, "progress");
        for (int to = 0; to < cluster.members.size(); to++) {
            final SimCluster.Member member = cluster.members.get(to);
            assertEquals(0, member.application.failed);
            for (int from = 0; from < cluster.members.size(); from++) {
                assertEquals(
                        cluster.members.get(from).application.sentTo(to),
                        member.application.receivedFrom(from));
            }
            checkConserved(member.counters());
        }
    }

    private static void checkConserved(final CounterBlock seen) {
        assertEquals(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES),
                seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                        + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                        + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                        + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                        + seen.droppedFrames());
    }

    @Test
    void shouldCarryAsMuchAsFramesOfTheLinkWhenFragmentsAreLost() {
        for (final double loss : new double[] {0.001, 0.01}) {
            // given: frames of 9,000 bytes as they are
            final double today = goodput(9_000, 9_000, loss);
            for (final int wireBytes : new int[] {9_000, 1_500}) {
                // when
                final double asFragments = goodput(LONG_BYTES, wireBytes, loss);
                final double whole =
                        wireBytes == 9_000 ? today : goodput(wireBytes, wireBytes, loss);
                System.out.printf(
                        "simulation: loss of %.1f %%: %d bytes on links of %d %.2f MB/s, frames of"
                                + " the link %.2f, of 9,000 bytes %.2f%n",
                        100 * loss, LONG_BYTES, wireBytes, asFragments, whole, today);
                // then: a shorter wire also loses more fragments of the same bytes
                assertTrue(asFragments >= 0.99 * whole, asFragments + " MB/s, whole " + whole);
                assertTrue(
                        asFragments >= (wireBytes == 9_000 ? 0.99 : 0.97) * today,
                        asFragments + " MB/s, " + today + " in frames of 9,000 bytes");
            }
        }
    }

    // Megabytes of payload a second from one node to another.
    private static double goodput(final int frameBytes, final int wireBytes, final double loss) {
        final SimFaults faults =
                SimFaults.NONE.withDelay(30_000, 0).withRate(RATE_BPS, 512).withLoss(loss, 0);
        final ClusterConfig config = config(Shape.of(2), 1, false, 0);
        final int slots = Math.max(64, 2_000_000 / frameBytes);
        try (SimCluster cluster =
                new SimCluster(
                        1,
                        config,
                        faults,
                        512,
                        slots,
                        node -> SimHardware.ring(config, 1),
                        frameBytes,
                        wireBytes)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            final SimApplication sending = cluster.members.get(0).application;
            sending.isBulk = true;
            sending.targets = new int[] {1};
            // The flow has found its round trip and its window.
            final long messages = BULK_BYTES / frameBytes;
            sending.toSend = messages / 4;
            assertTrue(cluster.runUntil(() -> sending.done == sending.toSend, 60 * SECOND));
            final long beganNs = cluster.clock.nanoTime();
            final long before = sending.toSend;
            sending.toSend += messages;
            assertTrue(cluster.runUntil(() -> sending.done == sending.toSend, 60 * SECOND));
            final double seconds = (cluster.clock.nanoTime() - beganNs) / 1e9;
            assertEquals(0, sending.failed);
            return (sending.done - before) * (frameBytes - 72) / seconds / 1e6;
        }
    }
}
