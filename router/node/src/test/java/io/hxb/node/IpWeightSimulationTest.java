package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How packets of virtual NICs and messages of programs share a full link. */
@Tag("simulation")
class IpWeightSimulationTest {
    private static final long SECOND = 1_000_000_000L;

    static void offer(final IpCluster.Member member, int from, int to, int bytes) {
        for (int n = member.service.usedSlots() + member.device.outgoing.size(); n < 100; n++) {
            member.device.outgoing.add(SimPackets.packet(from, to, 1_000, n, bytes));
        }
    }

    @Test
    void explore() {
        for (final long rate : new long[] {1_000_000_000L, 10_000_000_000L})
        for (final int queue : new int[] {4, 128})
        for (final int[] sizes : new int[][] {{8_900, 8_900}, {8_900,1_400}, {60_000, 8_000}})
        for (final int contexts : new int[] {1, 5}) for (int weight : new int[]{25,100,400}) {
            SimFaults f = SimFaults.NONE.withDelay(20_000, 0).withRate(rate, queue);
            try (IpCluster cluster = new IpCluster(1, Shape.of(2), f, io.hxb.config.IpConfig.DEFAULT.withWeight(weight))) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
                for (var m : cluster.members) m.programs.open(m.loop.flows(), contexts, 65_000);
                IpCluster.Member a = cluster.members.get(0), b = cluster.members.get(1);
                a.programs.target = 1;
                a.programs.messageBytes = sizes[1];
                long[] ip = {0};
                long end = cluster.clock.nanoTime() + SECOND / 20;
                cluster.runUntil(() -> { offer(a, 0, 1, sizes[0]);
                    for (byte[] p : b.device.arrived) ip[0] += p.length;
                    b.device.arrived.clear();
                    return cluster.clock.nanoTime() > end; }, SECOND);
                System.out.printf("weight %d rate %d queue %d ip %d pm %d contexts %d: ip %.1f MB pm %.1f MB ratio %.2f drops %d marks %d blocked%n", weight, rate/1000000000, queue, sizes[0], sizes[1], contexts,
                  ip[0]/1e6, b.programs.receivedBytes/1e6, ip[0] / (double) b.programs.receivedBytes,
                  a.counters().value(io.hxb.counter.CounterType.IP_DROPPED_DELAYED_PACKETS)+a.counters().value(io.hxb.counter.CounterType.IP_DROPPED_FULL_PACKETS), a.counters().value(io.hxb.counter.CounterType.FLOW_WINDOW_STALLS_EVENTS));
            }
        }
    }
}
