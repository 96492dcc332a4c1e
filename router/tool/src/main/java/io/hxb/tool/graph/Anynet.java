package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.TextLines;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Reads BookSim's networks for {@code topology = anynet}: a line {@code router 0 node 0 node 1
 * router 1} has a router and what it is joined to, a number after a name is the latency of that
 * link, which is not used. A link may be listed by both ends. Routers and nodes are {@code s0} and
 * {@code h0}. Used by one thread. Source: BookSim 2.0, networks/anynet.cpp.
 */
final class Anynet {
    private static final Pattern START = Pattern.compile("(?m)^\\s*(?:router|node)\\s+\\d");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,7}");

    private final Set<Integer> routers = new TreeSet<>();
    private final Set<List<Integer>> links = new LinkedHashSet<>();

    /** The router of each node. */
    private final Map<Integer, Integer> nodes = new LinkedHashMap<>();

    private Anynet() {}

    /** Whether a text looks like such a network. */
    static boolean matches(final String text) {
        return START.matcher(text).find();
    }

    /**
     * Reads a network.
     *
     * @throws GraphException {@code file:line: what is wrong}.
     */
    static SwitchGraph parse(final String file, final String text, final int hostsPerSwitch) {
        final Anynet net = new Anynet();
        TextLines.read(file, text, (place, line) -> net.read(line.strip()));
        try {
            return net.build(hostsPerSwitch);
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage().lines().map(line -> file + ": " + line).toList());
        }
    }

    private void read(final String line) {
        if (line.isEmpty()) {
            return;
        }
        final String[] words = line.split("\\s+", -1);
        final boolean isRouter = kind(words, 0, line);
        final int first = number(words, 1, line);
        addRouter(isRouter, first);
        int at = 2;
        while (at < words.length) {
            final boolean isOtherRouter = kind(words, at, line);
            final int other = number(words, at + 1, line);
            at += 2;
            // A latency.
            at += at < words.length && NUMBER.matcher(words[at]).matches() ? 1 : 0;
            addRouter(isOtherRouter, other);
            join(isRouter, first, isOtherRouter, other);
        }
    }

    private static boolean kind(final String[] words, final int at, final String line) {
        if (!words[at].equals("router") && !words[at].equals("node")) {
            throw new GraphException(
                    "'router' or 'node' should be where "
                            + TextLines.quote(words[at])
                            + " is, in "
                            + TextLines.quote(line));
        }
        return words[at].equals("router");
    }

    private static int number(final String[] words, final int at, final String line) {
        if (at >= words.length || !NUMBER.matcher(words[at]).matches()) {
            throw new GraphException(
                    "'"
                            + words[at - 1]
                            + "' is followed by its number, such as 'router 0', in "
                            + TextLines.quote(line));
        }
        return Integer.parseInt(words[at]);
    }

    private void addRouter(final boolean isRouter, final int number) {
        if (isRouter) {
            routers.add(number);
        }
    }

    private void join(
            final boolean isRouter, final int a, final boolean isOtherRouter, final int b) {
        if (isRouter && isOtherRouter) {
            links.add(List.of(Math.min(a, b), Math.max(a, b)));
        } else if (isRouter || isOtherRouter) {
            final int node = isRouter ? b : a;
            final int router = isRouter ? a : b;
            final Integer before = nodes.putIfAbsent(node, router);
            if (before != null && before != router) {
                throw new GraphException(
                        "node "
                                + node
                                + " is at router "
                                + before
                                + " and at router "
                                + router
                                + "; a node is at one");
            }
        } else {
            throw new GraphException(
                    "node " + a + " and node " + b + " are joined; nodes are at routers");
        }
    }

    private SwitchGraph build(final int hostsPerSwitch) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        final Map<Integer, Integer> numbers = new HashMap<>();
        routers.forEach(router -> numbers.put(router, builder.addSwitch("s" + router)));
        for (final List<Integer> link : links) {
            builder.addLink(numbers.get(link.getFirst()), numbers.get(link.getLast()));
        }
        if (nodes.isEmpty()) {
            builder.addHosts(hostsPerSwitch);
        }
        new TreeSet<>(nodes.keySet())
                .forEach(
                        node ->
                                builder.addHost(
                                        "h" + node, numbers.get(nodes.get(node)), null, 0, 0));
        return builder.build();
    }
}
