package io.hxb.bench.fabric;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.manager.control.Decision;
import io.hxb.manager.control.PairState;
import io.hxb.manager.control.PathTuner;
import io.hxb.manager.control.TuningTerms;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A child process: decides once, cold, which pairs of a VBFT leave busy links, then optimises the
 * whole table, and prints one line of JSON. One thread.
 */
public final class TuneTimes {
    private static final double AMOUNT = 1e6;

    private TuneTimes() {}

    /**
     * Measures.
     *
     * @param arguments leaf switches, top switches, hosts a leaf, peers a host (0: all hosts),
     *     whether to optimise the whole table, too.
     */
    public static void main(final String[] arguments) {
        final int[] sizes = new int[4];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = Integer.parseInt(arguments[i]);
        }
        final long planNs = System.nanoTime();
        final VlanPlan plan =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4000)
                        .plan(Trees.vbft(sizes[0], sizes[1], sizes[2]), new TopTrees(), "tops");
        final List<PairState> pairs = pairs(plan, sizes[3]);
        final long startNs = System.nanoTime();
        final PathTuner tuner = new PathTuner(plan, new TuningTerms(0.1, 2, 1_000_000, 0, 1));
        tuner.decide(0, pairs);
        final long decideNs = System.nanoTime();
        final long decideCpuNs = cpuNs();
        final Decision decision = tuner.decide(1, pairs);
        final long endNs = System.nanoTime();
        final double decideCpuS = (cpuNs() - decideCpuNs) / 1e9;
        System.gc();
        final long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        double optimiseS = 0;
        double optimiseCpuS = 0;
        double optimum = 0;
        if (Boolean.parseBoolean(arguments[4])) {
            final TrafficMatrix traffic = matrix(pairs);
            final long optimiseNs = System.nanoTime();
            final long optimiseCpuNs = cpuNs();
            final OptimisedPlan better = VidOptimiser.optimise(plan, traffic, 1);
            optimiseCpuS = (cpuNs() - optimiseCpuNs) / 1e9;
            optimiseS = (System.nanoTime() - optimiseNs) / 1e9;
            optimum = better.load();
        }
        System.out.printf(
                Locale.ROOT,
                "{\"hosts\":%d,\"pairs\":%d,\"plan_s\":%.2f,\"first_s\":%.2f,\"decide_s\":%.2f,\"decide_cpu_s\":%.2f,"
                    + "\"changes\":%d,\"before\":%.4g,\"expected\":%.4g,\"optimise_s\":%.2f,"
                    + "\"optimise_cpu_s\":%.2f,\"optimum\":%.4g,\"heap_mb\":%d}%n",
                plan.graph().hostCount(),
                pairs.size(),
                (startNs - planNs) / 1e9,
                (decideNs - startNs) / 1e9,
                (endNs - decideNs) / 1e9,
                decideCpuS,
                decision.changes().size(),
                decision.busiestBps(),
                decision.expectedBps(),
                optimiseS,
                optimiseCpuS,
                optimum,
                heap / 1_000_000);
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static List<PairState> pairs(final VlanPlan plan, final int peers) {
        final Random random = new Random(1);
        final int hosts = plan.graph().hostCount();
        final Map<Long, PairState> pairs = new TreeMap<>();
        for (int host = 0; host < hosts; host++) {
            for (int i = 0; i < (peers == 0 ? hosts : peers); i++) {
                final int other = peers == 0 ? i : random.nextInt(hosts);
                if (other != host) {
                    final int low = Math.min(host, other);
                    final int high = Math.max(host, other);
                    final double amount = AMOUNT * (0.5 + random.nextDouble());
                    pairs.put(
                            (long) low << Integer.SIZE | high,
                            new PairState(
                                    low,
                                    high,
                                    plan.vid(plan.vlanOf(low, high)),
                                    amount,
                                    amount,
                                    true));
                }
            }
        }
        return new ArrayList<>(pairs.values());
    }

    private static TrafficMatrix matrix(final List<PairState> pairs) {
        final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
        for (final PairState pair : pairs) {
            builder.add(pair.low(), pair.high(), pair.thereBps());
            builder.add(pair.high(), pair.low(), pair.backBps());
        }
        return builder.build();
    }
}
