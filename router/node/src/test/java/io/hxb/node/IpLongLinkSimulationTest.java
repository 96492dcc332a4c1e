package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    private static final long WARM_UP_NS = 300 * MS;
    private static final long LENGTH_NS = 500 * MS;
    private static final double MIN_SHARE = 0.9;
    private static final double MAX_RESENT = 0.01;

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

    private double megabytesWithDelay(final int window, final int delayMs) {
        sent = 0;
        seen = 0;
        answered = 0;
        try (IpCluster cluster = new IpCluster(3, Shape.of(2), LINKS, WIRES)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "start");
            final SimLink one = cluster.members.get(0).links[0];
            final SimLink other = cluster.members.get(1).links[0];
            final SimFaults wire = WIRES.withDelay(delayMs * MS, 0);
            cluster.network.faults(one, other, wire);
            cluster.network.faults(other, one, wire);
            megabytes(cluster, window, WARM_UP_NS);
            final double megabytes = megabytes(cluster, window, LENGTH_NS);
            final long resent = sum(cluster, CounterType.FLOW_RESENT_FRAMES);
            assertTrue(resent <= sent * MAX_RESENT, () -> resent + " of " + sent + " sent again");
            assertEquals(0, sum(cluster, CounterType.IP_GAPS_EVENTS), "nothing was given up");
            return megabytes;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {90, 120})
    void shouldFillTheOtherLinksWhileOneIsLonger(final int window) {
        final double equal = megabytesWithDelay(window, 0);
        final double oneLonger = megabytesWithDelay(window, 5);
        assertTrue(oneLonger >= MIN_SHARE * equal, () -> oneLonger + " and " + equal + " MB");
    }

    private static long sum(final IpCluster cluster, final CounterType type) {
        return cluster.members.stream().mapToLong(member -> member.counters().value(type)).sum();
    }
}
