package io.hxb.link.udp;

import io.hxb.linux.Memory;
import io.hxb.os.PortOwner;
import io.hxb.os.Sockets;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** IPv4 address and port in a long: the address in bits 16 to 47, the port below. Stateless. */
public final class UdpAddress {
    private static final int MAX_PORT = 65_535;

    private UdpAddress() {}

    /**
     * Parses {@code 192.0.2.1:4000}.
     *
     * @throws IllegalArgumentException if it is anything else; names are not looked up.
     */
    public static long parse(final String text) {
        final int colon = text.lastIndexOf(':');
        final String[] parts =
                colon < 0 ? new String[0] : text.substring(0, colon).split("\\.", -1);
        if (parts.length != 4) {
            throw malformed(text);
        }
        long address = 0;
        for (final String part : parts) {
            address = address << 8 | number(part, 255, text);
        }
        return address << 16 | number(text.substring(colon + 1), MAX_PORT, text);
    }

    /**
     * The IPv4 addresses, with a port, of a host name or address. May ask name servers, so it
     * blocks.
     *
     * @return as from {@link #parse}, one at least.
     * @throws UnknownHostException if the host has none.
     */
    public static long[] resolve(final String host, final int port) throws UnknownHostException {
        final long[] addresses =
                Arrays.stream(InetAddress.getAllByName(host))
                        .filter(address -> address instanceof Inet4Address)
                        .mapToLong(address -> parse(address.getHostAddress() + ":" + port))
                        .distinct()
                        .toArray();
        if (addresses.length == 0) {
            throw new UnknownHostException(host + " has IPv6 addresses only");
        }
        return addresses;
    }

    /** True if the host is an IPv4 address, which need not be looked up. */
    public static boolean isLiteral(final String host) {
        try {
            parse(host + ":0");
            return true;
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    private static int number(final String digits, final int max, final String text) {
        if (digits.isEmpty()
                || digits.length() > 5
                || !digits.chars().allMatch(UdpAddress::isDigit)) {
            throw malformed(text);
        }
        final int value = Integer.parseInt(digits);
        if (value > max) {
            throw malformed(text);
        }
        return value;
    }

    private static boolean isDigit(final int c) {
        return c >= '0' && c <= '9';
    }

    private static IllegalArgumentException malformed(final String text) {
        return new IllegalArgumentException(
                "address must be IPv4:port, such as 127.0.0.1:4000: " + text);
    }

    /** The text that {@link #parse} reads. */
    public static String format(final long address) {
        return (address >>> 40 & 255)
                + "."
                + (address >>> 32 & 255)
                + "."
                + (address >>> 24 & 255)
                + "."
                + (address >>> 16 & 255)
                + ":"
                + (address & MAX_PORT);
    }

    /** Who has the address and port on this machine, as {@link PortOwner#ofUdp} puts it. */
    static String owner(final long address) {
        final byte[] host = new byte[4];
        for (int i = 0; i < host.length; i++) {
            host[i] = (byte) (address >>> (40 - Byte.SIZE * i));
        }
        try {
            return PortOwner.ofUdp(InetAddress.getByAddress(host), (int) address & MAX_PORT);
        } catch (final UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes a sockaddr_in. */
    static void write(final long sockaddr, final long address) {
        Memory.putShort(sockaddr, Sockets.AF_INET);
        Memory.putShortBigEndian(sockaddr + 2, (int) address);
        Memory.putIntBigEndian(sockaddr + 4, (int) (address >>> 16));
        Memory.putLong(sockaddr + 8, 0);
    }

    /** Reads a sockaddr_in. */
    static long read(final long sockaddr) {
        return (Memory.getIntBigEndian(sockaddr + 4) & 0xFFFF_FFFFL) << 16
                | Memory.getUnsignedShortBigEndian(sockaddr + 2);
    }
}
