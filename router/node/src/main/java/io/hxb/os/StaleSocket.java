package io.hxb.os;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Unix sockets in the file system that a dead server has left behind. Stateless. */
public final class StaleSocket {
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private StaleSocket() {}

    /**
     * Removes the socket, unless somebody listens there.
     *
     * @return false if somebody does.
     * @throws IOException if there is something else than a socket, or it cannot be asked or
     *     removed.
     */
    public static boolean remove(final Path socket) throws IOException {
        final int mode;
        try {
            mode = (int) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        } catch (final NoSuchFileException e) {
            return true;
        }
        if ((mode & FILE_TYPE) != SOCKET_TYPE) {
            throw new IOException(socket + " exists and is not a socket: remove it");
        }
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(socket)).close();
            return false;
        } catch (final ConnectException e) {
            // Refused: nobody listens. What else may fail here, such as a lack of descriptors,
            // shows
            // nothing about the other end.
            Files.deleteIfExists(socket);
            return true;
        }
    }
}
