package io.hxb.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What the targets of fuzzing keep open for all their runs, and whether a run has left more behind:
 * sockets, pipes, event descriptors and their like, memory files and mappings of them, and files of
 * a target's own. Jars and devices, which the virtual machine opens when a class is loaded, are not
 * counted. So nothing at all may be left over, whatever the targets did that ran before, and a leak
 * of a single descriptor is found by the run that has it. Used by one thread.
 */
final class Leftovers {
    private static final long LOOK_NS = 200_000;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final String SHARED_MEMORY = "/memfd:hxb";
    private static final List<String> KINDS = List.of("socket:", "pipe:", "/memfd:", "hxb-fuzz");
    private static final String ANONYMOUS = "anon_inode:";

    private final long limitNs;
    private Map<String, Integer> allowed;

    /**
     * Allows what is open now.
     *
     * @param limitNs time in which other threads close what a run has left.
     */
    Leftovers(final long limitNs) {
        this.limitNs = limitNs;
        allowed = open();
    }

    /** Runs what opens things that stay open, such as a node that serves all runs. */
    void prepare(final Runnable opening) {
        final Map<String, Integer> before = open();
        opening.run();
        final Map<String, Integer> now = open();
        now.replaceAll((kind, count) -> count - before.getOrDefault(kind, 0));
        now.values().removeIf(more -> more <= 0);
        now.forEach((kind, more) -> allowed.merge(kind, more, Integer::sum));
    }

    /**
     * Waits until nothing is open that was not before the run. What is closed meanwhile may not be
     * opened again for good.
     *
     * @throws AssertionError if something stays open; with how many of which kind.
     */
    void check() {
        final long startNs = System.nanoTime();
        Map<String, Integer> now = open();
        while (!excess(now).isEmpty()) {
            if (System.nanoTime() - startNs > limitNs) {
                throw new AssertionError("warning: not removed: " + excess(now));
            }
            LockSupport.parkNanos(LOOK_NS);
            now = open();
        }
        allowed = now;
    }

    private Map<String, Integer> excess(final Map<String, Integer> now) {
        final Map<String, Integer> excess = new TreeMap<>();
        now.forEach(
                (kind, count) -> {
                    final int more = count - allowed.getOrDefault(kind, 0);
                    if (more > 0) {
                        excess.put(kind, more);
                    }
                });
        return excess;
    }

    private static Map<String, Integer> open() {
        final Map<String, Integer> counts = new TreeMap<>();
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS);
                Stream<String> mappings = Files.lines(MAPPINGS)) {
            descriptors.forEach(descriptor -> count(counts, kind(descriptor)));
            mappings.filter(line -> line.contains(SHARED_MEMORY))
                    .map(line -> "mapping of " + line.substring(line.indexOf(SHARED_MEMORY)))
                    .forEach(kind -> count(counts, kind));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return counts;
    }

    private static void count(final Map<String, Integer> counts, final String kind) {
        if (!kind.isEmpty()) {
            counts.merge(kind, 1, Integer::sum);
        }
    }

    // Empty for what is not counted, and for what was closed meanwhile.
    private static String kind(final Path descriptor) {
        final String target;
        try {
            target = Files.readSymbolicLink(descriptor).toString();
        } catch (final IOException e) {
            return "";
        }
        if (target.startsWith(ANONYMOUS)) {
            return target;
        }
        return KINDS.stream().filter(target::contains).findFirst().orElse("");
    }
}
