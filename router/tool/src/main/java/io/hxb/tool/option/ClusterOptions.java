package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;
import io.hxb.config.NodeSelection;
import io.hxb.os.HostName;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Options that select a running cluster, and one of its nodes. Picocli fills it. */
public final class ClusterOptions {
    @Mixin private ClusterFile file;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description =
                    "use this node of this machine, such as 1,0,0 (default: from HXB_NODE, the "
                            + "file's hosts, Slurm or Kubernetes; otherwise the only one that "
                            + "runs here; in a lab node 0)")
    private String node;

    /** Picocli makes it. */
    public ClusterOptions() {}

    /** The lab that is meant; empty when a file is. */
    public Optional<LabState> lab() {
        return file.lab();
    }

    /** True if there is a cluster file to look at. */
    public boolean isGiven() {
        return file.isGiven();
    }

    /** The nodes of this machine: all of a lab, otherwise the one that {@link #node} decides. */
    public List<Integer> nodesHere(final ClusterConfig config) {
        return node == null && lab().isPresent()
                ? IntStream.range(0, config.shape().nodeCount()).boxed().toList()
                : List.of(runningNode(config));
    }

    /** The selected node of this machine; without a selection, the only one that runs here. */
    public int runningNode(final ClusterConfig config) {
        try {
            return node(config);
        } catch (final ConfigException e) {
            final List<Integer> running = config.nodesWithSocket();
            if (isNamed() || running.size() != 1) {
                throw e;
            }
            return running.getFirst();
        }
    }

    private boolean isNamed() {
        return node != null || System.getenv("HXB_NODE") != null;
    }

    /** The selection of the cluster, as words of another command's line in the same environment. */
    public List<String> clusterWords() {
        return file.words();
    }

    /** The cluster file that is meant. */
    public Path path() {
        return file.path();
    }

    /** The cluster that is meant. */
    public ClusterConfig config() {
        return file.config();
    }

    /** The node that this machine is, or will be. */
    public int node(final ClusterConfig config) {
        if (!isNamed() && lab().isPresent()) {
            return 0;
        }
        final String host = HostName.ofThisMachine();
        try {
            return NodeSelection.resolve(
                            config, node, System.getenv(), host, HostName.isOfMachineInPod())
                    .node();
        } catch (final ConfigException e) {
            if (!isNamed() && !config.hosts().isEmpty() && host.startsWith("localhost")) {
                // While a machine starts; the service tries again.
                throw new ToolException("this machine has no name yet: " + e.getMessage(), e);
            }
            if (node != null) {
                throw new UsageException(e.getMessage(), e);
            }
            throw e;
        }
    }
}
