package io.hxb.bench.harness;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One program under measurement or beside it, as a child process whose standard output is lines of
 * JSON. Used by one thread; all children end when this process ends.
 */
public final class Program implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String END = "";

    private static final long CLOCK_TICK_NS = 10_000_000;

    private final String name;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private Program(final String name, final Process process) {
        this.name = name;
        this.process = process;
    }

    /**
     * Starts a program.
     *
     * @param namespace network namespace it runs in; empty for ours.
     * @param cpus CPU list as taskset takes it; empty for all.
     * @param command program and arguments.
     */
    public static Program start(
            final String namespace, final String cpus, final Collection<String> command)
            throws IOException {
        final List<String> all = new ArrayList<>();
        if (!namespace.isEmpty()) {
            all.addAll(List.of("ip", "netns", "exec", namespace));
        }
        if (!cpus.isEmpty()) {
            all.addAll(List.of("taskset", "-c", cpus));
        }
        all.addAll(command);
        final Process process =
                new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final Program program =
                new Program(Path.of(command.iterator().next()).getFileName().toString(), process);
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Thread.ofPlatform().daemon().start(program::readLines);
        return program;
    }

    private void readLines() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().filter(line -> line.startsWith("{")).forEach(lines::add);
        } catch (final IOException | UncheckedIOException e) {
            // The program was ended while it wrote; what it has printed so far counts.
        }
        lines.add(END);
    }

    /**
     * Waits for the next line of JSON.
     *
     * @throws IOException if there is none within the limit.
     */
    public JsonNode next(final double limitSeconds) throws IOException, InterruptedException {
        final String line = lines.poll((long) (limitSeconds * 1e9), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new IOException(name + " has printed nothing for " + limitSeconds + " s");
        }
        if (line.equals(END)) {
            throw new IOException(name + " ended early, status " + process.waitFor());
        }
        return JSON.readTree(line);
    }

    /** Waits until it prints {@code {"ready":true}}. */
    public Program ready() throws IOException, InterruptedException {
        boolean isReady = false;
        while (!isReady) {
            isReady = next(30).path("ready").asBoolean(false);
        }
        return this;
    }

    /** Asks it for its counts by SIGUSR1, and returns the line that it prints. */
    public JsonNode counts() throws IOException, InterruptedException {
        signal("USR1");
        return next(10);
    }

    /** Asks it to end and returns its last line. */
    public JsonNode stop() throws IOException, InterruptedException {
        process.destroy();
        return last(10);
    }

    /** Waits until it ends and returns its last line. */
    public JsonNode last(final double limitSeconds) throws IOException, InterruptedException {
        JsonNode last = next(limitSeconds);
        while (true) {
            final String line = lines.poll((long) (limitSeconds * 1e9), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END)) {
                return last;
            }
            last = JSON.readTree(line);
        }
    }

    /** Waits for the last line of a client while its server runs, and ends both. */
    public static JsonNode served(
            final Program server, final Program client, final double limitSeconds)
            throws IOException, InterruptedException {
        try {
            return client.last(limitSeconds);
        } finally {
            client.close();
            server.close();
        }
    }

    /** Waits until it has ended. */
    public int await(final double limitSeconds) throws InterruptedException {
        process.waitFor((long) (limitSeconds * 1e9), TimeUnit.NANOSECONDS);
        return process.isAlive() ? -1 : process.exitValue();
    }

    /** CPU time of all its threads so far, in ns; steps of 10 ms. */
    public long cpuNs() throws IOException {
        final String stat =
                Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        // Source: proc_pid_stat(5): utime is field 14, stime 15; the cut removed fields 1 and 2.
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * CLOCK_TICK_NS;
    }

    /** CPU time that all processes and interrupts of this machine have spent since it started. */
    public static long machineCpuNs() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            final String[] fields = lines.findFirst().orElseThrow().trim().split(" +", -1);
            // Source: proc_stat(5): cpu, user, nice, system, idle, iowait, irq, softirq.
            return (Long.parseLong(fields[1])
                            + Long.parseLong(fields[2])
                            + Long.parseLong(fields[3])
                            + Long.parseLong(fields[6])
                            + Long.parseLong(fields[7]))
                    * CLOCK_TICK_NS;
        }
    }

    /** Freezes a program that spins while others are measured. */
    public void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Lets it go on. */
    public void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(final String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    }

    /** Ends it, by force after 5 seconds. */
    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                thaw();
                process.destroy();
                if (!process.waitFor(5, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            }
        } catch (final IOException e) {
            process.destroyForcibly();
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
