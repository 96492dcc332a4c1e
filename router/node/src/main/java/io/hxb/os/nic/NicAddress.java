package io.hxb.os.nic;

import io.hxb.linux.LinuxException;
import io.hxb.os.Sockets;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * An IP address of a NIC in the network namespace of the calling thread. Immutable. Source:
 * rtnetlink(7).
 *
 * @param ifindex number of the NIC.
 * @param address 4 or 16 bytes.
 * @param lengthBits of its prefix.
 */
@SuppressWarnings("ArrayRecordComponent")
public record NicAddress(int ifindex, byte[] address, int lengthBits) {
    static final int AF_INET6 = 10;
    static final int IPV4_BYTES = 4;
    private static final int REPLACE = 0x100;

    private static final int RTM_NEWLINK = 16;
    private static final int IFINFOMSG_LENGTH = 16;
    private static final int IFLA_OPERSTATE = 16;
    private static final int IFLA_GSO_MAX_SIZE = 41;
    private static final byte IF_OPER_UP = 6;

    private static final int RTM_NEWADDR = 20;
    private static final int RTM_GETADDR = 22;
    private static final int IFADDRMSG_LENGTH = 8;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_BROADCAST = 4;
    private static final int IFA_FLAGS = 8;
    private static final int IFA_F_NODAD = 0x02;

    private static final int RTM_NEWROUTE = 24;
    private static final int RTMSG_LENGTH = 12;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_PRIORITY = 6;
    private static final int RTA_PREFSRC = 7;
    private static final int RTA_METRICS = 8;
    private static final int RTAX_FEATURES = 12;
    private static final int RTAX_FEATURE_ECN = 1;
    private static final byte RT_TABLE_MAIN = (byte) 254;
    private static final byte RTPROT_KERNEL = 2;
    private static final byte RT_SCOPE_LINK = (byte) 253;
    private static final byte RTN_UNICAST = 1;

    // What the kernel gives to routes of IPv6 prefixes.
    private static final int IPV6_METRIC = 256;

    /** True if another is the same address of the same NIC, with the same prefix. */
    public boolean isSame(final NicAddress other) {
        return ifindex == other.ifindex
                && lengthBits == other.lengthBits
                && Arrays.equals(address, other.address);
    }

    /** All addresses of all NICs. */
    public static List<NicAddress> all() throws LinuxException {
        final List<NicAddress> found = new ArrayList<>();
        try (Netlink netlink = Netlink.open()) {
            for (final int family : new int[] {Sockets.AF_INET, AF_INET6}) {
                for (final ByteBuffer one : netlink.list(RTM_GETADDR, family, IFADDRMSG_LENGTH)) {
                    final Map<Integer, byte[]> attributes =
                            Netlink.attributes(one, IFADDRMSG_LENGTH);
                    final byte[] address =
                            attributes.getOrDefault(IFA_LOCAL, attributes.get(IFA_ADDRESS));
                    if (address != null) {
                        found.add(
                                new NicAddress(
                                        one.getInt(4), address, Byte.toUnsignedInt(one.get(1))));
                    }
                }
            }
        }
        return found;
    }

    /**
     * Gives it to its NIC, with a route to its prefix. It is used at once: nobody is asked whether
     * it is another's.
     *
     * @throws LinuxException EPERM without CAP_NET_ADMIN, EEXIST if the NIC has it, EACCES if the
     *     NIC has no IPv6.
     */
    public void add() throws LinuxException {
        final ByteBuffer body = Netlink.body(IFADDRMSG_LENGTH);
        body.put(family()).put((byte) lengthBits).putShort((short) 0).putInt(ifindex);
        Netlink.add(body, IFA_LOCAL, address);
        Netlink.add(body, IFA_ADDRESS, address);
        if (address.length == IPV4_BYTES) {
            final int hosts = -1 >>> lengthBits;
            final int last = ByteBuffer.wrap(address).getInt() | hosts;
            Netlink.add(body, IFA_BROADCAST, ByteBuffer.allocate(IPV4_BYTES).putInt(last).array());
        } else {
            Netlink.add(body, IFA_FLAGS, IFA_F_NODAD);
        }
        order(RTM_NEWADDR, Netlink.CREATE | Netlink.EXCLUSIVE, body, "adding an address");
    }

    /**
     * Lets TCP connections to its prefix use ECN, so that queues mark what they would drop.
     *
     * @param prefix as many bytes as the address.
     */
    public void useEcn(final byte[] prefix) throws LinuxException {
        final boolean isIpv4 = address.length == IPV4_BYTES;
        final ByteBuffer body = Netlink.body(RTMSG_LENGTH);
        body.put(family()).put((byte) lengthBits).put((byte) 0).put((byte) 0);
        body.put(RT_TABLE_MAIN).put(RTPROT_KERNEL);
        body.put(isIpv4 ? RT_SCOPE_LINK : 0).put(RTN_UNICAST).putInt(0);
        Netlink.add(body, RTA_DST, prefix);
        Netlink.add(body, RTA_OIF, ifindex);
        if (isIpv4) {
            Netlink.add(body, RTA_PREFSRC, address);
        } else {
            Netlink.add(body, RTA_PRIORITY, IPV6_METRIC);
        }
        addEcn(body);
        order(RTM_NEWROUTE, Netlink.CREATE | REPLACE, body, "ECN for a route");
    }

    /**
     * True if the route to its prefix is there and lets TCP connections use ECN.
     *
     * @param inside an address within the prefix, other than its own.
     */
    public boolean usesEcn(final byte[] inside) throws LinuxException {
        final Map<Integer, byte[]> route = NicRoute.attributesTo(inside);
        return Netlink.value(route.get(RTA_OIF)) == ifindex && hasEcn(route);
    }

    /** True if TCP connections by a route use ECN. */
    static boolean hasEcn(final Map<Integer, byte[]> route) {
        final byte[] metrics = route.get(RTA_METRICS);
        if (metrics == null) {
            return false;
        }
        final Map<Integer, byte[]> values =
                Netlink.attributes(ByteBuffer.wrap(metrics).order(ByteOrder.nativeOrder()), 0);
        return (Netlink.value(values.get(RTAX_FEATURES)) & RTAX_FEATURE_ECN) != 0;
    }

    /** Lets TCP connections by a route use ECN. */
    static void addEcn(final ByteBuffer body) {
        final ByteBuffer metrics = ByteBuffer.allocate(8).order(body.order());
        metrics.putShort((short) 8).putShort((short) RTAX_FEATURES).putInt(RTAX_FEATURE_ECN);
        Netlink.add(body, RTA_METRICS, metrics.array());
    }

    /**
     * Bounds what a NIC gets in one piece.
     *
     * @param maxBytes of a super-packet with its Ethernet header, up to 65,536.
     */
    public static void boundSuperPackets(final int ifindex, final int maxBytes)
            throws LinuxException {
        final ByteBuffer body = linkBody(ifindex);
        Netlink.add(body, IFLA_GSO_MAX_SIZE, maxBytes);
        order(RTM_NEWLINK, 0, body, "bounding super-packets");
    }

    /** Says that a NIC works: that of a TAP device is unknown otherwise. */
    public static void declareUp(final int ifindex) throws LinuxException {
        final ByteBuffer body = linkBody(ifindex);
        Netlink.add(body, IFLA_OPERSTATE, new byte[] {IF_OPER_UP});
        order(RTM_NEWLINK, 0, body, "setting a NIC's state");
    }

    private static ByteBuffer linkBody(final int ifindex) {
        final ByteBuffer body = Netlink.body(IFINFOMSG_LENGTH);
        return body.putInt(0).putInt(ifindex).putInt(0).putInt(0);
    }

    static void order(final int type, final int flags, final ByteBuffer body, final String what)
            throws LinuxException {
        try (Netlink netlink = Netlink.open()) {
            final int result = netlink.order(type, flags, body);
            if (result < 0) {
                throw new LinuxException(what, -result);
            }
        }
    }

    private byte family() {
        return (byte) (address.length == IPV4_BYTES ? Sockets.AF_INET : AF_INET6);
    }
}
