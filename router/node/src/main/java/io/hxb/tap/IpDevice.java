package io.hxb.tap;

import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicAddress;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.os.nic.NicRoute;
import io.hxb.os.nic.NicSpeed;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The virtual NIC of a node: a TAP device with the MAC and the addresses of an {@link IpPlan}. It
 * is made, or an existing one is taken over that an administrator has made for this user. Read by
 * one thread; any may open it, write to it or close it.
 */
public final class IpDevice implements PacketDevice {
    private static final Logger LOGGER = LoggerFactory.getLogger(IpDevice.class);
    private static final int LONGEST_SUPER_PACKET = 65_536;

    private final TapDevice tap;
    private final int mtuBytes;
    private final IpDeviceWatch watch;

    private IpDevice(final TapDevice tap, final int mtuBytes, final IpDeviceWatch watch) {
        this.tap = tap;
        this.mtuBytes = mtuBytes;
        this.watch = watch;
    }

    /**
     * What a virtual NIC is to be. Immutable.
     *
     * @param name its name, of 1 to 15 bytes.
     * @param node node id, which decides about MAC and addresses.
     * @param prefixes of the addresses, one of each family at most.
     * @param mtuBytes bytes of a packet after its Ethernet header.
     * @param maxPacketBytes room for a packet with its {@link VirtioHeader}; super-packets become
     *     no longer.
     * @param routes by other nodes, each of a family of which there is a prefix; those by this node
     *     are left out.
     */
    public record Settings(
            String name,
            int node,
            List<IpPrefix> prefixes,
            int mtuBytes,
            int maxPacketBytes,
            List<IpRoute> routes) {
        /** Copies the lists. */
        public Settings {
            prefixes = List.copyOf(prefixes);
            routes = routes.stream().filter(route -> route.node() != node).toList();
            if (mtuBytes + VirtioHeader.ETHERNET_LENGTH + VirtioHeader.LENGTH > maxPacketBytes) {
                throw new IllegalArgumentException(
                        "an MTU of "
                                + mtuBytes
                                + " does not fit into packets of "
                                + maxPacketBytes
                                + " bytes");
            }
        }

        /** Without routes. */
        public Settings(
                final String name,
                final int node,
                final List<IpPrefix> prefixes,
                final int mtuBytes,
                final int maxPacketBytes) {
            this(name, node, prefixes, mtuBytes, maxPacketBytes, List.of());
        }

        private IpPrefix family(final IpRoute route) {
            return route.family(prefixes).orElseThrow();
        }

        private String command(final IpRoute route) {
            return "ip route add "
                    + route.prefix()
                    + " via "
                    + family(route).address(route.node())
                    + " dev "
                    + name;
        }

        NicAddress nicAddress(final IpPrefix prefix, final int ifindex) {
            return new NicAddress(ifindex, prefix.bytes(node), prefix.lengthBits());
        }

        NicRoute nicRoute(final IpRoute route, final int ifindex) {
            return new NicRoute(
                    ifindex,
                    route.prefix().bytes(),
                    route.prefix().lengthBits(),
                    family(route).bytes(route.node()));
        }

        /** Commands by which an administrator makes the device for this user beforehand. */
        String commands() {
            final String addresses =
                    prefixes.stream()
                            .map(each -> each.address(node) + "/" + each.lengthBits())
                            .map(each -> "; ip address add " + each + " dev " + name)
                            .collect(Collectors.joining());
            return "ip tuntap add dev "
                    + name
                    + " mode tap user "
                    + System.getProperty("user.name")
                    + "; ip link set "
                    + name
                    + " mtu "
                    + mtuBytes
                    + " up"
                    + addresses
                    + routes.stream()
                            .map(route -> "; " + command(route))
                            .collect(Collectors.joining());
        }
    }

    /**
     * Makes the device, with its addresses and up, or takes over one that was made beforehand.
     * Until it is closed, addresses and routes that other programs remove are put back, if this
     * process may do so.
     *
     * @param namespace network namespace of the device; null or empty for that of the caller.
     * @throws IOException with what is missing, and how to help it.
     */
    public static IpDevice open(final String namespace, final Settings settings)
            throws IOException {
        final String entered = namespace == null || namespace.isEmpty() ? null : namespace;
        return NetworkNamespace.run(entered, () -> openHere(entered, settings));
    }

    private static IpDevice openHere(final String namespace, final Settings settings)
            throws IOException {
        checkAddresses(settings);
        final TapDevice tap = openTap(settings);
        try {
            setUp(tap, settings);
            final IpDeviceGuard guard =
                    new IpDeviceGuard(
                            settings.name, settings.commands(), new IpDeviceState(tap, settings));
            return new IpDevice(
                    tap, settings.mtuBytes, IpDeviceWatch.start(settings.name, namespace, guard));
        } catch (final LinuxException e) {
            tap.close();
            throw e.errno() == Errno.EPERM ? noRights(settings, e) : e;
        } catch (final IOException | RuntimeException e) {
            tap.close();
            throw e;
        }
    }

    private static IOException noRights(final Settings settings, final LinuxException e) {
        return new IOException(
                "the virtual NIC "
                        + settings.name
                        + " needs CAP_NET_ADMIN: run as root or by deploy/hxb-node.service, or let"
                        + " root prepare it: "
                        + settings.commands(),
                e);
    }

    private static TapDevice openTap(final Settings settings) throws IOException {
        try {
            return TapDevice.open(settings.name);
        } catch (final LinuxException e) {
            return switch (e.errno()) {
                case Errno.EBUSY -> attach(settings);
                case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO, Errno.EACCES ->
                        throw new IOException(
                                "the virtual NIC "
                                        + settings.name
                                        + " needs the device /dev/net/tun, which "
                                        + (e.errno() == Errno.EACCES
                                                ? "this user may not open: chmod 666 /dev/net/tun,"
                                                        + " as udev does"
                                                : "is missing here: modprobe tun, or give it to the"
                                                        + " container (--device /dev/net/tun)"),
                                e);
                case Errno.EPERM -> throw noRights(settings, e);
                default -> throw e;
            };
        }
    }

    private static TapDevice attach(final Settings settings) throws IOException {
        try {
            return TapDevice.attach(settings.name);
        } catch (final LinuxException e) {
            final String reason =
                    switch (e.errno()) {
                        case Errno.EBUSY -> "another process uses it";
                        case Errno.EINVAL -> "it is no TAP device with one queue";
                        case Errno.EPERM -> "it is not for this user";
                        default -> throw e;
                    };
            throw new IOException(
                    "there is a NIC "
                            + settings.name
                            + " already, and "
                            + reason
                            + ": choose another ip.device, or remove it",
                    e);
        }
    }

    /** Finds another NIC with an address that this one gets. */
    private static void checkAddresses(final Settings settings) throws IOException {
        final int own = NicInfo.read(settings.name).ifindex();
        for (final NicAddress each : NicAddress.all()) {
            for (final IpPrefix prefix : settings.prefixes) {
                if (each.ifindex() != own
                        && Arrays.equals(each.address(), prefix.bytes(settings.node))) {
                    throw new IOException(
                            prefix.address(settings.node)
                                    + ", the address of node "
                                    + settings.node
                                    + ", is that of "
                                    + NicName.of(each.ifindex())
                                    + " already: choose another ip.prefix, or remove it there");
                }
            }
        }
    }

    private static void setUp(final TapDevice tap, final Settings settings) throws IOException {
        final NicInfo before = NicInfo.read(settings.name);
        if (before.mac() != IpPlan.mac(settings.node)) {
            tap.setMac(IpPlan.mac(settings.node));
        }
        if (before.mtuBytes() != settings.mtuBytes) {
            tap.setMtu(settings.mtuBytes);
        }
        final int superBytes = settings.maxPacketBytes - VirtioHeader.LENGTH;
        if (superBytes < LONGEST_SUPER_PACKET) {
            NicAddress.boundSuperPackets(tap.ifindex(), superBytes);
        }
        if (settings.prefixes.stream().anyMatch(prefix -> !prefix.isIpv4())) {
            switchIpv6On(settings.name);
        }
        if (!before.isUp()) {
            tap.up();
        }
        final List<NicAddress> there = NicAddress.all();
        boolean isComplete = before.isUp();
        for (final IpPrefix prefix : settings.prefixes) {
            final NicAddress wanted = settings.nicAddress(prefix, tap.ifindex());
            if (there.stream().noneMatch(wanted::isSame)) {
                isComplete = false;
                add(wanted, prefix, settings);
            }
        }
        // One that was prepared stays as it is, since this process may have no rights.
        if (!isComplete) {
            NicAddress.declareUp(tap.ifindex());
        }
        addRoutes(tap, settings);
    }

    private static void addRoutes(final TapDevice tap, final Settings settings) throws IOException {
        if (settings.routes.isEmpty()) {
            return;
        }
        final List<NicRoute> there = NicRoute.all();
        for (final IpRoute route : settings.routes) {
            final NicRoute wanted = settings.nicRoute(route, tap.ifindex());
            if (!wanted.isIn(there)) {
                add(wanted, route);
            }
        }
    }

    private static void add(final NicRoute wanted, final IpRoute route) throws IOException {
        try {
            wanted.add();
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EEXIST) {
                throw new IOException(
                        "this machine has another route to "
                                + route.prefix()
                                + " (ip route show "
                                + route.prefix()
                                + "): remove it, or the route from ip.routes",
                        e);
            }
            throw e;
        }
    }

    /** For this NIC alone, where others have none; adding an address finds out whether it works. */
    private static void switchIpv6On(final String name) {
        final Path setting = Path.of("/proc/sys/net/ipv6/conf", name, "disable_ipv6");
        try {
            if (Files.readString(setting).strip().equals("1")) {
                Files.writeString(setting, "0");
            }
        } catch (final IOException e) {
            LOGGER.debug("cannot write {}", setting, e);
        }
    }

    private static void add(final NicAddress wanted, final IpPrefix prefix, final Settings settings)
            throws IOException {
        try {
            wanted.add();
        } catch (final LinuxException e) {
            if (!prefix.isIpv4() && e.errno() != Errno.EPERM) {
                throw new IOException(
                        "the virtual NIC "
                                + settings.name
                                + " cannot have the IPv6 address "
                                + prefix.address(settings.node)
                                + ": IPv6 is off here (sysctl net.ipv6.conf.default.disable_ipv6);"
                                + " switch it on, or leave "
                                + prefix
                                + " out of ip.prefix",
                        e);
            }
            throw e;
        }
        wanted.useEcn(prefix.bytes());
    }

    /**
     * Has it claim a speed, which is 10 Gbit/s otherwise: programs with several networks divide
     * their traffic by that. One that was made beforehand keeps its own if this user has no rights.
     * In the network namespace of the device.
     *
     * @param megabits Mbit/s; 0 for no other speed.
     */
    public void claimSpeed(final int megabits) {
        if (megabits > 0) {
            try {
                NicSpeed.claim(name(), megabits);
            } catch (final LinuxException e) {
                LOGGER.debug("{} claims another speed than {} Mbit/s", name(), megabits, e);
            }
        }
    }

    /** Its name. */
    public String name() {
        return tap.name();
    }

    @Override
    public int descriptor() {
        return tap.descriptor();
    }

    @Override
    public int read(final long address, final int lengthBytes) {
        return zeroIfNone(tap.readWhole(Linux.errnoSegment(), address, lengthBytes));
    }

    @Override
    public int write(final long address, final int lengthBytes) {
        return zeroIfNone(tap.write(Linux.errnoSegment(), address, lengthBytes));
    }

    @Override
    public boolean takes(final int kind) {
        return kind != VirtioHeader.KIND_UDP || tap.hasUdpOffload();
    }

    private static int zeroIfNone(final int result) {
        return result == -Errno.EAGAIN ? 0 : result;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public void close() {
        watch.close();
        tap.close();
    }
}
