package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.tree.HostTrees;
import io.hxb.fabric.vlan.tree.TreePacker;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Host-tagged plans of routes that make no trees by source: each path, longest first, goes into the
 * first VLAN where it closes no loop. The way back is the same path. Every VLAN is then made to
 * reach all switches, so that broadcasts arrive. The table has an exception for most pairs.
 * Stateless.
 */
public final class PathPacking {
    /** Maximum number of hosts, for the size of the table. */
    public static final int MAX_HOSTS = 1024;

    private PathPacking() {}

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record SwitchPair(int low, int high, int[] path) {}

    /**
     * Plans a graph.
     *
     * @param routes of these, the paths from smaller to larger switch numbers are used.
     * @param name of the algorithm, for messages.
     * @throws GraphException if more VLANs are needed than allowed, or there are too many hosts.
     */
    public static VlanPlan plan(
            final VlanPlanner planner, final RouteSet routes, final String name) {
        final SwitchGraph graph = routes.graph();
        if (graph.hostCount() > MAX_HOSTS) {
            throw new GraphException(
                    "a table with a VID for each pair of "
                            + graph.hostCount()
                            + " hosts is too large; take at most "
                            + MAX_HOSTS
                            + ", or plan it by 'updown-tree', which needs one row a host");
        }
        final int[] vlanOfSwitches = new int[graph.switchCount() * graph.switchCount()];
        final TreePacker packer = new TreePacker(graph);
        for (final SwitchPair pair : pairs(routes)) {
            vlanOfSwitches[pair.low * graph.switchCount() + pair.high] = packer.add(pair.path);
        }
        final List<VlanTree> trees = packer.spanningTrees();
        if (trees.size() > planner.limit()) {
            throw new GraphException(
                    "a host-tagged plan by '"
                            + name
                            + "' needs "
                            + trees.size()
                            + " VLANs, but only "
                            + planner.limit()
                            + " are allowed; allow at least "
                            + trees.size()
                            + " (--vlans "
                            + trees.size()
                            + ") or use another routing");
        }
        return plan(planner, graph, trees, vlanOfSwitches);
    }

    private static List<SwitchPair> pairs(final RouteSet routes) {
        final int[] hosts = routes.graph().hostCounts();
        final List<SwitchPair> pairs = new ArrayList<>();
        for (int low = 0; low < hosts.length; low++) {
            for (int high = low + 1; high < hosts.length; high++) {
                if (hosts[low] > 0 && hosts[high] > 0) {
                    pairs.add(new SwitchPair(low, high, routes.channels(low, high)));
                }
            }
        }
        pairs.sort(Comparator.comparingInt(pair -> -pair.path.length));
        return pairs;
    }

    private static VlanPlan plan(
            final VlanPlanner planner,
            final SwitchGraph graph,
            final List<VlanTree> trees,
            final int[] vlanOfSwitches) {
        final int[] defaults = new int[graph.hostCount()];
        final Map<VlanPlan.Pair, Integer> exceptions = new TreeMap<>();
        for (int low = 0; low < defaults.length; low++) {
            final int[] votes = new int[trees.size()];
            for (int high = low + 1; high < defaults.length; high++) {
                votes[vlan(graph, vlanOfSwitches, low, high)]++;
            }
            for (int vlan = 0; vlan < votes.length; vlan++) {
                defaults[low] = votes[vlan] > votes[defaults[low]] ? vlan : defaults[low];
            }
            for (int high = low + 1; high < defaults.length; high++) {
                final int vlan = vlan(graph, vlanOfSwitches, low, high);
                if (vlan != defaults[low] && graph.hostSwitch(low) != graph.hostSwitch(high)) {
                    exceptions.put(new VlanPlan.Pair(low, high), vlan);
                }
            }
        }
        return planner.plan(new HostTrees(graph, trees, defaults), exceptions);
    }

    private static int vlan(
            final SwitchGraph graph, final int[] vlanOfSwitches, final int a, final int b) {
        final int low = Math.min(graph.hostSwitch(a), graph.hostSwitch(b));
        final int high = Math.max(graph.hostSwitch(a), graph.hostSwitch(b));
        return vlanOfSwitches[low * graph.switchCount() + high];
    }
}
