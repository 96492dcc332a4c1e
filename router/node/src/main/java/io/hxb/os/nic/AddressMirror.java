package io.hxb.os.nic;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.Sockets;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Lets a virtual NIC stand before another: it has the same addresses, and the same routes with
 * precedence over those of the other, which keeps its own. When the virtual NIC goes, the kernel
 * removes its addresses and routes, and those of the other hold again; connections survive that,
 * since the host has its address all the time. Owned by one thread, in whose network namespace both
 * are. Source: rtnetlink(7); ifaddrmsg is {family@0, prefix@1, flags@2, scope@3, ifindex@4}, rtmsg
 * is {family@0, destination bits@1, source bits@2, tos@3, table@4, protocol@5, scope@6, type@7,
 * flags@8}.
 */
public final class AddressMirror implements AutoCloseable {
    private static final int AF_INET6 = 10;

    private static final int RTM_NEWADDR = 20;
    private static final int RTM_DELADDR = 21;
    private static final int RTM_GETADDR = 22;
    private static final int IFADDRMSG_LENGTH = 8;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_BROADCAST = 4;
    private static final int IFA_FLAGS = 8;
    private static final int IFA_F_NODAD = 0x02;
    private static final int IFA_F_NOPREFIXROUTE = 0x200;

    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_DELROUTE = 25;
    private static final int RTM_GETROUTE = 26;
    private static final int RTMSG_LENGTH = 12;
    private static final int RTMSG_PROTOCOL = 5;
    private static final int RTMSG_SCOPE = 6;
    private static final int RTMSG_TYPE = 7;
    private static final int RTMSG_FLAGS = 8;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_PRIORITY = 6;
    private static final int RTA_PREFSRC = 7;
    private static final int RTA_METRICS = 8;
    private static final int RTA_TABLE = 15;
    private static final int RTN_UNICAST = 1;
    private static final int RTN_BROADCAST = 3;
    private static final int RTNH_F_ONLINK = 4;
    private static final int RTM_F_CLONED = 0x200;
    private static final int RT_SCOPE_LINK = 253;

    // Whose routes they are; see /etc/iproute2/rt_protos for those that have names.
    private static final int PROTOCOL = 104;

    // RTMGRP_IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE.
    private static final int CHANGES = 0x10 | 0x40 | 0x100 | 0x400;

    private static final List<Integer> ADDRESS_ATTRIBUTES =
            List.of(IFA_ADDRESS, IFA_LOCAL, IFA_BROADCAST);
    private static final List<Integer> ROUTE_ATTRIBUTES =
            List.of(RTA_DST, RTA_GATEWAY, RTA_PRIORITY, RTA_PREFSRC, RTA_METRICS, RTA_TABLE);

    private final int from;
    private final int to;
    private final Netlink requests;
    private final Netlink changes;

    private AddressMirror(
            final int from, final int to, final Netlink requests, final Netlink changes) {
        this.from = from;
        this.to = to;
        this.requests = requests;
        this.changes = changes;
    }

    /** An address or a route, with its identifying attributes. */
    private static final class Entry {
        private final byte[] head;
        private final Map<Integer, byte[]> attributes;

        Entry(final byte[] head, final Map<Integer, byte[]> attributes) {
            this.head = head;
            this.attributes = attributes;
        }

        String key() {
            final StringBuilder key = new StringBuilder(Arrays.toString(head));
            attributes.forEach(
                    (type, value) -> {
                        // The kernel may put metrics into another form.
                        if (head.length != RTMSG_LENGTH || type != RTA_METRICS) {
                            key.append(type).append(Arrays.toString(value));
                        }
                    });
            return key.toString();
        }
    }

    /**
     * Begins with the addresses and routes that there are now.
     *
     * @param from number of the NIC that has them.
     * @param to number of the virtual NIC, which is up.
     * @throws LinuxException if the kernel refuses: EPERM without CAP_NET_ADMIN.
     */
    public static AddressMirror of(final int from, final int to) throws LinuxException {
        final Netlink requests = Netlink.open();
        Netlink changes = null;
        try {
            changes = Netlink.listening(CHANGES);
            final AddressMirror mirror = new AddressMirror(from, to, requests, changes);
            mirror.copy();
            return mirror;
        } catch (final LinuxException e) {
            requests.close();
            if (changes != null) {
                changes.close();
            }
            throw e;
        }
    }

    /** Does what has been done to addresses and routes since the last call. */
    public void follow() throws LinuxException {
        if (changes.hasHeard()) {
            copy();
        }
    }

    private void copy() throws LinuxException {
        for (final int family : new int[] {Sockets.AF_INET, AF_INET6}) {
            final List<ByteBuffer> addresses = requests.list(RTM_GETADDR, family, IFADDRMSG_LENGTH);
            update(RTM_NEWADDR, RTM_DELADDR, addresses(addresses, from), addresses(addresses, to));
            final List<ByteBuffer> routes = requests.list(RTM_GETROUTE, family, RTMSG_LENGTH);
            update(RTM_NEWROUTE, RTM_DELROUTE, routes(routes), ownRoutes(routes));
        }
    }

    private void update(
            final int create, final int delete, final List<Entry> wanted, final List<Entry> there)
            throws LinuxException {
        final Set<String> keys = new HashSet<>();
        wanted.forEach(entry -> keys.add(entry.key()));
        final Set<String> kept = new HashSet<>();
        for (final Entry entry : there) {
            if (keys.contains(entry.key())) {
                kept.add(entry.key());
            } else {
                order(delete, 0, entry, Errno.ENOENT);
            }
        }
        for (final Entry entry : wanted) {
            if (!kept.contains(entry.key())) {
                // Without NLM_F_EXCL an IPv4 route goes before others of its metric.
                final boolean isFirst = create == RTM_NEWROUTE && entry.head[0] == Sockets.AF_INET;
                order(
                        create,
                        Netlink.CREATE | (isFirst ? 0 : Netlink.EXCLUSIVE),
                        entry,
                        Errno.EEXIST);
            }
        }
    }

    private void order(final int type, final int flags, final Entry entry, final int allowed)
            throws LinuxException {
        final ByteBuffer body = Netlink.body(entry.head.length);
        body.put(entry.head);
        entry.attributes.forEach((name, value) -> Netlink.add(body, name, value));
        if (type == RTM_NEWADDR) {
            Netlink.add(body, IFA_FLAGS, IFA_F_NODAD | IFA_F_NOPREFIXROUTE);
        } else if (type == RTM_NEWROUTE || type == RTM_DELROUTE) {
            Netlink.add(body, RTA_OIF, to);
        }
        final int result = requests.order(type, flags, body);
        // Addresses and routes may go between two calls; EACCES: there is no IPv6 at the device.
        if (result < 0
                && result != -Errno.EACCES
                && result != -allowed
                && result != -Errno.ESRCH
                && result != -Errno.EADDRNOTAVAIL
                && result != -Errno.ENETUNREACH) {
            throw new LinuxException(
                    (type == RTM_NEWADDR || type == RTM_DELADDR ? "an address" : "a route")
                            + " of the virtual NIC",
                    -result);
        }
    }

    private List<Entry> addresses(final List<ByteBuffer> all, final int ifindex) {
        final List<Entry> found = new ArrayList<>();
        for (final ByteBuffer one : all) {
            if (one.getInt(4) == ifindex && Byte.toUnsignedInt(one.get(3)) != RT_SCOPE_LINK) {
                final ByteBuffer head = ByteBuffer.allocate(IFADDRMSG_LENGTH).order(one.order());
                head.put(one.get(0)).put(one.get(1)).put((byte) 0).put(one.get(3)).putInt(to);
                found.add(
                        new Entry(head.array(), chosen(one, IFADDRMSG_LENGTH, ADDRESS_ATTRIBUTES)));
            }
        }
        return found;
    }

    private static Map<Integer, byte[]> chosen(
            final ByteBuffer entry, final int length, final List<Integer> types) {
        final Map<Integer, byte[]> attributes = new TreeMap<>(Netlink.attributes(entry, length));
        attributes.keySet().retainAll(types);
        return attributes;
    }

    /** The routes of the NIC as the virtual one is to have them; those of gateways come last. */
    private List<Entry> routes(final List<ByteBuffer> all) {
        final List<Entry> found = new ArrayList<>();
        for (final ByteBuffer one : all) {
            if (oif(one) == from && isCopied(one)) {
                final Map<Integer, byte[]> attributes = chosen(one, RTMSG_LENGTH, ROUTE_ATTRIBUTES);
                if (one.get(0) == AF_INET6) {
                    // The kernel uses IPv6 routes of one metric in turns.
                    final int metric = Netlink.value(attributes.get(RTA_PRIORITY));
                    attributes.put(RTA_PRIORITY, Netlink.bytes(Math.max(1, metric - 1)));
                }
                found.add(new Entry(head(one), attributes));
            }
        }
        found.sort(Comparator.comparing(entry -> entry.attributes.containsKey(RTA_GATEWAY)));
        return found;
    }

    private static boolean isCopied(final ByteBuffer route) {
        final int type = route.get(RTMSG_TYPE);
        final boolean isGlobal = route.get(0) == Sockets.AF_INET || !isLinkLocal(route);
        return (route.getInt(RTMSG_FLAGS) & RTM_F_CLONED) == 0
                && isGlobal
                && (type == RTN_UNICAST
                        || (type == RTN_BROADCAST && route.get(0) == Sockets.AF_INET));
    }

    // Each NIC has fe80::/10 and ff00::/8 for itself.
    private static boolean isLinkLocal(final ByteBuffer route) {
        final byte[] destination = Netlink.attributes(route, RTMSG_LENGTH).get(RTA_DST);
        return destination != null
                && (destination[0] == (byte) 0xFF
                        || (destination[0] == (byte) 0xFE && (destination[1] & 0xC0) == 0x80));
    }

    private List<Entry> ownRoutes(final List<ByteBuffer> all) {
        final List<Entry> found = new ArrayList<>();
        for (final ByteBuffer one : all) {
            if (oif(one) == to && one.get(RTMSG_PROTOCOL) == PROTOCOL) {
                found.add(new Entry(head(one), chosen(one, RTMSG_LENGTH, ROUTE_ATTRIBUTES)));
            }
        }
        return found;
    }

    private static byte[] head(final ByteBuffer route) {
        final ByteBuffer head = ByteBuffer.allocate(RTMSG_LENGTH).order(route.order());
        route.get(0, head.array());
        head.put(RTMSG_PROTOCOL, (byte) PROTOCOL);
        if (route.get(0) == AF_INET6) {
            head.put(RTMSG_SCOPE, (byte) 0);
        }
        head.putInt(RTMSG_FLAGS, route.getInt(RTMSG_FLAGS) & RTNH_F_ONLINK);
        return head.array();
    }

    private static int oif(final ByteBuffer route) {
        return Netlink.value(Netlink.attributes(route, RTMSG_LENGTH).get(RTA_OIF));
    }

    @Override
    public void close() {
        requests.close();
        changes.close();
    }
}
