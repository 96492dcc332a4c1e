package io.hxb.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The page of tested kernels and drivers is what {@code benchmarks/run machines} has found. */
@Tag("unit")
class TestedOnPageTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));

    @Test
    void shouldShowWhatTheResultsOfTheMachinesAre() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/python3")), "skipped: there is no Python");
        // when
        final Process process =
                new ProcessBuilder("/usr/bin/python3", "-B", "machines.py", "--page", "-")
                        .directory(ROOT.resolve("benchmarks/machines").toFile())
                        .redirectErrorStream(true)
                        .start();
        final String page =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // then
        assertEquals(0, process.waitFor(), page);
        assertEquals(Files.readString(ROOT.resolve("docs/reference/tested-on.md")), page);
    }
}
