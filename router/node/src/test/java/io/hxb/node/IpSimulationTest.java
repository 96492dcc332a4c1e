package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.flow.FlowRights;
import io.hxb.flow.UnlimitedRights;
import io.hxb.link.sim.SimFaults;
import io.hxb.tap.VirtioHeader;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Packets of virtual NICs through a cluster in virtual time. */
@Tag("simulation")
@Tag("search")
class IpSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.ipSeeds", 6 * Seeds.TIMES);
    private static final int PACKETS = 300;
    private static final SimFaults QUICK = SimFaults.NONE.withDelay(20_000, 20_000);

    private static IpCluster start(final IpCluster cluster) {
        assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
        return cluster;
    }

    private static SimFaults lossy(final SplittableRandom random) {
        return SimFaults.NONE
                .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                .withLoss(random.nextInt(4) / 100.0, random.nextInt(2) / 100.0)
                .withReordering(random.nextInt(30) / 100.0, 200_000);
    }

    /** Lets each node send to others; returns what each ordered pair of nodes was sent. */
    private static List<List<byte[]>> send(final IpCluster cluster, final SplittableRandom random) {
        final int nodes = cluster.members.size();
        final List<List<byte[]>> sent = new ArrayList<>();
        for (int pair = 0; pair < nodes * nodes; pair++) {
            sent.add(new ArrayList<>());
        }
        for (int number = 0; number < PACKETS; number++) {
            final int from = random.nextInt(nodes);
            final int to = (from + 1 + random.nextInt(nodes - 1)) % nodes;
            final int bytes =
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextInt(64);
                        case 1 -> random.nextInt(8_900);
                        default -> random.nextInt(1_400);
                    };
            final byte[] packet = SimPackets.packet(from, to, 1_000 + from, number, bytes);
            cluster.members.get(from).device.outgoing.add(packet);
            sent.get(from * nodes + to).add(packet);
        }
        return sent;
    }

    private static int arrived(final IpCluster cluster) {
        return cluster.members.stream().mapToInt(member -> member.device.arrived.size()).sum();
    }

    private static long sum(final IpCluster cluster, final CounterType type) {
        return cluster.members.stream().mapToLong(member -> member.counters().value(type)).sum();
    }

    @Test
    void shouldDeliverEveryPacketOnceAndInOrderThroughLossyRelays() {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = seed % 2 == 0 ? Shape.of(2, 2) : Shape.of(3);
            final int nodes = shape.nodeCount();
            try (IpCluster cluster = start(new IpCluster(seed, shape, 2, lossy(random)))) {
                // when
                final List<List<byte[]>> sent = send(cluster, random);
                assertTrue(
                        cluster.runUntil(() -> arrived(cluster) == PACKETS, 60 * SECOND),
                        () -> "arrived " + arrived(cluster));
                // then
                for (int to = 0; to < nodes; to++) {
                    for (int from = 0; from < nodes; from++) {
                        final int source = from;
                        final List<byte[]> got =
                                cluster.members.get(to).device.arrived.stream()
                                        .filter(packet -> SimPackets.source(packet) == source)
                                        .toList();
                        final List<byte[]> expected = sent.get(from * nodes + to);
                        assertEquals(expected.size(), got.size(), "seed " + seed);
                        for (int i = 0; i < got.size(); i++) {
                            assertArrayEquals(expected.get(i), got.get(i), "seed " + seed);
                        }
                    }
                }
                assertEquals(PACKETS, sum(cluster, CounterType.IP_RECEIVED_PACKETS));
                assertEquals(PACKETS, sum(cluster, CounterType.IP_SENT_PACKETS));
                assertEquals(0, sum(cluster, CounterType.IP_GAPS_EVENTS), "seed " + seed);
                cluster.runUntil(() -> false, SECOND / 10);
                assertEquals(
                        0,
                        cluster.members.stream().mapToInt(each -> each.service.usedSlots()).sum());
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    /** A connection that sends short packets, long ones, or both, and goes on to another kind. */
    private static final class Connection {
        final int from;
        final int to;
        final int port;
        int sent;
        int got;

        Connection(final int from, final int to, final int port) {
            this.from = from;
            this.to = to;
            this.port = port;
        }

        void send(final IpCluster cluster, final SplittableRandom random) {
            final int kind = random.nextInt(3);
            for (int left = random.nextInt(30); left > 0; left--) {
                final boolean isLong = kind == 0 || (kind == 1 && random.nextInt(4) == 0);
                final int bytes = isLong ? 2_000 + random.nextInt(6_900) : random.nextInt(400);
                cluster.members
                        .get(from)
                        .device
                        .outgoing
                        .add(SimPackets.packet(from, to, port, sent++, bytes));
            }
        }

        void check(final byte[] packet, final long seed) {
            assertEquals(got++, SimPackets.number(packet), "order of " + port + ", seed " + seed);
        }
    }

    private static List<Connection> connections(final int nodes) {
        final List<Connection> all = new ArrayList<>();
        for (int from = 0; from < nodes; from++) {
            for (int number = 0; number < 4; number++) {
                all.add(
                        new Connection(
                                from, (from + 1 + number % (nodes - 1)) % nodes, all.size()));
            }
        }
        return all;
    }

    @Test
    void shouldKeepTheOrderOfConnectionsThatChangeTheirFlow() {
        for (long seed = 0; seed < SEEDS / 2; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = seed % 2 == 0 ? Shape.of(2, 2) : Shape.of(3);
            try (IpCluster cluster = start(new IpCluster(seed, shape, 2, lossy(random)))) {
                final List<Connection> connections = connections(shape.nodeCount());
                // when
                for (int wave = 0; wave < 8; wave++) {
                    connections.forEach(each -> each.send(cluster, random));
                    cluster.runUntil(() -> false, random.nextLong(SECOND / 5));
                }
                final int sent = connections.stream().mapToInt(each -> each.sent).sum();
                assertTrue(
                        cluster.runUntil(() -> arrived(cluster) == sent, 60 * SECOND),
                        () -> "arrived " + arrived(cluster) + " of " + sent);
                // then
                for (final IpCluster.Member member : cluster.members) {
                    for (final byte[] packet : member.device.arrived) {
                        connections.get(SimPackets.port(packet)).check(packet, seed);
                    }
                }
                final long ofShort = sum(cluster, CounterType.IP_SENT_SHORT_PACKETS);
                assertTrue(ofShort > 0 && ofShort < sent, ofShort + " of " + sent);
                assertTrue(sum(cluster, CounterType.IP_FLOW_CHANGES_EVENTS) > 0);
                assertEquals(0, sum(cluster, CounterType.IP_GAPS_EVENTS), "seed " + seed);
                cluster.runUntil(() -> false, SECOND / 10);
                assertEquals(
                        0,
                        cluster.members.stream().mapToInt(each -> each.service.usedSlots()).sum());
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldNeverReorderAConnectionWhoseNodeStopsAndGoesOn() {
        for (long seed = 0; seed < SEEDS / 3; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            try (IpCluster cluster = start(new IpCluster(seed, Shape.of(3), 2, lossy(random)))) {
                final List<Connection> connections = connections(3);
                // when
                for (int wave = 0; wave < 8; wave++) {
                    final IpCluster.Member other = cluster.members.get(random.nextInt(3));
                    connections.forEach(each -> each.send(cluster, random));
                    cluster.runUntil(() -> false, random.nextLong(SECOND / 100));
                    other.isStopped = true;
                    connections.forEach(each -> each.send(cluster, random));
                    cluster.runUntil(() -> false, random.nextLong(2 * IpCluster.REPAIR_NS));
                    other.isStopped = false;
                }
                cluster.runUntil(() -> false, SECOND);
                // then
                assertTrue(sum(cluster, CounterType.IP_GAPS_EVENTS) > 0, "given up");
                for (final IpCluster.Member member : cluster.members) {
                    for (final byte[] packet : member.device.arrived) {
                        final Connection connection = connections.get(SimPackets.port(packet));
                        final int number = SimPackets.number(packet);
                        assertTrue(
                                number >= connection.got,
                                number + " after " + connection.got + ", seed " + seed);
                        connection.got = number + 1;
                    }
                }
                assertTrue(
                        connections.stream().allMatch(each -> each.got > each.sent / 2), "goes on");
            }
        }
    }

    private static void offer(
            final IpCluster cluster, final int from, final int to, final int count) {
        for (int number = 0; number < count; number++) {
            cluster.members
                    .get(from)
                    .device
                    .outgoing
                    .add(SimPackets.packet(from, to, 1_000 + to, number, 1_000));
        }
    }

    private static int arrived(final IpCluster cluster, final int node) {
        return cluster.members.get(node).device.arrived.size();
    }

    @Test
    void shouldNotHoldUpOthersWhileOneNodeIsStopped() {
        // given
        try (IpCluster cluster = start(new IpCluster(2, Shape.of(3), 2, QUICK))) {
            offer(cluster, 0, 1, 10);
            offer(cluster, 0, 2, 10);
            assertTrue(
                    cluster.runUntil(
                            () -> arrived(cluster, 1) == 10 && arrived(cluster, 2) == 10, SECOND));
            // when
            cluster.members.get(1).isStopped = true;
            offer(cluster, 0, 1, 5_000);
            offer(cluster, 0, 2, 500);
            // then
            assertTrue(
                    cluster.runUntil(() -> arrived(cluster, 2) == 510, SECOND / 20), "others wait");
            cluster.runUntil(() -> false, 3 * IpCluster.REPAIR_NS);
            final IpCluster.Member sender = cluster.members.get(0);
            assertTrue(sender.counters().value(CounterType.IP_DROPPED_FULL_PACKETS) > 0);
            assertTrue(sender.counters().value(CounterType.IP_GAPS_EVENTS) > 0, "given up");
            assertEquals(0, sender.service.usedSlots(), "what the stopped node did not take");
            // when it goes on
            cluster.members.get(1).isStopped = false;
            cluster.runUntil(() -> false, SECOND);
            cluster.members.get(1).device.arrived.clear();
            offer(cluster, 0, 1, 100);
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 100, SECOND), "goes on");
        }
    }

    @Test
    void shouldGoOnAfterANodeHasRestarted() {
        // given
        try (IpCluster cluster = start(new IpCluster(3, Shape.of(2), 2, QUICK))) {
            offer(cluster, 0, 1, 50);
            offer(cluster, 1, 0, 50);
            assertTrue(
                    cluster.runUntil(
                            () -> arrived(cluster, 1) == 50 && arrived(cluster, 0) == 50, SECOND));
            // when
            cluster.restart(1);
            offer(cluster, 0, 1, 20);
            cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND);
            cluster.runUntil(() -> false, SECOND);
            cluster.members.get(0).device.arrived.clear();
            cluster.members.get(1).device.arrived.clear();
            offer(cluster, 0, 1, 50);
            offer(cluster, 1, 0, 50);
            // then
            assertTrue(
                    cluster.runUntil(
                            () -> arrived(cluster, 1) == 50 && arrived(cluster, 0) == 50, SECOND),
                    () -> arrived(cluster, 1) + " and " + arrived(cluster, 0));
        }
    }

    @Test
    void shouldRepairWhatAFailedLinkHasLost() {
        // given
        try (IpCluster cluster = start(new IpCluster(4, Shape.of(2), 2, QUICK))) {
            offer(cluster, 0, 1, 900);
            cluster.runUntil(() -> arrived(cluster, 1) > 100, SECOND);
            // when
            cluster.cut(0, 0, true);
            final long cutNs = cluster.clock.nanoTime();
            // then
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 900, SECOND));
            assertTrue(cluster.clock.nanoTime() - cutNs < IpCluster.REPAIR_NS, "in time");
            for (int i = 0; i < 900; i++) {
                assertEquals(i, SimPackets.number(cluster.members.get(1).device.arrived.get(i)));
            }
            assertEquals(0, sum(cluster, CounterType.IP_GAPS_EVENTS));
        }
    }

    @Test
    void shouldDropPacketsForANodeWithoutAVirtualNic() {
        // given
        try (IpCluster cluster = start(new IpCluster(5, Shape.of(3), 1, QUICK, 1))) {
            // when
            offer(cluster, 0, 1, 100);
            offer(cluster, 0, 2, 100);
            // then
            assertTrue(cluster.runUntil(() -> arrived(cluster, 2) == 100, SECOND));
            assertTrue(
                    cluster.runUntil(
                            () -> sum(cluster, CounterType.IP_DROPPED_UNREACHABLE_PACKETS) == 100,
                            SECOND));
            cluster.runUntil(() -> false, SECOND / 10);
            assertEquals(0, cluster.members.get(0).service.usedSlots());
        }
    }

    @Test
    void shouldCopyPacketsForAllNodesAtALimitedRate() {
        // given
        try (IpCluster cluster = start(new IpCluster(6, Shape.of(2, 2), 1, QUICK))) {
            // when
            for (int number = 0; number < 500; number++) {
                cluster.members
                        .get(0)
                        .device
                        .outgoing
                        .add(SimPackets.packet(0, -1, 5_353, number, 200));
            }
            cluster.runUntil(() -> false, SECOND / 10);
            // then
            final long refused = sum(cluster, CounterType.IP_DROPPED_RATE_PACKETS);
            assertTrue(refused > 100, "refused " + refused);
            assertEquals(0, arrived(cluster, 0));
            for (int node = 1; node < 4; node++) {
                assertEquals(500 - refused, arrived(cluster, node));
            }
        }
    }

    @Test
    void shouldRefusePacketsThatNameAnotherSender() {
        // given
        try (IpCluster cluster = start(new IpCluster(7, Shape.of(3), 1, QUICK))) {
            // when a machine sends by the address of another one
            cluster.members.get(0).device.outgoing.add(SimPackets.packet(2, 1, 1, 1, 100));
            offer(cluster, 0, 1, 1);
            // then
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 1, SECOND));
            assertEquals(1, sum(cluster, CounterType.IP_REFUSED_PACKETS));
            assertEquals(0, SimPackets.source(cluster.members.get(1).device.arrived.get(0)));
        }
    }

    @Test
    void shouldLetAnEchoPassPacketsThatWait() {
        // given
        try (IpCluster cluster = start(new IpCluster(8, Shape.of(2), 1, QUICK))) {
            offer(cluster, 0, 1, 1);
            cluster.runUntil(() -> arrived(cluster, 1) == 1, SECOND);
            cluster.members.get(1).device.arrived.clear();
            // when
            offer(cluster, 0, 1, 900);
            cluster.members.get(0).device.outgoing.add(SimPackets.packet(0, 1, 7, 1_000_000, 10));
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 901, 5 * SECOND));
            // then
            final List<byte[]> arrived = cluster.members.get(1).device.arrived;
            int place = 0;
            while (SimPackets.port(arrived.get(place)) != 7) {
                place++;
            }
            assertTrue(place < 300, "arrived as number " + place);
        }
    }

    @Test
    void shouldLetARequestPassWhatTheOtherFlowHasTaken() {
        // given
        try (IpCluster cluster = start(new IpCluster(10, Shape.of(2), 1, QUICK))) {
            cluster.members.get(0).device.outgoing.add(SimPackets.packet(0, 1, 7, 0, 1_000));
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 1, SECOND));
            cluster.members.get(1).device.arrived.clear();
            for (int number = 0; number < 100; number++) {
                cluster.members
                        .get(0)
                        .device
                        .outgoing
                        .add(SimPackets.packet(0, 1, 1_001, number, 8_900));
            }
            cluster.runUntil(() -> arrived(cluster, 1) > 20, SECOND);
            // when
            final int before = arrived(cluster, 1);
            cluster.members.get(0).device.outgoing.add(SimPackets.packet(0, 1, 7, 0, 1_000));
            assertTrue(cluster.runUntil(() -> arrived(cluster, 1) == 101, 5 * SECOND));
            // then
            final List<byte[]> arrived = cluster.members.get(1).device.arrived;
            int place = 0;
            while (SimPackets.port(arrived.get(place)) != 7) {
                place++;
            }
            final int passing = place - before;
            assertTrue(passing < 30, passing + " packets arrived before it");
            assertEquals(2, sum(cluster, CounterType.IP_SENT_SHORT_PACKETS));
        }
    }

    /** Rights of a tenant that talks with itself and one other. */
    private static final class OfTenant extends UnlimitedRights {
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

    @Test
    void shouldReachOnlyNodesOfTenantsThatItMayTalkTo() {
        // given two tenants that talk with each other, a third one, and a node without a tenant
        final List<FlowRights> rights =
                List.of(
                        new OfTenant(10, 11),
                        new OfTenant(11, 10),
                        new OfTenant(12, 12),
                        FlowRights.ALL);
        try (IpCluster cluster = start(new IpCluster(11, Shape.of(4), rights::get))) {
            // when
            for (int to = 1; to < 4; to++) {
                offer(cluster, 0, to, 10);
                offer(cluster, to, 0, 10);
            }
            cluster.runUntil(() -> false, SECOND);
            // then
            assertEquals(10, arrived(cluster, 0));
            assertEquals(10, arrived(cluster, 1));
            assertEquals(0, arrived(cluster, 2));
            assertEquals(0, arrived(cluster, 3));
            assertEquals(40, sum(cluster, CounterType.IP_DROPPED_UNREACHABLE_PACKETS));
            assertEquals(
                    0, cluster.members.stream().mapToInt(each -> each.service.usedSlots()).sum());
        }
    }

    @Test
    void shouldGoOnWithoutADeviceThatWasRemoved() {
        // given
        try (IpCluster cluster = start(new IpCluster(9, Shape.of(2), 1, QUICK))) {
            // when
            cluster.members.get(0).device.result = -77;
            offer(cluster, 1, 0, 10);
            // then
            assertTrue(cluster.runUntil(() -> arrived(cluster, 0) == 10, SECOND));
            assertEquals(-1, cluster.members.get(0).service.wakeDescriptor());
        }
    }

    /** A super-packet of UDP that stands for {@code segments} datagrams of 1,000 bytes. */
    private static byte[] superPacket(final int segments) {
        final byte[] packet = SimPackets.packet(0, 1, 1_000, 0, segments * 1_000 - 4);
        packet[0] = 1;
        packet[1] = VirtioHeader.KIND_UDP;
        packet[4] = (byte) 1_000;
        packet[5] = (byte) (1_000 >> 8);
        packet[6] = 34;
        packet[8] = 6;
        return packet;
    }

    @Test
    void shouldCutSuperPacketsThatTheKernelRefuses() {
        for (final boolean isKnown : new boolean[] {true, false}) {
            // given
            try (IpCluster cluster = start(new IpCluster(1, Shape.of(2), 2, QUICK))) {
                final SimPacketDevice device = cluster.members.get(1).device;
                device.takesUdp = !isKnown;
                device.refusesSuperPackets = true;
                // when
                cluster.members.get(0).device.outgoing.add(superPacket(40));
                cluster.members.get(0).device.outgoing.add(SimPackets.packet(0, 1, 1_000, 1, 9));
                assertTrue(cluster.runUntil(() -> device.arrived.size() == 41, SECOND));
                // then
                assertEquals(
                        1, cluster.members.get(1).counters().value(CounterType.IP_CUT_PACKETS));
                assertEquals(isKnown ? 0 : 1, device.refused);
                for (int i = 0; i < 40; i++) {
                    assertEquals(SimPackets.HEADERS + 1_000, device.arrived.get(i).length);
                }
                assertEquals(1, SimPackets.number(device.arrived.get(40)));
            }
        }
    }

    @Test
    void shouldHandSuperPacketsOverAsTheyAre() {
        // given
        try (IpCluster cluster = start(new IpCluster(1, Shape.of(2), 2, QUICK))) {
            final SimPacketDevice device = cluster.members.get(1).device;
            // when
            cluster.members.get(0).device.outgoing.add(superPacket(40));
            assertTrue(cluster.runUntil(() -> device.arrived.size() == 1, SECOND));
            // then
            assertEquals(SimPackets.HEADERS + 40_000, device.arrived.getFirst().length);
            assertEquals(0, cluster.members.get(1).counters().value(CounterType.IP_CUT_PACKETS));
        }
    }
}
