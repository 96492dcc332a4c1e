package io.hxb.tap;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of IPv4 or IPv6 addresses, such as {@code 10.77.0.0/16}. Immutable.
 *
 * @param isIpv4 the family.
 * @param high first half of an IPv6 address; 0 for IPv4.
 * @param low second half of it, or the IPv4 address.
 * @param lengthBits leading bits that all of its addresses have; the others are 0 here.
 */
public record IpPrefix(boolean isIpv4, long high, long low, int lengthBits) {
    private static final Pattern IPV4 =
            Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:]{2,39}");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,3}");
    private static final int IPV4_BITS = 32;
    private static final int IPV6_BITS = 128;
    private static final int MIN_LENGTH = 8;
    private static final int GROUPS = 8;
    private static final String EXAMPLE =
            "must be addresses such as 10.77.0.0/16 or fd68:7862::/64";

    /**
     * Reads one, such as {@code 10.77.0.0/16} or {@code fd68:7862::/64}.
     *
     * @throws IllegalArgumentException with what is wrong with it: no address, bits set after the
     *     prefix, or a range that no NIC may have.
     */
    public static IpPrefix parse(final String text) {
        final String[] parts = text.strip().split("/", -1);
        final boolean isIpv4 = IPV4.matcher(parts[0]).matches();
        if (parts.length != 2
                || (!isIpv4 && !IPV6.matcher(parts[0]).matches())
                || !LENGTH.matcher(parts[1]).matches()) {
            throw new IllegalArgumentException(EXAMPLE + ", not '" + text + "'");
        }
        final int lengthBits = Integer.parseInt(parts[1]);
        final int bits = isIpv4 ? IPV4_BITS : IPV6_BITS;
        if (lengthBits < MIN_LENGTH || lengthBits > bits - 2) {
            throw new IllegalArgumentException(
                    "must have a length of 8.." + (bits - 2) + ": '" + text + "'");
        }
        final IpPrefix given = isIpv4 ? ofIpv4(parts[0], lengthBits) : ofIpv6(parts[0], lengthBits);
        final IpPrefix prefix = given.masked();
        if (!prefix.equals(given)) {
            throw new IllegalArgumentException(
                    "must end after its length: " + prefix + ", not '" + text + "'");
        }
        if (!prefix.isUnicast()) {
            throw new IllegalArgumentException(
                    "must be addresses that a NIC may have, not '" + text + "'");
        }
        return prefix;
    }

    private static IpPrefix ofIpv4(final String text, final int lengthBits) {
        final Matcher matcher = IPV4.matcher(text);
        long address = 0;
        if (matcher.matches()) {
            for (int i = 1; i <= Integer.BYTES; i++) {
                final int part = Integer.parseInt(matcher.group(i));
                if (part > 0xFF) {
                    throw new IllegalArgumentException(EXAMPLE + ", not '" + text + "'");
                }
                address = address << Byte.SIZE | part;
            }
        }
        return new IpPrefix(true, 0, address, lengthBits);
    }

    private static IpPrefix ofIpv6(final String text, final int lengthBits) {
        final byte[] bytes;
        try {
            bytes = InetAddress.ofLiteral(text).getAddress();
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(EXAMPLE + ", not '" + text + "'", e);
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new IpPrefix(false, buffer.getLong(), buffer.getLong(), lengthBits);
    }

    private IpPrefix masked() {
        if (isIpv4) {
            return new IpPrefix(true, 0, low & leading(lengthBits + IPV4_BITS), lengthBits);
        }
        return new IpPrefix(
                false,
                high & leading(Math.min(lengthBits, Long.SIZE)),
                low & leading(Math.max(lengthBits - Long.SIZE, 0)),
                lengthBits);
    }

    private static long leading(final int bits) {
        return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    }

    // Neither "this network", nor loopback, link-local or multicast addresses.
    private boolean isUnicast() {
        if (isIpv4) {
            final int first = (int) (low >>> 24);
            return first != 0 && first != 127 && first < 224 && low >>> 16 != 0xA9FE;
        }
        final int first = (int) (high >>> 48);
        return first >>> 8 != 0 && first >>> 8 != 0xFF && (first & 0xFFC0) != 0xFE80;
    }

    /** The number of nodes that can have an address of it; no more than an int holds. */
    public int room() {
        final int hostBits = (isIpv4 ? IPV4_BITS : IPV6_BITS) - lengthBits;
        // The first address means the subnet, and the last of IPv4 all of its machines.
        return hostBits > 30 ? Integer.MAX_VALUE : (1 << hostBits) - (isIpv4 ? 2 : 1);
    }

    /**
     * The second half of the IPv6 address of a node, or its IPv4 address.
     *
     * @param node node id, 0 to {@link #room()} - 1.
     */
    public long low(final int node) {
        return low + 1 + node;
    }

    /** True if it has addresses in common with another one. */
    public boolean overlaps(final IpPrefix other) {
        final boolean isWider = lengthBits <= other.lengthBits;
        final IpPrefix wide = isWider ? this : other;
        final IpPrefix narrow = isWider ? other : this;
        return isIpv4 == other.isIpv4 && wide.contains(narrow.high, narrow.low);
    }

    /** True if an address is in it. */
    boolean contains(final long addressHigh, final long addressLow) {
        final int free = isIpv4 ? IPV4_BITS - lengthBits : IPV6_BITS - lengthBits;
        return (addressHigh ^ high) >>> Math.max(free - Long.SIZE, 0) == 0
                && (free >= Long.SIZE || (addressLow ^ low) >>> free == 0);
    }

    /** The node whose address is in the prefix; -1 if the address is not, or is that of no node. */
    int node(final long addressHigh, final long addressLow, final int nodeCount) {
        final long index = addressLow - low - 1;
        return addressHigh == high && index >= 0 && index < nodeCount ? (int) index : -1;
    }

    /** The address of a node as text, without the length. */
    public String address(final int node) {
        return isIpv4 ? ipv4(low(node)) : ipv6(high, low(node));
    }

    /** The address of a node as the kernel has it, 4 or 16 bytes. */
    public byte[] bytes(final int node) {
        return bytes(low(node));
    }

    /** The prefix itself, 4 or 16 bytes. */
    public byte[] bytes() {
        return bytes(low);
    }

    private byte[] bytes(final long addressLow) {
        return isIpv4
                ? ByteBuffer.allocate(Integer.BYTES).putInt((int) addressLow).array()
                : ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(addressLow).array();
    }

    @Override
    public String toString() {
        return (isIpv4 ? ipv4(low) : ipv6(high, low)) + "/" + lengthBits;
    }

    private static String ipv4(final long address) {
        return (address >>> 24)
                + "."
                + (address >>> 16 & 0xFF)
                + "."
                + (address >>> 8 & 0xFF)
                + "."
                + (address & 0xFF);
    }

    /** Source: RFC 5952, 4: the first of the longest runs of zeros is left out. */
    private static String ipv6(final long high, final long low) {
        final int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (int) ((i < GROUPS / 2 ? high : low) >>> (48 - 16 * (i % 4))) & 0xFFFF;
        }
        int start = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        if (length < 2) {
            return joined(groups, 0, GROUPS);
        }
        return joined(groups, 0, start) + "::" + joined(groups, start + length, GROUPS);
    }

    private static String joined(final int[] groups, final int from, final int to) {
        final StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
