package io.hxb.fabric.verify;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
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
 * dump_fts}) and the cabling ({@code opensm-subnet.lst}, or the output of {@code ibnetdiscover}).
 * Used by one thread. Source: opensm(8), option -D 0x40; infiniband-diags dump_fts(8).
 */
public final class OpenSmDump {
    private static final Pattern TABLE =
            Pattern.compile("Unicast lids .*guid (0x[0-9a-fA-F]{1,16})\\b.*");
    private static final Pattern ENTRY =
            Pattern.compile("(0x[0-9a-fA-F]{1,7})\\s+(\\d{1,9})\\s*[#:]\\s*(.*)");

    /** The end of a cable in opensm-subnet.lst: what is before its address, and after its name. */
    private static final Pattern SUBNET_KIND = Pattern.compile("\\{ (CA|SW|RT)\\S{0,64} ");

    private static final Pattern SUBNET_GUIDS =
            Pattern.compile("NodeGUID:([0-9a-fA-F]{1,16}) (?:PortGUID:([0-9a-fA-F]{1,16}) )?");
    private static final Pattern SUBNET_LID =
            Pattern.compile("\\} LID:([0-9a-fA-F]{1,7}) PN:([0-9a-fA-F]{1,7}) \\}");
    private static final Pattern DISCOVERED_NODE =
            Pattern.compile(
                    "(Switch|Ca|Rt)\\s+\\d+\\s+\"\\w-([0-9a-fA-F]{1,16})\"\\s*#\\s*\"(.*?)\".*");
    private static final Pattern DISCOVERED_LINK =
            Pattern.compile(
                    "\\[(\\d{1,9})\\](?:\\(([0-9a-fA-F]{1,16})\\))?\\s+\"(\\w)-([0-9a-fA-F]{1,16})\""
                        + "\\[(\\d{1,9})\\](?:\\(([0-9a-fA-F]{1,16})\\))?[^#]*(?:#(.*))?");

    /** In the comment of a link: the port's own address, then that of the port at the other end. */
    private static final Pattern OWN_LID =
            Pattern.compile("\\s*lid (\\d{1,9}) lmc (\\d{1,9})\\b.*");

    private static final String OTHER_NAME_END = "\" lid ";
    private static final Pattern OTHER_LID = Pattern.compile("(\\d{1,9})\\b.*");
    private static final Pattern PORT_GUID = Pattern.compile("portguid 0x([0-9a-fA-F]{1,16})");
    private static final Pattern HOST_NAME = Pattern.compile("[^']*'(.*)'[^']*");

    // While the cabling is read: the node that is reported, and where the last end ended.
    private long reported;
    private boolean hasReported;
    private boolean isSwitchReported;
    private int endOfEnd;

    private final Map<Long, String> names = new LinkedHashMap<>();
    private final List<Cable> cables = new ArrayList<>();
    private final SwitchGraphBuilder builder = new SwitchGraphBuilder();
    private final Map<Long, Integer> switches = new HashMap<>();
    private final Map<End, Long> portGuids = new HashMap<>();
    private final Map<End, Lids> portLids = new HashMap<>();
    private final Map<Long, Integer> hostsByGuid = new HashMap<>();
    private final Map<Integer, Integer> hostsByLid = new HashMap<>();

    /** The addresses of a port: {@code first} and as many more as {@code lmc} bits count. */
    private record Lids(int first, int lmc) {}

    private record End(boolean isSwitch, long guid, int port) {}

    private record Cable(End first, End second) {}

    private OpenSmDump() {}

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
        final OpenSmDump dump = new OpenSmDump();
        dump.readTopology(topologyFile, topology);
        return dump.readTables(lftsFile, lfts, dump.build(topologyFile));
    }

    private void readTopology(final String file, final String text) {
        TextLines.read(file, text, (place, line) -> readCabling(line));
        if (cables.isEmpty()) {
            throw new GraphException(
                    file + " has no cables: give opensm-subnet.lst or the output of ibnetdiscover");
        }
    }

    private void readCabling(final String line) {
        final End first = line.startsWith("{ ") ? readEnd(line, 0) : null;
        if (first != null) {
            final End second = readEnd(line, endOfEnd);
            if (second != null) {
                cables.add(new Cable(first, second));
            }
            return;
        }
        final Matcher head = DISCOVERED_NODE.matcher(line);
        final Matcher link = DISCOVERED_LINK.matcher(line);
        if (head.matches()) {
            reported = Long.parseUnsignedLong(head.group(2), 16);
            isSwitchReported = head.group(1).equals("Switch");
            hasReported = true;
            name(reported, head.group(3), isSwitchReported);
        } else if (link.matches() && hasReported) {
            readLink(link, isSwitchReported, reported);
        }
    }

    /** The end of a cable in opensm-subnet.lst from {@code from} on; null if there is none. */
    private End readEnd(final String line, final int from) {
        final Matcher kind = SUBNET_KIND.matcher(line);
        final Matcher guids = SUBNET_GUIDS.matcher(line);
        final Matcher lid = SUBNET_LID.matcher(line);
        if (!kind.find(from) || !guids.find(kind.end())) {
            return null;
        }
        final int brace = line.indexOf('{', guids.end());
        if (brace < 0 || !lid.find(brace + 1)) {
            return null;
        }
        endOfEnd = lid.end();
        final boolean isSwitch = kind.group(1).equals("SW");
        final long guid = Long.parseUnsignedLong(guids.group(1), 16);
        name(guid, line.substring(brace + 1, lid.start()), isSwitch);
        final End end = new End(isSwitch, guid, Integer.parseInt(lid.group(2), 16));
        addGuid(end, guids.group(2));
        portLids.put(end, new Lids(Integer.parseInt(lid.group(1), 16), 0));
        return end;
    }

    private void readLink(final Matcher link, final boolean isSwitch, final long node) {
        final End here = new End(isSwitch, node, Integer.parseInt(link.group(1)));
        final End there =
                new End(
                        link.group(3).equals("S"),
                        Long.parseUnsignedLong(link.group(4), 16),
                        Integer.parseInt(link.group(5)));
        cables.add(new Cable(here, there));
        addGuid(here, link.group(2));
        addGuid(there, link.group(6));
        final String comment = link.group(7) == null ? "" : link.group(7);
        final Matcher own = OWN_LID.matcher(comment);
        if (own.matches()) {
            final int lmc = Integer.parseInt(own.group(2));
            portLids.put(here, new Lids(Integer.parseInt(own.group(1)), Math.min(lmc, 7)));
        }
        readOther(there, comment);
    }

    private void readOther(final End there, final String comment) {
        final int start = comment.indexOf('"');
        final int stop = comment.lastIndexOf(OTHER_NAME_END);
        if (start < 0 || stop <= start) {
            return;
        }
        final Matcher lid = OTHER_LID.matcher(comment.substring(stop + OTHER_NAME_END.length()));
        if (lid.matches()) {
            portLids.putIfAbsent(there, new Lids(Integer.parseInt(lid.group(1)), 0));
            if (!there.isSwitch) {
                name(there.guid, comment.substring(start + 1, stop), false);
            }
        }
    }

    private void addGuid(final End end, final String guid) {
        if (guid != null) {
            portGuids.put(end, Long.parseUnsignedLong(guid, 16));
        }
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
        // Both ends report a cable.
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
            addAddresses(host, builder.hostCount());
            builder.addHost(
                    name + "@" + Long.toHexString(host.guid),
                    node(file, at),
                    Integer.toString(at.port),
                    0,
                    0);
        }
    }

    /** The addresses that the tables may give to a host's port. */
    private void addAddresses(final End port, final int host) {
        final Long guid = portGuids.get(port);
        if (guid != null) {
            hostsByGuid.put(guid, host);
        }
        final Lids lids = portLids.getOrDefault(port, new Lids(0, 0));
        for (int lid = lids.first; lids.first > 0 && lid < lids.first + (1 << lids.lmc); lid++) {
            hostsByLid.put(lid, host);
        }
    }

    /** The host that a table's line is about, -1 when it is not in the cabling. */
    private int owner(final String lid, final String info) {
        final Matcher guid = PORT_GUID.matcher(info);
        final Integer byGuid =
                guid.find() ? hostsByGuid.get(Long.parseUnsignedLong(guid.group(1), 16)) : null;
        return byGuid != null
                ? byGuid
                : hostsByLid.getOrDefault(Integer.parseInt(lid.substring(2), 16), -1);
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
        final Integer node = switches.get(Long.parseUnsignedLong(guid.substring(2), 16));
        if (node == null) {
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
        return guid.find() && hostsByGuid.containsKey(Long.parseUnsignedLong(guid.group(1), 16));
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
