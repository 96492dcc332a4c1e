package io.hxb.fabric.vlan.config;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.HostNics;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Derives what a plan means for each switch. Inter-switch ports are tagged members of the VLANs
 * whose trees have their link. Where switches tag, a host's port has the PVID of its VLAN and is an
 * untagged member of all; where hosts tag it is a tagged member of all. MAC entries cover every
 * switch on a path that is in use. Owned by one thread. Source: Otsuka et al. 2006, 2.2 and 2.3.
 */
public final class SetupMaker {
    /** Locally administered, then "HXB" in ASCII. */
    private static final long MADE_UP = 0x02_48_58_42_00_00L;

    private final VlanPlan plan;
    private final SwitchGraph graph;
    private final HostNics nics;
    private final List<List<SwitchSetup.StaticMac>> macs = new ArrayList<>();

    private SetupMaker(final VlanPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.nics = HostNics.of(graph);
        for (int node = 0; node < graph.switchCount(); node++) {
            macs.add(new ArrayList<>());
        }
    }

    /**
     * The setups of all switches, by number; hosts that stand in the graph as switches have none.
     */
    public static List<SwitchSetup> of(final VlanPlan plan) {
        final SetupMaker maker = new SetupMaker(plan);
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            maker.addMacs(vlan);
        }
        final List<SwitchSetup> setups = new ArrayList<>();
        for (int node = 0; node < plan.graph().switchCount(); node++) {
            if (!maker.nics.isHost(node)) {
                setups.add(maker.setup(node));
            }
        }
        return setups;
    }

    /** A host's MAC address, or one made up from its number when the graph does not know it. */
    public static long mac(final SwitchGraph graph, final int host) {
        return graph.hostMac(host) != 0 ? graph.hostMac(host) : madeUpMac(host);
    }

    /** The address made up for a host: 02:48:58:42:00:00 plus its number. */
    public static long madeUpMac(final int host) {
        return MADE_UP + host;
    }

    private void addMacs(final int vlan) {
        final VlanTree tree = plan.tree(vlan);
        final BitSet senders = new BitSet();
        final List<List<Integer>> hosts = new ArrayList<>();
        for (int node = 0; node < graph.switchCount(); node++) {
            hosts.add(new ArrayList<>());
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.get(graph.hostSwitch(host)).add(host);
            // Where hosts tag, any host may send in any VLAN.
            if (plan.kind() == PlanKind.HOST_TAGGED || plan.vlanOf(host) == vlan) {
                senders.set(graph.hostSwitch(host));
            }
        }
        for (int to = 0; to < hosts.size(); to++) {
            if (!hosts.get(to).isEmpty() && !senders.isEmpty()) {
                addMacs(vlan, tree, senders, to, hosts.get(to));
            }
        }
    }

    private void addMacs(
            final int vlan,
            final VlanTree tree,
            final BitSet senders,
            final int to,
            final List<Integer> hosts) {
        final int[] next = tree.towards(to);
        final BitSet nodes = new BitSet();
        for (int from = senders.nextSetBit(0); from >= 0; from = senders.nextSetBit(from + 1)) {
            for (int at = from; tree.connects(at, to) && !nodes.get(at); ) {
                nodes.set(at);
                at = next[at] < 0 ? at : graph.target(next[at]);
            }
        }
        for (int node = nodes.nextSetBit(0); node >= 0; node = nodes.nextSetBit(node + 1)) {
            for (final int host : hosts) {
                final String port =
                        node == to ? graph.hostPort(host) : graph.sourcePort(next[node]);
                macs.get(node)
                        .add(new SwitchSetup.StaticMac(plan.vid(vlan), mac(graph, host), port));
            }
        }
    }

    private SwitchSetup setup(final int node) {
        final List<SwitchSetup.Port> ports = new ArrayList<>();
        for (int i = 0; i < graph.degree(node); i++) {
            ports.add(trunkPort(graph.outgoing(node, i), i + 1));
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            if (graph.hostSwitch(host) == node) {
                ports.add(hostPort(host, ports.size() + 1));
            }
        }
        macs.get(node).sort(null);
        return new SwitchSetup(
                graph.switchName(node), plan.kind() == PlanKind.HOST_TAGGED, ports, macs.get(node));
    }

    private SwitchSetup.Port trunkPort(final int channel, final int number) {
        final BitSet tagged = new BitSet();
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            if (plan.tree(vlan).has(SwitchGraph.link(channel))) {
                tagged.set(plan.vid(vlan));
            }
        }
        if (nics.isHost(graph.target(channel))) {
            return new SwitchSetup.Port(
                    graph.sourcePort(channel),
                    number,
                    "host "
                            + graph.switchName(graph.target(channel))
                            + " NIC "
                            + nics.nicAt(channel),
                    true,
                    0,
                    new BitSet(),
                    tagged);
        }
        return new SwitchSetup.Port(
                graph.sourcePort(channel),
                number,
                "switch "
                        + graph.switchName(graph.target(channel))
                        + " port "
                        + graph.targetPort(channel),
                false,
                0,
                new BitSet(),
                tagged);
    }

    private SwitchSetup.Port hostPort(final int host, final int number) {
        final BitSet all = new BitSet();
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            all.set(plan.vid(vlan));
        }
        final boolean isTagging = plan.kind() == PlanKind.HOST_TAGGED;
        return new SwitchSetup.Port(
                graph.hostPort(host),
                number,
                "host " + graph.hostName(host),
                true,
                isTagging ? 0 : plan.vid(plan.vlanOf(host)),
                isTagging ? new BitSet() : all,
                isTagging ? all : new BitSet());
    }
}
