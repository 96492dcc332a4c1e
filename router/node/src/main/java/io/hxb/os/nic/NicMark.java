package io.hxb.os.nic;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Says at a NIC itself that a process has switched a feature of it on and is going to switch it off
 * again, so that another one can when the first was killed. It is an alternative name of the NIC,
 * which lasts as long as the NIC, whatever becomes of folders. Stateless. Source: rtnetlink(7);
 * linux/if_link.h, RTM_NEWLINKPROP; ifinfomsg is {family@0, type@2, ifindex@4, flags@8, change@12}.
 */
public final class NicMark {
    /** Before the number of the process in the alternative name. */
    public static final String PREFIX = "hxb-gro-forwarding-";

    private static final int RTM_GETLINK = 18;
    private static final int RTM_NEWLINKPROP = 108;
    private static final int RTM_DELLINKPROP = 109;
    private static final int IFLA_PROP_LIST = 52;
    private static final int IFLA_ALT_IFNAME = 53;
    private static final int NLA_F_NESTED = 0x8000;
    private static final int IFINFOMSG_LENGTH = 16;
    private static final int IFINDEX_OFFSET = 4;

    private NicMark() {}

    /**
     * The processes that have marked a NIC.
     *
     * @param namespace of the NIC, as for {@link NetworkNamespace#run}.
     */
    public static List<Long> owners(final String namespace, final int ifindex) throws IOException {
        return NetworkNamespace.run(namespace, () -> ownersHere(ifindex));
    }

    /** Marks a NIC for a process; does nothing if it is marked for it already. */
    public static void put(final String namespace, final int ifindex, final long pid)
            throws IOException {
        change(namespace, RTM_NEWLINKPROP, ifindex, pid, Errno.EEXIST);
    }

    /** Removes the mark of a process, if there is one. */
    public static void remove(final String namespace, final int ifindex, final long pid)
            throws IOException {
        change(namespace, RTM_DELLINKPROP, ifindex, pid, Errno.ENOENT);
    }

    private static List<Long> ownersHere(final int ifindex) throws LinuxException {
        final List<Long> owners = new ArrayList<>();
        try (Netlink requests = Netlink.open()) {
            for (final ByteBuffer nic : requests.list(RTM_GETLINK, 0, IFINFOMSG_LENGTH)) {
                if (nic.getInt(IFINDEX_OFFSET) == ifindex) {
                    Netlink.attributes(nic, IFINFOMSG_LENGTH)
                            .forEach(
                                    (type, value) -> {
                                        if ((type & ~NLA_F_NESTED) == IFLA_PROP_LIST) {
                                            addOwners(value, owners);
                                        }
                                    });
                }
            }
        }
        return owners;
    }

    // Attributes of one type: a map of them would have the last only.
    private static void addOwners(final byte[] properties, final List<Long> owners) {
        final String text = new String(properties, StandardCharsets.ISO_8859_1);
        for (int at = text.indexOf(PREFIX); at >= 0; at = text.indexOf(PREFIX, at + 1)) {
            final int end = text.indexOf('\0', at);
            final String pid = text.substring(at + PREFIX.length(), end < 0 ? text.length() : end);
            if (pid.matches("\\d{1,10}")) {
                owners.add(Long.parseLong(pid));
            }
        }
    }

    private static void change(
            final String namespace,
            final int type,
            final int ifindex,
            final long pid,
            final int allowed)
            throws IOException {
        final byte[] name = (PREFIX + pid + "\0").getBytes(StandardCharsets.US_ASCII);
        final ByteBuffer property = Netlink.body(name.length);
        Netlink.add(property, IFLA_ALT_IFNAME, name);
        final byte[] nested = new byte[property.flip().remaining()];
        property.get(nested);
        final ByteBuffer body = Netlink.body(IFINFOMSG_LENGTH);
        body.putInt(IFINDEX_OFFSET, ifindex).position(IFINFOMSG_LENGTH);
        Netlink.add(body, IFLA_PROP_LIST | NLA_F_NESTED, nested);
        final int flags = type == RTM_NEWLINKPROP ? Netlink.CREATE | Netlink.EXCLUSIVE : 0;
        NetworkNamespace.run(
                namespace,
                () -> {
                    try (Netlink requests = Netlink.open()) {
                        final int result = requests.order(type, flags, body);
                        if (result < 0 && result != -allowed) {
                            throw new LinuxException("the alternative name of a NIC", -result);
                        }
                    }
                    return null;
                });
    }
}
