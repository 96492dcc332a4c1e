package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.Backend;
import io.hxb.config.SecurityConfig;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** Operations on remote memory and large messages between programs in C. One thread. */
@Command(
        name = "remote-memory",
        mixinStandardHelpOptions = true,
        description =
                "Measure remote memory and large messages between two programs in C that are"
                        + " attached to nodes in processes of their own, through one relay, over "
                        + "shaped links.")
final class RemoteMemoryExperiment implements Callable<Integer> {
    /** One kind of operation. Immutable. */
    private record Plan(String operation, int size, int depth) {
        String name() {
            return String.format(Locale.ROOT, "%s of %,d B, %d at once", operation, size, depth);
        }
    }

    private static final int SERVER_NODE = 3;
    private static final int MTU_BYTES = 9000;
    private static final int MEGA = 1 << 20;
    private static final double LIMIT_SECONDS = 40;

    private static final List<Plan> PLANS =
            List.of(
                    new Plan("put", 8, 1),
                    new Plan("get", 8, 1),
                    new Plan("add", 8, 1),
                    new Plan("put", 8, 64),
                    new Plan("put", MEGA, 1),
                    new Plan("put", MEGA, 4),
                    new Plan("get", MEGA, 1),
                    new Plan("get", MEGA, 4),
                    new Plan("message", MEGA, 1),
                    new Plan("message", MEGA, 4));

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--links",
            paramLabel = "N",
            defaultValue = "6",
            description = "make this many links (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "250",
            description = "shape each link to this rate (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "measure only contestants whose name has this text")
    private String only = "";

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "remote-memory",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "links",
                                        links,
                                        "mbit",
                                        mbit))
                        .columns(
                                "what",
                                "p50 us",
                                "p99 us",
                                "p99.9 us",
                                "a second",
                                "MB/s",
                                "share of the links' bits %");
        try (TemporaryFolder folder = new TemporaryFolder();
                ProcessLab lab = new ProcessLab(folder.path(), spec(), SecurityConfig.Mode.NONE)) {
            final Contest contest = new Contest();
            PLANS.forEach(plan -> contest.add(plan.name(), () -> measure(lab, plan)));
            final Contest.Results results =
                    contest.only(only).run(settings.rounds(), Progress.of("remote-memory"));
            report.keep("remote-memory", results);
            for (final String name : results.series().keySet()) {
                report.line(
                        name,
                        results.of(name, "p50_us").format(),
                        results.of(name, "p99_us").format(),
                        results.of(name, "p999_us").format(),
                        results.of(name, "rate").format(),
                        results.of(name, "MBps").format(),
                        results.of(name, "share").format());
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private LabSpec spec() {
        return new LabSpec(
                "rm" + ProcessHandle.current().pid(),
                Shape.of(2, 2),
                links,
                Backend.RAW,
                mbit * 1_000_000L,
                MTU_BYTES);
    }

    private Map<String, Double> measure(final ProcessLab lab, final Plan plan) throws Exception {
        final Program server =
                Program.start(
                        "",
                        "",
                        Peers.c(
                                "remote_memory",
                                "-m",
                                "server",
                                "-a",
                                lab.config().socketPath(SERVER_NODE).toString()));
        final JsonNode ready = server.next(LIMIT_SECONDS);
        final Program client =
                Program.start(
                        "",
                        "",
                        Peers.c(
                                "remote_memory",
                                "-m",
                                "client",
                                "-a",
                                lab.config().socketPath(0).toString(),
                                "-n",
                                Integer.toString(SERVER_NODE),
                                "-k",
                                ready.get("key").asString(),
                                "-o",
                                plan.operation,
                                "-s",
                                Integer.toString(plan.size),
                                "-d",
                                Integer.toString(plan.depth),
                                "-W",
                                Double.toString(warmUp),
                                "-S",
                                Double.toString(settings.seconds())));
        final JsonNode figures =
                Program.served(server, client, warmUp + settings.seconds() + LIMIT_SECONDS);
        final Map<String, Double> result = new LinkedHashMap<>();
        for (final String name : List.of("p50_us", "p99_us", "p999_us", "rate", "MBps")) {
            result.put(name, figures.get(name).asDouble());
        }
        result.put("share", 100 * result.get("MBps") / (links * mbit / 8.0));
        return result;
    }
}
