package io.hxb.fabric.verify;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.TextLines;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cabling of an InfiniBand network with its addresses, read from {@code opensm-subnet.lst} or
 * the output of {@code ibnetdiscover}. Used by one thread. Source: opensm(8), option -D 0x02;
 * infiniband-diags ibnetdiscover(8).
 */
public final class OpenSmCabling {
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
    private static final Pattern SUBNET_RATE =
            Pattern.compile("\\s*PHY=(\\d{1,2})x LOG=\\S{1,8} SPD=(\\d{1,3}(?:\\.\\d{1,9})?)\\b.*");
    private static final Pattern DISCOVERED_RATE =
            Pattern.compile("(\\d{1,2})x([SDQFEHNX]DR(?:10)?)");
    private static final Pattern SWITCH_LID =
            Pattern.compile(".*\" (?:base|enhanced) port 0 lid (\\d{1,9}) lmc \\d{1,9}\\b.*");

    /** Lines that have to be readable: the others are about details. */
    private static final Pattern START_OF_LINE =
            Pattern.compile("(?:\\[\\d{1,9}\\]|Switch\\s|Ca\\s|Rt\\s).*");

    private static final Pattern KIND =
            Pattern.compile("(?m)^(?:\\{ (?:CA|SW|RT)|(?:Switch|Ca)\\s+\\d{1,9}\\s+\"\\w-)");

    /** Rate of one lane in Mbit/s by the name of the speed, as its name counts it. */
    private static final Map<String, Integer> LANES_MBPS =
            Map.of(
                    "SDR", 2_500, "DDR", 5_000, "QDR", 10_000, "FDR10", 10_000, "FDR", 14_000,
                    "EDR", 25_000, "HDR", 50_000, "NDR", 100_000, "XDR", 200_000);

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
    private final Map<Long, Integer> switchLids = new HashMap<>();

    /** The port of each host. */
    private final List<End> hostPorts = new ArrayList<>();

    private SwitchGraph graph;

    /** The addresses of a port: {@code first} and as many more as {@code lmc} bits count. */
    private record Lids(int first, int lmc) {}

    private record End(boolean isSwitch, long guid, int port) {}

    private record Cable(End first, End second, long rateBps) {}

    private OpenSmCabling() {}

    /** Whether a text looks like one of the two files. */
    public static boolean matches(final String text) {
        return KIND.matcher(text).find();
    }

    /**
     * Reads a cabling.
     *
     * @param file its name in messages.
     * @throws GraphException if it is of another kind, cut off, or no network.
     */
    public static OpenSmCabling parse(final String file, final String text) {
        final OpenSmCabling cabling = new OpenSmCabling();
        cabling.read(file, text);
        try {
            cabling.build(file);
            cabling.graph = cabling.builder.build();
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage()
                            .lines()
                            .map(line -> line.startsWith(file) ? line : file + ": " + line)
                            .toList());
        }
        return cabling;
    }

    /** The network; hosts are the ports of channel adapters and routers. */
    public SwitchGraph graph() {
        return graph;
    }

    /** GUID of a switch. */
    public long switchGuid(final int node) {
        for (final Map.Entry<Long, Integer> entry : switches.entrySet()) {
            if (entry.getValue() == node) {
                return entry.getKey();
            }
        }
        throw new IllegalArgumentException("there is no switch " + node);
    }

    /** Address (LID) of a switch, 0 when it has none yet. */
    public int switchLid(final int node) {
        return switchLids.getOrDefault(switchGuid(node), 0);
    }

    /** The addresses (LIDs) of a host, ascending; none when it has none yet. */
    public int[] hostLids(final int host) {
        final Lids lids = portLids.getOrDefault(hostPorts.get(host), new Lids(0, 0));
        final int[] all = new int[lids.first == 0 ? 0 : 1 << lids.lmc];
        for (int i = 0; i < all.length; i++) {
            all[i] = lids.first + i;
        }
        return all;
    }

    /** GUID of the port of a host, 0 when the file has none. */
    public long hostGuid(final int host) {
        return portGuids.getOrDefault(hostPorts.get(host), 0L);
    }

    /** The host whose port has a GUID, or -1. */
    int hostOfGuid(final long guid) {
        return hostsByGuid.getOrDefault(guid, -1);
    }

    /** The host that has an address, or -1. */
    int hostOfLid(final int lid) {
        return hostsByLid.getOrDefault(lid, -1);
    }

    /** The switch that has a GUID, or -1. */
    int switchOfGuid(final long guid) {
        return switches.getOrDefault(guid, -1);
    }

    private static GraphException incomplete(final String line) {
        return new GraphException(
                "is incomplete, or of another kind of file: " + TextLines.quote(line));
    }

    private static long subnetRate(final Matcher rate) {
        return Math.round(
                Integer.parseInt(rate.group(1)) * Double.parseDouble(rate.group(2)) * 1e9);
    }

    private static long discoveredRate(final String comment) {
        final Matcher rate =
                DISCOVERED_RATE.matcher(comment.substring(comment.lastIndexOf(' ') + 1));
        return rate.matches()
                ? Integer.parseInt(rate.group(1))
                        * LANES_MBPS.getOrDefault(rate.group(2), 0)
                        * 1_000_000L
                : 0;
    }

    private void read(final String file, final String text) {
        TextLines.read(file, text, (place, line) -> readCabling(line.stripTrailing()));
        if (cables.isEmpty()) {
            throw new GraphException(
                    file + " has no cables: give opensm-subnet.lst or the output of ibnetdiscover");
        }
    }

    private void readCabling(final String line) {
        if (line.startsWith("{ ")) {
            final End first = readEnd(line, 0);
            final End second = first == null ? null : readEnd(line, endOfEnd);
            if (second == null) {
                throw incomplete(line);
            }
            final Matcher rate = SUBNET_RATE.matcher(line.substring(endOfEnd));
            cables.add(new Cable(first, second, rate.matches() ? subnetRate(rate) : 0));
            return;
        }
        final Matcher head = DISCOVERED_NODE.matcher(line);
        final Matcher link = DISCOVERED_LINK.matcher(line);
        if (head.matches()) {
            reported = Long.parseUnsignedLong(head.group(2), 16);
            isSwitchReported = head.group(1).equals("Switch");
            hasReported = true;
            name(reported, head.group(3), isSwitchReported);
            final Matcher lid = SWITCH_LID.matcher(line);
            if (isSwitchReported && lid.matches()) {
                switchLids.put(reported, Integer.parseInt(lid.group(1)));
            }
        } else if (link.matches() && hasReported) {
            readLink(link, isSwitchReported, reported);
        } else if (START_OF_LINE.matcher(line).matches()) {
            throw incomplete(line);
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
        if (isSwitch) {
            switchLids.put(guid, Integer.parseInt(lid.group(1), 16));
        }
        return end;
    }

    private void readLink(final Matcher link, final boolean isSwitch, final long node) {
        final End here = new End(isSwitch, node, Integer.parseInt(link.group(1)));
        final End there =
                new End(
                        link.group(3).equals("S"),
                        Long.parseUnsignedLong(link.group(4), 16),
                        Integer.parseInt(link.group(5)));
        final String comment = link.group(7) == null ? "" : link.group(7);
        cables.add(new Cable(here, there, discoveredRate(comment)));
        addGuid(here, link.group(2));
        addGuid(there, link.group(6));
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

    private void build(final String file) {
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
                addCable(file, cable, hostLinks);
            }
        }
    }

    private void addCable(
            final String file, final Cable cable, final Map<Long, Integer> hostLinks) {
        final End a = cable.first;
        final End b = cable.second;
        if (a.isSwitch && b.isSwitch) {
            builder.addLink(
                    node(file, a),
                    Integer.toString(a.port),
                    node(file, b),
                    Integer.toString(b.port),
                    cable.rateBps);
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
                    cable.rateBps);
        }
    }

    /** The addresses that the tables may give to a host's port. */
    private void addAddresses(final End port, final int host) {
        hostPorts.add(port);
        final Long guid = portGuids.get(port);
        if (guid != null) {
            hostsByGuid.put(guid, host);
        }
        final Lids lids = portLids.getOrDefault(port, new Lids(0, 0));
        for (int lid = lids.first; lids.first > 0 && lid < lids.first + (1 << lids.lmc); lid++) {
            hostsByLid.put(lid, host);
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
}
