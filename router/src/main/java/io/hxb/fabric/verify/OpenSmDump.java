package io.hxb.fabric.verify;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what OpenSM dumps: the forwarding tables ({@code opensm-lfts.dump}, or the output of {@code
 * dump_fts}) and the cabling ({@code opensm-subnet.lst}, or the output of {@code ibnetdiscover}).
 * Used by one thread. Source: opensm(8), option -D 0x40; infiniband-diags dump_fts(8).
 */
public final class OpenSmDump {
    private static final Pattern TABLE = Pattern.compile("Unicast lids .*guid (0x[0-9a-fA-F]+).*");
    private static final Pattern ENTRY =
            Pattern.compile("(0x[0-9a-fA-F]+)\\s+(\\d+)\\s*[#:]\\s*(.*)");
    private static final Pattern SUBNET_END =
            Pattern.compile(
                    "\\{ (CA|SW|RT)\\S* .*?NodeGUID:([0-9a-fA-F]+) .*?\\{(.*?)\\} LID:\\S+"
                            + " PN:([0-9a-fA-F]+) \\}");
    private static final Pattern DISCOVERED_NODE =
            Pattern.compile("(Switch|Ca|Rt)\\s+\\d+\\s+\"\\w-([0-9a-fA-F]+)\"\\s*#\\s*\"(.*?)\".*");
    private static final Pattern DISCOVERED_LINK =
            Pattern.compile(
                    "\\[(\\d+)\\](?:\\(\\w+\\))?\\s+\"(\\w)-([0-9a-fA-F]+)\"\\[(\\d+)\\].*");

    private final Map<Long, String> names = new LinkedHashMap<>();
    private final List<Cable> cables = new ArrayList<>();
    private final SwitchGraphBuilder builder = new SwitchGraphBuilder();
    private final Map<Long, Integer> switches = new HashMap<>();

    private record End(boolean isSwitch, long guid, int port) {}

    private record Cable(End first, End second) {}

    private OpenSmDump() {}

    /**
     * Reads tables and cabling.
     *
     * @param lftsFile name of the tables in messages.
     * @param topologyFile name of the cabling in messages.
     * @throws GraphException if either is something else, or they do not fit together.
     */
    public static ForwardingTables parse(
            final String lftsFile,
            final String lfts,
            final String topologyFile,
            final String topology) {
        final OpenSmDump dump = new OpenSmDump();
        dump.readTopology(topologyFile, topology);
        return dump.readTables(lftsFile, lfts, dump.build(topologyFile));
    }

    private void readTopology(final String file, final String text) {
        long node = -1;
        boolean isSwitch = false;
        for (final String line : text.split("\n", -1)) {
            final Matcher ends = SUBNET_END.matcher(line);
            final Matcher head = DISCOVERED_NODE.matcher(line);
            final Matcher link = DISCOVERED_LINK.matcher(line);
            if (ends.find()) {
                final End first = end(ends);
                if (ends.find()) {
                    cables.add(new Cable(first, end(ends)));
                }
            } else if (head.matches()) {
                node = Long.parseUnsignedLong(head.group(2), 16);
                isSwitch = head.group(1).equals("Switch");
                name(node, head.group(3), isSwitch);
            } else if (link.matches() && node >= 0) {
                final End there =
                        new End(
                                link.group(2).equals("S"),
                                Long.parseUnsignedLong(link.group(3), 16),
                                Integer.parseInt(link.group(4)));
                cables.add(
                        new Cable(new End(isSwitch, node, Integer.parseInt(link.group(1))), there));
            }
        }
        if (cables.isEmpty()) {
            throw new GraphException(
                    file + " has no cables: give opensm-subnet.lst or the output of ibnetdiscover");
        }
    }

    private End end(final Matcher found) {
        final boolean isSwitch = found.group(1).equals("SW");
        final long guid = Long.parseUnsignedLong(found.group(2), 16);
        name(guid, found.group(3), isSwitch);
        return new End(isSwitch, guid, Integer.parseInt(found.group(4), 16));
    }

    private void name(final long guid, final String name, final boolean isSwitch) {
        if (names.putIfAbsent(guid, name) == null && isSwitch) {
            final boolean isTaken = name.isEmpty() || builder.findSwitch(name) >= 0;
            final String unique = isTaken ? name + "@" + Long.toHexString(guid) : name;
            switches.put(guid, builder.addSwitch(unique));
        }
    }

    private SwitchGraph build(final String file) {
        final Map<Long, Integer> hostLinks = new HashMap<>();
        final Map<String, Boolean> seen = new HashMap<>();
        // Either end tells of a cable.
        for (final Cable cable : cables) {
            final End a = cable.first;
            final End b = cable.second;
            final String key = a.guid + "/" + a.port;
            final String other = b.guid + "/" + b.port;
            if (!seen.containsKey(key) && !seen.containsKey(other)) {
                seen.put(key, true);
                seen.put(other, true);
                addCable(file, a, b, hostLinks);
            }
        }
        return builder.build();
    }

    private void addCable(
            final String file, final End a, final End b, final Map<Long, Integer> hostLinks) {
        if (a.isSwitch && b.isSwitch) {
            builder.addLink(
                    node(file, a),
                    Integer.toString(a.port),
                    node(file, b),
                    Integer.toString(b.port),
                    0);
        } else if (a.isSwitch || b.isSwitch) {
            final End at = a.isSwitch ? a : b;
            final End host = a.isSwitch ? b : a;
            final int before = hostLinks.merge(host.guid, 1, Integer::sum) - 1;
            final String name =
                    names.getOrDefault(host.guid, "ca") + (before > 0 ? "." + host.port : "");
            builder.addHost(
                    name + "@" + Long.toHexString(host.guid),
                    node(file, at),
                    Integer.toString(at.port),
                    0,
                    0);
        }
    }

    private int node(final String file, final End end) {
        final Integer node = switches.get(end.guid);
        if (node == null) {
            throw new GraphException(
                    file
                            + " names the switch 0x"
                            + Long.toHexString(end.guid)
                            + " in a cable only");
        }
        return node;
    }

    private ForwardingTables readTables(
            final String file, final String text, final SwitchGraph graph) {
        final Map<String, Integer> destinations = new LinkedHashMap<>();
        final List<int[]> entries = new ArrayList<>();
        int node = -1;
        int lineNumber = 0;
        for (final String line : text.split("\n", -1)) {
            lineNumber++;
            final Matcher table = TABLE.matcher(line);
            final Matcher entry = ENTRY.matcher(line);
            if (table.matches()) {
                node =
                        switches.getOrDefault(
                                Long.parseUnsignedLong(table.group(1).substring(2), 16), -1);
                if (node < 0) {
                    throw new GraphException(
                            file
                                    + ":"
                                    + lineNumber
                                    + ": the switch "
                                    + table.group(1)
                                    + " is not in the cabling; dump both at the same time");
                }
            } else if (entry.matches() && node >= 0 && entry.group(3).contains("Channel Adapter")) {
                final String name = entry.group(1) + " " + entry.group(3);
                final int number = destinations.computeIfAbsent(name, key -> destinations.size());
                entries.add(new int[] {node, number, Integer.parseInt(entry.group(2))});
            }
        }
        if (entries.isEmpty()) {
            throw new GraphException(
                    file + " has no tables: give opensm-lfts.dump or the output of dump_fts");
        }
        final int[][] outputs = new int[graph.switchCount()][destinations.size()];
        Arrays.stream(outputs).forEach(row -> Arrays.fill(row, ForwardingTables.NONE));
        final Map<String, Integer> ports = ports(graph);
        for (final int[] entry : entries) {
            outputs[entry[0]][entry[1]] =
                    ports.getOrDefault(entry[0] + "/" + entry[2], ForwardingTables.NONE);
        }
        return new ForwardingTables(graph, destinations.keySet().toArray(String[]::new), outputs);
    }

    /** What is at each port of each switch: a channel or a host. */
    private static Map<String, Integer> ports(final SwitchGraph graph) {
        final Map<String, Integer> ports = new HashMap<>();
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            ports.put(graph.source(channel) + "/" + graph.sourcePort(channel), channel);
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            ports.put(graph.hostSwitch(host) + "/" + graph.hostPort(host), ForwardingTables.LOCAL);
        }
        return ports;
    }
}
