package io.hxb.pm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Explains why a node's socket cannot be opened, and what to do. Stateless. */
final class AttachRefusal {
    private static final int GROUP_WRITES = 020;
    private static final int OTHERS_WRITE = 02;
    private static final int PERMISSION_BITS = 07777;

    private AttachRefusal() {}

    /** The message for a user to whom the file system denies access to {@code socket}. */
    static String describe(final Path socket) {
        final Path closed = closedFolder(socket.toAbsolutePath().getParent());
        if (closed != null) {
            return describeFolder(socket, closed);
        }
        try {
            final int mode = number(socket, "unix:mode") & PERMISSION_BITS;
            final String owner = Files.getOwner(socket).getName();
            final String start =
                    String.format(
                            "this user (uid %d) may not attach to the node of user %s on %s (mode"
                                    + " %04o): ",
                            number(Path.of("/proc/self"), "unix:uid"), owner, socket, mode);
            if ((mode & GROUP_WRITES) != 0 && (mode & OTHERS_WRITE) == 0) {
                return start
                        + "join group "
                        + Files.getAttribute(socket, "posix:group")
                        + ", or run as "
                        + owner;
            }
            return start
                    + "run as "
                    + orRoot(owner)
                    + ", or add this user to attach.allowedUids in the cluster file and"
                    + " start the node again";
        } catch (final IOException e) {
            return "this user may not open "
                    + socket
                    + ": run as the user whose node it is, or as root";
        }
    }

    /** The outermost of the folders that this user may not enter; null if there is none. */
    private static Path closedFolder(final Path folder) {
        Path closed = null;
        for (Path at = folder; at != null; at = at.getParent()) {
            closed = Files.isExecutable(at) ? closed : at;
        }
        return closed;
    }

    private static String describeFolder(final Path socket, final Path folder) {
        String owner;
        try {
            owner = Files.getOwner(folder).getName();
        } catch (final IOException e) {
            owner = "its owner";
        }
        return "this user may not enter the folder "
                + folder
                + " of the node's socket "
                + socket.getFileName()
                + ": run as "
                + orRoot(owner);
    }

    private static String orRoot(final String owner) {
        return owner.equals("root") ? owner : owner + " or root";
    }

    private static int number(final Path path, final String attribute) throws IOException {
        return (int) Files.getAttribute(path, attribute);
    }
}
