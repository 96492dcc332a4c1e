package io.hxb.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a process uses of the machine now. Immutable.
 *
 * @param rssMb resident memory in MB, with what it shares.
 * @param ownMb the part that it does not share: heap, native memory, stacks.
 * @param descriptors open descriptors.
 * @param threads threads.
 */
public record ProcessSample(double rssMb, double ownMb, int descriptors, int threads) {

    /** Looks; fails if the process has ended. Source: proc_pid_status(5). */
    public static ProcessSample of(final long pid) throws IOException {
        final Path process = Path.of("/proc", Long.toString(pid));
        final Map<String, Long> status = new HashMap<>();
        for (final String line : Files.readAllLines(process.resolve("status"))) {
            final String[] words = line.split("[:\\s]+", -1);
            if (words.length > 1 && words[1].matches("\\d+")) {
                status.put(words[0], Long.parseLong(words[1]));
            }
        }
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return new ProcessSample(
                    status.getOrDefault("VmRSS", 0L) / 1_024.0,
                    status.getOrDefault("RssAnon", 0L) / 1_024.0,
                    (int) files.count(),
                    status.getOrDefault("Threads", 0L).intValue());
        }
    }
}
