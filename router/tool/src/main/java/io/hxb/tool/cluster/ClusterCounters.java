package io.hxb.tool.cluster;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Dimensions;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterType;
import io.hxb.os.CpuTime;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The counter files of those nodes of a cluster that run on this machine, summed up. Owned by the
 * thread that measures.
 */
public final class ClusterCounters implements AutoCloseable {
    private final Map<Integer, CounterReader> readers = new LinkedHashMap<>();
    private final int nodeCount;

    /** Opens the files that are there. */
    public ClusterCounters(final ClusterConfig config) throws IOException {
        nodeCount = config.shape().nodeCount();
        for (int node = 0; node < nodeCount; node++) {
            if (Files.exists(config.countersPath(node))) {
                readers.put(node, CounterReader.open(config.countersPath(node)));
            }
        }
    }

    /**
     * One reading of all nodes. Immutable.
     *
     * @param sums sum of each counter over all nodes, links and dimensions, by export name.
     * @param sentBytes bytes sent on each kind of link, by its label, such as {@code x.0}.
     */
    public record Reading(Map<String, Long> sums, Map<String, Long> sentBytes) {
        /** The sum of a counter. */
        public long sum(final CounterType type) {
            return sums.getOrDefault(type.exportName(), 0L);
        }

        /** What a counter's sum has grown by since an earlier reading. */
        public long since(final Reading before, final CounterType type) {
            return sum(type) - before.sum(type);
        }

        /** Frames that were dropped for any reason. */
        public long dropped() {
            return sums.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith("hxb_forward_dropped_"))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    /** Reads all files again. */
    public Reading read() throws IOException {
        final Map<String, Long> sums = new LinkedHashMap<>();
        final Map<String, Long> sent = new LinkedHashMap<>();
        for (final CounterReader reader : readers.values()) {
            reader.refresh();
            final List<CounterLabels.LinkLabel> links = reader.labels().links();
            for (final CounterSample sample : reader.samples()) {
                sums.merge(sample.name(), sample.value(), Long::sum);
                if (sample.id() == CounterType.LINK_SENT_BYTES.id()) {
                    final CounterLabels.LinkLabel link = links.get(sample.instance());
                    sent.merge(label(link), sample.value(), Long::sum);
                }
            }
        }
        return new Reading(sums, sent);
    }

    private static String label(final CounterLabels.LinkLabel link) {
        return Dimensions.name(link.dimension()) + "." + link.number();
    }

    /**
     * Reads until two readings are the same, for at most 1.2 s: counter files lag behind by some
     * milliseconds. Blocks.
     */
    public Reading settled() throws IOException {
        Reading last = read();
        for (int tries = 0; tries < 20; tries++) {
            LockSupport.parkNanos(60_000_000);
            final Reading next = read();
            if (next.sum(CounterType.FORWARD_RELAYED_FRAMES)
                    == last.sum(CounterType.FORWARD_RELAYED_FRAMES)) {
                return next;
            }
            last = next;
        }
        return last;
    }

    /** Nodes whose files were found. */
    public int nodes() {
        return readers.size();
    }

    /**
     * Process ids of nodes, each once: nodes of a lab may share a process.
     *
     * @return empty if one of the nodes is on another machine.
     */
    public List<Long> pids(final Collection<Integer> nodes) {
        return readers.keySet().containsAll(nodes)
                ? nodes.stream().map(node -> readers.get(node).pid()).distinct().toList()
                : List.of();
    }

    /**
     * CPU time that the processes of all nodes have used, user and system.
     *
     * @return ns; empty if a node is on another machine, or not alive.
     */
    public OptionalLong cpuNs() {
        if (readers.size() < nodeCount) {
            return OptionalLong.empty();
        }
        return CpuTime.ofNs(pids(readers.keySet()));
    }

    /**
     * CPU time that the processes of the nodes of this machine have used, user and system.
     *
     * @return ns; empty if there are none, or one is not alive.
     */
    public OptionalLong localCpuNs() {
        return readers.isEmpty() ? OptionalLong.empty() : CpuTime.ofNs(pids(readers.keySet()));
    }

    /**
     * CPU time that the processes of all nodes have used since an earlier {@link #cpuNs}.
     *
     * @return ns; empty if either is not known.
     */
    public OptionalLong cpuNsSince(final OptionalLong before) {
        final OptionalLong after = cpuNs();
        return before.isPresent() && after.isPresent()
                ? OptionalLong.of(after.getAsLong() - before.getAsLong())
                : OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        for (final CounterReader reader : readers.values()) {
            reader.close();
        }
    }
}
