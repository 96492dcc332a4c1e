package io.hxb.tool.lab.command;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb lab run}: makes a lab, runs something in it, removes it. Picocli makes it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        header = "Make a lab, run something in it and remove it.",
        description =
                "Run one of the commands below, whose own options follow it, or any "
                        + "command after --, which finds the cluster by HXB_CONFIG and HXB_NODE.",
        footer = {
            "",
            "Examples: hxb lab run perf --shape 2x2x2 --rate 1gbit --seconds 3",
            "          hxb lab run --shape 2x2 -- hxb doctor"
        },
        subcommands = {LabRunPingCommand.class, LabRunPerfCommand.class, LabRunChaosCommand.class})
final class LabRunCommand implements Callable<Integer> {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
    @Mixin private LabRunOptions lab;

    @Parameters(
            index = "0..*",
            arity = "0..*",
            paramLabel = "-- CMD",
            description = "run this command with its arguments")
    private List<String> what = List.of();

    /** Picocli makes it. */
    LabRunCommand() {}

    /**
     * Refuses options in front of a command of this one, which would do nothing.
     *
     * @param name of the command.
     */
    void requireNoOptions(final String name) {
        final List<String> given =
                spec.commandLine().getParseResult().matchedOptions().stream()
                        .map(option -> option.longestName())
                        .toList();
        if (!given.isEmpty()) {
            throw new UsageException(
                    "give "
                            + String.join(", ", given)
                            + " after '"
                            + name
                            + "': hxb lab run "
                            + name
                            + " "
                            + given.getFirst()
                            + " ...");
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (what.isEmpty()) {
            throw new UsageException(
                    "nothing is to run in the lab: give ping, perf, chaos, or a command after --");
        }
        try (LabSession session = lab.start(lab.spec())) {
            return run(session);
        }
    }

    private int run(final LabSession session) throws InterruptedException {
        final Cluster cluster = session.cluster();
        final ProcessBuilder builder = new ProcessBuilder(what).inheritIO();
        builder.environment()
                .put("HXB_CONFIG", session.folder().resolve("cluster.yaml").toString());
        builder.environment().put("HXB_NODE", Integer.toString(0));
        builder.environment().put("HXB_SOCKET", cluster.config().socketPath(0).toString());
        try {
            final Process process = builder.start();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(process::destroy, "hxb-lab-command-stop"));
            return process.waitFor();
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot run '"
                            + what.getFirst()
                            + "' in lab "
                            + cluster.config().name()
                            + ": install it, or put its folder into the PATH",
                    e);
        }
    }
}
