package io.hxb.pm;

import java.nio.file.Files;
import java.nio.file.Path;

/** Attaches over the node's Unix socket. */
final class SocketAttachment {
    private SocketAttachment() {}

    static PmAttachment connect(final Path socket) throws PmException {
        if (!Files.exists(socket)) {
            throw new PmException("no node listens on " + socket);
        }
        throw new PmException(
                "attaching from another process comes with the next commit: " + socket);
    }
}
