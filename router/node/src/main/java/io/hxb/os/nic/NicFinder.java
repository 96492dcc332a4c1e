package io.hxb.os.nic;

import io.hxb.linux.LinuxException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds NICs by what stays the same when their names change, in the network namespace of the
 * calling thread. Stateless. Source: rtnetlink(7).
 *
 * <p>A selector is the name of a NIC, {@code mac:} and a MAC address such as {@code
 * mac:02:00:00:00:00:0a}, or {@code path:} and the place of its device such as {@code
 * path:pci-0000:03:00.0} (see {@link NicPath}). No name has a colon.
 */
public final class NicFinder {
    /** Before the address in a selector. */
    public static final String MAC_PREFIX = "mac:";

    /** Before the path in a selector. */
    public static final String PATH_PREFIX = "path:";

    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
    private static final int RTM_GETLINK = 18;
    private static final int IFINFOMSG_LENGTH = 16;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MASTER = 10;
    private static final int IFLA_PERM_ADDRESS = 54;
    private static final int IFLA_PARENT_DEV_NAME = 56;
    private static final int IFLA_PARENT_DEV_BUS_NAME = 57;

    private NicFinder() {}

    /**
     * A NIC as it is listed. Immutable.
     *
     * @param ifindex its number, from 1.
     * @param name its name now.
     * @param mac its address now, such as {@code 02:00:00:00:00:0a}; empty if it has none.
     * @param permanentMac that of the hardware, which most virtual NICs lack; then empty.
     * @param bus of its device, such as {@code pci}; empty for virtual NICs.
     * @param device its name there, such as {@code 0000:03:00.0}; empty for virtual NICs.
     * @param master number of the bridge, bond or team of which it is a port; 0 if of none.
     */
    public record Listed(
            int ifindex,
            String name,
            String mac,
            String permanentMac,
            String bus,
            String device,
            int master) {
        /** Where its device is plugged in, as udev writes it; empty for virtual NICs. */
        public String path() {
            return bus.isEmpty() ? "" : NicPath.of(NicPath.SYSFS, bus, device);
        }
    }

    /** True if the text is a MAC address. */
    public static boolean isMac(final String text) {
        return MAC.matcher(text).matches();
    }

    /** The selector of a NIC with that MAC address. */
    public static String byMac(final String mac) {
        return MAC_PREFIX + mac.toLowerCase(Locale.ROOT);
    }

    /** True if the text can be the path of a device. */
    public static boolean isPath(final String text) {
        return NicPath.isPath(text);
    }

    /** The selector of the NIC of the device with that path. */
    public static String byPath(final String path) {
        return PATH_PREFIX + path;
    }

    /** True if a selector has a MAC address in place of a name. */
    public static boolean isByMac(final String selector) {
        return selector.startsWith(MAC_PREFIX);
    }

    /** True if a selector has a path in place of a name. */
    public static boolean isByPath(final String selector) {
        return selector.startsWith(PATH_PREFIX);
    }

    /** True if a selector has something else than a name, so that it survives other names. */
    public static boolean isLasting(final String selector) {
        return isByMac(selector) || isByPath(selector);
    }

    /** All NICs, the loopback included, by number. */
    public static List<Listed> all() throws LinuxException {
        final List<Listed> found = new ArrayList<>();
        try (Netlink netlink = Netlink.open()) {
            for (final ByteBuffer one : netlink.list(RTM_GETLINK, 0, IFINFOMSG_LENGTH)) {
                final Map<Integer, byte[]> attributes = Netlink.attributes(one, IFINFOMSG_LENGTH);
                found.add(
                        new Listed(
                                one.getInt(4),
                                word(attributes.get(IFLA_IFNAME)),
                                text(attributes.get(IFLA_ADDRESS)),
                                text(attributes.get(IFLA_PERM_ADDRESS)),
                                word(attributes.get(IFLA_PARENT_DEV_BUS_NAME)),
                                word(attributes.get(IFLA_PARENT_DEV_NAME)),
                                number(attributes.get(IFLA_MASTER))));
            }
        }
        found.sort(Comparator.comparingInt(Listed::ifindex));
        return found;
    }

    // Words end with a zero.
    private static String word(final byte[] bytes) {
        return bytes == null || bytes.length == 0
                ? ""
                : new String(bytes, 0, bytes.length - 1, StandardCharsets.UTF_8);
    }

    private static int number(final byte[] bytes) {
        return bytes == null || bytes.length < Integer.BYTES
                ? 0
                : ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt();
    }

    private static String text(final byte[] address) {
        return address == null || address.length != 6
                ? ""
                : HexFormat.ofDelimiter(":").formatHex(address);
    }

    /**
     * The name of the bridge, bond or team of which a NIC is a port.
     *
     * @param ifindex number of the NIC.
     * @return empty if it is a port of none.
     */
    public static String master(final int ifindex, final List<Listed> nics) {
        final int master =
                nics.stream()
                        .filter(nic -> nic.ifindex() == ifindex)
                        .mapToInt(Listed::master)
                        .findFirst()
                        .orElse(0);
        return nics.stream()
                .filter(nic -> master > 0 && nic.ifindex() == master)
                .map(Listed::name)
                .findFirst()
                .orElse("");
    }

    /**
     * The name that a NIC has now.
     *
     * @param selector as above.
     * @return the name in the selector, or the name of the NIC with the address or path in it; the
     *     selector itself, which is no name of a NIC, if there is none.
     */
    public static String name(final String selector) throws LinuxException {
        return isLasting(selector) ? name(selector, all()) : selector;
    }

    /**
     * The same among NICs that were listed.
     *
     * <p>A NIC that has the address of its hardware comes first, because bridges, bonds and VLAN
     * devices take on that of a port; then the one that was made first. Of several NICs of one
     * device, the first is taken.
     */
    public static String name(final String selector, final List<Listed> nics) {
        return name(selector, nics, NicPath.SYSFS);
    }

    /** The same with sysfs in that folder. */
    static String name(final String selector, final List<Listed> nics, final Path sysfs) {
        if (isByPath(selector)) {
            final String path = selector.substring(PATH_PREFIX.length());
            return nics.stream()
                    .filter(nic -> NicPath.isAt(sysfs, nic.bus(), nic.device(), path))
                    .findFirst()
                    .map(Listed::name)
                    .orElse(selector);
        }
        if (!isByMac(selector)) {
            return selector;
        }
        final String mac = selector.substring(MAC_PREFIX.length());
        return nics.stream()
                .filter(nic -> nic.permanentMac().equals(mac))
                .findFirst()
                .or(() -> nics.stream().filter(nic -> nic.mac().equals(mac)).findFirst())
                .map(Listed::name)
                .orElse(selector);
    }
}
