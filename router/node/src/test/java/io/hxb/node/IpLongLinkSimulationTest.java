package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A connection over several full links of which one is 5 ms longer in each direction: packets with
 * a window one way, a short packet back for every second one. In virtual time.
 */
@Tag("simulation")
class IpLongLinkSimulationTest {
    private static final long MS = 1_000_000L;
    private static final int LINKS = 6;
    private static final long RATE_BPS = 100_000_000L;
    private static final SimFaults WIRES =
            SimFaults.NONE.withDelay(20_000, 0).withRate(RATE_BPS, 256);

    private static final int PACKET_BYTES = 8_800;
    private static final int CONNECTION = 7;
    private int sent;
    private int seen;
    private int answered;

    private void pump(final IpCluster cluster, final int window) {
        final IpCluster.Member from = cluster.members.get(0);
        final IpCluster.Member to = cluster.members.get(1);
        for (; seen < to.device.arrived.size(); seen++) {
            assertEquals(seen, SimPackets.number(to.device.arrived.get(seen)), "order");
            if (seen % 2 == 1) {
                to.device.outgoing.add(SimPackets.packet(1, 0, CONNECTION, seen + 1, 20));
            }
        }
        if (!from.device.arrived.isEmpty()) {
            answered = SimPackets.number(from.device.arrived.getLast());
        }
        while (sent - answered < window) {
            from.device.outgoing.add(SimPackets.packet(0, 1, CONNECTION, sent++, PACKET_BYTES));
        }
    }

    private double megabytes(final IpCluster cluster, final int window, final long ns) {
        final int before = seen;
        cluster.runUntil(
                () -> {
                    pump(cluster, window);
                    return false;
                },
                ns);
        return (seen - before) * (double) PACKET_BYTES / 1e6;
    }

    @Test
    void shouldFillAllLinksWhenOneIsLonger() {
        for (final int window : new int[] {60, 90, 120}) {
            for (final int delayMs : new int[] {0, 5}) {
                sent = 0;
                seen = 0;
                answered = 0;
                try (IpCluster cluster = new IpCluster(3, Shape.of(2), LINKS, WIRES)) {
                    assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "start");
                    final SimLink a = cluster.members.get(0).links[0];
                    final SimLink b = cluster.members.get(1).links[0];
                    cluster.network.faults(a, b, WIRES.withDelay(delayMs * MS, 0));
                    cluster.network.faults(b, a, WIRES.withDelay(delayMs * MS, 0));
                    megabytes(cluster, window, 300 * MS);
                    final double mb = megabytes(cluster, window, 500 * MS);
                    System.out.println(
                            "XX "
                                    + window
                                    + " "
                                    + delayMs
                                    + " ms: "
                                    + mb
                                    + " MB/s resent "
                                    + sum(cluster, CounterType.FLOW_RESENT_FRAMES)
                                    + " dup "
                                    + sum(cluster, CounterType.FLOW_DUPLICATE_FRAMES)
                                    + " stalls "
                                    + sum(cluster, CounterType.FLOW_WINDOW_STALLS_EVENTS)
                                    + " gaps "
                                    + sum(cluster, CounterType.IP_GAPS_EVENTS)
                                    + " marks "
                                    + sum(cluster, CounterType.IP_MARKED_PACKETS)
                                    + " full "
                                    + sum(cluster, CounterType.IP_DROPPED_FULL_PACKETS)
                                    + " timeouts "
                                    + sum(cluster, CounterType.FLOW_TIMEOUTS_EVENTS)
                                    + " short "
                                    + sum(cluster, CounterType.IP_SENT_SHORT_PACKETS));
                }
            }
        }
    }

    private static long sum(final IpCluster cluster, final CounterType type) {
        return cluster.members.stream().mapToLong(member -> member.counters().value(type)).sum();
    }
}
