package io.hxb.tool.doctor;

import io.hxb.tool.events.Age;
import io.hxb.tool.events.EventFiles;
import io.hxb.tool.events.Explanation;
import io.hxb.tool.events.Moment;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
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
            if (isAll) {
                throw new UsageException(
                        "--explain shows no checks: leave --all out, or --explain");
            }
            return explain(moment);
        }
        if (around != null) {
            throw new UsageException("--around belongs to --explain: give both, or neither");
        }
        final FindingReport findings = Examination.of(cluster);
        if (!cluster.isGiven()) {
            output.text().println("no cluster file and no lab: only the machine is examined");
        }
        output.text().print(findings.text(isAll));
        output.report(findings.report());
        return ExitStatus.of(findings.isOk());
    }

    private int explain(final String text) {
        final Instant when = Moment.parse("--explain", text, Instant.now(), ZoneId.systemDefault());
        final long reachNs = Age.parseNs("--around", around == null ? DEFAULT_REACH : around);
        final EventFiles files = new EventFiles(EventFiles.required(cluster.config()));
        final Explanation explanation =
                Explanation.of(when, Duration.ofNanos(reachNs), files.read());
        files.problems().forEach(problem -> System.err.println("hxb: " + problem));
        final boolean isOk = files.problems().isEmpty();
        output.text().print(explanation.text());
        output.report(explanation.report(isOk));
        return ExitStatus.of(isOk);
    }
}
