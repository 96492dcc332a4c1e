package io.hxb.tool.bugreport;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;
import io.hxb.config.LinkConfig;
import io.hxb.counter.CounterReader;
import io.hxb.observe.live.NodeState;
import io.hxb.os.HostName;
import io.hxb.session.KeyFile;
import io.hxb.tool.doctor.Examination;
import io.hxb.tool.events.EventFiles;
import io.hxb.tool.events.NodeEvent;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code hxb report}: an archive for the report of a fault. Picocli makes it. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        header = "Write a bug report on the nodes of this machine.",
        description =
                "Write a zip file with the events, counters and logs of the nodes of this machine,"
                    + " dead ones included, the cluster file, and facts about the machine and its"
                    + " NICs. Keys, tokens and passphrases are left out. The command prints what"
                    + " the file has and what it has not. Only its owner may read it.")
public final class ReportCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final Pattern KEY = Pattern.compile("\\b[0-9a-fA-F]{64}\\b");

    @Spec private CommandSpec spec;
    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "write this file (default: hxb-report-CLUSTER-HOST-TIME.zip in this folder)")
    private Path out;

    /** Picocli makes it. */
    ReportCommand() {}

    @Override
    public Integer call() {
        if (out != null) {
            OutputFiles.check("--out", out);
        }
        final List<String> problems = new ArrayList<>();
        final ClusterConfig config = config(problems);
        final Archive archive = new Archive(new Redactor(secrets(config)));
        problems.forEach(problem -> archive.leaveOut("the cluster", problem));
        if (config != null) {
            addCluster(archive, config);
        }
        archive.add("versions.txt", () -> MachineFacts.versions(String.join("\n", spec.version())));
        archive.add("limits.txt", MachineFacts::limits);
        archive.add("doctor.json", () -> Json.line(Examination.of(cluster).report()) + "\n");
        archive.add("journal.txt", MachineFacts::journal);
        final Path file = out == null ? Path.of(name(config)) : out;
        archive.write(file);
        output.text().print(archive.contents());
        output.text().println(file + " is for a bug report; only its owner may read it");
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("file", file.toString());
        report.put("contents", archive.parts());
        report.put("left_out", archive.leftOut());
        output.report(report);
        return ExitStatus.OK;
    }

    private ClusterConfig config(final List<String> problems) {
        if (!cluster.isGiven()) {
            problems.add(
                    "no cluster file is named, and there is no lab: the report has the machine"
                            + " alone; give --config FILE or --name LAB");
            return null;
        }
        try {
            return cluster.config();
        } catch (final ConfigException e) {
            problems.addAll(e.problems());
            return null;
        }
    }

    private static String name(final ClusterConfig config) {
        final String host = HostName.ofThisMachine().replaceAll("[^A-Za-z0-9.-]", "_");
        return "hxb-report-"
                + (config == null ? "" : config.name() + "-")
                + host
                + "-"
                + TIME.format(Instant.now())
                + ".zip";
    }

    private static List<byte[]> secrets(final ClusterConfig config) {
        final List<byte[]> secrets = new ArrayList<>();
        if (config == null) {
            return secrets;
        }
        for (final String name : config.security().keys()) {
            final Matcher key = KEY.matcher(content(name));
            while (key.find()) {
                secrets.add(HexFormat.of().parseHex(key.group()));
            }
        }
        return secrets;
    }

    private static String content(final String key) {
        try {
            return Files.readString(KeyFile.path(key, System.getenv()));
        } catch (final IOException e) {
            // Without permission to read a key there is no key to leave out.
            return "";
        }
    }

    private void addCluster(final Archive archive, final ClusterConfig config) {
        archive.add("cluster.yaml", () -> Files.readString(cluster.path()));
        final List<Path> events = EventFiles.of(config);
        if (events.isEmpty()) {
            archive.leaveOut("events", "no node of cluster " + config.name() + " has run here");
        } else {
            final EventFiles source = new EventFiles(events);
            final List<NodeEvent> all = source.read();
            final NodeNames names = new NodeNames(config);
            archive.add(
                    "events.txt",
                    () -> lines(all.stream().map(event -> names.in(event.line())).toList()));
            archive.add(
                    "events.json",
                    () -> lines(all.stream().map(event -> Json.line(event.report())).toList()));
            source.problems().forEach(problem -> archive.leaveOut("events", problem));
        }
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            final Path counters = config.countersPath(node);
            if (Files.exists(counters)) {
                archive.add("node-" + node + "/counters.txt", () -> counters(counters));
            }
            addNics(archive, config, node);
            addLog(archive, node);
        }
    }

    private static String lines(final List<String> lines) {
        return String.join("\n", lines) + "\n";
    }

    private static String counters(final Path file) throws IOException {
        try (CounterReader reader = CounterReader.open(file)) {
            final StringBuilder text = new StringBuilder();
            text.append("state ").append(NodeState.of(reader)).append(", pid ");
            text.append(reader.pid()).append('\n');
            reader.findings()
                    .forEach(
                            finding ->
                                    text.append("finding: ")
                                            .append(finding.sentence())
                                            .append('\n'));
            reader.samples()
                    .forEach(
                            sample ->
                                    text.append(sample.name())
                                            .append('{')
                                            .append(sample.instance())
                                            .append("} ")
                                            .append(sample.value())
                                            .append('\n'));
            return text.toString();
        }
    }

    // The NICs of another PC are not here.
    private void addNics(final Archive archive, final ClusterConfig config, final int node) {
        final boolean isHere = Files.exists(config.countersPath(node));
        if (!isHere) {
            return;
        }
        final List<String> nics =
                config.backend().usesNics()
                        ? config.links(node).stream().map(LinkConfig::nic).toList()
                        : List.of();
        archive.add(
                "node-" + node + "/nics.txt", () -> MachineFacts.nics(config.netns(node), nics));
    }

    private void addLog(final Archive archive, final int node) {
        cluster.lab()
                .map(state -> LabRegistry.ofUser().folder(state.name()))
                .map(folder -> folder.resolve("node-" + node + ".log"))
                .filter(Files::exists)
                .ifPresent(
                        log ->
                                archive.add(
                                        "node-" + node + "/log.txt", () -> MachineFacts.tail(log)));
    }
}
