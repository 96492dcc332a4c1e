package io.hxb.tool.init;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Quantity;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.os.HostName;
import io.hxb.tool.init.NeighbourSurvey.Sighting;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code hxb init}: a first cluster file from what the NICs hear. Picocli makes it. */
@Command(
        name = "init",
        mixinStandardHelpOptions = true,
        header = "Find machines at the NICs and write a cluster file.",
        description = {
            "List the NICs of this machine, ask on them which machines are there, "
                    + "and write a first cluster file with comments. Run it on all machines "
                    + "at about the same time: each finds the same cabling, also beyond its own "
                    + "cables, and writes the same file. They wait for each other.",
            "NICs that are down, wireless, or carry the default route are left "
                    + "alone unless --nics names them. Listening needs root (CAP_NET_RAW); "
                    + "otherwise the file is made from this machine's NICs alone."
        },
        footer = {"", "Example, on both of two PCs with crossed cables: sudo deploy/hxb init"})
public final class InitCommand implements Callable<Integer> {
    private static final long ASK_NS = 250_000_000L;
    private static final double WINDOW_SECONDS = 30;
    private static final double ALONE_SECONDS = 120;

    @Option(
            names = "--nics",
            split = ",",
            paramLabel = "NIC",
            description = "ask on these NICs, separated by commas (default: all that are free)")
    private List<String> chosen = List.of();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description =
                    "end when nothing new has come for this long and all machines know the same;"
                            + " Enter on one of them ends it sooner (default: 30, and 120 for the"
                            + " first answer)")
    private Double seconds;

    @Option(
            names = "--expect",
            paramLabel = "N",
            description = "end as soon as N machines are found and nothing new has come for 2 s")
    private Integer expected;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            defaultValue = "cluster.yaml",
            description = "write the cluster file here; - prints it (default: ${DEFAULT-VALUE})")
    private String file;

    @Option(names = "--force", description = "overwrite an existing file")
    private boolean isForced;

    @Option(
            names = "--name",
            paramLabel = "CLUSTER",
            defaultValue = "hxb",
            description = "give the cluster this name (default: ${DEFAULT-VALUE})")
    private String cluster;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "call this machine by this name (default: its host name)")
    private String host;

    @Mixin private Output output;

    private boolean haveAgreed;

    /** Picocli makes it. */
    public InitCommand() {}

    @Override
    public Integer call() throws IOException {
        host = host == null ? HostName.ofThisMachine() : host;
        check();
        final List<LocalNic> nics = LocalNic.list();
        final List<LocalNic> asked = asked(nics);
        print(nics, asked);
        final List<String> findings = new ArrayList<>();
        final NeighbourSurvey known;
        List<String> nodes = List.of();
        if (asked.isEmpty() || !Privileges.has(Privileges.NET_RAW)) {
            known = new NeighbourSurvey();
            findings.add(
                    asked.isEmpty()
                            ? "no NIC is free and up: set them up ('ip link set NIC up'), or name"
                                    + " them by --nics"
                            : "listening needs root (CAP_NET_RAW): nobody was asked; use sudo");
        } else {
            final String machine = machine(nics);
            try (Survey survey = new Survey(machine, host, asked)) {
                final List<String> doubts = listen(survey, machine, asked);
                haveAgreed = doubts.isEmpty();
                findings.addAll(doubts);
                known = survey.known();
                nodes = survey.nodes();
                findings.addAll(nodes);
                if (survey.ignoredFrames() > 0) {
                    findings.add(
                            survey.ignoredFrames()
                                    + " frames were ignored: they made no sense, or are of 'hxb"
                                    + " init' of another build");
                }
            }
        }
        final Cabling cabling;
        try {
            cabling = Cabling.of(known);
        } catch (final ToolException e) {
            findings.forEach(finding -> output.text().println("note: " + finding));
            throw e;
        }
        findings.addAll(CableNotes.of(known, cabling));
        if (cabling == null && !asked.isEmpty() && Privileges.has(Privileges.NET_RAW)) {
            findings.add(
                    "nobody answered: run 'hxb init' on the other machines at the same time, and"
                            + " see that cables and switches have lights");
        }
        final String text =
                cabling == null
                        ? FirstClusterFile.template(
                                cluster, asked.stream().map(LocalNic::name).limit(8).toList())
                        : FirstClusterFile.of(cluster, cabling, known);
        // What is written can be read: else the mistake is ours.
        ClusterConfigYaml.parse(text, file);
        write(text);
        report(nics, asked, cabling, known, findings);
        return 0;
    }

    private void check() {
        if (seconds != null && !(seconds > 0 && seconds <= 3600)) {
            throw new UsageException("--seconds must be above 0, at most 3600: " + seconds);
        }
        if (expected != null && (expected < 2 || expected > NeighbourSurvey.LIMIT)) {
            throw new UsageException(
                    "--expect must be 2.." + NeighbourSurvey.LIMIT + ": " + expected);
        }
        if (!ClusterConfig.isName(cluster)) {
            throw new UsageException(
                    "--name must be " + ClusterConfig.NAME_RULE + ": '" + cluster + "'");
        }
        if (!Announcement.isName(host)) {
            throw new UsageException(
                    "'" + host + "' cannot be the name of a machine; give another by --host");
        }
        if (!file.equals("-")) {
            OutputFiles.check("--out", Path.of(file));
            if (!isForced && Files.exists(Path.of(file))) {
                throw new UsageException(
                        file + " is there already: give another --out, or --force to overwrite it");
            }
        }
    }

    private List<LocalNic> asked(final List<LocalNic> nics) {
        if (chosen.isEmpty()) {
            final boolean hasPhysical =
                    nics.stream().anyMatch(nic -> nic.kind().equals("physical"));
            return nics.stream()
                    .filter(nic -> nic.reasonToLeaveAlone(!hasPhysical).isEmpty())
                    .toList();
        }
        final List<LocalNic> found = new ArrayList<>();
        for (final String name : chosen) {
            final LocalNic nic =
                    nics.stream()
                            .filter(one -> one.name().equals(name))
                            .findFirst()
                            .orElseThrow(
                                    () ->
                                            new UsageException(
                                                    "there is no NIC '"
                                                            + name
                                                            + "'; there are: "
                                                            + names(nics)));
            if (!nic.isUp()) {
                throw new ToolException(
                        name + " is down: set it up first, by: ip link set " + name + " up");
            }
            found.add(nic);
        }
        return found;
    }

    private static String names(final List<LocalNic> nics) {
        return nics.stream().map(LocalNic::name).collect(Collectors.joining(", "));
    }

    private void print(final List<LocalNic> nics, final List<LocalNic> asked) throws IOException {
        final boolean hasPhysical = nics.stream().anyMatch(nic -> nic.kind().equals("physical"));
        final TextTable table = new TextTable("nic", "speed", "mtu", "cable", "addresses", "use");
        for (final LocalNic nic : nics) {
            table.row(
                    nic.name(),
                    nic.speedMbps() == 0 ? "-" : Quantity.formatRate(nic.speedMbps() * 1_000_000L),
                    nic.mtuBytes(),
                    nic.hasCarrier() ? "plugged in" : nic.isUp() ? "no carrier" : "-",
                    nic.addresses().isEmpty() ? "-" : String.join(" ", nic.addresses()),
                    asked.contains(nic) ? "asked" : nic.reasonToLeaveAlone(!hasPhysical));
        }
        output.text().println("NICs of " + host + ":");
        output.text().print(table);
        output.text().println();
    }

    /** Listens until the machines agree; what is worth a note. */
    private List<String> listen(
            final Survey survey, final String machine, final List<LocalNic> asked)
            throws IOException {
        final double window = seconds == null ? WINDOW_SECONDS : seconds;
        final double alone = seconds == null ? ALONE_SECONDS : seconds;
        output.text()
                .printf(
                        Locale.ROOT,
                        "listening on %s until nothing new comes for %.0f s: run 'hxb init' on the"
                                + " other machines now; Enter ends it%n",
                        names(asked),
                        window);
        final long startNs = System.nanoTime();
        final Agreement agreement =
                new Agreement(
                        machine,
                        (long) (window * 1e9),
                        (long) (alone * 1e9),
                        expected == null ? 0 : expected,
                        startNs);
        final Map<Sighting, Boolean> shown = new TreeMap<>();
        boolean isWaiting = false;
        long nextAskNs = startNs;
        long nowNs = startNs;
        while (!agreement.isDone()) {
            if (nextAskNs - nowNs <= 0) {
                survey.ask(agreement.hasEnded());
                nextAskNs = nowNs + ASK_NS;
                if (System.in.available() > 0) {
                    agreement.onEnter();
                }
            }
            final int fresh = survey.listen(Math.max(0, nextAskNs - nowNs));
            nowNs = System.nanoTime();
            if (fresh > 0) {
                agreement.onNews(nowNs);
                show(survey.known(), shown, (nowNs - startNs) / 1e9);
            }
            agreement.update(survey.known(), nowNs);
            final List<String> missing = agreement.missing(survey.known(), nowNs);
            if (agreement.isWanted() && !missing.isEmpty() && !isWaiting) {
                isWaiting = true;
                output.text().println("waiting for " + names(survey.known(), missing));
            }
        }
        // The last of it: others need not wait for this machine.
        survey.ask(agreement.hasEnded());
        return doubts(survey.known(), agreement, nowNs);
    }

    /** Machines whose file may be another one. */
    private static List<String> doubts(
            final NeighbourSurvey known, final Agreement agreement, final long nowNs) {
        final List<String> doubts = new ArrayList<>();
        final List<String> missing = agreement.missing(known, nowNs);
        if (!missing.isEmpty()) {
            doubts.add(
                    names(known, missing)
                            + " know other cables than this machine: compare the files, or run 'hxb"
                            + " init' on all machines again");
        }
        final List<String> lost = agreement.lost(known, nowNs);
        if (!lost.isEmpty()) {
            doubts.add(
                    names(known, lost)
                            + " stopped answering before all was known: copy this file there");
        }
        return doubts;
    }

    private static String names(final NeighbourSurvey known, final List<String> ids) {
        return ids.stream().map(known::name).collect(Collectors.joining(", "));
    }

    private void show(
            final NeighbourSurvey known, final Map<Sighting, Boolean> shown, final double seconds) {
        for (final Sighting sighting : known.sightings()) {
            if (shown.putIfAbsent(sighting, true) == null) {
                output.text()
                        .printf(
                                Locale.ROOT,
                                "%6.1f s  %s of %s hears %s of %s%n",
                                seconds,
                                sighting.heardBy().nic(),
                                known.name(sighting.heardBy().machine()),
                                sighting.sentBy().nic(),
                                known.name(sighting.sentBy().machine()));
            }
        }
    }

    private void write(final String text) throws IOException {
        if (file.equals("-")) {
            output.text().println();
            output.text().print(text);
            return;
        }
        try {
            if (isForced) {
                Files.writeString(Path.of(file), text);
            } else {
                Files.writeString(Path.of(file), text, StandardOpenOption.CREATE_NEW);
            }
        } catch (final FileAlreadyExistsException e) {
            throw new ToolException(
                    file + " has just been made by somebody else; --force overwrites it", e);
        }
    }

    private void report(
            final List<LocalNic> nics,
            final List<LocalNic> asked,
            final Cabling cabling,
            final NeighbourSurvey known,
            final List<String> findings) {
        findings.forEach(finding -> output.text().println("note: " + finding));
        if (!file.equals("-")) {
            output.text().println();
            output.text()
                    .println(
                            cabling == null
                                    ? "wrote "
                                            + file
                                            + " for you to complete; then: hxb doctor --config "
                                            + file
                                    : "wrote %s: %d machines, shape %s%s"
                                            .formatted(
                                                    file,
                                                    cabling.machines().size(),
                                                    Cabling.shape(cabling.extents()),
                                                    haveAgreed
                                                            ? "; the other machines wrote the same."
                                                            : ""));
            if (cabling != null) {
                output.text()
                        .println(
                                "next, on each machine: hxb doctor --config FILE, then hxb node"
                                        + " --config FILE");
            }
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("nics", nics);
        report.put("asked", asked.stream().map(LocalNic::name).toList());
        report.put(
                "machines",
                known.machines().values().stream().sorted(DiscoveredPort.NATURAL).toList());
        report.put("shape", cabling == null ? null : Cabling.shape(cabling.extents()));
        report.put("findings", findings);
        report.put("file", file);
        output.report(report);
    }

    /**
     * Stays the same, and no other machine has it, although some NICs have the MAC address of
     * another.
     */
    private String machine(final List<LocalNic> nics) {
        final String macs =
                nics.stream().map(LocalNic::mac).sorted().collect(Collectors.joining(" "));
        return HexFormat.of().formatHex(NeighbourSurvey.sha256(host + "\n" + macs), 0, 6);
    }
}
