package io.hxb.observe.view;

import io.hxb.config.ClusterConfig;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a network is, apart from its state. Immutable.
 *
 * @param cluster name of the cluster.
 * @param shape its shape.
 * @param names name of each node's host, by id; empty where the cluster file has none.
 */
public record NetworkPlan(String cluster, Shape shape, List<String> names) {
    /** Copies the list. */
    public NetworkPlan {
        names = List.copyOf(names);
    }

    /** That of a cluster file. */
    public static NetworkPlan of(final ClusterConfig config) {
        final List<String> names =
                new ArrayList<>(Collections.nCopies(config.shape().nodeCount(), ""));
        config.hosts()
                .forEach((name, coordinates) -> names.set(config.shape().node(coordinates), name));
        return new NetworkPlan(config.name(), config.shape(), names);
    }
}
