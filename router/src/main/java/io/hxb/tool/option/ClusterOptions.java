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

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Options that say which running cluster is meant, and which of its nodes. Picocli fills it. */
public final class ClusterOptions {
    @Mixin private ClusterFile file;

    @Option(
            names = "--node",
            paramLabel = "COORD",
            description =
                    "the node to use on this machine, such as 1,0,0 (default: as hxb node decides;"
                            + " in a lab node 0)")
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

    /** The nodes of this machine: all of a lab, else the one that {@link #node} decides. */
    public List<Integer> nodesHere(final ClusterConfig config) {
        return node == null && lab().isPresent()
                ? IntStream.range(0, config.shape().nodeCount()).boxed().toList()
                : List.of(node(config));
    }

    /** The cluster that is meant. */
    public ClusterConfig config() {
        return file.config();
    }

    /** The node of this machine that is meant. */
    public int node(final ClusterConfig config) {
        if (node == null && System.getenv("HXB_NODE") == null && lab().isPresent()) {
            return 0;
        }
        final String host = HostName.ofThisMachine();
        try {
            return NodeSelection.resolve(config, node, System.getenv(), host).node();
        } catch (final ConfigException e) {
            final boolean isByName = node == null && System.getenv("HXB_NODE") == null;
            if (isByName && !config.hosts().isEmpty() && host.startsWith("localhost")) {
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
