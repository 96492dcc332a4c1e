package io.hxb.tool.live;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.report.ToolException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the counter files of nodes. Stateless. */
public final class NodeFiles {
    private NodeFiles() {}

    /**
     * The counter files of a cluster's nodes that have run on this machine.
     *
     * @return at least one, in the order of their nodes.
     * @throws ToolException if there is none.
     */
    public static List<Path> of(final ClusterConfig config) {
        final List<Path> found = new ArrayList<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            if (Files.exists(config.countersPath(node))) {
                found.add(config.countersPath(node));
            }
        }
        if (found.isEmpty()) {
            throw new ToolException(
                    "no node of cluster "
                            + config.name()
                            + " has run here: there is no file such as "
                            + config.countersPath(0));
        }
        return found;
    }
}
