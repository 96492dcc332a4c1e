package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The NICs of the hosts of a graph. A host with several is described by a switch of the same name,
 * on whose port {@value #PORT} it is: each link of that switch is a NIC, in the order of the links,
 * and it carries nothing for others. So a VLAN decides which NIC a frame leaves by. Immutable.
 */
public final class HostNics {
    /** Port of a host on the switch that stands for it. */
    public static final String PORT = "nics";

    private final SwitchGraph graph;
    private final BitSet hostNodes = new BitSet();
    private final int count;

    private HostNics(final SwitchGraph graph) {
        this.graph = graph;
        for (int host = 0; host < graph.hostCount(); host++) {
            final int node = graph.hostSwitch(host);
            if (graph.hostPort(host).equals(PORT)
                    && graph.switchName(node).equals(graph.hostName(host))) {
                hostNodes.set(node);
            }
        }
        count = hostNodes.isEmpty() ? 1 : graph.degree(hostNodes.nextSetBit(0));
    }

    /**
     * The NICs of a graph's hosts.
     *
     * @throws GraphException if hosts differ in their number.
     */
    public static HostNics of(final SwitchGraph graph) {
        final HostNics nics = new HostNics(graph);
        for (int host = 0; host < graph.hostCount() && !nics.hostNodes.isEmpty(); host++) {
            final int node = graph.hostSwitch(host);
            final int own = nics.hostNodes.get(node) ? graph.degree(node) : 1;
            if (own != nics.count || nics.hostNodes.cardinality() != graph.hostCount()) {
                throw new GraphException(
                        "all hosts need as many NICs: host "
                                + graph.hostName(host)
                                + " has "
                                + own
                                + ", another one "
                                + nics.count);
            }
        }
        return nics;
    }

    /** NICs of each host. */
    public int count() {
        return count;
    }

    /** Whether a switch of the graph is no switch, but a host with several NICs. */
    public boolean isHost(final int node) {
        return hostNodes.get(node);
    }

    /**
     * The channel from a host that is a switch of the graph to the switch that a NIC is plugged
     * into.
     *
     * @param nic 0 to {@code count() - 1}.
     */
    public int channel(final int host, final int nic) {
        final int node = graph.hostSwitch(host);
        final int[] channels = new int[graph.degree(node)];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = graph.outgoing(node, i);
        }
        Arrays.sort(channels);
        return channels[nic];
    }

    /** The NIC by which a host takes part in a VLAN. */
    public int nic(final int host, final VlanTree tree) {
        for (int nic = 0; nic < count && !hostNodes.isEmpty(); nic++) {
            if (tree.has(SwitchGraph.link(channel(host, nic)))) {
                return nic;
            }
        }
        return 0;
    }

    /** The number of the NIC behind a channel that leads to a host. */
    public int nicAt(final int channel) {
        final int node = graph.target(channel);
        int nic = 0;
        for (int i = 0; i < graph.degree(node); i++) {
            nic += graph.outgoing(node, i) < SwitchGraph.opposite(channel) ? 1 : 0;
        }
        return nic;
    }

    /**
     * Requires that no host forwards in a VLAN.
     *
     * @throws GraphException naming the first that would.
     */
    void check(final VlanTree tree) {
        for (int node = hostNodes.nextSetBit(0); node >= 0; node = hostNodes.nextSetBit(node + 1)) {
            int links = 0;
            for (int i = 0; i < graph.degree(node); i++) {
                links += tree.has(SwitchGraph.link(graph.outgoing(node, i))) ? 1 : 0;
            }
            if (links > 1) {
                throw new GraphException(
                        "host "
                                + graph.switchName(node)
                                + " would have to forward frames of others between its NICs; plan"
                                + " it by 'tops'");
            }
        }
    }
}
