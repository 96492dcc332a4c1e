package io.hxb.bench.manycpus;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Trials;
import io.hxb.bench.lab.LabExperiments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One experiment of the lab, as a process with a limit of time. Immutable.
 *
 * @param name for the results, unique.
 * @param weight share of the time that is left, beside the weights of the stages after it.
 * @param arguments of the lab, such as {@code relay-rate --rounds 3}.
 */
record Stage(String name, double weight, List<String> arguments) {
    /** A measurement that has begun may end. */
    private static final double GRACE_SECONDS = 8;

    private static final long END_SECONDS = 4;
    private static final long LOOK_SECONDS = 2;
    private static final int LAST_LINES = 3;

    Stage {
        arguments = List.copyOf(arguments);
    }

    static Stage of(final String name, final double weight, final String... arguments) {
        return new Stage(name, weight, List.of(arguments));
    }

    /**
     * Runs it. Blocks until it has ended or been killed.
     *
     * @param seconds for it.
     * @param isLoopback whether hosts are addresses of the loopback.
     * @param trials file to which it appends what it measures.
     * @param log file to which all its output is appended.
     * @param meanwhile done every other second.
     * @return {@code done}, or how else it ended.
     */
    String run(
            final double seconds,
            final boolean isLoopback,
            final Path trials,
            final Path log,
            final Runnable meanwhile)
            throws IOException, InterruptedException {
        final long endNs = System.nanoTime() + (long) (seconds * 1e9);
        final double measuring = Math.max(1, seconds - GRACE_SECONDS);
        final long until = Instant.now().toEpochMilli() + (long) (measuring * 1000);
        final List<String> flags =
                new ArrayList<>(
                        List.of(
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx128m",
                                "-D" + Trials.FILE + "=" + trials,
                                "-D" + Trials.UNTIL + "=" + until,
                                "-Djava.library.path="
                                        + System.getProperty("java.library.path", "")));
        if (isLoopback) {
            flags.add("-Dhxb.loopback=true");
        }
        final Process process =
                new ProcessBuilder(
                                Peers.java(
                                        flags,
                                        LabExperiments.class,
                                        arguments.toArray(String[]::new)))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        process.getOutputStream().close();
        final Thread hook = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(hook);
        boolean hasEnded = false;
        while (!hasEnded && System.nanoTime() - endNs < 0) {
            hasEnded = process.waitFor(LOOK_SECONDS, TimeUnit.SECONDS);
            meanwhile.run();
        }
        if (!hasEnded) {
            end(process);
        }
        Runtime.getRuntime().removeShutdownHook(hook);
        return status(process, Instant.now().toEpochMilli() >= until, log);
    }

    /** Its hooks remove the namespaces and end the programs, if they have the time. */
    private static void end(final Process process) throws InterruptedException {
        final List<ProcessHandle> descendants = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor(1, TimeUnit.SECONDS);
        }
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    private static String status(final Process process, final boolean isOver, final Path log)
            throws IOException {
        if (isOver) {
            return "ended at its limit";
        }
        if (process.exitValue() == 0) {
            return "done";
        }
        final List<String> output =
                Files.readAllLines(log).stream().filter(line -> !line.isBlank()).toList();
        final String last =
                String.join(
                        "; ",
                        output.subList(Math.max(0, output.size() - LAST_LINES), output.size()));
        return "failed with status " + process.exitValue() + ": " + last;
    }
}
