package io.hxb.fabric;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Edge lists: a line {@code a b} for each link with its two switches, all by number from 0 or all
 * by name, comments from {@code #}. A third column, NetworkX's weight or attributes, is not used.
 * The comment {@code # switches N} fixes the number of switches, {@code # hosts a:4 b:4} puts hosts
 * on switches. Used by one thread.
 */
public final class EdgeList {
    private static final Pattern SWITCHES = Pattern.compile("#\\s*switches\\s+(\\d{1,6})");
    private static final Pattern HOSTS = Pattern.compile("#\\s*hosts\\s+(.*)");
    private static final Pattern HOSTS_ON = Pattern.compile("(\\S+):(\\d{1,4})");

    /** The weight or the attributes of a link, which are not used. */
    private static final Pattern ATTRIBUTES =
            Pattern.compile("-?\\d{1,18}(?:\\.\\d{1,18})?(?:e[+-]?\\d{1,3})?|\\{[^{}]*\\}");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,6}");

    private final String file;
    private final List<Pair> links = new ArrayList<>();
    private final List<HostsOn> hosts = new ArrayList<>();

    /** Numbers of the switches by name, in the order of their first links; empty: by number. */
    private final Map<String, Integer> names = new LinkedHashMap<>();

    private int declared = -1;
    private boolean isByNumber;

    private record Pair(int first, int second) {}

    private record HostsOn(String place, String node, int count) {}

    private EdgeList(final String file) {
        this.file = file;
    }

    /**
     * Reads a graph.
     *
     * @param file its name in messages.
     * @param hostsPerSwitch hosts on each switch when the text has no line of hosts.
     * @throws GraphException with lines {@code file:line: what is wrong}.
     */
    public static SwitchGraph parse(
            final String file, final String text, final int hostsPerSwitch) {
        final EdgeList list = new EdgeList(file);
        TextLines.read(file, text, (place, line) -> list.read(place + ": ", line.strip()));
        return list.build(hostsPerSwitch);
    }

    private void read(final String place, final String line) {
        final Matcher count = SWITCHES.matcher(line);
        if (count.matches()) {
            declared = Integer.parseInt(count.group(1));
        }
        final Matcher onSwitches = HOSTS.matcher(line);
        if (onSwitches.matches()) {
            readHosts(place, onSwitches.group(1).split("\\s+", -1));
        }
        final String link = line.replaceFirst("#.*", "").strip();
        if (!link.isEmpty()) {
            addLink(link);
        }
    }

    // Any other comment is ignored.
    private void readHosts(final String place, final String[] parts) {
        final List<HostsOn> read = new ArrayList<>();
        for (final String part : parts) {
            final Matcher on = HOSTS_ON.matcher(part);
            if (!on.matches()) {
                return;
            }
            read.add(new HostsOn(place, on.group(1), Integer.parseInt(on.group(2))));
        }
        hosts.addAll(read);
    }

    private void addLink(final String line) {
        // What NetworkX writes after the ends may be a length, a cost or a rate.
        final String[] ends = line.split("[\\s,]+", 3);
        final boolean isPair =
                ends.length == 2 || (ends.length == 3 && ATTRIBUTES.matcher(ends[2]).matches());
        if (!isPair || ends[0].isEmpty() || ends[1].isEmpty()) {
            throw new GraphException(
                    "a link is two numbers of switches, such as '0 1', or two names, such as"
                            + " 'leaf1 spine1', not "
                            + TextLines.quote(line));
        }
        final boolean isNumbers = isNumber(ends[0]) && isNumber(ends[1]);
        if (links.isEmpty()) {
            isByNumber = isNumbers;
        }
        if (isNumbers != isByNumber || isNumber(ends[0]) != isNumber(ends[1])) {
            throw new GraphException(
                    "a link is two numbers of switches or two names, the same in all lines, not "
                            + TextLines.quote(line));
        }
        if (ends[0].equals(ends[1])) {
            throw new GraphException(
                    "switch "
                            + TextLines.shorten(ends[0])
                            + " has a link to itself; remove the line or correct its end");
        }
        links.add(new Pair(number(ends[0]), number(ends[1])));
    }

    private static boolean isNumber(final String word) {
        return NUMBER.matcher(word).matches();
    }

    private int number(final String word) {
        if (isByNumber) {
            return Integer.parseInt(word);
        }
        names.putIfAbsent(word, names.size());
        return names.get(word);
    }

    private SwitchGraph build(final int hostsPerSwitch) {
        final int largest =
                links.stream().mapToInt(p -> Math.max(p.first, p.second)).max().orElse(-1);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        try {
            if (names.isEmpty()) {
                builder.addSwitches(declared < 0 ? largest + 1 : declared);
            } else {
                names.keySet().forEach(builder::addSwitch);
            }
            links.forEach(pair -> builder.addLink(pair.first, pair.second));
            if (hosts.isEmpty()) {
                builder.addHosts(hostsPerSwitch);
            }
            hosts.forEach(on -> addHosts(builder, on));
            if (!names.isEmpty() && declared >= 0 && declared != names.size()) {
                throw new GraphException(
                        "'# switches "
                                + declared
                                + "' does not fit the "
                                + names.size()
                                + " switches that the links name");
            }
            return builder.build();
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage()
                            .lines()
                            .map(line -> line.startsWith(file + ":") ? line : file + ": " + line)
                            .toList());
        }
    }

    private void addHosts(final SwitchGraphBuilder builder, final HostsOn on) {
        final int node =
                names.isEmpty() && isNumber(on.node)
                        ? Integer.parseInt(on.node)
                        : builder.findSwitch(on.node);
        if (node < 0) {
            throw new GraphException(
                    on.place + "hosts are on switch '" + on.node + "', which has no link");
        }
        builder.addHosts(node, on.count);
    }

    /** Writes a graph; names, ports and rates are lost. */
    public static String format(final SwitchGraph graph) {
        final StringBuilder text = new StringBuilder();
        text.append("# switches ").append(graph.switchCount()).append('\n');
        if (graph.hostCount() > 0) {
            text.append("# hosts");
            final int[] counts = graph.hostCounts();
            for (int node = 0; node < counts.length; node++) {
                if (counts[node] > 0) {
                    text.append(' ').append(node).append(':').append(counts[node]);
                }
            }
            text.append('\n');
        }
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            text.append(graph.source(channel))
                    .append(' ')
                    .append(graph.target(channel))
                    .append('\n');
        }
        return text.toString();
    }
}
