package io.hxb.bench.vlan;

import io.hxb.bench.harness.Report;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.tool.chart.TimeChart;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.sim.paper.VfrecNet;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * What flooding does: host n sends to host n + 8, all in one VLAN; then one end of a pair moves to
 * another VLAN, later the other. Source: Miura et al. 2007, section 4. One thread.
 */
@Command(
        name = "flooding",
        mixinStandardHelpOptions = true,
        description =
                "Measure flooding: 16 hosts on 4 + 4 switches, host n sends to n+8 in one "
                        + "VLAN. Host 0 alone moves to another VLAN, then host 8 too; then both go "
                        + "back, and move together; then hxb optimise may move the pair.")
final class Flooding implements Callable<Integer> {
    private static final int PAIRS = 8;
    private static final long SAMPLE_NS = 100_000_000;
    private static final long TUNING_NS = 1_000_000_000;
    private static final List<String> PHASES =
            List.of(
                    "all in one VLAN",
                    "host 0 has moved, host 8 has not",
                    "both have moved",
                    "back in one VLAN",
                    "both have moved together",
                    "back in one VLAN again",
                    "hxb optimise moves what it wants");

    /** The phase in which the management server works. */
    private static final int MANAGED = 6;

    /** Samples of a window in which a dip would be seen. */
    private static final int WINDOW = 10;

    @Mixin private VlanSettings settings;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description =
                    "send for this long in each phase (default: 20, as in the paper; with "
                            + "--short 2)")
    private Double seconds;

    private long managedChanges;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final double phaseS = seconds != null ? seconds : settings.isShort() ? 2 : 20;
        final int samples = (int) Math.max(5, Math.round(phaseS * 1e9 / SAMPLE_NS));
        final double[] others = new double[PHASES.size() * samples];
        final double[] rates = measure(samples, others);
        final double[] simulated = VfrecNet.floodingRates(settings.isShort() ? 100 : 500, samples);
        final double[] means = means(rates, samples);
        final double[] of7 = means(others, samples);
        final double[] theirs = means(simulated, samples);
        final Report report =
                new Report(
                                "vlan-flooding",
                                Map.of(
                                        "rate",
                                        settings.rate(),
                                        "phase_s",
                                        phaseS,
                                        "samples_mbps",
                                        Arrays.stream(rates).mapToObj(Flooding::one).toList()))
                        .columns(
                                "phase",
                                "MB/s",
                                "of the start",
                                "hosts 1 to 7, of the start",
                                "simulator, of the start",
                                "paper");
        for (int phase = 0; phase < means.length; phase++) {
            report.line(
                    PHASES.get(phase),
                    one(means[phase]),
                    two(means[phase] / means[0]),
                    two(of7[phase] / of7[0]),
                    phase < theirs.length ? two(theirs[phase] / theirs[0]) : "-",
                    List.of("1 (235 MB/s)", "less", "more", "-", "-", "-", "-").get(phase));
        }
        final double lowest = lowest(rates, MANAGED * samples) / means[MANAGED - 1];
        System.out.printf(
                "hxb optimise changed %d pairs; its slowest second is %.2f of the phase before%n",
                managedChanges, lowest);
        report.finish(System.out, settings.results());
        draw(rates, means[0], simulated, theirs[0], phaseS);
        return verdict(means, of7, lowest) || settings.isShort() ? 0 : 1;
    }

    /**
     * Payload a second that arrives at all hosts, in MB/s, {@code [phases * samples]}.
     *
     * @param others the same without what host 0 sends, filled in.
     */
    private double[] measure(final int samples, final double[] others)
            throws IOException, InterruptedException {
        final SwitchGraph graph = Trees.vbft(4, 4, 4);
        final double[] rates = new double[PHASES.size() * samples];
        final List<Stream> streams = new ArrayList<>();
        Tuner tuner = null;
        try (SwitchLab lab = settings.start("vbft:4,4", graph, true);
                Routes routes = Routes.open(lab)) {
            final int common = lab.plan().vid(0);
            final int other = lab.plan().vid(1);
            for (int host = 0; host < PAIRS; host++) {
                routes.setBoth(host, host + PAIRS, common);
            }
            try {
                for (int host = 0; host < PAIRS; host++) {
                    streams.add(new Stream(lab, host, host + PAIRS));
                }
                // Connections find their rates.
                LockSupport.parkNanos(samples * SAMPLE_NS / 2);
                long before = total(streams);
                long beforeFirst = streams.getFirst().receivedBytes();
                long dueNs = System.nanoTime();
                long lastNs = dueNs;
                for (int i = 0; i < rates.length; i++) {
                    if (i % samples == 0) {
                        move(routes, i / samples, common, other);
                        if (i / samples == MANAGED) {
                            tuner = new Tuner(lab, settings.rateBps(), TUNING_NS);
                        }
                    }
                    dueNs += SAMPLE_NS;
                    LockSupport.parkNanos(dueNs - System.nanoTime());
                    final long now = total(streams);
                    final long nowNs = System.nanoTime();
                    final long first = streams.getFirst().receivedBytes();
                    rates[i] = (now - before) * 1e3 / (nowNs - lastNs);
                    others[i] = rates[i] - (first - beforeFirst) * 1e3 / (nowNs - lastNs);
                    beforeFirst = first;
                    before = now;
                    lastNs = nowNs;
                }
                managedChanges = tuner.report().changeCount();
            } finally {
                if (tuner != null) {
                    tuner.close();
                }
                for (final Stream stream : streams) {
                    stream.close();
                }
            }
        }
        return rates;
    }

    private static void move(
            final Routes routes, final int phase, final int common, final int other)
            throws IOException {
        switch (phase) {
            case 1 -> routes.set(0, PAIRS, other);
            case 2 -> routes.set(PAIRS, 0, other);
            case 3 -> routes.setBoth(0, PAIRS, common);
            case 4 -> routes.setBoth(0, PAIRS, other);
            case 5 -> routes.setBoth(0, PAIRS, common);
            // The plan has host 0 and its pairs in the common VLAN, too.
            case MANAGED -> {
                routes.reset(0, PAIRS);
                routes.reset(PAIRS, 0);
            }
            default -> {}
        }
    }

    private static long total(final List<Stream> streams) {
        return streams.stream().mapToLong(Stream::receivedBytes).sum();
    }

    /** Means of the later two thirds of each phase. */
    private static double[] means(final double[] rates, final int samples) {
        final double[] means = new double[rates.length / samples];
        for (int phase = 0; phase < means.length; phase++) {
            means[phase] =
                    Arrays.stream(rates, phase * samples + samples / 3, (phase + 1) * samples)
                            .average()
                            .orElse(0);
        }
        return means;
    }

    /** The lowest mean of a second from a sample on. */
    private static double lowest(final double[] rates, final int from) {
        double lowest = Double.MAX_VALUE;
        for (int i = from; i + WINDOW <= rates.length; i++) {
            lowest = Math.min(lowest, Arrays.stream(rates, i, i + WINDOW).average().orElse(0));
        }
        return lowest;
    }

    private static boolean verdict(
            final double[] means, final double[] others, final double lowest) {
        final Map<String, Boolean> claims = new LinkedHashMap<>();
        claims.put("flooding slows the network as a whole", means[1] < 0.8 * means[0]);
        claims.put("flooding slows the other hosts", others[1] < 0.8 * others[0]);
        claims.put("afterwards it is faster than before", means[2] > 1.1 * means[0]);
        claims.put("moved together it is as fast", means[4] > 1.1 * means[0]);
        claims.put("hxb optimise makes it faster", means[MANAGED] > 1.1 * means[MANAGED - 1]);
        claims.put("and no second of it is slower than 0.9 of before", lowest > 0.9);
        claims.forEach(
                (claim, holds) -> System.out.println((holds ? "holds:  " : "FAILS:  ") + claim));
        return !claims.containsValue(false);
    }

    private void draw(
            final double[] rates,
            final double start,
            final double[] simulated,
            final double simulatedStart,
            final double phaseS)
            throws IOException {
        final Path file = settings.picture("vlan-flooding");
        if (file == null) {
            return;
        }
        final Map<String, double[]> curves = new LinkedHashMap<>();
        curves.put(
                "switches, links of " + settings.rate(),
                Arrays.stream(rates).map(rate -> rate / start).toArray());
        curves.put(
                "simulator, links of 1 Gbit/s, time scaled",
                Arrays.stream(simulated).map(rate -> rate / simulatedStart).toArray());
        final Map<Double, String> marks = new LinkedHashMap<>();
        for (int phase = 1; phase < PHASES.size(); phase++) {
            marks.put(phase * phaseS, PHASES.get(phase));
        }
        final double sampleS = phaseS * PHASES.size() / rates.length;
        TimeChart.draw(
                file, "flooding while two ends disagree", "of the start", sampleS, curves, marks);
        System.out.println("picture: " + file);
    }

    private static String one(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String two(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
