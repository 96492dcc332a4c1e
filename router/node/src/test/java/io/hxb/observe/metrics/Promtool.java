package io.hxb.observe.metrics;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Prometheus's own checker. Stateless. */
final class Promtool {
    private static final Path PROGRAM = Path.of("/usr/bin/promtool");

    private Promtool() {}

    static void require() {
        Assumptions.assumeTrue(
                Files.isExecutable(PROGRAM),
                "skipped: there is no " + PROGRAM + " (package prometheus)");
    }

    /** Runs it in a folder; fails with its output if it finds anything. */
    static String check(final Path folder, final byte[] input, final String... arguments)
            throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(List.of(arguments));
        final Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        try (var out = process.getOutputStream()) {
            out.write(input);
        }
        final String text;
        try (InputStream in = process.getInputStream()) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertTrue(process.waitFor(20, TimeUnit.SECONDS), "promtool does not end");
        assertTrue(process.exitValue() == 0, text);
        return text;
    }
}
