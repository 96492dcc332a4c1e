package io.hxb.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process that ends with the test. */
record Program(Process process, Path outputFile, Path errorFile) implements AutoCloseable {
    private static final long LIMIT_S = 60;

    /** Starts it; of HXB's variables it has only those given. */
    static Program start(
            final Path folder, final Map<String, String> variables, final List<String> command)
            throws IOException {
        final Path output = Files.createTempFile(folder, "out", ".txt");
        final Path errors = Files.createTempFile(folder, "err", ".txt");
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("HXB_"));
        builder.environment().putAll(variables);
        return new Program(builder.start(), output, errors);
    }

    String output() {
        return read(outputFile);
    }

    String errors() {
        return read(errorFile);
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int status() throws InterruptedException {
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            fail("did not end within " + LIMIT_S + " s: " + output() + errors());
        }
        return process.exitValue();
    }

    void assertPrinted(final String line) throws InterruptedException {
        assertEquals(0, status(), this::errors);
        assertEquals(List.of(line), output().lines().toList(), this::errors);
    }

    void awaitError(final String text) {
        final long startNs = System.nanoTime();
        while (!errors().contains(text)) {
            if (!process.isAlive()
                    || System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(LIMIT_S)) {
                fail("waited in vain for '" + text + "': " + output() + errors());
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Override
    public void close() {
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
