package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.events.Age;
import io.hxb.tool.events.EventFiles;
import io.hxb.tool.events.Explanation;
import io.hxb.tool.events.Moment;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb doctor}: what is wrong here, and how to fix it. Picocli makes it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        header = "Report what is wrong here, and how to fix it.",
        description =
                "Examine this machine, a cluster file, its NICs and the running nodes. "
                        + "Warnings cost speed or comfort; failures keep something from working, "
                        + "and the exit status is then 1.")
public final class DoctorCommand implements Callable<Integer> {
    private static final String DEFAULT_REACH = "10s";

    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(names = "--all", description = "show the checks that passed, too")
    private boolean isAll;

    @Option(
            names = "--fix",
            description =
                    "put right first what doctor can: write the files that set up the NICs of raw"
                            + " links when the machine starts, as its network manager reads them,"
                            + " and put back what a killed node has left changed; files of others"
                            + " stay")
    private boolean isFix;

    @Option(names = "--dry-run", description = "show what --fix would do, and change nothing")
    private boolean isDry;

    @Option(
            names = "--explain",
            paramLabel = "MOMENT",
            description =
                    "examine nothing, but explain what happened to the nodes of this machine around"
                            + " a moment: a time of day such as 12:03:10, the time since then, such"
                            + " as -5m, or a date and time such as 2026-05-04T12:03:10")
    private String moment;

    @Option(
            names = "--around",
            paramLabel = "TIME",
            description =
                    "look at this time before and after the moment of --explain (default: 10s)")
    private String around;

    /** Picocli makes it. */
    DoctorCommand() {}

    @Override
    public Integer call() {
        if (moment != null) {
            if (isAll || isFix || isDry) {
                throw new UsageException(
                        "--explain shows no checks and fixes nothing: leave --all, --fix and"
                                + " --dry-run out, or --explain");
            }
            return explain(moment);
        }
        if (around != null) {
            throw new UsageException("--around belongs to --explain: give both, or neither");
        }
        if (isDry && !isFix) {
            throw new UsageException("--dry-run belongs to --fix: give both, or neither");
        }
        return isFix ? fix() : examine(null);
    }

    private int fix() {
        final ClusterConfig config = cluster.config();
        final Repair repair = Repair.run(config, cluster.nodesHere(config), Path.of("/"), isDry);
        output.text().print(repair.text());
        return examine(repair);
    }

    /**
     * Examines everything.
     *
     * @param repair what was done before; null if that was not wanted.
     */
    private int examine(final Repair repair) {
        final FindingReport findings = Examination.of(cluster);
        if (!cluster.isGiven()) {
            output.text().println("no cluster file and no lab: only the machine is examined");
        }
        output.text().print(findings.text(isAll));
        final Map<String, Object> report = findings.report();
        final boolean isOk = findings.isOk() && (repair == null || repair.isOk());
        report.put("ok", isOk);
        if (repair != null) {
            report.put("fixes", repair.report());
        }
        output.report(report);
        return ExitStatus.of(isOk);
    }

    private int explain(final String text) {
        final Instant when = Moment.parse("--explain", text, Instant.now(), ZoneId.systemDefault());
        final long reachNs = Age.parseNs("--around", around == null ? DEFAULT_REACH : around);
        final ClusterConfig config = cluster.config();
        final EventFiles files = new EventFiles(EventFiles.required(config));
        final Explanation explanation =
                Explanation.of(when, Duration.ofNanos(reachNs), files.read());
        files.problems().forEach(problem -> System.err.println("hxb: " + problem));
        final boolean isOk = files.problems().isEmpty();
        output.text().print(new NodeNames(config).in(explanation.text()));
        output.report(explanation.report(isOk));
        return ExitStatus.of(isOk);
    }
}
