package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Packets of virtual NICs through a cluster in virtual time. */
@Tag("simulation")
class IpSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.ipSeeds", 12);
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
}
