package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.link.Link;
import io.hxb.link.sim.SimFaults;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.FrameSeals;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What hellos to everybody draw that somebody repeats in the name of a node, with a key. */
@Tag("simulation")
class HelloAnswerSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MS = 1_000_000L;
    private static final Shape SHAPE = Shape.of(4);
    private static final int NAMED = 0;

    private final ClusterConfig config =
            ClusterConfig.of("sim", SHAPE, Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                    .withSecurity(
                            new SecurityConfig(SecurityConfig.Mode.AUTHENTICATE, List.of("key")));
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();

    @Test
    void shouldDrawNoMoreThanAnotherHelloOfEachIntervalHoweverOftenTheyAreRepeated() {
        final SimFaults faults = SimFaults.NONE.withDelay(10_000, 0);
        try (SimCluster cluster = new SimCluster(1, config, faults, 512, SimApplication.SLOTS)) {
            // given
            final FrameSeals seals = cluster.members.get(NAMED).sessions.newLoop();
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            final long usual = hellosOf(cluster, null);
            assertTrue(usual > 0, "hellos");
            // when
            final long drawn = hellosOf(cluster, seals);
            // then
            assertTrue(drawn <= 2 * usual + 1, drawn + " hellos instead of " + usual);
            assertTrue(cluster.allNeighboursKnown());
        }
    }

    // Attacked by hellos with these seals, if there are any.
    private long hellosOf(final SimCluster cluster, final FrameSeals seals) {
        cluster.runUntil(() -> false, SECOND);
        final long before = sent(cluster);
        for (long atNs = 0; atNs < 2 * SECOND; atNs += MS) {
            if (seals != null) {
                cluster.members.stream().skip(1).forEach(member -> ask(cluster, member, seals));
            }
            cluster.runUntil(() -> false, MS);
        }
        return sent(cluster) - before;
    }

    private static long sent(final SimCluster cluster) {
        return cluster.members.stream()
                .skip(1)
                .mapToLong(
                        member ->
                                member.health
                                        .counters()
                                        .value(CounterType.LINK_HELLO_SENT_FRAMES, 0))
                .sum();
    }

    private void ask(
            final SimCluster cluster, final SimCluster.Member victim, final FrameSeals seals) {
        final SimCluster.Member named = cluster.members.get(NAMED);
        final Link link = victim.links[0];
        final int id = victim.share.acquire();
        final int incarnation = victim.sessions.incarnation(NAMED);
        header.wrap(victim.pool.headerAddress(id))
                .clear()
                .type(FrameType.HELLO)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(config.clusterId())
                .sourceIncarnation(incarnation)
                .source(SHAPE.coordinates(NAMED))
                .destination(FrameHeaderFlyweight.ANY_DESTINATION);
        hello.wrap(header.bodyAddress())
                .clear()
                .fingerprint(config.fingerprint())
                .node(NAMED)
                .shape(SHAPE.extent(0) - 1L)
                .dimensions(1)
                .incarnation(incarnation)
                .mtuBytes(link.mtuBytes())
                .receiver(FrameHeaderFlyweight.ANY_DESTINATION)
                .name("forged");
        header.bodyLength(hello.length());
        seals.sealByKey(header.address(), FrameHeaderFlyweight.LENGTH + hello.length());
        final long heard =
                victim.health.counters().value(CounterType.LINK_HELLO_RECEIVED_FRAMES, 0);
        victim.loop
                .forwarder()
                .onFrame(
                        link,
                        victim.pool,
                        id,
                        header.address(),
                        FrameHeaderFlyweight.frameLength(header.address()),
                        named.links[0].localAddress(),
                        -1);
        assertEquals(
                heard + 1,
                victim.health.counters().value(CounterType.LINK_HELLO_RECEIVED_FRAMES, 0),
                "not looked at");
    }
}
