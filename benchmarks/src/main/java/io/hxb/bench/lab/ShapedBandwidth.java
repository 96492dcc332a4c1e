package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Goodput over links that tc shapes, as a share of what they can carry. One thread. */
@Command(
        name = "shaped-bandwidth",
        mixinStandardHelpOptions = true,
        description = "Measure PM goodput over shaped links, directly and through relays.")
final class ShapedBandwidth implements Callable<Integer> {
    /**
     * One arrangement. Immutable.
     *
     * @param name for the table.
     * @param shape of the lab.
     * @param links in each dimension.
     * @param mbit rate of each link.
     * @param to coordinates of the receiver; the sender is the origin.
     * @param paper what PACS-CS reached, share in %.
     * @param target share in % that we want.
     */
    private record Plan(
            String name,
            String shape,
            int links,
            int mbit,
            String to,
            String paper,
            String target) {

        boolean hasRelay() {
            return to.indexOf(',') >= 0;
        }
    }

    /**
     * As the C program fills no frame, a message is written and compared whole from time to time
     * only.
     */
    private static final String CHECK_EVERY = "64";

    private static final String NODE = "HXB, nodes relay";

    private static final List<Plan> PLANS =
            List.of(
                    new Plan("six links, one hop", "2", 6, 1000, "1", "97.9", "98.5"),
                    new Plan("two links, one hop", "2", 2, 1000, "1", "98.4", "98.5"),
                    new Plan("two links, one relay", "2x2", 2, 1000, "1,1", "96", "98"),
                    new Plan("two links, two relays", "2x2x2", 2, 1000, "1,1,1", "95", "98"),
                    new Plan(
                            "six links, one relay", "2x2", 6, 250, "1,1", "77 (four links)", "98"));

    @Mixin private LabExperiments.Settings settings;
    @Mixin private LabExperiments.ShapedLoad load;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "8",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "shaped-bandwidth",
                                Map.of(
                                        "rounds", settings.rounds(),
                                        "seconds", settings.seconds(),
                                        "size", load.size()))
                        .columns(
                                "arrangement",
                                "rate of a link",
                                "goodput MB/s",
                                "share of the links %",
                                "nodes relay: share %",
                                "C: share %",
                                "HXB / C",
                                "target %",
                                "PACS-CS %");
        for (final Plan plan : PLANS) {
            if (load.includes(plan.name)) {
                measure(report, plan);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final Plan plan) throws Exception {
        final Contest contest =
                new Contest().add("C", () -> chain(plan)).add("HXB", () -> run(plan, "auto"));
        if (plan.hasRelay()) {
            contest.add(NODE, () -> run(plan, "off"));
        }
        final Contest.Results results = contest.run(settings.rounds(), Progress.of(plan.name));
        report.keep(plan.name, results);
        report.line(
                plan.name,
                plan.mbit + " Mbit/s",
                results.of("HXB", "MBps").format(),
                results.of("HXB", "share").format(),
                plan.hasRelay() ? results.of(NODE, "share").format() : "-",
                results.of("C", "share").format(),
                results.ratio("HXB", "C", "MBps").format(),
                plan.target,
                plan.paper);
    }

    /** Frames of the same size, sent by C over the same wires, without acknowledgements. */
    private Map<String, Double> chain(final Plan plan) throws Exception {
        final int hops = plan.to.split(",", -1).length;
        try (ShapedChain line = new ShapedChain(hops, plan.links, plan.mbit)) {
            return figures(plan, load.size() * line.framesPerSecond(settings.seconds()) / 1e6);
        }
    }

    private Map<String, Double> figures(final Plan plan, final double bandwidth) {
        final double capacity = load.capacity(plan.links, plan.mbit);
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("MBps", bandwidth);
        figures.put("share", 100 * bandwidth / capacity);
        return figures;
    }

    private Map<String, Double> run(final Plan plan, final String kernelRelay) throws Exception {
        final List<String> command =
                load.command(
                        "perf",
                        plan.shape,
                        plan.links,
                        plan.mbit,
                        warmUp,
                        settings.seconds(),
                        "--check",
                        CHECK_EVERY,
                        "--kernel-relay",
                        kernelRelay,
                        "--from",
                        plan.to.replace('1', '0'),
                        "--to",
                        plan.to);
        try (Program perf = Program.start("", "", command)) {
            final JsonNode result = perf.last(120 + warmUp + settings.seconds());
            if (!result.path("ok").asBoolean(false)) {
                throw new IllegalStateException("hxb lab run perf failed: " + result);
            }
            return figures(plan, result.get("bandwidth_MBps").asDouble());
        }
    }
}
