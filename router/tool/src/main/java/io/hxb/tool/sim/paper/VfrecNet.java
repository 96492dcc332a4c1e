package io.hxb.tool.sim.paper;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.Trees;
import io.hxb.sim.ethernet.AllToAllExchange;
import io.hxb.sim.ethernet.EthernetConfig;
import io.hxb.sim.ethernet.EthernetNetwork;
import io.hxb.sim.ethernet.LearningForwarding;
import io.hxb.sim.ethernet.WindowedTraffic;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * VFREC-Net: flooding while the two ends of a flow disagree on the VLAN, and the communication of
 * Kernel-CG under four ways of choosing paths. Source: Miura et al. 2007, section 4.
 */
public final class VfrecNet {
    private static final int HOSTS = 16;
    private static final int TOPS = 4;
    private static final int FRAME_BYTES = 1518;

    /** Assumption: 256 KB a port, as switches of the time had. */
    private static final int LOSSY_PORT_BYTES = 256 << 10;

    /** Nothing is lost in Kernel-CG, whose messages wait for each other. */
    private static final int PORT_BYTES = 4 << 20;

    private static final int MAX_FRAMES = 200;

    /** Class B: 75,000 numbers over 4 columns of processes. */
    private static final long VECTOR_BYTES = 75_000 / 4 * 8L;

    private VfrecNet() {}

    /** Runs both experiments. */
    public static PaperReport run(final PaperSettings settings) {
        final PaperReport report = new PaperReport("vfrec-net");
        if (settings.wants("flooding")) {
            settings.monitor().begin("flooding", 1);
            flooding(report, 500);
            settings.monitor().onProgress(1, 1);
        }
        if (settings.wants("kernel-cg")) {
            settings.monitor().begin("kernel-cg", 1);
            kernelCg(report, settings.isShort() ? 2 : 25);
        }
        return report;
    }

    /** The links of each VLAN: all from the leaves to one top switch. */
    private static List<boolean[]> vlans(final SwitchGraph graph) {
        final List<boolean[]> vlans = new ArrayList<>();
        for (int top = 0; top < TOPS; top++) {
            final boolean[] members = new boolean[graph.linkCount()];
            for (int link = 0; link < members.length; link++) {
                final int upper = Math.max(graph.source(2 * link), graph.target(2 * link));
                members[link] = upper == graph.switchCount() - TOPS + top;
            }
            vlans.add(members);
        }
        return vlans;
    }

    private static void flooding(final PaperReport report, final long phaseMs) {
        final double[] rates = floodingRates(phaseMs, 1);
        final String table = "flooding, MB/s of all pairs";
        report.add(table, "all in VLAN 1", rates[0], Double.NaN, 235);
        report.add(table, "node 0 has changed, node 8 has not", rates[1], Double.NaN, Double.NaN);
        report.add(table, "both have changed", rates[2], Double.NaN, Double.NaN);
        report.require("flooding slows everything", rates[1] < 0.9 * rates[0]);
        report.require("afterwards it is faster than before", rates[2] > rates[0]);
    }

    /**
     * Payload that arrives over time while all pairs send in one VLAN, then node 0 has changed and
     * node 8 has not, then both have.
     *
     * @param phaseMs length of each of the three phases.
     * @param samples of each phase.
     * @return MB/s, {@code [3 * samples]}.
     */
    public static double[] floodingRates(final long phaseMs, final int samples) {
        final SwitchGraph graph = Trees.vbft(4, TOPS, 4);
        final WindowedTraffic flows =
                new WindowedTraffic(
                        IntStream.range(0, 8).mapToObj(n -> new int[] {n, n + 8}).toList(),
                        HOSTS,
                        FRAME_BYTES,
                        MAX_FRAMES);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT.withPortBytes(LOSSY_PORT_BYTES),
                        new LearningForwarding(graph, vlans(graph)),
                        flows);
        for (int host = 0; host < HOSTS; host++) {
            network.wake(host, 0);
        }
        final double[] rates = new double[3 * samples];
        final long sampleNs = phaseMs * 1_000_000L / samples;
        long bytes = 0;
        for (int i = 0; i < rates.length; i++) {
            if (i == samples) {
                flows.setDataVlan(0, 1);
            } else if (i == 2 * samples) {
                flows.setAckVlan(0, 1);
            }
            network.runUntil(sampleNs * (i + 1));
            rates[i] = (flows.deliveredBytes() - bytes) * 0.954 / (sampleNs * 1e-9) / 1e6;
            bytes = flows.deliveredBytes();
        }
        network.check();
        return rates;
    }

    private static void kernelCg(final PaperReport report, final int rounds) {
        final SwitchGraph flat = new SwitchGraphBuilder().addSwitches(1).addHosts(HOSTS).build();
        final SwitchGraph fatTree = Trees.vbft(4, TOPS, 4);
        final double[] ms = {
            communication(flat, List.of(new boolean[0]), (a, b) -> 0, rounds),
            communication(fatTree, vlans(fatTree), (a, b) -> 0, rounds),
            // The pair uses the VLAN of the lower number, and these go round.
            communication(fatTree, vlans(fatTree), (a, b) -> Math.min(a, b) % TOPS, rounds),
            // No two pairs of leaves that share one use the same top switch.
            communication(fatTree, vlans(fatTree), (a, b) -> a / 4 ^ b / 4, rounds)
        };
        final String table = "kernel-cg, communication of an inner iteration, ms";
        report.add(table, "flat switch", ms[0], Double.NaN, Double.NaN);
        report.add(table, "tree", ms[1], Double.NaN, Double.NaN);
        report.add(table, "VBFT, VLANs in turn", ms[2], Double.NaN, Double.NaN);
        report.add(table, "VBFT, VLANs chosen", ms[3], Double.NaN, Double.NaN);
        report.require(
                "the tree is worst, VLANs in turn hardly better",
                ms[1] >= 0.97 * ms[2] && ms[1] > ms[3] && ms[1] > ms[0]);
        report.require("the flat switch is best", ms[0] <= ms[3] && ms[0] < ms[2]);
        report.require("chosen VLANs are close to the flat switch", ms[3] < 1.1 * ms[0]);
    }

    private static double communication(
            final SwitchGraph graph,
            final List<boolean[]> vlans,
            final IntBinaryOperator vlanOf,
            final int rounds) {
        final List<AllToAllExchange.Step> steps = new ArrayList<>();
        // Sums along a row of the 4 x 4 processes, then the exchange with the transposed one.
        steps.add(step(vlanOf, me -> me ^ 1));
        steps.add(step(vlanOf, me -> me ^ 2));
        steps.add(step(vlanOf, me -> me % 4 * 4 + me / 4));
        final AllToAllExchange exchange = new AllToAllExchange(steps, HOSTS, FRAME_BYTES, rounds);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT.withPortBytes(PORT_BYTES),
                        new LearningForwarding(graph, vlans),
                        exchange);
        for (int host = 0; host < HOSTS; host++) {
            network.wake(host, 0);
        }
        boolean isGoingOn = true;
        while (isGoingOn && !exchange.isDone()) {
            isGoingOn = network.runUntil(network.nowNs() + 10_000);
        }
        network.check();
        return network.nowNs() / 1e6 / rounds;
    }

    private static AllToAllExchange.Step step(
            final IntBinaryOperator vlanOf, final IntUnaryOperator partnerOf) {
        final List<Integer> partners =
                IntStream.range(0, HOSTS).mapToObj(partnerOf::applyAsInt).toList();
        final List<Integer> vlans =
                IntStream.range(0, HOSTS)
                        .mapToObj(me -> vlanOf.applyAsInt(me, partners.get(me)))
                        .toList();
        return new AllToAllExchange.Step(partners, vlans, VECTOR_BYTES);
    }
}
