package io.hxb.bench.soak;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Fuzzing beside a long run, one target after another, with what CPU is left over: {@code
 * benchmarks/run fuzz}. Owned by one thread.
 */
final class Fuzzers implements AutoCloseable {
    private static final List<String> TARGETS =
            List.of(
                    "neighbours",
                    "attach",
                    "application",
                    "files",
                    "frames",
                    "flows",
                    "trains",
                    "fragments");
    private static final String MINUTES = "3";

    private final Path run =
            Path.of(System.getProperty("hxb.root", "."), "benchmarks", "run").toAbsolutePath();
    private final Path folder;
    private final List<String> problems = new ArrayList<>();
    private Process process;
    private int runs;

    Fuzzers(final Path folder) {
        this.folder = folder;
    }

    /** Begins with the next target when one has ended. */
    void turn() throws IOException {
        if (process != null && process.isAlive()) {
            return;
        }
        if (process != null && process.exitValue() != 0) {
            problems.add("fuzzing ended with status " + process.exitValue() + ", see " + log());
        }
        runs++;
        process =
                new ProcessBuilder(
                                "setsid",
                                "nice",
                                "-n",
                                "19",
                                run.toString(),
                                "fuzz",
                                TARGETS.get((runs - 1) % TARGETS.size()),
                                "--minutes",
                                MINUTES)
                        .redirectErrorStream(true)
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(log().toFile())
                        .start();
    }

    private Path log() {
        return folder.resolve("fuzz-" + runs + ".log");
    }

    int runs() {
        return runs;
    }

    /** What went wrong; cleared by asking. */
    List<String> takeProblems() {
        final List<String> all = List.copyOf(problems);
        problems.clear();
        return all;
    }

    @Override
    public void close() {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                process.waitFor(5, TimeUnit.SECONDS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
