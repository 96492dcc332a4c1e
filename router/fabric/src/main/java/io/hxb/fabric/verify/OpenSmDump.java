package io.hxb.fabric.verify;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.TextLines;

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
 * dump_fts}) for a {@link OpenSmCabling}. Used by one thread. Source: opensm(8), option -D 0x40;
 * infiniband-diags dump_fts(8).
 */
public final class OpenSmDump {
    private static final Pattern TABLE =
            Pattern.compile("Unicast lids .*guid (0x[0-9a-fA-F]{1,16})\\b.*");
    private static final Pattern ENTRY =
            Pattern.compile("(0x[0-9a-fA-F]{1,7})\\s+(\\d{1,9})\\s*[#:]\\s*(.*)");
    private static final Pattern PORT_GUID = Pattern.compile("portguid 0x([0-9a-fA-F]{1,16})");
    private static final Pattern HOST_NAME = Pattern.compile("[^']*'(.*)'[^']*");

    private final OpenSmCabling cabling;

    private OpenSmDump(final OpenSmCabling cabling) {
        this.cabling = cabling;
    }

    /**
     * Reads tables and cabling.
     *
     * @param lftsFile name of the tables in messages.
     * @param topologyFile name of the cabling in messages.
     * @throws GraphException if either is of another kind, or they do not match.
     */
    public static ForwardingTables parse(
            final String lftsFile,
            final String lfts,
            final String topologyFile,
            final String topology) {
        final OpenSmDump dump = new OpenSmDump(OpenSmCabling.parse(topologyFile, topology));
        return dump.readTables(lftsFile, lfts, dump.cabling.graph());
    }

    /** The host that a table's line is about, -1 when it is not in the cabling. */
    private int owner(final String lid, final String info) {
        final Matcher guid = PORT_GUID.matcher(info);
        final int byGuid =
                guid.find() ? cabling.hostOfGuid(Long.parseUnsignedLong(guid.group(1), 16)) : -1;
        return byGuid >= 0 ? byGuid : cabling.hostOfLid(Integer.parseInt(lid.substring(2), 16));
    }

    private ForwardingTables readTables(
            final String file, final String text, final SwitchGraph graph) {
        final Map<String, Integer> destinations = new LinkedHashMap<>();
        final List<Integer> owners = new ArrayList<>();
        final List<int[]> entries = new ArrayList<>();
        final int[] node = {-1};
        TextLines.read(
                file,
                text,
                (place, line) -> {
                    final Matcher table = TABLE.matcher(line);
                    final Matcher entry = ENTRY.matcher(line);
                    if (table.matches()) {
                        node[0] = tableOf(table.group(1));
                    } else if (entry.matches() && node[0] >= 0 && isHost(entry.group(3))) {
                        final String name = destination(entry.group(1), entry.group(3));
                        final Integer known = destinations.putIfAbsent(name, destinations.size());
                        if (known == null) {
                            owners.add(owner(entry.group(1), entry.group(3)));
                        }
                        entries.add(
                                new int[] {
                                    node[0],
                                    destinations.get(name),
                                    Integer.parseInt(entry.group(2))
                                });
                    }
                });
        if (entries.isEmpty()) {
            throw new GraphException(
                    file + " has no tables: give opensm-lfts.dump or the output of dump_fts");
        }
        return new ForwardingTables(
                graph,
                destinations.keySet().toArray(String[]::new),
                owners.stream().mapToInt(Integer::intValue).toArray(),
                outputs(graph, destinations.size(), entries));
    }

    private int tableOf(final String guid) {
        final int node = cabling.switchOfGuid(Long.parseUnsignedLong(guid.substring(2), 16));
        if (node < 0) {
            throw new GraphException(
                    "the switch " + guid + " is not in the cabling; dump both at the same time");
        }
        return node;
    }

    // Further addresses of a port (LMC) have its GUID in dump_fts, and neither kind nor name.
    private boolean isHost(final String info) {
        if (info.contains("Channel Adapter") || info.contains("Router")) {
            return true;
        }
        final Matcher guid = PORT_GUID.matcher(info);
        return guid.find() && cabling.hostOfGuid(Long.parseUnsignedLong(guid.group(1), 16)) >= 0;
    }

    /** A destination in messages: its name, where it has one, and its address. */
    private static String destination(final String lid, final String info) {
        final Matcher name = HOST_NAME.matcher(info);
        return name.matches() ? name.group(1) + " (LID " + lid + ")" : lid + " " + info;
    }

    private static int[][] outputs(
            final SwitchGraph graph, final int destinations, final List<int[]> entries) {
        HeapCheck.require((long) graph.switchCount() * destinations * Integer.BYTES, "the tables");
        final int[][] outputs = new int[graph.switchCount()][destinations];
        Arrays.stream(outputs).forEach(row -> Arrays.fill(row, ForwardingTables.NONE));
        final Map<String, Integer> ports = ports(graph);
        for (final int[] entry : entries) {
            outputs[entry[0]][entry[1]] =
                    ports.getOrDefault(
                            entry[0] + "/" + entry[2], ForwardingTables.toNothing(entry[2]));
        }
        return outputs;
    }

    /** What is at each port of each switch: a channel or a host. */
    private static Map<String, Integer> ports(final SwitchGraph graph) {
        final Map<String, Integer> ports = new HashMap<>();
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            ports.put(graph.source(channel) + "/" + graph.sourcePort(channel), channel);
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            ports.put(
                    graph.hostSwitch(host) + "/" + graph.hostPort(host),
                    ForwardingTables.toHost(host));
        }
        return ports;
    }
}
