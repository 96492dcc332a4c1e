package io.hxb.tool.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.Hxb;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that simulates and is interrupted, as by Ctrl-C. */
@Tag("simulation")
class InterruptedRunTest {
    private static Process start(final Path folder, final List<String> arguments)
            throws IOException {
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                // A shell's background jobs have inherited that it is ignored.
                                "env",
                                "--default-signal=INT",
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Hxb.class.getName(),
                                "sim"));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }

    private static void awaitFile(final Process process, final Path file)
            throws InterruptedException {
        final long limitNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(file)) {
            assertTrue(System.nanoTime() < limitNs, "no " + file + " within a minute");
            assertTrue(!process.waitFor(50, TimeUnit.MILLISECONDS), "ended by itself");
        }
    }

    @Test
    @Timeout(120)
    void shouldWriteWhatItHasMeasuredWhenInterrupted(@TempDir final Path folder)
            throws IOException, InterruptedException {
        // given a short series, and one that would take years
        Files.writeString(
                folder.resolve("long.yaml"),
                """
                graph: torus:4x4
                hosts: 1
                packet: 16
                buffer: 16
                load: [0.05]
                cycles: [2000, 500000000000]
                warmup: 500
                """);
        final Path csv = folder.resolve("runs.csv");
        final Process process =
                start(folder, List.of("run", "long.yaml", "--threads", "1", "--out", "runs.csv"));
        // when the second has begun
        awaitFile(process, csv);
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        final boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly().onExit().join();
        // then it ends, and what was measured is on the screen and in the file
        final String output = Files.readString(folder.resolve("output"));
        assertTrue(hasEnded, output);
        assertEquals(130, process.exitValue(), output);
        assertTrue(output.lines().anyMatch(line -> line.startsWith("throughput")), output);
        final List<String> rows =
                Files.readAllLines(csv).stream().filter(line -> !line.startsWith("#")).toList();
        assertTrue(rows.size() >= 2 && rows.get(1).startsWith("2000,"), rows.toString());
    }
}
