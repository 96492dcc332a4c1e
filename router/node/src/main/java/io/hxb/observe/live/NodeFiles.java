package io.hxb.observe.live;

import io.hxb.config.ClusterConfig;

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
     * @return in the order of their nodes; empty if none has run here.
     */
    public static List<Path> of(final ClusterConfig config) {
        final List<Path> found = new ArrayList<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            if (Files.exists(config.countersPath(node))) {
                found.add(config.countersPath(node));
            }
        }
        return found;
    }
}
