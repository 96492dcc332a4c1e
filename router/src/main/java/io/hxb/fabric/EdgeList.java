package io.hxb.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Edge lists: a line {@code a b} for each link with the numbers of its switches, comments from
 * {@code #}. The comment {@code # switches N} fixes the number of switches, {@code # hosts 0:4 1:4}
 * puts hosts on switches.
 */
public final class EdgeList {
    private static final Pattern LINK = Pattern.compile("(\\d{1,6})[\\s,]+(\\d{1,6})");
    private static final Pattern SWITCHES = Pattern.compile("#\\s*switches\\s+(\\d{1,6})");
    private static final Pattern HOSTS = Pattern.compile("#\\s*hosts((\\s+\\d{1,6}:\\d{1,4})+)");

    private EdgeList() {}

    private record Pair(int first, int second) {}

    /**
     * Reads a graph.
     *
     * @param file its name in messages.
     * @param hostsPerSwitch hosts on each switch when the text has no line of hosts.
     * @throws GraphException with lines {@code file:line: what is wrong}.
     */
    public static SwitchGraph parse(
            final String file, final String text, final int hostsPerSwitch) {
        final List<String> problems = new ArrayList<>();
        final List<Pair> links = new ArrayList<>();
        final List<Pair> hosts = new ArrayList<>();
        int declared = -1;
        int lineNumber = 0;
        for (final String raw : text.split("\n", -1)) {
            lineNumber++;
            final String line = raw.strip();
            final Matcher count = SWITCHES.matcher(line);
            if (count.matches()) {
                declared = Integer.parseInt(count.group(1));
            }
            final Matcher onSwitches = HOSTS.matcher(line);
            if (onSwitches.matches()) {
                addHosts(onSwitches.group(1), hosts);
            }
            final String link = line.replaceFirst("#.*", "").strip();
            if (!link.isEmpty()) {
                addLink(file + ":" + lineNumber + ": ", link, links, problems);
            }
        }
        if (!problems.isEmpty()) {
            throw new GraphException(problems);
        }
        return build(file, links, hosts, declared, hostsPerSwitch);
    }

    private static void addLink(
            final String place,
            final String line,
            final List<Pair> links,
            final List<String> problems) {
        final Matcher link = LINK.matcher(line);
        if (!link.matches()) {
            problems.add(
                    place + "a link is two numbers of switches, such as '0 1', not '" + line + "'");
            return;
        }
        final Pair pair =
                new Pair(Integer.parseInt(link.group(1)), Integer.parseInt(link.group(2)));
        if (pair.first == pair.second) {
            problems.add(
                    place
                            + "switch "
                            + pair.first
                            + " has a link to itself; remove the line or correct its end");
        }
        links.add(pair);
    }

    private static void addHosts(final String text, final List<Pair> hosts) {
        for (final String part : text.strip().split("\\s+", -1)) {
            final int colon = part.indexOf(':');
            hosts.add(
                    new Pair(
                            Integer.parseInt(part.substring(0, colon)),
                            Integer.parseInt(part.substring(colon + 1))));
        }
    }

    private static SwitchGraph build(
            final String file,
            final List<Pair> links,
            final List<Pair> hosts,
            final int declared,
            final int hostsPerSwitch) {
        final int largest =
                links.stream().mapToInt(p -> Math.max(p.first, p.second)).max().orElse(-1);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(declared < 0 ? largest + 1 : declared);
        links.forEach(pair -> builder.addLink(pair.first, pair.second));
        if (hosts.isEmpty()) {
            builder.addHosts(hostsPerSwitch);
        }
        hosts.forEach(pair -> builder.addHosts(pair.first, pair.second));
        try {
            return builder.build();
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage().lines().map(line -> file + ": " + line).toList());
        }
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
