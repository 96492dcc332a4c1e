package io.hxb.tool.tunnel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads addresses of TCP as options give them. Stateless. */
public final class ListenAddress {
    /** Highest port of TCP, and of nodes. */
    public static final int MAX_PORT = 65_535;

    private static final Pattern FORM =
            Pattern.compile("(?:(?:\\[([^\\[\\]]+)\\]|([^:\\[\\]]+)):)?(\\d{1,5})");

    private ListenAddress() {}

    /**
     * Reads {@code [HOST:]PORT}. A host name is looked up.
     *
     * @return the address, on 127.0.0.1 without a host.
     * @throws IllegalArgumentException with a message for the user if it is wrong or not known.
     */
    public static InetSocketAddress parse(final String text) {
        final Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "an address is PORT or HOST:PORT, such as 8080, 0.0.0.0:8080 or [::1]:8080: '"
                            + text
                            + "'");
        }
        final int port = Integer.parseInt(form.group(3));
        if (port > MAX_PORT) {
            throw new IllegalArgumentException("a port must be 0.." + MAX_PORT + ": " + text);
        }
        final String host = form.group(1) == null ? form.group(2) : form.group(1);
        if (host == null) {
            return new InetSocketAddress(loopback(), port);
        }
        try {
            return new InetSocketAddress(InetAddress.getAllByName(host)[0], port);
        } catch (final UnknownHostException e) {
            throw new IllegalArgumentException("no host is called '" + host + "': " + text, e);
        }
    }

    private static InetAddress loopback() {
        return InetAddress.ofLiteral("127.0.0.1");
    }
}
