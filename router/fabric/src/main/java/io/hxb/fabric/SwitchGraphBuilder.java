package io.hxb.fabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collects switches, links and hosts, and checks them all at once. Used by one thread.
 *
 * <p>Ports without a name get numbers from 1 at {@link #build()}: links in the order in which they
 * were added, then hosts.
 */
public final class SwitchGraphBuilder {
    /** Maximum number of switches in a graph. */
    public static final int MAX_SWITCHES = 1 << 16;

    /** Maximum number of links in a graph. */
    public static final int MAX_LINKS = 1 << 21;

    /** Maximum number of hosts in a graph. */
    public static final int MAX_HOSTS = 1 << 20;

    // Memory while the graph is made: names, ports in hash tables, and the graph itself.
    private static final int SWITCH_BYTES = 400;
    private static final int LINK_BYTES = 500;
    private static final int HOST_BYTES = 400;

    private final List<String> switches = new ArrayList<>();
    private final Map<String, Integer> switchNumbers = new HashMap<>();
    private final List<End> links = new ArrayList<>();
    private final List<Host> hosts = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /** One direction of a link; the two directions are adjacent. */
    private record End(int node, String port, long rateBps) {}

    private record Host(String name, int node, String port, long mac, long rateBps) {}

    /** Starts with an empty graph. */
    public SwitchGraphBuilder() {}

    /**
     * Adds {@code count} switches with the names {@code s0}, {@code s1} and so on.
     *
     * @throws GraphException if that makes more than {@link #MAX_SWITCHES}.
     */
    public SwitchGraphBuilder addSwitches(final int count) {
        requireAtMost((long) switches.size() + count, MAX_SWITCHES, "switches");
        for (int i = 0; i < count; i++) {
            addSwitch("s" + switches.size());
        }
        return this;
    }

    /**
     * Adds a switch.
     *
     * @return its number.
     */
    public int addSwitch(final String name) {
        requireAtMost(switches.size() + 1L, MAX_SWITCHES, "switches");
        if (switchNumbers.putIfAbsent(name, switches.size()) != null) {
            problems.add("switch '" + name + "' is there twice; rename one");
        }
        switches.add(name);
        return switches.size() - 1;
    }

    /**
     * Refuses a graph that is too large, or that the heap cannot hold, before it is made.
     *
     * @param switches how many it will have; as doubles, because products of nine-digit numbers
     *     overflow anything else.
     */
    public static void requireRoom(final double switches, final double links, final double hosts) {
        requireAtMost((long) switches, MAX_SWITCHES, "switches");
        requireAtMost((long) links, MAX_LINKS, "links");
        requireAtMost((long) hosts, MAX_HOSTS, "hosts");
        final double bytes = switches * SWITCH_BYTES + links * LINK_BYTES + hosts * HOST_BYTES;
        HeapCheck.require((long) bytes, "the switches, links and hosts");
    }

    /** Large graphs are refused before they are made, so that they need no memory. */
    private static void requireAtMost(final long count, final int most, final String what) {
        if (count > most) {
            throw new GraphException(
                    "a graph has at most "
                            + most
                            + " "
                            + what
                            + ", this one has "
                            + count
                            + " or more; make it smaller");
        }
    }

    /** Number of switches so far. */
    public int switchCount() {
        return switches.size();
    }

    /** The switch of that name, or -1. */
    public int findSwitch(final String name) {
        return switchNumbers.getOrDefault(name, -1);
    }

    /** Adds a link of unknown rate whose ports are numbered automatically. */
    public SwitchGraphBuilder addLink(final int from, final int to) {
        return addLink(from, null, to, null, 0);
    }

    /**
     * Adds a link.
     *
     * @param fromPort name of the port, or null for the next number.
     * @param rateBps bit/s, 0 when it is not known.
     * @throws GraphException if that makes more than {@link #MAX_LINKS}.
     */
    public SwitchGraphBuilder addLink(
            final int from,
            final String fromPort,
            final int to,
            final String toPort,
            final long rateBps) {
        final boolean isFromKnown = isSwitch(from, "a link");
        if (isSwitch(to, "a link") && isFromKnown) {
            if (from == to) {
                problems.add(
                        "switch '"
                                + switches.get(from)
                                + "' has a link to itself; remove the cable or correct its end");
                return this;
            }
            requireAtMost(links.size() / 2 + 1L, MAX_LINKS, "links");
            links.add(new End(from, fromPort, rateBps));
            links.add(new End(to, toPort, rateBps));
        }
        return this;
    }

    /**
     * Adds {@code count} hosts to every switch so far, named {@code h0}, {@code h1} and so on.
     *
     * @throws GraphException if that makes more than {@link #MAX_HOSTS}.
     */
    public SwitchGraphBuilder addHosts(final int count) {
        requireAtMost(hosts.size() + (long) count * switches.size(), MAX_HOSTS, "hosts");
        for (int node = 0; node < switches.size(); node++) {
            addHosts(node, count);
        }
        return this;
    }

    /** Adds {@code count} hosts to one switch, named {@code h0}, {@code h1} and so on. */
    public SwitchGraphBuilder addHosts(final int node, final int count) {
        for (int i = 0; i < count; i++) {
            addHost("h" + hosts.size(), node, null, 0, 0);
        }
        return this;
    }

    /**
     * Adds a host.
     *
     * @param port name of the switch's port, or null for the next number.
     * @param mac 48 bits, 0 when it is not known.
     * @param rateBps bit/s, 0 when it is not known.
     */
    public SwitchGraphBuilder addHost(
            final String name,
            final int node,
            final String port,
            final long mac,
            final long rateBps) {
        if (isSwitch(node, "host '" + name + "'")) {
            requireAtMost(hosts.size() + 1L, MAX_HOSTS, "hosts");
            hosts.add(new Host(name, node, port, mac, rateBps));
        }
        return this;
    }

    /** Number of hosts so far. */
    public int hostCount() {
        return hosts.size();
    }

    private boolean isSwitch(final int node, final String what) {
        if (node >= 0 && node < switches.size()) {
            return true;
        }
        problems.add(
                what
                        + " needs switch "
                        + node
                        + ", but there are only switches 0.."
                        + (switches.size() - 1));
        return false;
    }

    /**
     * Checks everything and makes the graph.
     *
     * @throws GraphException naming every problem: no switch, a name or port used twice, links from
     *     a switch to itself or to none, switches that cannot reach switch 0, or too many.
     */
    public SwitchGraph build() {
        requireRoom(switches.size(), links.size() / 2.0, hosts.size());
        checkNotEmpty();
        checkHosts();
        final String[] linkPorts = new String[links.size()];
        final String[] hostPorts = new String[hosts.size()];
        namePorts(linkPorts, hostPorts);
        if (problems.isEmpty()) {
            checkConnected();
        }
        if (!problems.isEmpty()) {
            throw new GraphException(problems);
        }
        final long[] ratesBps = new long[links.size() / 2];
        for (int link = 0; link < ratesBps.length; link++) {
            ratesBps[link] = links.get(2 * link).rateBps;
        }
        return new SwitchGraph(
                switches.toArray(String[]::new),
                links.stream().mapToInt(End::node).toArray(),
                linkPorts,
                ratesBps,
                new SwitchGraph.Hosts(
                        hosts.stream().mapToInt(Host::node).toArray(),
                        hosts.stream().map(Host::name).toArray(String[]::new),
                        hostPorts,
                        hosts.stream().mapToLong(Host::mac).toArray(),
                        hosts.stream().mapToLong(Host::rateBps).toArray()));
    }

    private void checkNotEmpty() {
        if (switches.isEmpty()) {
            problems.add("a graph needs at least one switch");
        }
    }

    private void checkHosts() {
        final Map<String, Integer> seen = new HashMap<>();
        final Map<Long, String> macs = new HashMap<>();
        for (final Host host : hosts) {
            final Integer first = seen.putIfAbsent(host.name, host.node);
            if (first != null) {
                problems.add(
                        "host '"
                                + host.name
                                + "' is there twice, on switch '"
                                + switches.get(first)
                                + "' and on switch '"
                                + switches.get(host.node)
                                + "'; rename one or remove one");
            }
            final String other = host.mac == 0 ? null : macs.putIfAbsent(host.mac, host.name);
            if (other != null) {
                problems.add("hosts '" + other + "' and '" + host.name + "' have one MAC address");
            }
        }
    }

    private void namePorts(final String[] linkPorts, final String[] hostPorts) {
        final List<Set<String>> used = new ArrayList<>();
        switches.forEach(name -> used.add(new HashSet<>()));
        for (int i = 0; i < links.size(); i++) {
            linkPorts[i] = claim(used, links.get(i).node, links.get(i).port);
        }
        for (int i = 0; i < hosts.size(); i++) {
            hostPorts[i] = claim(used, hosts.get(i).node, hosts.get(i).port);
        }
        final int[] last = new int[switches.size()];
        for (int i = 0; i < links.size(); i++) {
            linkPorts[i] = number(linkPorts[i], used, last, links.get(i).node);
        }
        for (int i = 0; i < hosts.size(); i++) {
            hostPorts[i] = number(hostPorts[i], used, last, hosts.get(i).node);
        }
    }

    private String claim(final List<Set<String>> used, final int node, final String port) {
        if (port != null && !used.get(node).add(port)) {
            problems.add(
                    "port '"
                            + port
                            + "' of switch '"
                            + switches.get(node)
                            + "' has two cables; correct one");
        }
        return port;
    }

    private static String number(
            final String port, final List<Set<String>> used, final int[] last, final int node) {
        String name = port;
        while (name == null) {
            last[node]++;
            final String candidate = Integer.toString(last[node]);
            name = used.get(node).add(candidate) ? candidate : null;
        }
        return name;
    }

    private void checkConnected() {
        final int[] parents = new int[switches.size()];
        for (int node = 0; node < parents.length; node++) {
            parents[node] = node;
        }
        for (int i = 0; i < links.size(); i += 2) {
            parents[root(parents, links.get(i).node)] = root(parents, links.get(i + 1).node);
        }
        final List<String> lost = new ArrayList<>();
        for (int node = 0; node < parents.length; node++) {
            if (root(parents, node) != root(parents, 0)) {
                lost.add(switches.get(node));
            }
        }
        if (!lost.isEmpty()) {
            problems.add(
                    "the graph is not connected: no path from switch '"
                            + switches.get(0)
                            + "' to "
                            + lost.size()
                            + " of "
                            + switches.size()
                            + " switches ("
                            + String.join(", ", lost.subList(0, Math.min(lost.size(), 8)))
                            + (lost.size() > 8 ? ", ..." : "")
                            + "); add the missing links or plan the parts one by one");
        }
    }

    private static int root(final int[] parents, final int node) {
        int at = node;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }
}
