package io.hxb.tool.manager;

import io.hxb.pm.attach.RunFolders;
import io.hxb.tool.report.UsageException;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where managers listen: paths of Unix sockets, and addresses. Stateless. */
public final class ManagerPlace {
    static final String SOCKET = "manager.sock";
    private static final int MAX_PORT = 65_535;

    private ManagerPlace() {}

    /** The socket that a manager of this user makes. */
    public static Path own() {
        return in(RunFolders.ofThisProcess().own());
    }

    /** The socket that a manager makes whose {@code HXB_RUN} is that folder. */
    public static Path in(final Path folder) {
        return folder.resolve(SOCKET);
    }

    /** The socket of the manager of this machine. */
    public static Path found() {
        return RunFolders.ofThisProcess().searched().stream()
                .map(folder -> folder.resolve(SOCKET))
                .filter(Files::exists)
                .findFirst()
                .orElseGet(ManagerPlace::own);
    }

    /** True if a text is an address and not the path of a socket. */
    public static boolean isAddress(final String text) {
        return !text.contains("/");
    }

    /**
     * Reads {@code ADDRESS:PORT}; an IPv6 address stands in brackets.
     *
     * @param option that the text was given with, for messages.
     * @throws UsageException if it is none.
     */
    public static InetSocketAddress address(final String option, final String text) {
        final int colon = text.lastIndexOf(':');
        final String port = text.substring(colon + 1);
        final String host = colon < 1 ? "" : text.substring(0, colon);
        final boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (host.isEmpty()
                || !port.matches("\\d{1,5}")
                || Integer.parseInt(port) > MAX_PORT
                || (!isBracketed && host.contains(":"))) {
            throw new UsageException(
                    option + " must be ADDRESS:PORT, such as 10.0.0.1:7070: '" + text + "'");
        }
        return new InetSocketAddress(
                isBracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
    }
}
