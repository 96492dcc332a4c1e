package io.hxb.tool.plan;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.tree.HostTrees;
import io.hxb.fabric.vlan.tree.VlanTree;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A VLAN plan as a JSON file: the graph, the links of each VLAN, and each host's row of the table.
 * Immutable.
 *
 * @param format {@link #FORMAT}.
 * @param kind switch-tagged or host-tagged.
 * @param routing how its paths were found.
 * @param switches names.
 * @param links in the order of link numbers.
 * @param hosts in the order of host numbers.
 * @param vlans in the order of VLAN indexes.
 * @param exceptions pairs of hosts that do not follow the ranks.
 */
record PlanFile(
        String format,
        String kind,
        String routing,
        List<String> switches,
        List<LinkRow> links,
        List<HostRow> hosts,
        List<VlanRow> vlans,
        List<ExceptionRow> exceptions) {
    static final String FORMAT = "hxb-vlan-plan-1";

    /** A link: switch numbers, ports, bit/s or 0. */
    record LinkRow(int from, String fromPort, int to, String toPort, long rateBps) {}

    /** A host: its switch, and its PVID or default VID. A MAC address of 0 is not known. */
    record HostRow(String name, int node, String port, long mac, long rateBps, int vid, int rank) {}

    /** A VLAN: numbers of its links. */
    record VlanRow(int vid, List<Integer> links) {}

    /** Two host numbers and their VID. */
    record ExceptionRow(int low, int high, int vid) {}

    static PlanFile of(final VlanPlan plan, final String routing) {
        final SwitchGraph graph = plan.graph();
        final List<String> switches = new ArrayList<>();
        for (int node = 0; node < graph.switchCount(); node++) {
            switches.add(graph.switchName(node));
        }
        final List<LinkRow> links = new ArrayList<>();
        for (int link = 0; link < graph.linkCount(); link++) {
            links.add(
                    new LinkRow(
                            graph.source(2 * link),
                            graph.sourcePort(2 * link),
                            graph.target(2 * link),
                            graph.targetPort(2 * link),
                            graph.linkRateBps(link)));
        }
        final List<HostRow> hosts = new ArrayList<>();
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.add(
                    new HostRow(
                            graph.hostName(host),
                            graph.hostSwitch(host),
                            graph.hostPort(host),
                            graph.hostMac(host),
                            graph.hostRateBps(host),
                            plan.vid(plan.vlanOf(host)),
                            plan.rank(host)));
        }
        final List<VlanRow> vlans = new ArrayList<>();
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            final BitSet set = new BitSet();
            for (final int link : plan.tree(vlan).links()) {
                set.set(link);
            }
            vlans.add(new VlanRow(plan.vid(vlan), set.stream().boxed().toList()));
        }
        final List<ExceptionRow> exceptions = new ArrayList<>();
        plan.exceptions()
                .forEach(
                        (pair, vlan) ->
                                exceptions.add(
                                        new ExceptionRow(pair.low(), pair.high(), plan.vid(vlan))));
        return new PlanFile(
                FORMAT, plan.kind().word(), routing, switches, links, hosts, vlans, exceptions);
    }

    /**
     * Reads a plan back.
     *
     * @param source the file's name, for messages.
     * @throws ToolException when the text is no such plan.
     */
    static VlanPlan parse(final String text, final String source) {
        final PlanFile file = Json.parse(text, PlanFile.class, source);
        if (!FORMAT.equals(file.format)) {
            throw new ToolException(
                    source
                            + " is not a plan of 'hxb plan vlan --save': its format is "
                            + file.format
                            + ", not "
                            + FORMAT);
        }
        try {
            return file.plan();
        } catch (final IllegalArgumentException
                | IndexOutOfBoundsException
                | NullPointerException e) {
            throw new ToolException(source + " is damaged: " + e.getMessage(), e);
        }
    }

    private VlanPlan plan() {
        final SwitchGraph graph = graph();
        final Map<Integer, Integer> indexes = new TreeMap<>();
        final List<VlanTree> trees = new ArrayList<>();
        final int[] vids = new int[vlans.size()];
        for (final VlanRow row : vlans) {
            final BitSet set = new BitSet();
            row.links.forEach(set::set);
            if (set.length() > graph.linkCount() || indexes.put(row.vid, trees.size()) != null) {
                throw new IllegalArgumentException(
                        "VLAN " + row.vid + " is there twice, or has a link that is not there");
            }
            vids[trees.size()] = row.vid;
            trees.add(VlanTree.of(graph, set));
        }
        final int[] defaults = new int[hosts.size()];
        final int[] ranks = new int[hosts.size()];
        for (int host = 0; host < defaults.length; host++) {
            defaults[host] = index(indexes, hosts.get(host).vid);
            ranks[host] = hosts.get(host).rank;
        }
        final Map<VlanPlan.Pair, Integer> pairs = new TreeMap<>();
        exceptions.forEach(
                row -> pairs.put(VlanPlan.Pair.of(row.low, row.high), index(indexes, row.vid)));
        return new VlanPlan(
                PlanKind.parse(kind), new HostTrees(graph, trees, defaults), vids, ranks, pairs);
    }

    private static int index(final Map<Integer, Integer> indexes, final int vid) {
        final Integer index = indexes.get(vid);
        if (index == null) {
            throw new IllegalArgumentException("VLAN " + vid + " is used, but not there");
        }
        return index;
    }

    private SwitchGraph graph() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        switches.forEach(builder::addSwitch);
        for (final LinkRow row : links) {
            builder.addLink(row.from, row.fromPort, row.to, row.toPort, row.rateBps);
        }
        for (final HostRow row : hosts) {
            builder.addHost(row.name, row.node, row.port, row.mac, row.rateBps);
        }
        return builder.build();
    }
}
