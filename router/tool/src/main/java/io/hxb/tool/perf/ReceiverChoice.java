package io.hxb.tool.perf;

import io.hxb.config.ClusterConfig;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.tool.lab.NodeProcesses;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.ReceiverProcess;
import io.hxb.tool.measure.Receivers;
import io.hxb.tool.measure.RunMeasurement;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Chooses who receives: a process started here for nodes of this machine; for others the receiver
 * that somebody has started there, or the node itself. Owned by the command's thread.
 */
final class ReceiverChoice implements Receivers {
    private final ClusterConfig config;
    private final List<Pair> pairs;
    private final Map<Integer, Integer> elsewhere = new HashMap<>();
    private final ReceiverProcess process;

    /**
     * Starts the process, if a receiving node is of this machine, and does not wait for it.
     *
     * @param words name the cluster in the process's command line.
     * @param targets the pairs that are measured.
     */
    ReceiverChoice(
            final ClusterConfig config, final List<String> words, final List<List<Pair>> targets) {
        this.config = config;
        pairs = targets.stream().flatMap(List::stream).distinct().toList();
        final List<Integer> here =
                pairs.stream().map(Pair::to).distinct().filter(this::isHere).toList();
        process = here.isEmpty() ? null : new ReceiverProcess(command(words, here));
    }

    private boolean isHere(final int node) {
        return Files.exists(config.socketPath(node));
    }

    private List<String> command(final List<String> cluster, final List<Integer> nodes) {
        final List<String> words = new ArrayList<>(List.of("perf", "--receive", "--attended"));
        words.add("--json");
        words.addAll(cluster);
        words.add("--" + config.loop().waiting().name().toLowerCase(Locale.ROOT));
        for (final int node : nodes) {
            words.add(config.shape().format(config.shape().coordinates(node)));
        }
        return NodeProcesses.self(words.toArray(String[]::new));
    }

    /** Waits until the process receives, and looks for the receivers of other machines. */
    void await(final RunMeasurement measurement) throws IOException {
        if (process != null) {
            process.awaitReady();
        }
        for (final Pair pair : pairs) {
            if (context(pair.to()) == ServiceProtocol.CONTEXT
                    && !elsewhere.containsKey(pair.to())) {
                elsewhere.put(pair.to(), measurement.receiver(pair));
            }
        }
    }

    @Override
    public int context(final int node) {
        final int here = process == null ? ServiceProtocol.CONTEXT : process.context(node);
        return here == ServiceProtocol.CONTEXT
                ? elsewhere.getOrDefault(node, ServiceProtocol.CONTEXT)
                : here;
    }

    @Override
    public OptionalLong cpuNs() {
        return process == null ? OptionalLong.empty() : process.cpuNs();
    }

    @Override
    public Optional<String> problem() {
        return process == null ? Optional.empty() : process.problem();
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
