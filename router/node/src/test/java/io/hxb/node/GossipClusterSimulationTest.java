package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SummaryFlyweight;
import io.hxb.gossip.HeardNode;
import io.hxb.gossip.SummaryFile;
import io.hxb.gossip.SummaryReader;
import io.hxb.link.sim.SimFaults;
import io.hxb.session.KeyRing;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Whole nodes that tell one another how they fare, in virtual time. */
@Tag("simulation")
class GossipClusterSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2, 2);
    private static final int FAR = 7;

    @TempDir private Path folder;

    private static SimCluster cluster(final long seed, final SecurityConfig.Mode mode) {
        final ClusterConfig open =
                ClusterConfig.of(
                        "sim", SHAPE, Backend.UDP, LinkPlan.udp(SHAPE.dimensions(), 2, 20_000));
        final boolean isKeyed = mode != SecurityConfig.Mode.NONE;
        final ClusterConfig config =
                isKeyed ? open.withSecurity(new SecurityConfig(mode, List.of("key"))) : open;
        final KeyRing ring = isKeyed ? SimHardware.ring(config, 1) : KeyRing.NONE;
        return new SimCluster(
                seed,
                config,
                SimFaults.NONE.withDelay(20_000, 50_000).withLoss(0.02, 0.02),
                1_024,
                SimApplication.SLOTS,
                node -> ring,
                SimCluster.MTU_BYTES,
                0,
                true);
    }

    private List<HeardNode> seen(final SimCluster cluster, final int by) {
        final long nowMs = cluster.clock.nanoTime() / 1_000_000;
        final Path path = folder.resolve("sim-" + by + ".seen");
        try (SummaryFile file =
                SummaryFile.create(
                        path,
                        cluster.members.get(by).gossip,
                        cluster.clock::nanoTime,
                        () -> nowMs)) {
            file.publishAll();
            return SummaryReader.read(path, SHAPE.nodeCount(), nowMs);
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isComplete(final SimCluster cluster) {
        for (int by = 0; by < SHAPE.nodeCount(); by++) {
            final List<HeardNode> nodes = seen(cluster, by);
            if (nodes.size() < SHAPE.nodeCount()
                    || !nodes.stream().allMatch(GossipClusterSimulationTest::isWell)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWell(final HeardNode node) {
        return node.isHeard()
                && node.links().stream()
                        .allMatch(link -> link.neighbours() == 1 && link.failedNeighbours() == 0);
    }

    // A quarter of a second between two looks.
    private void await(final SimCluster cluster, final int looks, final Runnable last) {
        for (int i = 0; i < looks && !isComplete(cluster); i++) {
            cluster.runUntil(() -> false, SECOND / 4);
        }
        last.run();
    }

    @ParameterizedTest
    @EnumSource(SecurityConfig.Mode.class)
    void shouldKnowAllNodesAndTheirFailedLinks(final SecurityConfig.Mode mode) {
        // given
        final long seed = 4;
        try (SimCluster cluster = cluster(seed, mode)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 20 * SECOND));
            await(cluster, 40, () -> assertTrue(isComplete(cluster), "seed " + seed));
            assertEquals("sim", seen(cluster, 0).get(FAR).hostName());
            // when: the other end of the network loses a dimension
            cluster.cutTrunk(FAR, 2, true);
            boolean isTold = false;
            for (int i = 0; i < 24 && !isTold; i++) {
                cluster.runUntil(() -> false, SECOND / 4);
                isTold = !isWell(seen(cluster, 0).get(FAR));
            }
            // then
            final HeardNode far = seen(cluster, 0).get(FAR);
            assertTrue(isTold && far.isHeard(), far::toString);
            // when
            cluster.members.get(FAR).isDead = true;
            cluster.runUntil(() -> false, 11 * SECOND);
            // then
            assertFalse(seen(cluster, 0).get(FAR).isHeard());
            assertTrue(seen(cluster, 0).get(FAR - 1).isHeard());
            cluster.members.get(FAR).isDead = false;
            assertEquals(0, cluster.leftovers());
        }
    }

    @Test
    void shouldKnowThatANodeHasStoppedInOrder() {
        // given
        try (SimCluster cluster = cluster(6, SecurityConfig.Mode.ENCRYPT)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 20 * SECOND));
            await(cluster, 40, () -> assertTrue(isComplete(cluster)));
            // when
            cluster.members.get(FAR).loop.stop();
            cluster.members.get(FAR).isDead = true;
            boolean isTold = false;
            for (int i = 0; i < 12 && !isTold; i++) {
                cluster.runUntil(() -> false, SECOND / 4);
                isTold = seen(cluster, 0).get(FAR).isStopped();
            }
            // then
            assertTrue(isTold);
            assertTrue(isWell(seen(cluster, 0).get(FAR - 1)));
        }
    }

    @Test
    void shouldBelieveNobodyWithoutTheKey() {
        // given
        try (SimCluster cluster = cluster(5, SecurityConfig.Mode.AUTHENTICATE)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 20 * SECOND));
            await(cluster, 40, () -> assertTrue(isComplete(cluster)));
            final long takenBefore = taken(cluster);
            // when: a neighbour's address sends that another node has started again, without links
            for (int i = 0; i < 100; i++) {
                inject(cluster, i);
            }
            // then
            final HeardNode far = seen(cluster, 0).get(FAR);
            assertTrue(isWell(far), far::toString);
            assertEquals(takenBefore, taken(cluster));
        }
    }

    private static long taken(final SimCluster cluster) {
        return cluster.members.getFirst().counters().value(CounterType.GOSSIP_RECEIVED_FRAMES);
    }

    private static void inject(final SimCluster cluster, final int sequence) {
        final SimCluster.Member member = cluster.members.getFirst();
        final int id = member.share.acquire();
        final FrameHeaderFlyweight header =
                new FrameHeaderFlyweight().wrap(member.pool.headerAddress(id)).clear();
        final SummaryFlyweight record =
                new SummaryFlyweight()
                        .wrap(header.bodyAddress())
                        .all(1, 0, new byte[0])
                        .origin(FAR, 1_000_000, sequence, 0)
                        .toldSequence(sequence);
        header.type(FrameType.SUMMARY)
                .clusterId(cluster.config.clusterId())
                .hopLimit(2)
                .source(SHAPE.coordinates(1))
                .destination(SHAPE.coordinates(0))
                .bodyLength(record.length());
        final int bytes = FrameHeaderFlyweight.LENGTH + record.length();
        member.loop
                .forwarder()
                .onBuffer(member.links[0], member.share, id, bytes, member.links[0].learned(1), 0);
    }
}
