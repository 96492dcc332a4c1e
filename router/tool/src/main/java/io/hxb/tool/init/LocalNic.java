package io.hxb.tool.init;

import java.io.IOException;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A NIC of this machine, as the kernel describes it. Immutable. Source: sysfs-class-net.
 *
 * @param name its name.
 * @param isUp somebody set it up.
 * @param hasCarrier its cable works.
 * @param mtuBytes its MTU.
 * @param speedMbps its speed in Mbit/s, 0 if it is unknown.
 * @param mac its address as 12 hexadecimal digits.
 * @param addresses IP addresses with the length of their prefix.
 * @param kind {@code physical}, {@code virtual}, or what else it is: {@code wireless}, {@code
 *     bridge}, {@code bond}, {@code vlan}, {@code macvlan}, {@code vxlan}, {@code tunnel}, {@code
 *     other}, as teams.
 * @param master the bridge, bond or team of which it is a port; empty if there is none.
 * @param isDefaultRoute it leads to the rest of the world.
 */
record LocalNic(
        String name,
        boolean isUp,
        boolean hasCarrier,
        int mtuBytes,
        int speedMbps,
        String mac,
        List<String> addresses,
        String kind,
        String master,
        boolean isDefaultRoute) {
    private static final String ETHERNET = "1";
    private static final Set<String> STACKED = Set.of("vlan", "macvlan", "vxlan");
    private static final int IFF_UP = 1;
    private static final int IFF_LOOPBACK = 8;

    /** Copies the list. */
    LocalNic {
        addresses = List.copyOf(addresses);
    }

    /** All NICs of this network namespace but the loopback, by name. */
    static List<LocalNic> list() throws IOException {
        return list(Path.of("/sys/class/net"), defaultRoutes(Path.of("/proc/net/route")));
    }

    /** The same from other folders. */
    static List<LocalNic> list(final Path folder, final Set<String> defaultRoutes)
            throws IOException {
        final List<LocalNic> nics = new ArrayList<>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (final Path entry : entries.filter(Files::isDirectory).toList()) {
                if ((flags(entry) & IFF_LOOPBACK) == 0) {
                    nics.add(read(entry, defaultRoutes));
                }
            }
        }
        nics.sort(Comparator.comparing(LocalNic::name, DiscoveredPort.NATURAL));
        return nics;
    }

    private static LocalNic read(final Path entry, final Set<String> defaultRoutes) {
        final String name = entry.getFileName().toString();
        return new LocalNic(
                name,
                (flags(entry) & IFF_UP) != 0,
                text(entry, "carrier").equals("1"),
                number(text(entry, "mtu")),
                number(text(entry, "speed")),
                text(entry, "address").replace(":", ""),
                addresses(name),
                kind(entry),
                master(entry),
                defaultRoutes.contains(name));
    }

    private static String kind(final Path entry) {
        if (!text(entry, "type").equals(ETHERNET)) {
            return "other";
        }
        if (Files.exists(entry.resolve("wireless")) || Files.exists(entry.resolve("phy80211"))) {
            return "wireless";
        }
        if (Files.exists(entry.resolve("bridge"))) {
            return "bridge";
        }
        if (Files.exists(entry.resolve("bonding"))) {
            return "bond";
        }
        if (Files.exists(entry.resolve("tun_flags"))) {
            return "tunnel";
        }
        final String type =
                text(entry, "uevent")
                        .lines()
                        .filter(line -> line.startsWith("DEVTYPE="))
                        .map(line -> line.substring("DEVTYPE=".length()))
                        .findFirst()
                        .orElse("");
        if (STACKED.contains(type)) {
            return type;
        }
        if (Files.exists(entry.resolve("device"))) {
            return "physical";
        }
        return isOnTopOfOthers(entry) ? "other" : "virtual";
    }

    private static boolean isOnTopOfOthers(final Path entry) {
        try (Stream<Path> files = Files.list(entry)) {
            return files.anyMatch(file -> file.getFileName().toString().startsWith("lower_"));
        } catch (final IOException e) {
            return false;
        }
    }

    private static String master(final Path entry) {
        final Path master = entry.resolve("master");
        try {
            return Files.exists(master) ? master.toRealPath().getFileName().toString() : "";
        } catch (final IOException e) {
            // It has just left it.
            return "";
        }
    }

    private static int flags(final Path entry) {
        final String text = text(entry, "flags");
        return text.matches("0x[0-9a-f]{1,7}") ? Integer.parseInt(text.substring(2), 16) : 0;
    }

    private static int number(final String text) {
        return text.matches("\\d{1,7}") ? Integer.parseInt(text) : 0;
    }

    /**
     * The text of a file; empty if it cannot be read, as 'speed' and 'carrier' of a NIC that is
     * down.
     */
    private static String text(final Path entry, final String file) {
        try {
            return Files.readString(entry.resolve(file)).strip();
        } catch (final IOException e) {
            return "";
        }
    }

    private static List<String> addresses(final String name) {
        try {
            final NetworkInterface nic = NetworkInterface.getByName(name);
            return nic == null
                    ? List.of()
                    : nic.getInterfaceAddresses().stream()
                            .filter(address -> !address.getAddress().isLinkLocalAddress())
                            .map(LocalNic::text)
                            .toList();
        } catch (final IOException e) {
            return List.of();
        }
    }

    private static String text(final InterfaceAddress address) {
        return address.getAddress().getHostAddress().replaceFirst("%.*", "")
                + "/"
                + address.getNetworkPrefixLength();
    }

    /** NICs of default routes. Source: proc(5), /proc/net/route. */
    static Set<String> defaultRoutes(final Path file) throws IOException {
        if (!Files.exists(file)) {
            return Set.of();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.split("\\s+", -1))
                    .filter(words -> words.length > 1 && words[1].equals("00000000"))
                    .map(words -> words[0])
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Why it is not asked by itself; empty if it is. */
    String reasonToLeaveAlone(final boolean isVirtualWelcome) {
        if (!kind.equals("physical") && !(kind.equals("virtual") && isVirtualWelcome)) {
            return "left alone: " + kind;
        }
        if (!master.isEmpty()) {
            return "left alone: a port of " + master + ", which takes its frames";
        }
        if (isDefaultRoute) {
            return "left alone: carries the default route";
        }
        if (!isUp) {
            return "down: ip link set " + name + " up";
        }
        return "";
    }
}
