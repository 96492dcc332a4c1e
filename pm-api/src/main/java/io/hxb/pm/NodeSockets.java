package io.hxb.pm;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.NodeSocketName;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the socket of this machine's node when the application names none. Stateless. */
final class NodeSockets {
    /** Name of the variable with the path of the node's socket. */
    static final String SOCKET_VARIABLE = "HXB_SOCKET";

    private static final long LOOK_MS = 200;

    private NodeSockets() {}

    /**
     * The socket of the only node.
     *
     * @param environment environment variables; {@value #SOCKET_VARIABLE} takes precedence.
     * @param folders searched one after the other until one has the socket of a node.
     * @throws PmException if there is none, or several; the message explains what to do.
     */
    static Path find(final Map<String, String> environment, final List<Path> folders)
            throws PmException {
        final String chosen = environment.get(SOCKET_VARIABLE);
        if (chosen != null && !chosen.isBlank()) {
            return Path.of(chosen);
        }
        for (final Path folder : folders) {
            final List<Path> sockets = live(folder);
            if (sockets.size() == 1) {
                return sockets.getFirst();
            }
            if (!sockets.isEmpty()) {
                throw several(sockets);
            }
        }
        throw new PmException(
                "no node runs here: there is no socket of one in "
                        + join(folders)
                        + "; start it with hxb node, or a lab with hxb lab up, or set "
                        + SOCKET_VARIABLE
                        + " to the socket of a node elsewhere");
    }

    private static PmException several(final List<Path> sockets) {
        return new PmException(
                "several nodes run here: set "
                        + SOCKET_VARIABLE
                        + " to the socket of the one to attach to (hxb lab exec COORD -- COMMAND"
                        + " does that); there are "
                        + join(sockets));
    }

    private static String join(final List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    /**
     * The sockets of nodes in a folder, not counting those of labs; if there are none, those of its
     * labs.
     */
    private static List<Path> live(final Path folder) throws PmException {
        final List<Path> own = listening(list(folder));
        if (!own.isEmpty()) {
            return own;
        }
        final List<Path> ofLabs = new ArrayList<>();
        for (final Path lab : list(folder.resolve("labs"))) {
            ofLabs.addAll(listening(list(lab)));
        }
        return ofLabs;
    }

    // The socket of a dead node does not accept connections any more.
    private static List<Path> listening(final List<Path> files) {
        return files.stream().filter(NodeSocketName::isOfNode).filter(NodeSockets::isLive).toList();
    }

    private static boolean isLive(final Path socket) {
        try {
            UnixSocket.connect(socket, LOOK_MS).close();
            return true;
        } catch (final LinuxException e) {
            return e.errno() != Errno.ECONNREFUSED && e.errno() != Errno.ENOENT;
        }
    }

    private static List<Path> list(final Path folder) throws PmException {
        if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (final IOException | UncheckedIOException e) {
            throw new PmException("cannot look for a node in " + folder + ": " + e.getMessage(), e);
        }
    }
}
