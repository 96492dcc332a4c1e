package io.hxb.bench.harness;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that takes part, reports in lines of JSON and takes orders. Used by one thread; another
 * reads its lines.
 */
public final class Child implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final Path errors;
    private volatile JsonNode last = JSON.createObjectNode();

    private Child(final Process process, final Path errors) {
        this.process = process;
        this.errors = errors;
    }

    /**
     * Starts a program that a terminal's interrupt does not reach.
     *
     * @param errors file that its standard error is appended to.
     */
    public static Child start(final List<String> command, final Path errors) throws IOException {
        final List<String> all = new ArrayList<>(List.of("setsid"));
        all.addAll(command);
        final Process process =
                new ProcessBuilder(all)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
        final Child child = new Child(process, errors);
        Thread.ofPlatform().daemon().name("lines").start(child::readLines);
        return child;
    }

    private void readLines() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().filter(line -> line.startsWith("{")).forEach(this::take);
        } catch (final IOException | UncheckedIOException e) {
            // It was killed while it wrote; what it has printed so far counts.
        }
    }

    private void take(final String line) {
        if (line.endsWith("}")) {
            last = JSON.readTree(line);
        }
    }

    /** Its last report; an empty object before. */
    public JsonNode last() {
        return last;
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** True while it runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** How it ended, and where its error messages are. */
    public String end() {
        return "status " + process.exitValue() + ", see " + errors;
    }

    /** Gives it an order. */
    public void send(final String order) {
        try {
            final Writer writer = process.outputWriter(StandardCharsets.UTF_8);
            writer.write(order + "\n");
            writer.flush();
        } catch (final IOException e) {
            // It has just ended, which its owner will notice.
        }
    }

    /** Kills it at once. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
