package io.hxb.tool.expose;

import io.hxb.tool.tunnel.ListenAddress;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A port of the node and the service that it leads to. Immutable.
 *
 * @param port 1 to 65,535.
 * @param targets addresses of the service, which are tried in order.
 */
record ExposedPort(int port, List<InetSocketAddress> targets) {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final Pattern LEADING = Pattern.compile("(\\d{1,5})=(.+)");

    /**
     * Reads {@code PORT}, {@code PORT-PORT}, {@code PORT=PORT} or {@code PORT=HOST:PORT}.
     *
     * @return the ports in order.
     * @throws IllegalArgumentException with a message for the user if it is wrong.
     */
    static List<ExposedPort> parse(final String text) {
        final Matcher range = RANGE.matcher(text);
        final Matcher leading = LEADING.matcher(text);
        final List<ExposedPort> ports = new ArrayList<>();
        if (range.matches()) {
            final int first = port(range.group(1), text);
            final int last = range.group(2) == null ? first : port(range.group(2), text);
            if (last < first) {
                throw new IllegalArgumentException(
                        "a range of ports begins with the lower: " + text);
            }
            for (int port = first; port <= last; port++) {
                ports.add(new ExposedPort(port, loopback(port)));
            }
        } else if (leading.matches()) {
            ports.add(
                    new ExposedPort(port(leading.group(1), text), service(leading.group(2), text)));
        } else {
            throw new IllegalArgumentException(
                    "a port is PORT, PORT-PORT, PORT=PORT or PORT=HOST:PORT, such as 80, 8000-8009,"
                            + " 80=8080 or 5432=db.example.org:5432: '"
                            + text
                            + "'");
        }
        return ports;
    }

    private static int port(final String digits, final String text) {
        final int port = Integer.parseInt(digits);
        if (port < 1 || port > ListenAddress.MAX_PORT) {
            throw new IllegalArgumentException(
                    "a port must be 1.." + ListenAddress.MAX_PORT + ": " + text);
        }
        return port;
    }

    private static List<InetSocketAddress> service(final String place, final String text) {
        if (RANGE.matcher(place).matches()) {
            return loopback(port(place, text));
        }
        final InetSocketAddress address = ListenAddress.parse(place);
        final int port = port(Integer.toString(address.getPort()), text);
        return List.of(new InetSocketAddress(address.getAddress(), port));
    }

    /** A service may listen on either address of its machine alone. */
    private static List<InetSocketAddress> loopback(final int port) {
        return List.of(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port),
                new InetSocketAddress(InetAddress.ofLiteral("::1"), port));
    }
}
