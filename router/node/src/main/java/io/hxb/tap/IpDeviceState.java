package io.hxb.tap;

import io.hxb.linux.LinuxException;
import io.hxb.os.nic.NicAddress;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.os.nic.NicRoute;

import java.util.ArrayList;
import java.util.List;

/**
 * The virtual NIC of a node beside what its cluster file wants. In the network namespace of the
 * device. Owned by one thread.
 */
final class IpDeviceState implements VirtualNic {
    private final TapDevice tap;
    private final IpDevice.Settings settings;

    // One that was prepared beforehand may have none.
    private final List<IpPrefix> withEcn = new ArrayList<>();

    /** Remembers what the device has now besides what the settings say. */
    IpDeviceState(final TapDevice tap, final IpDevice.Settings settings) throws LinuxException {
        this.tap = tap;
        this.settings = settings;
        for (final IpPrefix prefix : settings.prefixes()) {
            if (usesEcn(prefix)) {
                withEcn.add(prefix);
            }
        }
    }

    @Override
    public String obstacle() throws LinuxException {
        final String name = settings.name();
        final NicInfo now = NicInfo.read(name);
        if (!now.exists() || now.ifindex() != tap.ifindex()) {
            final String other = NicName.of(tap.ifindex());
            return other == null
                    ? "the virtual NIC " + name + " was removed: restart the node, which makes it"
                    : "the virtual NIC "
                            + name
                            + " is called "
                            + other
                            + " now: it works, but its addresses are no longer watched, and"
                            + " hxb doctor does not find it (ip link set "
                            + other
                            + " name "
                            + name
                            + ")";
        }
        return now.isUp()
                ? ""
                : "the virtual NIC "
                        + name
                        + " was set down: no program can use IP over HXB until it is up again (ip"
                        + " link set "
                        + name
                        + " up)";
    }

    @Override
    public List<Loss> losses() throws LinuxException {
        final List<Loss> losses = new ArrayList<>();
        final NicInfo now = NicInfo.read(settings.name());
        // A smaller one may be meant, and works.
        if (now.mtuBytes() > settings.mtuBytes()) {
            losses.add(
                    new Loss(
                            "its MTU of " + settings.mtuBytes(),
                            () -> tap.setMtu(settings.mtuBytes())));
        }
        if (now.mac() != IpPlan.mac(settings.node())) {
            losses.add(new Loss("its MAC", () -> tap.setMac(IpPlan.mac(settings.node()))));
        }
        final List<NicAddress> there = NicAddress.all();
        for (final IpPrefix prefix : settings.prefixes()) {
            final NicAddress wanted = address(prefix);
            if (there.stream().noneMatch(wanted::isSame)) {
                losses.add(
                        new Loss(
                                "the address "
                                        + prefix.address(settings.node())
                                        + "/"
                                        + prefix.lengthBits(),
                                () -> add(wanted, prefix)));
            } else if (withEcn.contains(prefix) && !usesEcn(prefix)) {
                losses.add(
                        new Loss(
                                "ECN on the route to " + prefix,
                                () -> wanted.useEcn(prefix.bytes())));
            }
        }
        for (final IpRoute route : settings.routes()) {
            final NicRoute wanted = settings.nicRoute(route, tap.ifindex());
            if (!wanted.isTaken()) {
                losses.add(new Loss("the route to " + route.prefix(), wanted::add));
            }
        }
        return losses;
    }

    private void add(final NicAddress wanted, final IpPrefix prefix) throws LinuxException {
        wanted.add();
        if (withEcn.contains(prefix)) {
            wanted.useEcn(prefix.bytes());
        }
    }

    private NicAddress address(final IpPrefix prefix) {
        return settings.nicAddress(prefix, tap.ifindex());
    }

    private boolean usesEcn(final IpPrefix prefix) throws LinuxException {
        return address(prefix).usesEcn(prefix.bytes(settings.node() == 0 ? 1 : 0));
    }
}
