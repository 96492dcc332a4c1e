package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.flow.FlowRights;
import io.hxb.flow.UnlimitedRights;
import io.hxb.link.sim.SimFaults;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SplittableRandom;

/** Packets for all nodes through a cluster in virtual time, and packets for nodes that are gone. */
@Tag("simulation")
@Tag("search")
class IpBroadcastSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.ipSeeds", 6 * Seeds.TIMES);
    private static final int PORT = 5_353;
    private static final SimFaults QUICK = SimFaults.NONE.withDelay(20_000, 20_000);

    private static IpCluster start(final IpCluster cluster) {
        assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
        return cluster;
    }

    private static void offerToAll(final IpCluster cluster, final int from, final int number) {
        offer(cluster, from, from, number);
    }

    /** From one node, with the MAC of {@code claimed}. */
    private static void offer(
            final IpCluster cluster, final int from, final int claimed, final int number) {
        cluster.members
                .get(from)
                .device
                .outgoing
                .add(SimPackets.packet(claimed, -1, PORT, number, 200));
    }

    private static long sum(final IpCluster cluster, final CounterType type) {
        return cluster.members.stream().mapToLong(member -> member.counters().value(type)).sum();
    }

    private static int arrived(final IpCluster cluster, final int node) {
        return cluster.members.get(node).device.arrived.size();
    }

    private static long arrived(
            final IpCluster cluster, final int node, final int from, final int number) {
        return cluster.members.get(node).device.arrived.stream()
                .filter(each -> SimPackets.source(each) == from)
                .filter(each -> SimPackets.number(each) == number)
                .count();
    }

    private static void run(final IpCluster cluster, final long ns) {
        cluster.runUntil(() -> false, ns);
    }

    @Test
    void shouldGiveEveryNodeEachPacketOnceThroughLossyLinks() {
        final List<Shape> shapes = List.of(Shape.of(3, 3), Shape.of(5), Shape.of(2, 2, 2));
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shapes.get((int) seed % shapes.size());
            final int nodes = shape.nodeCount();
            final SimFaults faults =
                    QUICK.withLoss(random.nextInt(4) / 100.0, random.nextInt(2) / 100.0)
                            .withReordering(random.nextInt(30) / 100.0, 200_000);
            try (IpCluster cluster = start(new IpCluster(seed, shape, 1, faults))) {
                // when
                final int packets = 10;
                for (int number = 0; number < packets; number++) {
                    for (int from = 0; from < nodes; from++) {
                        offerToAll(cluster, from, number);
                    }
                    run(cluster, random.nextLong(SECOND / 100));
                }
                run(cluster, SECOND);
                // then
                for (int to = 0; to < nodes; to++) {
                    for (int from = 0; from < nodes; from++) {
                        for (int number = 0; number < packets; number++) {
                            assertEquals(
                                    to == from ? 0 : 1,
                                    arrived(cluster, to, from, number),
                                    "seed " + seed + ": " + number + " of " + from + " at " + to);
                        }
                    }
                }
                assertEquals(
                        (long) packets * nodes * (nodes - 1),
                        sum(cluster, CounterType.IP_SENT_PACKETS));
                assertTrue(sum(cluster, CounterType.IP_FORWARDED_PACKETS) > 0);
                assertEquals(
                        0,
                        cluster.members.stream().mapToInt(each -> each.service.usedSlots()).sum());
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldSendFewCopiesFromOneNode() {
        // given
        try (IpCluster cluster = start(new IpCluster(2, Shape.of(2, 2, 2), 1, QUICK))) {
            // when
            offerToAll(cluster, 5, 0);
            run(cluster, SECOND / 10);
            // then
            final IpCluster.Member origin = cluster.members.get(5);
            assertEquals(3, origin.counters().value(CounterType.IP_SENT_PACKETS), "not seven");
            assertEquals(7, sum(cluster, CounterType.IP_RECEIVED_PACKETS));
        }
    }

    /** Sends one packet from each node but that one; all but these two get it once. */
    private static void checkAllBut(final IpCluster cluster, final int without, final int number) {
        final int nodes = cluster.members.size();
        for (int from = 0; from < nodes; from++) {
            if (from != without) {
                offerToAll(cluster, from, number);
            }
        }
        run(cluster, SECOND);
        for (int to = 0; to < nodes; to++) {
            for (int from = 0; from < nodes; from++) {
                if (to != without && from != without) {
                    assertEquals(
                            to == from ? 0 : 1,
                            arrived(cluster, to, from, number),
                            "of " + from + " at " + to);
                }
            }
        }
    }

    @Test
    void shouldReachTheNodesBelowOneThatIsDown() {
        // given
        try (IpCluster cluster = start(new IpCluster(3, Shape.of(3, 3), 1, QUICK))) {
            // when
            cluster.members.get(4).isStopped = true;
            run(cluster, SECOND);
            // then
            checkAllBut(cluster, 4, 0);
            assertEquals(0, arrived(cluster, 4));
            // when it is back
            cluster.members.get(4).isStopped = false;
            run(cluster, SECOND);
            checkAllBut(cluster, -1, 1);
            final IpCluster.Member back = cluster.members.get(4);
            final long before = back.counters().value(CounterType.IP_FORWARDED_PACKETS);
            checkAllBut(cluster, -1, 2);
            // then
            assertTrue(back.counters().value(CounterType.IP_FORWARDED_PACKETS) > before);
        }
    }

    @Test
    void shouldReachTheNodesBelowOneWithoutAVirtualNic() {
        // given
        try (IpCluster cluster = start(new IpCluster(5, Shape.of(3, 3), 1, QUICK, 1))) {
            // when that has been noticed
            offerToAll(cluster, 0, 0);
            offerToAll(cluster, 2, 0);
            offerToAll(cluster, 4, 0);
            offerToAll(cluster, 7, 0);
            run(cluster, SECOND);
            // then
            for (final int from : new int[] {0, 2, 4, 7}) {
                offerToAll(cluster, from, 1);
                run(cluster, SECOND);
                for (int to = 0; to < 9; to++) {
                    assertEquals(
                            to == from || to == 1 ? 0 : 1,
                            arrived(cluster, to, from, 1),
                            "of " + from + " at " + to);
                }
            }
        }
    }

    // On a line of four, 0 sends to 1 and 2, and 1 to 3.
    @Test
    void shouldTakeAPacketOfAnotherNodeOnlyFromThoseAboveInItsTree() {
        // given
        try (IpCluster cluster = start(new IpCluster(6, Shape.of(4), 1, QUICK))) {
            // when
            offer(cluster, 3, 0, 0);
            run(cluster, SECOND / 10);
            // then
            assertEquals(0, sum(cluster, CounterType.IP_RECEIVED_PACKETS));
            assertEquals(2, sum(cluster, CounterType.IP_REFUSED_PACKETS));
            // when
            offer(cluster, 1, 0, 1);
            run(cluster, SECOND / 10);
            // then
            assertEquals(1, sum(cluster, CounterType.IP_RECEIVED_PACKETS));
            assertEquals(1, arrived(cluster, 3, 0, 1), "node 1 passes on to 3 what 0 sends");
        }
    }

    /** Rights of a tenant that talks with itself and one other. */
    private static class OfTenant extends UnlimitedRights {
        private final int own;
        private final int friend;

        OfTenant(final int own, final int friend) {
            this.own = own;
            this.friend = friend;
        }

        @Override
        public int tenant() {
            return own;
        }

        @Override
        public boolean mayReceiveFrom(final int tenant, final int node, final int context) {
            return tenant == own || tenant == friend;
        }

        @Override
        public boolean maySendTo(final int tenant, final int node, final int context) {
            return tenant == own || tenant == friend;
        }
    }

    // 12 hears 11 and 11 hears 10, but 12 must not hear 10.
    @Test
    void shouldPassOnOnlyWithinATenant() {
        // given
        final FlowRights first = new OfTenant(10, 11);
        final FlowRights friend =
                new OfTenant(11, 10) {
                    @Override
                    public boolean maySendTo(final int tenant, final int node, final int context) {
                        return true;
                    }
                };
        final FlowRights third = new OfTenant(12, 11);
        final List<FlowRights> rights =
                List.of(first, friend, first, third, third, first, friend, third);
        try (IpCluster cluster = start(new IpCluster(7, Shape.of(8), rights::get))) {
            // when nodes have learned who is who, and once more
            for (int number = 0; number < 3; number++) {
                offerToAll(cluster, 0, number);
                run(cluster, SECOND);
            }
            // then
            for (int number = 0; number < 3; number++) {
                for (final int node : new int[] {1, 2, 5, 6}) {
                    assertEquals(1, arrived(cluster, node, 0, number), "node " + node);
                }
                for (final int node : new int[] {3, 4, 7}) {
                    assertEquals(0, arrived(cluster, node, 0, number), "node " + node);
                }
            }
        }
    }

    @Test
    void shouldAnswerThatANodeIsUnreachableAfterSomeTime() {
        // given
        try (IpCluster cluster = start(new IpCluster(8, Shape.of(3), 1, QUICK))) {
            final IpCluster.Member sender = cluster.members.get(0);
            cluster.members.get(2).isStopped = true;
            // when
            for (int number = 0; number < 5; number++) {
                sender.device.outgoing.add(SimPackets.packet(0, 2, PORT, number, 50));
                run(cluster, SECOND);
            }
            // then
            assertEquals(0, sender.counters().value(CounterType.IP_UNREACHABLE_PACKETS));
            // when
            sender.device.outgoing.add(SimPackets.packet(0, 2, PORT, 5, 50));
            run(cluster, SECOND);
            offerToAll(cluster, 0, 6);
            run(cluster, SECOND);
            // then
            assertEquals(1, sender.counters().value(CounterType.IP_UNREACHABLE_PACKETS));
            assertEquals(1, sender.device.arrived.size());
            // when there are many
            for (int number = 0; number < 300; number++) {
                sender.device.outgoing.add(SimPackets.packet(0, 2, PORT, number, 50));
            }
            run(cluster, SECOND / 2);
            // then
            final long answers = sender.counters().value(CounterType.IP_UNREACHABLE_PACKETS);
            assertTrue(answers > 30 && answers < 110, "answers " + answers);
            // when it is back
            cluster.members.get(2).isStopped = false;
            run(cluster, SECOND);
            sender.device.outgoing.add(SimPackets.packet(0, 2, PORT, 7, 50));
            run(cluster, SECOND);
            // then
            assertEquals(1, arrived(cluster, 2, 0, 7));
            assertEquals(answers, sender.counters().value(CounterType.IP_UNREACHABLE_PACKETS));
        }
    }

    @Test
    void shouldNotAnswerWhileANodeRestarts() {
        // given
        try (IpCluster cluster = start(new IpCluster(9, Shape.of(3), 1, QUICK))) {
            final IpCluster.Member sender = cluster.members.get(0);
            for (int round = 0; round < 3; round++) {
                // when
                cluster.members.get(1).isStopped = true;
                for (int number = 0; number < 30; number++) {
                    sender.device.outgoing.add(SimPackets.packet(0, 1, PORT, number, 50));
                    run(cluster, SECOND / 10);
                }
                cluster.restart(1);
                for (int number = 0; number < 20; number++) {
                    sender.device.outgoing.add(SimPackets.packet(0, 1, PORT, number, 50));
                    run(cluster, SECOND / 10);
                }
                // then
                assertTrue(arrived(cluster, 1) > 0, "it is back");
            }
            assertTrue(sender.counters().value(CounterType.IP_DROPPED_UNREACHABLE_PACKETS) > 0);
            assertEquals(0, sender.counters().value(CounterType.IP_UNREACHABLE_PACKETS));
        }
    }
}
