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
                "Measure HXB and its peers where there are more CPUs than two: round trips and"
                    + " messages of attached programs, relays by their loops, bulk data, and MPI,"
                    + " within a limit of time, as one file of results.")
public final class ManyCpus implements Callable<Integer> {
    private static final double FEWEST_SECONDS = 12;
    private static final double END_SECONDS = 5;
    private static final double SECOND = 1e9;
    private static final int CPUS_TO_SPIN = 8;
    private static final int FRUITLESS_STAGES = 2;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "480",
            description = "take this long for everything (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            defaultValue = "many-cpus.json",
            description = "write the results to this file (default: ${DEFAULT-VALUE})")
    private Path out;

    @Option(
            names = "--loopback",
            description = "measure over UDP on loopback even where network namespaces can be made")
    private boolean isLoopback;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "run only experiments whose name has this text; may be repeated")
    private List<String> only = List.of();

    @Option(
            names = "--cpus",
            paramLabel = "N",
            description = "plan as for a machine of this many CPUs (default: those of this one)")
    private int cpus = Machine.cpus();

    @Option(
            names = "--commit",
            paramLabel = "COMMIT",
            defaultValue = "unknown",
            description = "name this commit in the results (default: ${DEFAULT-VALUE})")
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
        Files.deleteIfExists(log());
        final ObjectNode head = outcomes.head();
        head.put("commit", commit).put("time", Instant.now().toString()).put("limit_s", seconds);
        Machine.describe(head.putObject("machine"));
        print(head.get("machine").toString());
        final Map<String, String> permits =
                Machine.permits(Peers.c("blast", "-S", "0.2", "x0", "02:00:00:00:00:01"));
        print("permits " + permits);
        if (!isLoopback && Machine.isPermitted(permits, "packet sockets")) {
            permits.put("raw links of HXB", Machine.rawLinks());
            print("raw links of HXB: " + permits.get("raw links of HXB"));
        }
        final ObjectNode permitted = head.putObject("permits");
        permits.forEach(permitted::put);
        outcomes.write();
        if (Machine.isPermitted(permits, "raw links of HXB")) {
            head.put("hosts", "namespaces joined by veth");
            final boolean hasShapers = Machine.isPermitted(permits, "tbf");
            if (run(outcomes, Plans.namespaces(canSpin(), hasShapers), false)) {
                return 0;
            }
        }
        head.put("hosts", "UDP on loopback");
        return run(outcomes, Plans.loopback(canSpin()), true) ? 0 : 1;
    }

    private boolean canSpin() {
        return cpus >= CPUS_TO_SPIN;
    }

    /**
     * Runs stages.
     *
     * @return whether anything was measured; if not, it stops after a few.
     */
    private boolean run(
            final Outcomes outcomes, final List<Stage> planned, final boolean isOverLoopback)
            throws IOException, InterruptedException {
        print("hosts: " + outcomes.head().get("hosts").asString());
        final List<Stage> stages =
                planned.stream()
                        .filter(
                                stage ->
                                        only.isEmpty()
                                                || only.stream().anyMatch(stage.name()::contains))
                        .toList();
        final Path folder = Files.createTempDirectory("hxb-many");
        boolean hasMeasured = false;
        for (int i = 0; i < stages.size(); i++) {
            if (i >= FRUITLESS_STAGES && !hasMeasured) {
                return false;
            }
            final Stage stage = stages.get(i);
            final ObjectNode experiment = outcomes.begin(stage);
            final double share = share(stages.subList(i, stages.size()));
            if (share < FEWEST_SECONDS) {
                experiment.put("status", "left out: no time");
                continue;
            }
            print("%d of %d, %s: %.0f s".formatted(i + 1, stages.size(), stage.name(), share));
            experiment.put("status", "running").put("budget_s", share);
            outcomes.write();
            final Path trials = folder.resolve(i + ".trials");
            final long began = System.nanoTime();
            final String status =
                    stage.run(
                            share,
                            isOverLoopback,
                            trials,
                            log(),
                            () -> keep(outcomes, experiment, trials));
            experiment.put("status", status).put("took_s", (System.nanoTime() - began) / SECOND);
            keep(outcomes, experiment, trials);
            hasMeasured |= !experiment.get("results").isEmpty();
            print(stage.name() + ": " + status);
        }
        print("done: " + out.toAbsolutePath());
        return hasMeasured;
    }

    /** What an interrupt would lose otherwise. */
    private void keep(final Outcomes outcomes, final ObjectNode experiment, final Path trials) {
        try {
            outcomes.take(experiment, trials).forEach(line -> print("  " + line));
            outcomes.head().put("took_s", elapsed());
            outcomes.write();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log() {
        return out.toAbsolutePath().resolveSibling(out.getFileName() + ".log");
    }

    private double elapsed() {
        return (System.nanoTime() - startNs) / SECOND;
    }

    /** Seconds for the first of the stages: what the others leave unused goes to the later ones. */
    private double share(final List<Stage> stages) {
        final double all = stages.stream().mapToDouble(Stage::weight).sum();
        return (seconds - elapsed() - END_SECONDS) * stages.getFirst().weight() / all;
    }

    private void print(final String text) {
        System.out.printf(Locale.ROOT, "[%3.0f s] %s%n", elapsed(), text);
    }
}
