package io.hxb.tap;

import io.hxb.linux.Memory;

import java.util.List;

/**
 * Which node has which address, and where a packet of the virtual NIC goes. Each node has a locally
 * administered MAC and one address of each prefix by its number, so that nobody needs to be asked:
 * the node answers ARP requests and IPv6 neighbour solicitations of its own machine itself.
 * Immutable; any thread may call it. It does no input or output, and reads no byte beyond the
 * length that it is given, since packets come from the machine, from whoever it forwards for, and
 * from other nodes.
 *
 * <p>Source: RFC 826 (ARP), RFC 4861, 4.3 and 4.4 (neighbour discovery), RFC 4291, A (link-local
 * addresses).
 */
public final class IpPlan implements PacketAddresses {
    /** Dropped: shorter than its headers, or headers that contradict each other. */
    public static final int MALFORMED = -3;

    /** Dropped: it does not come from this NIC, but from another behind a bridge. */
    public static final int FOREIGN_SOURCE = -4;

    /** Dropped: no node has this MAC. */
    public static final int FOREIGN_DESTINATION = -5;

    /** Dropped: it has a VLAN tag. */
    public static final int TAGGED = -6;

    /** Dropped: neither IPv4 nor IPv6 nor ARP. */
    public static final int NOT_IP = -7;

    /** Dropped: it asks for an address that this node or no node has, which nobody answers. */
    public static final int UNANSWERED = -8;

    private static final int ETHERNET_LENGTH = VirtioHeader.ETHERNET_LENGTH;

    /** Bytes of the longest reply. */
    public static final int REPLY_LENGTH = 86;

    /** Bytes of the longest message of {@link #unreachable}. */
    public static final int UNREACHABLE_LENGTH = ETHERNET_LENGTH + IcmpUnreachable.MAX_BYTES;

    private static final long MAC_BASE = 0x0268_7800_0000L;
    private static final long GROUP_BIT = 0x0100_0000_0000L;
    private static final int MAX_NODES = 1 << 24;

    private static final int SOURCE_MAC = 6;
    private static final int ETHER_TYPE = 12;
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_ARP = 0x0806;
    private static final int TYPE_IPV6 = 0x86DD;
    private static final int TYPE_VLAN = 0x8100;
    private static final int TYPE_SERVICE_VLAN = 0x88A8;

    private static final int ARP_LENGTH = ETHERNET_LENGTH + 28;
    private static final int ARP_OPERATION = ETHERNET_LENGTH + 6;
    private static final int ARP_SENDER_MAC = ETHERNET_LENGTH + 8;
    private static final int ARP_SENDER = ETHERNET_LENGTH + 14;
    private static final int ARP_TARGET_MAC = ETHERNET_LENGTH + 18;
    private static final int ARP_TARGET = ETHERNET_LENGTH + 24;
    private static final int ARP_REQUEST = 1;
    private static final int ARP_REPLY = 2;

    // Ethernet, IPv4, and their addresses of 6 and 4 bytes.
    private static final int ARP_KIND = 0x0001_0800;
    private static final int ARP_LENGTHS = 0x0604;

    private static final int IPV4_HEADER_LENGTH = 20;
    private static final int IPV6_HEADER_LENGTH = 40;
    private static final int IPV6_PAYLOAD_LENGTH = ETHERNET_LENGTH + 4;
    private static final int IPV6_NEXT_HEADER = ETHERNET_LENGTH + 6;
    private static final int IPV6_SOURCE = ETHERNET_LENGTH + 8;
    private static final int IPV6_DESTINATION = ETHERNET_LENGTH + 24;

    private static final int ICMP = ETHERNET_LENGTH + IPV6_HEADER_LENGTH;
    private static final int ICMP_CHECKSUM = ICMP + 2;
    private static final int ICMP_FLAGS = ICMP + 4;
    private static final int ICMP_TARGET = ICMP + 8;
    private static final int ICMP_OPTION = ICMP + 24;

    // ICMPv6 with the hop limit that shows that no router has passed it on.
    private static final int NEXT_ICMP_UNROUTED = 58 << 8 | 255;
    private static final int SOLICITATION = 135 << 8;
    private static final int ADVERTISEMENT = 136 << 8;
    private static final int MIN_SOLICITATION = ICMP + 24;
    private static final int SOLICITED_OVERRIDE = 0x6000_0000;
    private static final int OVERRIDE = 0x2000_0000;

    // Option 2, target link-layer address, in one unit of 8 bytes.
    private static final int TARGET_OPTION = 0x0201;
    private static final int ADVERTISEMENT_LENGTH = 32;
    private static final long ALL_NODES_HIGH = 0xFF02L << 48;
    private static final long ALL_NODES_LOW = 1;
    private static final long ALL_NODES_MAC = 0x3333_0000_0001L;
    private static final long LINK_LOCAL_HIGH = 0xFE80L << 48;
    private static final long LINK_LOCAL_LOW = 0x0068_78FF_FE00_0000L;

    private final int nodeCount;
    private final int node;
    private final long ownMac;
    private final IpPrefix ipv4;
    private final IpPrefix ipv6;

    /**
     * The plan as one node uses it.
     *
     * @param nodeCount nodes of the cluster, 1 to 2^24.
     * @param node its node id.
     * @param prefixes one of each family at most, each with room for all nodes.
     */
    public IpPlan(final int nodeCount, final int node, final List<IpPrefix> prefixes) {
        if (nodeCount < 1 || nodeCount > MAX_NODES) {
            throw new IllegalArgumentException("nodeCount must be 1..2^24: " + nodeCount);
        }
        if (node < 0 || node >= nodeCount) {
            throw new IllegalArgumentException("node must be below " + nodeCount + ": " + node);
        }
        if (prefixes.stream().anyMatch(prefix -> prefix.room() < nodeCount)) {
            throw new IllegalArgumentException("too small for " + nodeCount + ": " + prefixes);
        }
        this.nodeCount = nodeCount;
        this.node = node;
        ownMac = mac(node);
        ipv4 = prefixes.stream().filter(IpPrefix::isIpv4).findFirst().orElse(null);
        ipv6 = prefixes.stream().filter(prefix -> !prefix.isIpv4()).findFirst().orElse(null);
    }

    /** The MAC of a node's virtual NIC, first byte highest. */
    public static long mac(final int node) {
        return MAC_BASE | node;
    }

    /** The MAC of a node's virtual NIC as text. */
    public static String macText(final int node) {
        return "02:68:78:%02x:%02x:%02x".formatted(node >> 16, node >> 8 & 0xFF, node & 0xFF);
    }

    /** True if {@link #destination} says that a packet is dropped; any number below -2. */
    public static boolean isDrop(final int destination) {
        return destination < LOCAL_REPLY;
    }

    @Override
    public int destination(final long frame, final int lengthBytes) {
        if (lengthBytes < ETHERNET_LENGTH) {
            return MALFORMED;
        }
        if (macAt(frame + SOURCE_MAC) != ownMac) {
            return FOREIGN_SOURCE;
        }
        final int type = Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE);
        if (type == TYPE_ARP) {
            return isArp(frame, lengthBytes) ? ofArp(frame) : MALFORMED;
        }
        if (type != TYPE_IPV4 && type != TYPE_IPV6) {
            return type == TYPE_VLAN || type == TYPE_SERVICE_VLAN ? TAGGED : NOT_IP;
        }
        if (!hasIpHeader(type, frame, lengthBytes)) {
            return MALFORMED;
        }
        return type == TYPE_IPV6 && isNeighbourDiscovery(frame, lengthBytes, SOLICITATION)
                ? ofSolicitation(frame)
                : ofMac(macAt(frame));
    }

    @Override
    public int senderToAll(final long frame, final int lengthBytes) {
        if (lengthBytes < ETHERNET_LENGTH || (macAt(frame) & GROUP_BIT) == 0) {
            return -1;
        }
        final long index = macAt(frame + SOURCE_MAC) - MAC_BASE;
        return index >= 0 && index < nodeCount ? (int) index : -1;
    }

    @Override
    public boolean isFrom(final long frame, final int lengthBytes, final int source) {
        if (lengthBytes < ETHERNET_LENGTH || macAt(frame + SOURCE_MAC) != mac(source)) {
            return false;
        }
        final long destination = macAt(frame);
        if (destination != ownMac && (destination & GROUP_BIT) == 0) {
            return false;
        }
        final int type = Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE);
        if (type == TYPE_ARP) {
            return isArp(frame, lengthBytes)
                    && isFreeFor(source, nodeOfIpv4(Memory.getIntBigEndian(frame + ARP_SENDER)));
        }
        if ((type != TYPE_IPV4 && type != TYPE_IPV6) || !hasIpHeader(type, frame, lengthBytes)) {
            return false;
        }
        if (type == TYPE_IPV4) {
            return true;
        }
        final int discovery = NeighbourDiscovery.type(frame, lengthBytes);
        return discovery == NeighbourDiscovery.NONE
                || (NeighbourDiscovery.isOfItsSender(frame, lengthBytes, discovery)
                        && isFreeFor(source, nodeOfIpv6(frame + IPV6_SOURCE))
                        && isAdvertisedBy(source, frame, lengthBytes, discovery));
    }

    private boolean isAdvertisedBy(
            final int source, final long frame, final int lengthBytes, final int discovery) {
        return discovery != NeighbourDiscovery.ADVERTISEMENT
                || lengthBytes < MIN_SOLICITATION
                || isFreeFor(source, nodeOfIpv6(frame + ICMP_TARGET));
    }

    private static boolean isFreeFor(final int source, final int owner) {
        return owner < 0 || owner == source;
    }

    private int ofMac(final long mac) {
        if ((mac & GROUP_BIT) != 0) {
            return BROADCAST;
        }
        final long index = mac - MAC_BASE;
        return index >= 0 && index < nodeCount && index != node ? (int) index : FOREIGN_DESTINATION;
    }

    private int ofArp(final long frame) {
        if (macAt(frame + ARP_SENDER_MAC) != ownMac) {
            return MALFORMED;
        }
        final int target = Memory.getIntBigEndian(frame + ARP_TARGET);
        return Memory.getUnsignedShortBigEndian(frame + ARP_OPERATION) == ARP_REQUEST
                        && ipv4 != null
                        && ipv4.contains(0, Integer.toUnsignedLong(target))
                ? ofTarget(nodeOfIpv4(target))
                : ofMac(macAt(frame));
    }

    /** Requests for other addresses go to all nodes: machines may have more of them. */
    private int ofSolicitation(final long frame) {
        final int owner = nodeOfIpv6(frame + ICMP_TARGET);
        return owner >= 0
                        || (ipv6 != null
                                && ipv6.contains(
                                        highAt(frame + ICMP_TARGET), lowAt(frame + ICMP_TARGET)))
                ? ofTarget(owner)
                : ofMac(macAt(frame));
    }

    // A machine asks for its own address to find out whether another has it.
    private int ofTarget(final int owner) {
        return owner >= 0 && owner != node ? LOCAL_REPLY : UNANSWERED;
    }

    private static boolean isArp(final long frame, final int lengthBytes) {
        return lengthBytes >= ARP_LENGTH
                && Memory.getIntBigEndian(frame + ETHERNET_LENGTH) == ARP_KIND
                && Memory.getUnsignedShortBigEndian(frame + ETHERNET_LENGTH + 4) == ARP_LENGTHS
                && macAt(frame + ARP_SENDER_MAC) == macAt(frame + SOURCE_MAC);
    }

    private static boolean hasIpHeader(final int type, final long frame, final int lengthBytes) {
        final int header = type == TYPE_IPV4 ? IPV4_HEADER_LENGTH : IPV6_HEADER_LENGTH;
        return lengthBytes >= ETHERNET_LENGTH + header
                && Memory.getUnsignedByte(frame + ETHERNET_LENGTH) >>> 4
                        == (type == TYPE_IPV4 ? 4 : 6);
    }

    private static boolean isNeighbourDiscovery(
            final long frame, final int lengthBytes, final int typeAndCode) {
        return lengthBytes >= MIN_SOLICITATION
                && Memory.getUnsignedShortBigEndian(frame + IPV6_NEXT_HEADER) == NEXT_ICMP_UNROUTED
                && Memory.getUnsignedShortBigEndian(frame + ICMP) == typeAndCode;
    }

    private int nodeOfIpv4(final int address) {
        return ipv4 == null ? -1 : ipv4.node(0, Integer.toUnsignedLong(address), nodeCount);
    }

    private int nodeOfIpv6(final long address) {
        final long high = highAt(address);
        final long low = lowAt(address);
        if (high == LINK_LOCAL_HIGH) {
            final long index = low - LINK_LOCAL_LOW;
            return index >= 0 && index < nodeCount ? (int) index : -1;
        }
        return ipv6 == null ? -1 : ipv6.node(high, low, nodeCount);
    }

    @Override
    public int reply(final long frame) {
        return Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE) == TYPE_ARP
                ? replyArp(frame)
                : advertise(frame);
    }

    @Override
    public int unreachable(
            final long frame, final int lengthBytes, final int unreached, final long answer) {
        if (lengthBytes < ETHERNET_LENGTH || (macAt(frame) & GROUP_BIT) != 0) {
            return 0;
        }
        final int type = Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE);
        if ((type != TYPE_IPV4 && type != TYPE_IPV6) || !hasIpHeader(type, frame, lengthBytes)) {
            return 0;
        }
        final long packet = frame + ETHERNET_LENGTH;
        final long message = answer + ETHERNET_LENGTH;
        final int bytes = lengthBytes - ETHERNET_LENGTH;
        final int written;
        if (type == TYPE_IPV4) {
            written =
                    ipv4 == null
                            ? 0
                            : IcmpUnreachable.ofIpv4(
                                    packet, bytes, (int) ipv4.low(unreached), message);
        } else {
            final boolean isLocal =
                    ipv6 == null || highAt(frame + IPV6_DESTINATION) == LINK_LOCAL_HIGH;
            written =
                    IcmpUnreachable.ofIpv6(
                            packet,
                            bytes,
                            isLocal ? LINK_LOCAL_HIGH : ipv6.high(),
                            isLocal ? LINK_LOCAL_LOW + unreached : ipv6.low(unreached),
                            message);
        }
        putMac(answer, ownMac);
        putMac(answer + SOURCE_MAC, mac(unreached));
        Memory.putShortBigEndian(answer + ETHER_TYPE, type);
        return written == 0 ? 0 : ETHERNET_LENGTH + written;
    }

    private int replyArp(final long frame) {
        final int target = Memory.getIntBigEndian(frame + ARP_TARGET);
        final int sender = Memory.getIntBigEndian(frame + ARP_SENDER);
        final long mac = mac(nodeOfIpv4(target));
        putMac(frame, ownMac);
        putMac(frame + SOURCE_MAC, mac);
        Memory.putShortBigEndian(frame + ARP_OPERATION, ARP_REPLY);
        putMac(frame + ARP_SENDER_MAC, mac);
        Memory.putIntBigEndian(frame + ARP_SENDER, target);
        putMac(frame + ARP_TARGET_MAC, ownMac);
        Memory.putIntBigEndian(frame + ARP_TARGET, sender);
        return ARP_LENGTH;
    }

    private int advertise(final long frame) {
        final long mac = mac(nodeOfIpv6(frame + ICMP_TARGET));
        final long askedHigh = highAt(frame + IPV6_SOURCE);
        final long askedLow = lowAt(frame + IPV6_SOURCE);
        // Without an address yet, the machine asks whether it may have this one.
        final boolean isForAll = askedHigh == 0 && askedLow == 0;
        putMac(frame, isForAll ? ALL_NODES_MAC : ownMac);
        putMac(frame + SOURCE_MAC, mac);
        Memory.putIntBigEndian(frame + ETHERNET_LENGTH, 0x6000_0000);
        Memory.putShortBigEndian(frame + IPV6_PAYLOAD_LENGTH, ADVERTISEMENT_LENGTH);
        Memory.putShortBigEndian(frame + IPV6_NEXT_HEADER, NEXT_ICMP_UNROUTED);
        Memory.copy(frame + ICMP_TARGET, frame + IPV6_SOURCE, 2 * Long.BYTES);
        putLong(frame + IPV6_DESTINATION, isForAll ? ALL_NODES_HIGH : askedHigh);
        putLong(frame + IPV6_DESTINATION + Long.BYTES, isForAll ? ALL_NODES_LOW : askedLow);
        Memory.putShortBigEndian(frame + ICMP, ADVERTISEMENT);
        Memory.putShort(frame + ICMP_CHECKSUM, 0);
        Memory.putIntBigEndian(frame + ICMP_FLAGS, isForAll ? OVERRIDE : SOLICITED_OVERRIDE);
        Memory.putShortBigEndian(frame + ICMP_OPTION, TARGET_OPTION);
        putMac(frame + ICMP_OPTION + 2, mac);
        Memory.putShortBigEndian(frame + ICMP_CHECKSUM, checksum(frame));
        return REPLY_LENGTH;
    }

    /** Of an advertisement with its pseudo-header. Source: RFC 4443, 2.3. */
    private static int checksum(final long frame) {
        return InternetChecksum.of(
                ADVERTISEMENT_LENGTH
                        + (NEXT_ICMP_UNROUTED >>> 8)
                        + InternetChecksum.sum(frame + IPV6_SOURCE, REPLY_LENGTH - IPV6_SOURCE));
    }

    private static long highAt(final long address) {
        return Long.reverseBytes(Memory.getLong(address));
    }

    private static long lowAt(final long address) {
        return Long.reverseBytes(Memory.getLong(address + Long.BYTES));
    }

    private static void putLong(final long address, final long value) {
        Memory.putLong(address, Long.reverseBytes(value));
    }

    private static long macAt(final long address) {
        return (long) Memory.getUnsignedShortBigEndian(address) << 32
                | Integer.toUnsignedLong(Memory.getIntBigEndian(address + 2));
    }

    private static void putMac(final long address, final long mac) {
        Memory.putShortBigEndian(address, (int) (mac >>> 32));
        Memory.putIntBigEndian(address + 2, (int) mac);
    }
}
