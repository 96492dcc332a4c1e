package io.hxb.os.nic;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.Sockets;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A route by a gateway that a NIC reaches, in the network namespace of the calling thread.
 * Immutable. Source: rtnetlink(7).
 *
 * @param ifindex number of the NIC.
 * @param prefix 4 or 16 bytes.
 * @param lengthBits of the prefix.
 * @param gateway as many bytes.
 */
@SuppressWarnings("ArrayRecordComponent")
public record NicRoute(int ifindex, byte[] prefix, int lengthBits, byte[] gateway) {
    private static final int RTM_F_FIB_MATCH = 0x2000;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_GETROUTE = 26;
    private static final int RTMSG_LENGTH = 12;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final byte RT_TABLE_MAIN = (byte) 254;
    private static final byte RTPROT_STATIC = 4;
    private static final byte RTN_UNICAST = 1;

    /** All routes of the main table by a gateway. */
    public static List<NicRoute> all() throws LinuxException {
        final List<NicRoute> found = new ArrayList<>();
        try (Netlink netlink = Netlink.open()) {
            for (final int family : new int[] {Sockets.AF_INET, NicAddress.AF_INET6}) {
                for (final ByteBuffer one : netlink.list(RTM_GETROUTE, family, RTMSG_LENGTH)) {
                    final Map<Integer, byte[]> attributes = Netlink.attributes(one, RTMSG_LENGTH);
                    final byte[] prefix = attributes.get(RTA_DST);
                    final byte[] gateway = attributes.get(RTA_GATEWAY);
                    final byte[] nic = attributes.get(RTA_OIF);
                    if (one.get(4) == RT_TABLE_MAIN
                            && prefix != null
                            && gateway != null
                            && nic != null) {
                        final int ifindex = ByteBuffer.wrap(nic).order(one.order()).getInt();
                        final int lengthBits = Byte.toUnsignedInt(one.get(1));
                        found.add(new NicRoute(ifindex, prefix, lengthBits, gateway));
                    }
                }
            }
        }
        return found;
    }

    /** True if packets to an address within its prefix take it. */
    public boolean isTaken() throws LinuxException {
        final Map<Integer, byte[]> route = attributesTo(prefix);
        return Netlink.value(route.get(RTA_OIF)) == ifindex
                && Arrays.equals(route.get(RTA_GATEWAY), gateway);
    }

    /**
     * The attributes of the route that packets to an address take; none if there is no route. The
     * kernel looks it up, so this costs the same however many routes there are.
     */
    static Map<Integer, byte[]> attributesTo(final byte[] address) throws LinuxException {
        final boolean isIpv4 = address.length == NicAddress.IPV4_BYTES;
        final ByteBuffer body = Netlink.body(RTMSG_LENGTH);
        body.put((byte) (isIpv4 ? Sockets.AF_INET : NicAddress.AF_INET6));
        body.put((byte) (address.length * Byte.SIZE)).put((byte) 0).put((byte) 0);
        body.putInt(0).putInt(RTM_F_FIB_MATCH);
        Netlink.add(body, RTA_DST, address);
        try (Netlink netlink = Netlink.open()) {
            return Netlink.attributes(netlink.ask(RTM_GETROUTE, body), RTMSG_LENGTH);
        } catch (final LinuxException e) {
            if (e.errno() == Errno.ENETUNREACH || e.errno() == Errno.EHOSTUNREACH) {
                return Map.of();
            }
            throw e;
        }
    }

    /** True if it is among {@code routes}. */
    public boolean isIn(final List<NicRoute> routes) {
        return routes.stream()
                .anyMatch(
                        each ->
                                each.ifindex == ifindex
                                        && each.lengthBits == lengthBits
                                        && Arrays.equals(each.prefix, prefix)
                                        && Arrays.equals(each.gateway, gateway));
    }

    /**
     * Makes it; TCP connections by it use ECN. It goes with its NIC.
     *
     * @throws LinuxException EPERM without CAP_NET_ADMIN, EEXIST if there is a route to the prefix,
     *     EINVAL or ENETUNREACH if the NIC does not reach the gateway.
     */
    public void add() throws LinuxException {
        final boolean isIpv4 = prefix.length == NicAddress.IPV4_BYTES;
        final ByteBuffer body = Netlink.body(RTMSG_LENGTH);
        body.put((byte) (isIpv4 ? Sockets.AF_INET : NicAddress.AF_INET6)).put((byte) lengthBits);
        body.put((byte) 0).put((byte) 0);
        body.put(RT_TABLE_MAIN).put(RTPROT_STATIC).put((byte) 0).put(RTN_UNICAST).putInt(0);
        Netlink.add(body, RTA_DST, prefix);
        Netlink.add(body, RTA_OIF, ifindex);
        Netlink.add(body, RTA_GATEWAY, gateway);
        NicAddress.addEcn(body);
        NicAddress.order(RTM_NEWROUTE, Netlink.CREATE | Netlink.EXCLUSIVE, body, "adding a route");
    }
}
