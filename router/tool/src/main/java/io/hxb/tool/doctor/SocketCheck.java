package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.RunFolders;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Examines the folder for the socket of a node that does not run. Stateless. */
final class SocketCheck {
    private SocketCheck() {}

    /** Whether the node could make its socket if this user started it. */
    static Finding run(final ClusterConfig config, final int node) {
        final Path found = config.socketPath(node);
        if (!Files.exists(found)) {
            return folder(config.ownSocketPath(node));
        }
        try (PmDevice device = PmDevice.attach(found)) {
            return Finding.fail(
                    "socket",
                    found + " belongs to a running node of id " + device.nodeId(),
                    "stop that node, or choose another attach.directory");
        } catch (final PmException e) {
            return e.isNodeMissing()
                    ? Finding.ok(
                            "socket",
                            found
                                    + " was left by a node that ended; it is replaced at the next"
                                    + " start")
                    : Finding.fail("socket", e.getMessage(), "or choose another attach.directory");
        } catch (final IOException e) {
            return Finding.fail("socket", e.getMessage(), "choose another attach.directory");
        }
    }

    private static Finding folder(final Path socket) {
        final Path folder = socket.toAbsolutePath().getParent();
        final boolean isMade = folder.equals(RunFolders.ofThisProcess().own());
        if (!Files.isDirectory(folder) && !isMade) {
            return Finding.fail(
                    "socket",
                    "the folder " + folder + " is not there",
                    "create it (mode 0755, owned by the user of the node), or choose another"
                            + " attach.directory");
        }
        if (Files.isDirectory(folder) && !Files.isWritable(folder)) {
            return Finding.fail(
                    "socket",
                    "this user may not write to " + folder,
                    "start the node as user "
                            + owner(folder)
                            + ", or choose another attach.directory");
        }
        final Path lock = folder.resolve(socket.getFileName() + ".lock");
        if (Files.exists(lock) && !Files.isWritable(lock)) {
            return Finding.fail(
                    "socket",
                    lock + " was made by a node of user " + owner(lock),
                    "start the node as that user, or remove the file");
        }
        return Finding.ok("socket", socket + " is free");
    }

    private static String owner(final Path path) {
        try {
            return Files.getOwner(path).getName();
        } catch (final IOException e) {
            return "root";
        }
    }
}
