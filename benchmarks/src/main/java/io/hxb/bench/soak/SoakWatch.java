package io.hxb.bench.soak;

import io.hxb.bench.harness.Growth;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.ProcessSample;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks every few seconds at everything that could grow: at node 0 and its program, which run all
 * the time, and at what the whole lab leaves on the machine. Owned by one thread.
 */
final class SoakWatch {
    private static final double MB = 1 << 20;

    /** A heartbeat comes five times a second. */
    private static final long LATE_MS = 2_000;

    private final ProcessLab lab;
    private final Crowd crowd;
    private final long startNs;
    private final Map<String, Growth> growths = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final long pid;
    private final long[] errors;
    private long maxHeartbeatMs;

    SoakWatch(final ProcessLab lab, final Crowd crowd, final long startNs) {
        this.lab = lab;
        this.crowd = crowd;
        this.startNs = startNs;
        pid = lab.pid(0);
        errors = new long[lab.nodes()];
    }

    /** Takes one sample of everything. */
    void sample(final long nowNs) throws IOException {
        final double seconds = (nowNs - startNs) / 1e9;
        process("node 0", pid, seconds);
        process("program 0", crowd.steadyPid(), seconds);
        counters(seconds);
        add("logs of all nodes", "kB", 16_384, seconds, lab.logBytes() / 1_024.0);
        add("files of the lab", "files", 8, seconds, (double) lab.files());
        add("streams known to programs", "streams", 400, seconds, (double) crowd.now("streams"));
        add("/dev/shm", "MB", 64, seconds, used(Path.of("/dev/shm")));
    }

    private static double used(final Path mount) throws IOException {
        return (Files.getFileStore(mount).getTotalSpace()
                        - Files.getFileStore(mount).getUsableSpace())
                / MB;
    }

    private void process(final String who, final long id, final double seconds) throws IOException {
        final ProcessSample sample = ProcessSample.of(id);
        add(who + " resident memory", "MB", 24, seconds, sample.rssMb());
        add(who + " own memory", "MB", 24, seconds, sample.ownMb());
        add(who + " descriptors", "descriptors", 16, seconds, sample.descriptors());
        add(who + " threads", "threads", 4, seconds, sample.threads());
    }

    private void counters(final double seconds) throws IOException {
        for (int node = 0; node < lab.nodes(); node++) {
            try (CounterReader reader = lab.counters(node)) {
                final long count = reader.sum(CounterType.NODE_ERRORS_EVENTS);
                if (count > errors[node]) {
                    problems.add("node " + node + " reported " + count + " errors: see its log");
                }
                errors[node] = count;
                if (node == 0) {
                    heartbeat(reader);
                    tables(reader, seconds);
                }
            } catch (final IOException e) {
                // A node that is being started has no counters yet; node 0 always has.
                if (node == 0) {
                    throw e;
                }
            }
        }
    }

    private void heartbeat(final CounterReader reader) {
        final long ageMs = System.currentTimeMillis() - reader.heartbeatMs();
        maxHeartbeatMs = Math.max(maxHeartbeatMs, ageMs);
        if (ageMs > LATE_MS) {
            problems.add("node 0 stood still for " + ageMs + " ms");
        }
    }

    private void tables(final CounterReader reader, final double seconds) {
        table(reader, CounterType.FLOW_SENDING_FLOWS, "flows", 64, seconds);
        table(reader, CounterType.FLOW_RECEIVING_FLOWS, "flows", 64, seconds);
        table(reader, CounterType.POOL_OUTSTANDING_BUFFERS, "buffers", 512, seconds);
    }

    private void table(
            final CounterReader reader,
            final CounterType type,
            final String unit,
            final double tolerance,
            final double seconds) {
        add("node 0 " + type.exportName(), unit, tolerance, seconds, (double) reader.sum(type));
    }

    /** Samples what must be the same whenever all are quiet: buffers that are out. */
    void sampleRest(final long nowNs) throws IOException {
        final double seconds = (nowNs - startNs) / 1e9;
        for (int node = 0; node < lab.nodes(); node++) {
            try (CounterReader reader = lab.counters(node)) {
                final long out = reader.sum(CounterType.POOL_OUTSTANDING_BUFFERS);
                add("node " + node + " buffers out at rest", "buffers", 64, seconds, (double) out);
            }
            if (!lab.isAlive(node)) {
                problems.add("node " + node + " has ended");
            }
        }
    }

    private void add(
            final String what,
            final String unit,
            final double tolerance,
            final double seconds,
            final double value) {
        growths.computeIfAbsent(what, key -> new Growth(what, unit, tolerance)).add(seconds, value);
    }

    Iterable<Growth> growths() {
        return growths.values();
    }

    long maxHeartbeatMs() {
        return maxHeartbeatMs;
    }

    /** What went wrong; cleared by asking. */
    List<String> takeProblems() {
        final List<String> all = List.copyOf(problems);
        problems.clear();
        return all;
    }
}
