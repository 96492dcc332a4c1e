package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects trees, equal ones once, and gives them to hosts. Owned by one thread. */
final class TreeCollector {
    private final SwitchGraph graph;
    private final Map<VlanTree, Integer> indexes = new LinkedHashMap<>();
    private final List<List<Integer>> hostsOfSwitch = new ArrayList<>();

    /** The trees in their order, as far as they were asked for. */
    private final List<VlanTree> trees = new ArrayList<>();

    private final int[] ofHost;

    /** Starts without trees. */
    TreeCollector(final SwitchGraph graph) {
        this.graph = graph;
        this.ofHost = new int[graph.hostCount()];
        for (int node = 0; node < graph.switchCount(); node++) {
            hostsOfSwitch.add(new ArrayList<>());
        }
        for (int host = 0; host < ofHost.length; host++) {
            hostsOfSwitch.get(graph.hostSwitch(host)).add(host);
        }
    }

    /** The hosts of a switch, ascending. */
    List<Integer> hostsOf(final int node) {
        return hostsOfSwitch.get(node);
    }

    /** Adds a tree of these links and returns its index, an existing one if they are equal. */
    int add(final BitSet links) {
        final VlanTree tree = VlanTree.of(graph, withoutDeadEnds(links));
        return indexes.computeIfAbsent(tree, key -> indexes.size());
    }

    /** Number of different trees so far. */
    int treeCount() {
        return indexes.size();
    }

    /** A tree so far. */
    VlanTree tree(final int index) {
        if (trees.size() < indexes.size()) {
            trees.clear();
            trees.addAll(indexes.keySet());
        }
        return trees.get(index);
    }

    /** Lets a host send in a tree. */
    void assign(final int host, final int tree) {
        ofHost[host] = tree;
    }

    /** Lets all hosts of a switch send in a tree. */
    void assignAll(final int node, final int tree) {
        for (final int host : hostsOfSwitch.get(node)) {
            ofHost[host] = tree;
        }
    }

    /** What was collected. */
    HostTrees build() {
        return new HostTrees(graph, new ArrayList<>(indexes.keySet()), ofHost);
    }

    /** Leaves out links that lead to switches without hosts behind them. */
    private BitSet withoutDeadEnds(final BitSet links) {
        final BitSet kept = (BitSet) links.clone();
        final int[] degrees = new int[graph.switchCount()];
        kept.stream()
                .forEach(
                        link -> {
                            degrees[graph.source(2 * link)]++;
                            degrees[graph.target(2 * link)]++;
                        });
        for (int node = 0; node < degrees.length; node++) {
            int at = node;
            while (at >= 0 && degrees[at] == 1 && hostsOfSwitch.get(at).isEmpty()) {
                at = cut(at, kept, degrees);
            }
        }
        return kept;
    }

    private int cut(final int node, final BitSet links, final int[] degrees) {
        for (int i = 0; i < graph.degree(node); i++) {
            final int channel = graph.outgoing(node, i);
            if (links.get(SwitchGraph.link(channel))) {
                links.clear(SwitchGraph.link(channel));
                degrees[node]--;
                degrees[graph.target(channel)]--;
                return graph.target(channel);
            }
        }
        return -1;
    }
}
