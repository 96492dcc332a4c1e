package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Examines what the kernel's IP does to the frames of UDP links: by which NIC they leave, and
 * whether a firewall drops those that arrive. Frames of raw links pass before both: they are for a
 * packet socket, and those by IP for a MAC address that the kernel's IP ignores. Stateless.
 */
final class UdpCheck {
    private static final Path SETTINGS = Path.of("/proc/sys/net/ipv4/conf");
    private static final String KEY = "rp_filter";
    private static final int STRICT = 1;
    private static final int MAX_NEIGHBOURS = 8;
    private static final Pattern DEVICE = Pattern.compile(" dev (\\S+)");

    private UdpCheck() {}

    /** What is wrong with the links of one node. */
    static List<Finding> run(final ClusterConfig config, final int node) {
        final List<Finding> findings = new ArrayList<>();
        final Set<Integer> ports = new LinkedHashSet<>();
        for (final LinkConfig link : config.links(node)) {
            final Optional<InetAddress> local = address(link);
            if (local.isPresent() && !local.get().isLoopbackAddress()) {
                ports.add(link.port());
                nicOf(local.get())
                        .ifPresent(nic -> way(config, node, link, local.get(), nic, findings));
            }
        }
        if (!ports.isEmpty()) {
            findings.addAll(firewall(NicCheck.rules(), iptables(), ports));
        }
        return findings;
    }

    private static Optional<InetAddress> address(final LinkConfig link) {
        try {
            return Optional.of(InetAddress.getAllByName(link.host())[0]);
        } catch (final UnknownHostException e) {
            // The node reports it at its start.
            return Optional.empty();
        }
    }

    private static Optional<String> nicOf(final InetAddress local) {
        try {
            return Optional.ofNullable(NetworkInterface.getByInetAddress(local))
                    .map(NetworkInterface::getName);
        } catch (final SocketException e) {
            return Optional.empty();
        }
    }

    private static void way(
            final ClusterConfig config,
            final int node,
            final LinkConfig link,
            final InetAddress local,
            final String nic,
            final List<Finding> findings) {
        if (Programs.find("ip").isEmpty()) {
            return;
        }
        final Shape shape = config.shape();
        final long here = shape.coordinates(node);
        int asked = 0;
        for (int i = 0; i < shape.extent(link.dimension()) && asked < MAX_NEIGHBOURS; i++) {
            final long there = Shape.withCoordinate(here, link.dimension(), i);
            final Optional<InetAddress> other =
                    there == here
                            ? Optional.empty()
                            : address(config.links(shape.node(there)).get(link.index()));
            if (other.isPresent()) {
                asked++;
                final Optional<Finding> found =
                        way(
                                "udp " + link.label(),
                                local.getHostAddress(),
                                other.get().getHostAddress(),
                                nic,
                                isStrict(nic));
                if (found.isPresent()) {
                    findings.add(found.get());
                    return;
                }
            }
        }
    }

    // The greater one of both counts. Source: Documentation/networking/ip-sysctl.rst.
    private static boolean isStrict(final String nic) {
        return Math.max(
                        Privileges.kernelNumber(SETTINGS.resolve("all").resolve(KEY)),
                        Privileges.kernelNumber(SETTINGS.resolve(nic).resolve(KEY)))
                == STRICT;
    }

    /** Whether the kernel sends by the NIC that has the link's address; empty if so. */
    static Optional<Finding> way(
            final String subject,
            final String local,
            final String other,
            final String nic,
            final boolean isStrict) {
        final String route =
                Shell.run("", List.of("ip", "-o", "route", "get", other, "from", local)).output();
        final Matcher device = DEVICE.matcher(route);
        if (!device.find() || device.group(1).equals(nic) || device.group(1).equals("lo")) {
            return Optional.empty();
        }
        final String text =
                "frames to "
                        + other
                        + " leave by "
                        + device.group(1)
                        + ", though "
                        + local
                        + " is an address of "
                        + nic;
        final String fix =
                "give each link a subnet of its own, or a route by its address: ip rule add from "
                        + local
                        + " table 101; ip route add "
                        + other
                        + " dev "
                        + nic
                        + " table 101";
        return Optional.of(
                isStrict
                        ? Finding.fail(
                                subject,
                                text + ", and rp_filter drops what arrives there",
                                fix + "; sysctl -w net.ipv4.conf." + nic + ".rp_filter=2")
                        : Finding.warn(subject, text + ": two links share one cable", fix));
    }

    private static String iptables() {
        return Programs.find("iptables")
                .map(program -> Shell.run("", List.of(program.toString(), "-S")))
                .filter(outcome -> outcome.exitStatus() == 0)
                .map(Shell.Outcome::output)
                .orElse("");
    }

    /**
     * Whether rules drop what arrives at ports.
     *
     * @param nft what {@code nft list ruleset} printed; empty if it is not known.
     * @param iptables what {@code iptables -S} printed.
     */
    static List<Finding> firewall(
            final String nft, final String iptables, final Set<Integer> ports) {
        final int first = ports.stream().mapToInt(Integer::intValue).min().orElseThrow();
        final int last = ports.stream().mapToInt(Integer::intValue).max().orElseThrow();
        final String range = first == last ? "" + first : first + "-" + last;
        final String chain = dropping(nft);
        if (!chain.isEmpty()) {
            return List.of(
                    refused(
                            "nftables drops UDP that arrives at ports " + range + ", by " + chain,
                            "nft insert rule " + chain + " udp dport " + range + " accept"));
        }
        final List<String> lines = iptables.lines().map(String::strip).toList();
        return lines.contains("-P INPUT DROP") && lines.stream().noneMatch(UdpCheck::mayAccept)
                ? List.of(
                        refused(
                                "iptables drops UDP that arrives at ports "
                                        + range
                                        + ": the policy of INPUT is DROP",
                                "iptables -I INPUT -p udp --dport "
                                        + range.replace('-', ':')
                                        + " -j ACCEPT"))
                : List.of();
    }

    private static Finding refused(final String text, final String fix) {
        return Finding.fail("firewall", text, fix);
    }

    /** A chain of input that drops what it does not know; empty if its table may accept it. */
    private static String dropping(final String ruleset) {
        String table = "";
        String chain = "";
        String found = "";
        boolean mayAccept = false;
        for (final String line : (ruleset + "\ntable {").lines().map(String::strip).toList()) {
            if (line.startsWith("table ")) {
                if (!found.isEmpty() && !mayAccept) {
                    return found;
                }
                found = "";
                mayAccept = false;
                table = line.substring("table ".length()).replace(" {", "");
            } else if (line.startsWith("chain ")) {
                chain = line.substring("chain ".length()).replace(" {", "");
            } else if (line.contains("hook input") && line.contains("policy drop")) {
                found = table + " " + chain;
            } else {
                mayAccept |= mayAccept(line);
            }
        }
        return "";
    }

    // Nodes send to each other from and to the same ports, so replies are what arrives. Rules for
    // the loopback, for TCP and for ICMP are for others.
    private static boolean mayAccept(final String line) {
        final boolean isAccept = line.endsWith("accept") || line.endsWith("-j ACCEPT");
        return isAccept
                && !line.matches(".*(\"lo\"|-i lo |tcp|icmp|igmp).*")
                && !line.startsWith("type ");
    }
}
