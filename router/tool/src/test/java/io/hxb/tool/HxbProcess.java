package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.tool.report.Json;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** One run of the real command line in a process of its own; ended with the test. */
final class HxbProcess implements AutoCloseable {
    private static final long LIMIT_S = 600;

    /** Of the last folder that a test named. */
    private static HxbServer server;

    /** Null if {@link #server} has run it. */
    private final Process process;

    private final int status;
    private final Path output;
    private final Path errors;

    private final List<String> arguments;

    private HxbProcess(
            final List<String> arguments,
            final Process process,
            final int status,
            final Path output,
            final Path errors) {
        this.arguments = arguments;
        this.process = process;
        this.status = status;
        this.output = output;
        this.errors = errors;
    }

    /** Starts hxb; its labs are remembered in {@code folder}. */
    static HxbProcess start(final Path folder, final String... arguments) throws IOException {
        return start(folder, List.of(), arguments);
    }

    /** The same after a prefix such as setpriv. */
    static HxbProcess start(final Path folder, final List<String> prefix, final String... arguments)
            throws IOException {
        final Path output = Files.createTempFile(folder, "out", ".txt");
        final Path errors = Files.createTempFile(folder, "err", ".txt");
        // Tests that run in the background of a shell have inherited that interrupts are ignored.
        final List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(prefix);
        command.addAll(FastStart.command(arguments));
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile());
        prepare(builder.environment(), folder);
        return new HxbProcess(List.of(arguments), builder.start(), 0, output, errors);
    }

    /** What processes of tests find in their environment. */
    static void prepare(final Map<String, String> environment, final Path folder) {
        // Tests run side by side, and there is one port.
        environment.put("HXB_OBSERVE", "none");
        environment.put("HXB_RUN", folder.resolve("run").toString());
        environment.keySet().removeAll(List.of("HXB_CONFIG", "HXB_NODE", "HXB_SOCKET"));
    }

    /**
     * Runs a command to its end where nothing depends on its process: in one that runs the others
     * of the same folder, too, and exists already. Each command that reports is also tried in a
     * process of its own, by ReportingSystemTest.
     */
    static HxbProcess run(final Path folder, final String... arguments) throws IOException {
        final Path output = Files.createTempFile(folder, "out", ".txt");
        final Path errors = Files.createTempFile(folder, "err", ".txt");
        if (server == null || !server.serves(folder)) {
            if (server != null) {
                server.close();
            }
            server = HxbServer.start(folder);
        }
        final List<String> command = List.of(arguments);
        return new HxbProcess(command, null, server.run(output, errors, command), output, errors);
    }

    /** Waits for its end and checks the keys of what it printed; the exit status. */
    int status() throws InterruptedException {
        if (process != null && !process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            fail(
                    arguments
                            + (" did not end within " + LIMIT_S + " s: ")
                            + output()
                            + errors()
                            + StackDump.of(process));
        }
        if (arguments.contains("--json")) {
            JsonPage.check(arguments, output());
        }
        return process == null ? status : process.exitValue();
    }

    Process process() {
        return process;
    }

    String output() {
        return read(output);
    }

    /** File that its standard output goes to. */
    File outputFile() {
        return output.toFile();
    }

    byte[] outputBytes() throws IOException {
        return Files.readAllBytes(output);
    }

    String errors() {
        return read(errors);
    }

    /**
     * Its errors, without those of nodes that wait long for their CPU: they find links or
     * neighbours silent, or long frames that do not arrive in time, warn of them, and use them
     * again.
     */
    String errorsButSilentLinks() {
        return errors().lines()
                .filter(line -> !line.contains(": no hello frames arrive there: excluded"))
                .filter(line -> !line.contains(": the neighbour answers on no link: excluded"))
                .filter(line -> !line.contains("short frames arrive at neighbour"))
                .filter(line -> !line.contains(" does not hear this node there: excluded"))
                .collect(Collectors.joining("\n"));
    }

    /** The last line of its output as a JSON object; with {@code --json} all lines are such. */
    Map<?, ?> json() {
        final List<String> lines = output().lines().toList();
        return Json.parse(lines.isEmpty() ? "" : lines.getLast(), Map.class, output() + errors());
    }

    /** Sends it what Ctrl-C sends. */
    void interrupt() throws IOException, InterruptedException {
        final String pid = Long.toString(process.pid());
        assertEquals(0, new ProcessBuilder("kill", "-INT", pid).start().waitFor());
    }

    /** Waits for a condition while the process lives. */
    void await(final String what, final BooleanSupplier condition) {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0 || !process.isAlive()) {
                final String stacks = process.isAlive() ? StackDump.of(process) : "it has ended";
                fail("waited in vain for " + what + ": " + output() + errors() + stacks);
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process == null) {
            return;
        }
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().onExit().join();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly().onExit().join();
        }
    }
}
