package io.hxb.bench.manycpus;

import io.hxb.bench.harness.Peers;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** The command line of {@code benchmarks/run many-cpus}, and of its pack. One thread. */
@Command(
        name = "many-cpus",
        mixinStandardHelpOptions = true,
        description =
                "Measures HXB and its peers where there are more CPUs than two: round trips and"
                        + " messages of attached programs, relays by their loops, bulk data, and"
                        + " MPI, within a limit of time, as one file of results.")
public final class ManyCpus implements Callable<Integer> {
    private static final double FEWEST_SECONDS = 12;
    private static final double END_SECONDS = 5;
    private static final double SECOND = 1e9;
    private static final int CPUS_TO_SPIN = 8;

    @Option(
            names = "--seconds",
            defaultValue = "480",
            description = "for everything (default ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--out",
            defaultValue = "many-cpus.json",
            description = "file of results (default ${DEFAULT-VALUE})")
    private Path out;

    @Option(
            names = "--loopback",
            description = "over UDP on loopback, also where namespaces can be")
    private boolean isLoopback;

    @Option(names = "--only", description = "part of the names of experiments; may be repeated")
    private List<String> only = List.of();

    @Option(
            names = "--cpus",
            description = "plan as for a machine of so many (default: those of this one)")
    private int cpus = Machine.cpus();

    @Option(names = "--commit", defaultValue = "unknown", description = "for the file of results")
    private String commit;

    private final long startNs = System.nanoTime();

    private ManyCpus() {}

    /** Runs it; ends with 0 if something was measured, 1 if not, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(new CommandLine(new ManyCpus()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        final Outcomes outcomes = new Outcomes(out);
        final ObjectNode head = outcomes.head();
        head.put("commit", commit).put("time", Instant.now().toString()).put("limit_s", seconds);
        Machine.describe(head.putObject("machine"));
        say("%s", head.get("machine").toString());
        final Map<String, String> permits =
                Machine.permits(Peers.c("blast", "-S", "0.2", "x0", "02:00:00:00:00:01"));
        final boolean hasNamespaces = Machine.hasNamespaces(permits) && !isLoopback;
        final ObjectNode permitted = head.putObject("permits");
        permits.forEach(permitted::put);
        head.put("hosts", hasNamespaces ? "namespaces joined by veth" : "UDP on loopback");
        say("permits %s", permits.toString());
        say("hosts: %s", head.get("hosts").asString());
        outcomes.write();
        return run(outcomes, plan(hasNamespaces), hasNamespaces) ? 0 : 1;
    }

    private List<Stage> plan(final boolean hasNamespaces) {
        final boolean canSpin = cpus >= CPUS_TO_SPIN;
        return (hasNamespaces ? Plans.namespaces(canSpin) : Plans.loopback(canSpin))
                .stream()
                        .filter(
                                stage ->
                                        only.isEmpty()
                                                || only.stream().anyMatch(stage.name()::contains))
                        .toList();
    }

    private boolean run(
            final Outcomes outcomes, final List<Stage> stages, final boolean hasNamespaces)
            throws IOException, InterruptedException {
        final Path folder = Files.createTempDirectory("hxb-many");
        final Path log = out.toAbsolutePath().resolveSibling(out.getFileName() + ".log");
        Files.deleteIfExists(log);
        boolean hasMeasured = false;
        for (int i = 0; i < stages.size(); i++) {
            final Stage stage = stages.get(i);
            final ObjectNode experiment = outcomes.begin(stage);
            final double share = share(stages.subList(i, stages.size()));
            if (share < FEWEST_SECONDS) {
                experiment.put("status", "left out: no time");
                continue;
            }
            say("%d of %d, %s: %.0f s", i + 1, stages.size(), stage.name(), share);
            experiment.put("status", "running").put("budget_s", share);
            outcomes.write();
            final Path trials = folder.resolve(i + ".trials");
            final long began = System.nanoTime();
            final String status =
                    stage.run(
                            share,
                            !hasNamespaces,
                            trials,
                            log,
                            () -> keep(outcomes, experiment, trials));
            experiment.put("status", status).put("took_s", (System.nanoTime() - began) / SECOND);
            keep(outcomes, experiment, trials);
            hasMeasured |= !experiment.get("results").isEmpty();
            say("%s: %s", stage.name(), status);
        }
        say("%d experiments: %s", stages.size(), out.toAbsolutePath().toString());
        return hasMeasured;
    }

    /** What an interrupt would lose otherwise. */
    private void keep(final Outcomes outcomes, final ObjectNode experiment, final Path trials) {
        try {
            outcomes.take(experiment, trials).forEach(line -> say("  %s", line));
            outcomes.head().put("took_s", elapsed());
            outcomes.write();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private double elapsed() {
        return (System.nanoTime() - startNs) / SECOND;
    }

    /** Seconds for the first of the stages: what the others leave unused goes to those behind. */
    private double share(final List<Stage> stages) {
        final double all = stages.stream().mapToDouble(Stage::weight).sum();
        return (seconds - elapsed() - END_SECONDS) * stages.getFirst().weight() / all;
    }

    private void say(final String format, final Object... arguments) {
        System.out.printf(
                Locale.ROOT,
                "[%3.0f s] %s%n",
                elapsed(),
                String.format(Locale.ROOT, format, arguments));
    }
}
