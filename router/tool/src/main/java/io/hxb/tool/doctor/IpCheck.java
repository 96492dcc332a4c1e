package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicAddress;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.os.nic.NicRoute;
import io.hxb.tap.IpPlan;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;
import io.hxb.tool.machine.Privileges;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Examines the virtual NIC of a node, and what stands in its way. Stateless. */
final class IpCheck {
    private static final Path TUN = Path.of("/dev/net/tun");
    private static final Path FORWARD_IPV4 = Path.of("/proc/sys/net/ipv4/ip_forward");
    private static final Path FORWARD_IPV6 = Path.of("/proc/sys/net/ipv6/conf/all/forwarding");
    private static final long USUAL_FOREIGN = 1_000;

    private IpCheck() {}

    /**
     * Everything about the virtual NIC of one node; nothing if it has none.
     *
     * @param isRunning whether the node runs.
     */
    static List<Finding> run(final ClusterConfig config, final int node, final boolean isRunning) {
        if (!config.ip().isWanted()) {
            return List.of();
        }
        final List<Finding> findings = new ArrayList<>();
        final String subject = "ip " + config.ip().device();
        final String named = config.netns(node);
        try {
            NetworkNamespace.run(
                    named.isEmpty() ? null : named,
                    () -> {
                        inNamespace(config, node, isRunning, subject, findings);
                        return null;
                    });
        } catch (final IOException e) {
            findings.add(Finding.warn(subject, e.getMessage(), "run as the user of the node"));
        }
        return findings;
    }

    private static void inNamespace(
            final ClusterConfig config,
            final int node,
            final boolean isRunning,
            final String subject,
            final List<Finding> findings)
            throws IOException {
        final NicInfo nic = NicInfo.read(config.ip().device());
        if (isRunning) {
            findings.add(state(config, node, nic, subject));
            if (nic.exists() && nic.isUp()) {
                missingAddress(config, node, nic, subject).ifPresent(findings::add);
            }
            for (final IpRoute route : config.ip().routes()) {
                route(config, node, nic, route).ifPresent(findings::add);
            }
        } else {
            findings.add(canBeMade(nic, subject));
        }
        ForwardCheck.run(config.ip().device(), subject).ifPresent(findings::add);
        if (config.ip().prefixes().stream().anyMatch(prefix -> !prefix.isIpv4())) {
            Ipv6Check.run(
                            Ipv6Check.SETTINGS,
                            config.ip().device(),
                            subject,
                            isRunning,
                            Privileges.has(Privileges.NET_ADMIN)
                                    && Files.isWritable(Ipv6Check.NEW_NICS))
                    .ifPresent(findings::add);
        }
        for (final NicAddress each : NicAddress.all()) {
            for (final IpPrefix prefix : config.ip().prefixes()) {
                if (each.ifindex() != nic.ifindex() && overlaps(prefix, each)) {
                    findings.add(
                            Finding.fail(
                                    subject,
                                    prefix
                                            + " overlaps the addresses of "
                                            + NicName.of(each.ifindex()),
                                    "choose an ip.prefix that no other network of the machines"
                                            + " uses"));
                }
            }
        }
    }

    /** An address that another program has taken from the device; empty if it has all. */
    private static Optional<Finding> missingAddress(
            final ClusterConfig config, final int node, final NicInfo nic, final String subject)
            throws IOException {
        final List<NicAddress> there = NicAddress.all();
        for (final IpPrefix prefix : config.ip().prefixes()) {
            final NicAddress wanted =
                    new NicAddress(nic.ifindex(), prefix.bytes(node), prefix.lengthBits());
            if (there.stream().noneMatch(wanted::isSame)) {
                final String address = prefix.address(node) + "/" + prefix.lengthBits();
                return Optional.of(
                        Finding.fail(
                                subject,
                                "has no longer the address "
                                        + address
                                        + ": another program takes it away, and the node may not"
                                        + " put it back, or not as often",
                                "exclude "
                                        + nic.name()
                                        + " from the program that manages the NICs of this machine"
                                        + " (docs/howto/ip.md); ip address add "
                                        + address
                                        + " dev "
                                        + nic.name()));
            }
        }
        return Optional.empty();
    }

    /** What is wrong with a route at a node; empty if nothing is. */
    private static Optional<Finding> route(
            final ClusterConfig config, final int node, final NicInfo nic, final IpRoute route)
            throws IOException {
        final String subject = "ip route " + route;
        if (route.node() == node) {
            return isForwarding(route.prefix().isIpv4())
                    ? Optional.empty()
                    : Optional.of(
                            Finding.warn(
                                    subject,
                                    "this node is the gateway, and its kernel does not forward",
                                    route.prefix().isIpv4()
                                            ? "sysctl -w net.ipv4.ip_forward=1"
                                            : "sysctl -w net.ipv6.conf.all.forwarding=1"));
        }
        final String gateway = config.ip().gateway(route);
        final NicRoute wanted =
                new NicRoute(
                        nic.ifindex(),
                        route.prefix().bytes(),
                        route.prefix().lengthBits(),
                        InetAddress.ofLiteral(gateway).getAddress());
        return wanted.isIn(NicRoute.all())
                ? Optional.empty()
                : Optional.of(
                        Finding.fail(
                                subject,
                                "is missing at this node",
                                "ip route add "
                                        + route.prefix()
                                        + " via "
                                        + gateway
                                        + " dev "
                                        + nic.name()));
    }

    private static boolean isForwarding(final boolean isIpv4) throws IOException {
        final Path setting = isIpv4 ? FORWARD_IPV4 : FORWARD_IPV6;
        return Files.exists(setting) && !Files.readString(setting).strip().equals("0");
    }

    private static boolean overlaps(final IpPrefix prefix, final NicAddress address) {
        final byte[] bytes = prefix.bytes();
        if (bytes.length != address.address().length) {
            return false;
        }
        final int common = Math.min(prefix.lengthBits(), address.lengthBits());
        for (int bit = 0; bit < common; bit++) {
            final int mask = 0x80 >>> bit % Byte.SIZE;
            if (((bytes[bit / Byte.SIZE] ^ address.address()[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    private static Finding state(
            final ClusterConfig config, final int node, final NicInfo nic, final String subject) {
        if (!nic.exists()) {
            return Finding.fail(
                    subject,
                    "is gone, though its node runs",
                    "start the node again, which makes it");
        }
        if (!nic.isUp()) {
            return Finding.fail(subject, "is down", "ip link set " + nic.name() + " up");
        }
        if (nic.mtuBytes() != config.ipMtuBytes()) {
            return Finding.fail(
                    subject,
                    "has an MTU of " + nic.mtuBytes() + ", not " + config.ipMtuBytes(),
                    "ip link set " + nic.name() + " mtu " + config.ipMtuBytes());
        }
        if (nic.mac() != IpPlan.mac(node)) {
            return Finding.fail(
                    subject,
                    "has another MAC than the other nodes expect",
                    "ip link set " + nic.name() + " address " + IpPlan.macText(node));
        }
        return Finding.ok(subject, "is up, MTU " + nic.mtuBytes());
    }

    private static Finding canBeMade(final NicInfo nic, final String subject) {
        if (!Files.exists(TUN)) {
            return Finding.fail(
                    subject,
                    "cannot be made: there is no /dev/net/tun",
                    "modprobe tun, or give it to the container (--device /dev/net/tun)");
        }
        if (nic.exists()) {
            return Finding.ok(subject, "was made beforehand");
        }
        return Privileges.has(Privileges.NET_ADMIN)
                ? Finding.ok(subject, "can be made")
                : Finding.warn(
                        subject,
                        "this user cannot make it without CAP_NET_ADMIN",
                        "start the node by deploy/hxb-node.service, or let root make the device"
                                + " beforehand (docs/howto/ip.md)");
    }

    /** What a running node has counted. */
    static void counts(
            final CounterReader reader, final String subject, final List<Finding> findings) {
        final long foreign = reader.sum(CounterType.IP_DROPPED_ADDRESS_PACKETS);
        // A few are normal, such as those of a machine that looks for an address of nobody.
        if (foreign > USUAL_FOREIGN) {
            findings.add(
                    Finding.warn(
                            subject,
                            foreign
                                    + " packets of its virtual NIC were for no node: their"
                                    + " MACs are of none, they have VLAN tags, or they are no IP",
                            "do not put the virtual NIC into a bridge, nor macvlan or VLAN"
                                    + " interfaces on it: route instead"));
        }
    }
}
