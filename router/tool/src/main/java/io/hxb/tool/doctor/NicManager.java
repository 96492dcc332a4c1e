package io.hxb.tool.doctor;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What sets up the NICs of a machine when it starts, and the files that it reads. Source:
 * systemd.network(5), nm-settings-keyfile(5), interfaces(5).
 */
enum NicManager {
    /** Keeps a connection for each NIC, and makes one for a NIC that has none. */
    NETWORK_MANAGER(
            "NetworkManager",
            "run/NetworkManager",
            "etc/NetworkManager/system-connections etc/NetworkManager/conf.d"
                    + " etc/sysconfig/network-scripts etc/netplan",
            "mtu=%2$d in the section [ethernet]") {
        @Override
        BootFile file(final String nic, final int mtuBytes) {
            final String id = "hxb-" + nic;
            final String path = "/etc/NetworkManager/system-connections/" + id + ".nmconnection";
            return new BootFile(
                    path,
                    """
                    [connection]
                    id=%s
                    uuid=%s
                    type=ethernet
                    interface-name=%s
                    autoconnect-priority=100

                    [ethernet]
                    mtu=%d

                    [ipv4]
                    method=disabled

                    [ipv6]
                    method=disabled
                    """
                            .formatted(
                                    id,
                                    UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)),
                                    nic,
                                    mtuBytes),
                    true,
                    "nmcli connection load " + path + "; nmcli connection up " + id);
        }
    },

    /** Sets up the NICs that a file of its own matches. */
    NETWORKD(
            "systemd-networkd",
            "run/systemd/netif/state",
            "etc/systemd/network run/systemd/network etc/netplan",
            "MTUBytes=%2$d in the section [Link]") {
        @Override
        BootFile file(final String nic, final int mtuBytes) {
            return new BootFile(
                    "/etc/systemd/network/10-hxb-" + nic + ".network",
                    """
                    [Match]
                    Name=%s

                    [Link]
                    MTUBytes=%d
                    RequiredForOnline=no

                    [Network]
                    LinkLocalAddressing=no
                    IPv6AcceptRA=no
                    """
                            .formatted(nic, mtuBytes),
                    false,
                    "networkctl reload");
        }
    },

    /** Reads one text with all NICs. */
    IFUPDOWN(
            "ifupdown",
            "etc/network/interfaces",
            "etc/network/interfaces etc/network/interfaces.d",
            "the line: up ip link set dev %1$s mtu %2$d") {
        @Override
        BootFile file(final String nic, final int mtuBytes) {
            return new BootFile(
                    "/etc/network/interfaces.d/hxb-" + nic,
                    """
                    auto %1$s
                    iface %1$s inet manual
                        up ip link set dev %1$s mtu %2$d up
                        down ip link set dev %1$s down
                    """
                            .formatted(nic, mtuBytes),
                    false,
                    "ifup " + nic);
        }
    };

    private final String title;
    private final String sign;
    private final String places;
    private final String byHand;

    NicManager(final String title, final String sign, final String places, final String byHand) {
        this.title = title;
        this.sign = sign;
        this.places = places;
        this.byHand = byHand;
    }

    /**
     * The one that sets up NICs here.
     *
     * @param root of the files of the machine.
     * @return empty if none of them is there.
     */
    static Optional<NicManager> of(final Path root) {
        for (final NicManager manager : values()) {
            // The link by which a service starts with the machine leads nowhere in an image.
            final Path link =
                    root.resolve("etc/systemd/system/multi-user.target.wants")
                            .resolve(manager.title + ".service");
            if (Files.exists(root.resolve(manager.sign))
                    || Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of(manager);
            }
        }
        return Optional.empty();
    }

    /**
     * The file that sets a NIC up with an MTU and without addresses, each time the machine starts.
     *
     * @param nic a name without characters that such a file interprets.
     */
    abstract BootFile file(String nic, int mtuBytes);

    /** Its name. */
    String title() {
        return title;
    }

    /** Files and folders that may name NICs, below the root of the machine. */
    List<String> places() {
        return List.of(places.split(" ", -1));
    }

    /** What has to be added to somebody else's file of a NIC. */
    String byHand(final String nic, final int mtuBytes) {
        return byHand.formatted(nic, mtuBytes);
    }
}
