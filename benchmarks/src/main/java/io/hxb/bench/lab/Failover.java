package io.hxb.bench.lab;

import io.hxb.bench.failover.FailoverPlan;
import io.hxb.bench.failover.FailoverRates;
import io.hxb.bench.failover.PeerBurst;
import io.hxb.bench.failover.RepeatedFaults;
import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.Series;
import io.hxb.bench.harness.TemporaryFolder;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * What failing links and nodes cost a transfer, beside MPTCP and Open MPI on the same links. One
 * thread.
 */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = "Measure throughput while links and relays fail and come back.")
final class Failover implements Callable<Integer> {
    private static final String HXB = "HXB";

    @Mixin private LabExperiments.Settings settings;
    @Mixin private LabExperiments.ShapedLoad load;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "6",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report("failover", Map.of("rounds", settings.rounds(), "size", load.size()))
                        .columns(
                                "what fails",
                                "who",
                                "MB/s",
                                "share of the links %",
                                "gap ms",
                                "gap on the wires ms",
                                "until full rate ms",
                                "longest gap without a fault ms",
                                "the same on the wires ms");
        for (final FailoverPlan plan : FailoverPlan.all()) {
            if (load.includes(plan.name())) {
                measure(report, plan);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final FailoverPlan plan) throws Exception {
        final Contest contest = new Contest();
        if (settings.hasHxb()) {
            contest.add(HXB, () -> run(plan));
        }
        if (plan.hasPeer()) {
            PeerBurst.all(plan).forEach(peer -> contest.add(peer.name(), peer::run));
        }
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(plan.name()));
        report.keep(plan.name(), results);
        results.series()
                .forEach(
                        (who, figures) -> {
                            if (plan.isRepeated()) {
                                repeatedLines(report, plan.name(), who, figures);
                            } else {
                                lines(report, plan.name(), who, figures);
                            }
                        });
    }

    private static void lines(
            final Report report,
            final String plan,
            final String who,
            final Map<String, Series> figures) {
        report.line(
                plan + ": nothing yet",
                who,
                format(figures.get("quiet MB/s")),
                format(figures.get("quiet share %")),
                "-",
                "-",
                "-",
                format(figures.get("quiet gap ms")),
                format(figures.get("quiet wire gap ms")));
        final List<String> events =
                figures.keySet().stream()
                        .filter(name -> name.endsWith(" of left %"))
                        .map(name -> name.replace(" of left %", ""))
                        .toList();
        for (final String event : events) {
            report.line(
                    plan + ": " + event,
                    who,
                    format(figures.get(event + " MB/s")),
                    format(figures.get(event + " of left %")),
                    format(figures.get(event + " gap ms")),
                    format(figures.get(event + " wire gap ms")),
                    format(figures.get(event + " full ms")),
                    "",
                    "");
        }
    }

    private static void repeatedLines(
            final Report report,
            final String plan,
            final String who,
            final Map<String, Series> figures) {
        for (final String kind : List.of("fault", "repair")) {
            report.line(
                    plan + ": each " + kind,
                    who,
                    format(all(figures, kind, "MB/s")),
                    format(all(figures, kind, "of left %")),
                    format(all(figures, kind, "gap ms")),
                    format(all(figures, kind, "wire gap ms")),
                    format(all(figures, kind, "full ms")),
                    format(all(figures, kind, "quiet gap ms")),
                    format(all(figures, kind, "quiet wire gap ms")));
        }
    }

    private static Series all(
            final Map<String, Series> figures, final String kind, final String figure) {
        return new Series(
                RepeatedFaults.all(figures, kind, figure).stream()
                        .flatMapToDouble(series -> Arrays.stream(series.samples()))
                        .toArray());
    }

    /** Median and range; followed by the number of rounds that never reached it. */
    private static String format(final Series series) {
        if (series == null) {
            return "";
        }
        final double[] known =
                Arrays.stream(series.samples()).filter(value -> !Double.isNaN(value)).toArray();
        final int never = series.samples().length - known.length;
        if (known.length == 0) {
            return "never";
        }
        return new Series(known).format()
                + (never == 0 ? "" : String.format(Locale.ROOT, ", %d times never", never));
    }

    private Map<String, Double> run(final FailoverPlan plan) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            final Path script = Files.writeString(folder.file("faults.yaml"), plan.script());
            final Path samples = folder.file("samples.json");
            final List<String> command = command(plan, script, samples);
            if (settings.results() != null) {
                final Path picture = settings.results().resolve(plan.file() + ".png");
                command.addAll(List.of("--out", picture.toString()));
            }
            try (Program chaos = Program.start("", "", command)) {
                final JsonNode result = chaos.last(120 + warmUp + plan.seconds());
                if (!result.path("ok").asBoolean(false)) {
                    throw new IllegalStateException("hxb lab run chaos failed: " + result);
                }
            }
            return figures(plan, new JsonMapper().readTree(Files.readString(samples)));
        }
    }

    private List<String> command(final FailoverPlan plan, final Path script, final Path samples) {
        return load.command(
                "chaos",
                plan.shape(),
                plan.links(),
                plan.mbit(),
                warmUp,
                plan.seconds(),
                "--to",
                plan.last(),
                "--script",
                script.toString(),
                "--out",
                samples.toString());
    }

    private Map<String, Double> figures(final FailoverPlan plan, final JsonNode result) {
        final JsonNode series = result.get("pairs").get(0).get("MBps");
        final double[] rates = new double[series.size()];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = series.get(i).asDouble();
        }
        final double sampleS = result.get("sample_ms").asDouble() / 1e3;
        final List<FailoverRates.Event> events = FailoverRates.Event.of(result.get("faults"));
        final double wireCapacity = plan.links() * plan.mbit() / 8.0;
        if (plan.isRepeated()) {
            return RepeatedFaults.figures(
                    rates,
                    wires(result, rates.length, "(" + plan.last() + ")"),
                    sampleS,
                    events,
                    load.capacity(plan.links(), plan.mbit()),
                    wireCapacity);
        }
        final Map<String, Double> figures =
                FailoverRates.figures(
                        rates,
                        sampleS,
                        events,
                        result.get("quiet_gap_ms").asDouble(),
                        load.capacity(plan.links(), plan.mbit()));
        if (plan.isOneTrunk()) {
            figures.putAll(
                    FailoverRates.wireGaps(
                            wires(result, rates.length, "(" + plan.last() + ")"),
                            sampleS,
                            events,
                            wireCapacity));
        }
        return figures;
    }

    /** MB/s into a node over all its links. */
    private static double[] wires(
            final JsonNode result, final int samples, final String coordinates) {
        final double[] sum = new double[samples];
        for (final JsonNode link : result.get("links")) {
            if (link.get("link").asString().endsWith(coordinates)) {
                final JsonNode rates = link.get("to_node_MBps");
                for (int i = 0; i < samples; i++) {
                    sum[i] += rates.path(i).asDouble(0);
                }
            }
        }
        return sum;
    }
}
