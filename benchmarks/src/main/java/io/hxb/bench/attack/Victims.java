package io.hxb.bench.attack;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.ProcessSample;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes under attack: what they count and what they use of the machine, and which of that must
 * not change. Used by one thread.
 */
final class Victims {
    /** Events of which an attack causes none. */
    private static final List<CounterType> NEVER =
            List.of(
                    CounterType.NODE_ERRORS_EVENTS,
                    CounterType.SESSION_BEGUN_EVENTS,
                    CounterType.LINK_STATE_CHANGED_EVENTS,
                    CounterType.LINK_EXCLUDED_EVENTS,
                    CounterType.LINK_RECOVERED_EVENTS,
                    CounterType.TRUNK_LOST_EVENTS,
                    CounterType.FLOW_PEER_UNREACHABLE_EVENTS,
                    CounterType.FLOW_PEER_RESTARTED_EVENTS,
                    CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS,
                    CounterType.FLOW_REFUSED_EVENTS,
                    CounterType.FLOW_NOT_ALLOWED_EVENTS,
                    CounterType.FLOW_CUT_OFF_EVENTS,
                    CounterType.FLOW_FORGOTTEN_EVENTS,
                    CounterType.CONTEXT_OPENED_EVENTS,
                    CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS,
                    CounterType.CONTEXT_CLOSED_DEAD_EVENTS,
                    CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS,
                    CounterType.CONTEXT_CLOSED_BY_NODE_EVENTS);

    /** Those of them of which frames with addresses of nodes cause none, either. */
    private static final List<CounterType> NEVER_SPOOFED =
            List.of(
                    CounterType.NODE_ERRORS_EVENTS,
                    CounterType.CONTEXT_OPENED_EVENTS,
                    CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS,
                    CounterType.CONTEXT_CLOSED_DEAD_EVENTS,
                    CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS,
                    CounterType.CONTEXT_CLOSED_BY_NODE_EVENTS);

    /** Levels that must be the same after it as before. */
    private static final List<CounterType> SAME =
            List.of(
                    CounterType.FLOW_SENDING_FLOWS,
                    CounterType.FLOW_RECEIVING_FLOWS,
                    CounterType.TRUNK_NEIGHBOURS_NODES,
                    CounterType.LINK_NEIGHBOURS_NODES,
                    CounterType.LINK_FAILED_NODES,
                    CounterType.CONTEXT_OPEN_CONTEXTS);

    /** How much of something may be added afterwards. */
    private static final double MEMORY_MB = 24;

    private static final int DESCRIPTORS = 4;
    private static final int THREADS = 6;
    private static final int POOL_BUFFERS = 64;

    // A few lines of a kind and link at once, and one in 10 s: by time, not by frames.
    private static final long LOG_BYTES = 64 * 1024;
    private static final long LOG_BYTES_A_SECOND = 512;

    private final ProcessLab lab;
    private final List<Long> pids = new ArrayList<>();

    /** Takes the nodes as they are now. */
    Victims(final ProcessLab lab) {
        this.lab = lab;
        for (int node = 0; node < lab.nodes(); node++) {
            pids.add(lab.pid(node));
        }
    }

    /**
     * All nodes at one moment. Immutable.
     *
     * @param atNs when.
     * @param counters of each node.
     * @param processes of each node.
     * @param logBytes of each node.
     */
    record Moment(
            long atNs,
            List<Map<CounterType, Long>> counters,
            List<ProcessSample> processes,
            List<Long> logBytes) {
        /** A counter of all nodes together. */
        long sum(final CounterType type) {
            return counters.stream().mapToLong(node -> node.getOrDefault(type, 0L)).sum();
        }
    }

    /** Looks at all nodes. */
    Moment look() throws IOException {
        final List<Map<CounterType, Long>> counters = new ArrayList<>();
        final List<ProcessSample> processes = new ArrayList<>();
        final List<Long> logBytes = new ArrayList<>();
        for (int node = 0; node < pids.size(); node++) {
            final Map<CounterType, Long> ofNode = new EnumMap<>(CounterType.class);
            try (CounterReader reader = lab.counters(node)) {
                for (final CounterType type : CounterType.values()) {
                    ofNode.put(type, reader.sum(type));
                }
            }
            counters.add(ofNode);
            processes.add(ProcessSample.of(pids.get(node)));
            logBytes.add(lab.logBytes(node));
        }
        return new Moment(System.nanoTime(), counters, processes, logBytes);
    }

    /**
     * What has happened between two moments that an attack must not cause.
     *
     * @param isSpoofed true if its frames had addresses of nodes, and there is no key.
     */
    List<String> changes(final Moment before, final Moment after, final boolean isSpoofed) {
        final List<String> changes = new ArrayList<>();
        for (int node = 0; node < pids.size(); node++) {
            if (!lab.isAlive(node) || lab.pid(node) != pids.get(node)) {
                changes.add("node " + node + " has ended");
            }
            final Map<CounterType, Long> was = before.counters().get(node);
            final Map<CounterType, Long> is = after.counters().get(node);
            for (final CounterType type : isSpoofed ? NEVER_SPOOFED : NEVER) {
                note(changes, node, type, was.get(type), is.get(type));
            }
            for (final CounterType type : isSpoofed ? List.<CounterType>of() : SAME) {
                note(changes, node, type, was.get(type), is.get(type));
            }
            final long log = after.logBytes().get(node) - before.logBytes().get(node);
            final long seconds = (after.atNs() - before.atNs()) / 1_000_000_000L;
            if (log > LOG_BYTES + seconds * LOG_BYTES_A_SECOND) {
                changes.add("node " + node + " wrote " + log + " bytes of log");
            }
        }
        return changes;
    }

    private static void note(
            final List<String> changes,
            final int node,
            final CounterType type,
            final long was,
            final long is) {
        if (was != is) {
            changes.add("node " + node + " " + type.exportName() + ": " + was + " -> " + is);
        }
    }

    /** What nodes use of the machine beyond an earlier moment, if it is too much. */
    List<String> growth(final Moment before, final Moment after) {
        final List<String> grown = new ArrayList<>();
        for (int node = 0; node < pids.size(); node++) {
            final ProcessSample was = before.processes().get(node);
            final ProcessSample is = after.processes().get(node);
            note(grown, node, "MB of own memory", was.ownMb(), is.ownMb(), MEMORY_MB);
            note(grown, node, "MB of resident memory", was.rssMb(), is.rssMb(), MEMORY_MB);
            note(grown, node, "descriptors", was.descriptors(), is.descriptors(), DESCRIPTORS);
            note(grown, node, "threads", was.threads(), is.threads(), THREADS);
        }
        return grown;
    }

    /** Buffers that are missing at rest and were not before. */
    List<String> missingBuffers(final Moment before, final Moment after) {
        final List<String> missing = new ArrayList<>();
        for (int node = 0; node < pids.size(); node++) {
            note(
                    missing,
                    node,
                    "buffers out at rest",
                    before.counters().get(node).get(CounterType.POOL_OUTSTANDING_BUFFERS),
                    after.counters().get(node).get(CounterType.POOL_OUTSTANDING_BUFFERS),
                    POOL_BUFFERS);
        }
        return missing;
    }

    private static void note(
            final List<String> grown,
            final int node,
            final String what,
            final double was,
            final double is,
            final double tolerance) {
        if (is - was > tolerance) {
            grown.add(String.format("node %d, %s: %.1f -> %.1f", node, what, was, is));
        }
    }
}
