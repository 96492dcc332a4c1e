package io.hxb.manager;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** How people name a host: by name, MAC address, IP address or number. Stateless. */
public final class PeerName {
    private static final String MAC = "[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}";
    private static final String IPV4 = "\\d{1,3}(\\.\\d{1,3}){3}";
    private static final String IPV6 = "[0-9a-fA-F:.]*:[0-9a-fA-F:.]*";
    private static final int HEXADECIMAL = 16;

    private PeerName() {}

    /**
     * Puts what a text names into a request.
     *
     * @param hostOf number of the host of a name, -1 if there is none.
     * @return false if it is neither a name nor an address nor a number.
     */
    public static boolean put(
            final String text, final ToIntFunction<String> hostOf, final ManagerMessage request) {
        final int host = hostOf.applyAsInt(text);
        if (host >= 0) {
            request.peerHost(host);
        } else if (text.matches("\\d{1,9}")) {
            request.peerHost(Integer.parseInt(text));
        } else if (text.matches(MAC)) {
            request.peerMac(mac(text));
        } else {
            final Optional<byte[]> address = address(text);
            address.ifPresent(request::peerIp);
            return address.isPresent();
        }
        return true;
    }

    private static long mac(final String text) {
        long mac = 0;
        for (final String part : text.split(":", -1)) {
            mac = mac << Byte.SIZE | Integer.parseInt(part, HEXADECIMAL);
        }
        return mac;
    }

    private static Optional<byte[]> address(final String text) {
        if (!text.matches(IPV4) && !text.matches(IPV6)) {
            return Optional.empty();
        }
        try {
            return Optional.of(mapped(InetAddress.ofLiteral(text).getAddress()));
        } catch (final IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** An address as 16 bytes: those of IPv4 mapped to IPv6. */
    static byte[] mapped(final byte[] address) {
        if (address.length == ManagerMessage.PEER_LENGTH) {
            return address;
        }
        final byte[] mapped = new byte[ManagerMessage.PEER_LENGTH];
        Arrays.fill(mapped, 10, 12, (byte) 0xFF);
        System.arraycopy(address, 0, mapped, 12, address.length);
        return mapped;
    }

    /** A MAC address as people read it. */
    public static String text(final long mac) {
        return String.format("%012x", mac).replaceAll("(..)(?!$)", "$1:");
    }
}
