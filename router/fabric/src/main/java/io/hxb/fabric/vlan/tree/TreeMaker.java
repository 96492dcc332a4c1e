package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

/** A way to make trees for the hosts of a graph. Stateless or immutable. */
@FunctionalInterface
public interface TreeMaker {
    /**
     * Makes a tree for every host, equal ones as often as they come.
     *
     * @param graph with at least one host.
     * @throws GraphException if the graph is not of this maker's kind, or its paths make no trees;
     *     the message names what to use instead.
     */
    HostTrees make(SwitchGraph graph);
}
