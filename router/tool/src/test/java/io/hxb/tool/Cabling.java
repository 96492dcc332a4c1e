package io.hxb.tool;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The cabling of a network whose parts come and go; each has a name that nothing else gets later.
 * Owned by the test's thread.
 */
final class Cabling {
    private static final int MIN_HOSTS = 2;
    private static final int MIN_SWITCHES = 2;
    private static final int MAX_SWITCHES = 7;
    private static final int MAX_CABLES = 14;
    private static final int MAX_HOSTS = 8;

    private final SortedSet<String> switches = new TreeSet<>();
    private final Map<Integer, Cable> cables = new TreeMap<>();
    private final Map<Integer, String> hosts = new TreeMap<>();
    private int count;

    /** A cable between two switches, which names its ports. */
    record Cable(int number, String a, String b) {
        String portA() {
            return "c" + number + "a";
        }

        String portB() {
            return "c" + number + "b";
        }
    }

    /** A ring of switches with a host each, so that there is more than one tree. */
    static Cabling ring(final int size) {
        final Cabling cabling = new Cabling();
        for (int i = 0; i < size; i++) {
            cabling.switches.add("s" + i);
            cabling.addHost("s" + i);
        }
        for (int i = 0; i < size; i++) {
            cabling.addCable("s" + i, "s" + (i + 1) % size);
        }
        return cabling;
    }

    private void addCable(final String a, final String b) {
        cables.put(++count, new Cable(count, a, b));
    }

    private void addHost(final String at) {
        hosts.put(++count, at);
    }

    SortedSet<String> switches() {
        return switches;
    }

    Collection<Cable> cables() {
        return List.copyOf(cables.values());
    }

    /** The switch of each host, by host number. */
    Map<Integer, String> hosts() {
        return new TreeMap<>(hosts);
    }

    /** A host has another port at each switch, as its own NIC has another name for the test. */
    String hostPort(final int host) {
        return "p" + host + hosts.get(host);
    }

    static long mac(final int host) {
        return 0x02_00_00_00_00_00L + host;
    }

    /** Changes one thing; returns what, in words. */
    String change(final Random random) {
        while (true) {
            final String what =
                    switch (random.nextInt(7)) {
                        case 0 -> newCable(random);
                        case 1 -> lessCable(random);
                        case 2 -> newSwitch(random);
                        case 3 -> lessSwitch(random);
                        case 4 -> newHost(random);
                        case 5 -> lessHost(random);
                        default -> movedHost(random);
                    };
            if (!what.isEmpty()) {
                return what;
            }
        }
    }

    private static <T> T any(final Random random, final Collection<T> all) {
        return new ArrayList<>(all).get(random.nextInt(all.size()));
    }

    private String newCable(final Random random) {
        final String a = any(random, switches);
        final String b = any(random, switches);
        if (a.equals(b) || cables.size() >= MAX_CABLES) {
            return "";
        }
        addCable(a, b);
        return "new cable " + cables.get(count);
    }

    private String lessCable(final Random random) {
        final Cable cable = any(random, cables.values());
        cables.remove(cable.number());
        if (!isConnected()) {
            cables.put(cable.number(), cable);
            return "";
        }
        return "without " + cable;
    }

    private String newSwitch(final Random random) {
        if (switches.size() >= MAX_SWITCHES) {
            return "";
        }
        final String name = "s" + ++count;
        for (int i = 0; i < 2; i++) {
            addCable(name, any(random, switches));
        }
        switches.add(name);
        addHost(name);
        return "new switch " + name;
    }

    private String lessSwitch(final Random random) {
        final String name = any(random, switches);
        final Map<Integer, Cable> before = new TreeMap<>(cables);
        final long others = hosts.values().stream().filter(at -> !at.equals(name)).count();
        switches.remove(name);
        cables.values().removeIf(cable -> cable.a().equals(name) || cable.b().equals(name));
        if (switches.size() < MIN_SWITCHES || others < MIN_HOSTS || !isConnected()) {
            switches.add(name);
            cables.putAll(before);
            return "";
        }
        hosts.values().removeIf(name::equals);
        return "without switch " + name;
    }

    private String newHost(final Random random) {
        if (hosts.size() >= MAX_HOSTS) {
            return "";
        }
        addHost(any(random, switches));
        return "new host " + count;
    }

    private String lessHost(final Random random) {
        if (hosts.size() <= MIN_HOSTS) {
            return "";
        }
        final int host = any(random, hosts.keySet());
        hosts.remove(host);
        return "without host " + host;
    }

    /** It keeps its address. */
    private String movedHost(final Random random) {
        final int host = any(random, hosts.keySet());
        final String to = any(random, switches);
        if (to.equals(hosts.put(host, to))) {
            return "";
        }
        return "host " + host + " moves to " + to;
    }

    private boolean isConnected() {
        final Set<String> reached = new HashSet<>(Set.of(switches.first()));
        boolean grows = true;
        while (grows) {
            grows = false;
            for (final Cable cable : cables.values()) {
                if (reached.contains(cable.a()) != reached.contains(cable.b())) {
                    reached.add(cable.a());
                    reached.add(cable.b());
                    grows = true;
                }
            }
        }
        return reached.equals(switches);
    }

    /** As a cabling file. */
    String yaml() {
        final StringBuilder text = new StringBuilder("switches:\n");
        switches.forEach(name -> text.append("  " + name + ":\n"));
        text.append("links:\n");
        for (final Cable cable : cables.values()) {
            text.append(
                    "  - [%s.%s, %s.%s]%n"
                            .formatted(cable.a(), cable.portA(), cable.b(), cable.portB()));
        }
        text.append("hosts:\n");
        hosts.forEach(
                (host, at) ->
                        text.append(
                                "  h%d: {port: %s.%s, mac: \"02:00:00:00:00:%02x\"}%n"
                                        .formatted(host, at, hostPort(host), host)));
        return text.toString();
    }
}
