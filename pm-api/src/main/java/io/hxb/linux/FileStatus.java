package io.hxb.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Owner and kind of a file. Immutable.
 *
 * @param uid its owner.
 * @param gid its group.
 * @param mode type and permissions, as in stat(2).
 */
public record FileStatus(int uid, int gid, int mode) {
    private static final int TYPE_MASK = 0170000;
    private static final int SOCKET = 0140000;
    private static final int LINK = 0120000;
    private static final int FILE = 0100000;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITES = 020;
    private static final int OTHERS_WRITE = 02;
    private static final int OTHERS_ANYTHING = 07;
    private static final int GROUP_ANYTHING = 070;
    private static final int PERMISSIONS = 07777;

    /** The user of this process, and the one who has become root. */
    private static final class Self {
        static final int UID = attribute("unix:uid");
        static final int GID = attribute("unix:gid");
        static final int SUDO_UID = sudoUid(UID, System.getenv("SUDO_UID"));

        private static int attribute(final String name) {
            try {
                return (int) Files.getAttribute(Path.of("/proc/self"), name);
            } catch (final IOException e) {
                throw new UncheckedIOException("cannot read the user id of this process", e);
            }
        }
    }

    /** User id of this process. */
    public static int ownUid() {
        return Self.UID;
    }

    /**
     * The user who has become root by sudo.
     *
     * @param uid user id of this process.
     * @param variable value of SUDO_UID, or null.
     * @return the user, or {@code uid} where there is none.
     */
    static int sudoUid(final int uid, final String variable) {
        return uid == 0 && variable != null && variable.matches("\\d{1,9}")
                ? Integer.parseInt(variable)
                : uid;
    }

    /** True for a socket. */
    public boolean isSocket() {
        return (mode & TYPE_MASK) == SOCKET;
    }

    /** True for a symbolic link. */
    public boolean isLink() {
        return (mode & TYPE_MASK) == LINK;
    }

    /** True for a plain file. */
    public boolean isFile() {
        return (mode & TYPE_MASK) == FILE;
    }

    /** Its mode without the type. */
    public int permissions() {
        return mode & PERMISSIONS;
    }

    /** True if it belongs to root, to this user, or to the one who runs this process by sudo. */
    public boolean isTrusted() {
        return uid == 0 || uid == Self.UID || uid == Self.SUDO_UID;
    }

    /** True if others may write in it: all users, or a group that is not this process's. */
    public boolean isOpenToOthers() {
        return (mode & OTHERS_WRITE) != 0
                || ((mode & GROUP_WRITES) != 0 && gid != 0 && gid != Self.GID);
    }

    /**
     * True if nobody but its owner and root's group may do anything with it. Where a file has an
     * access list, the bits of the group are those of all whom the list names.
     */
    boolean isSecret() {
        return (mode & OTHERS_ANYTHING) == 0 && ((mode & GROUP_ANYTHING) == 0 || gid == 0);
    }

    /** True for a folder in which only the owner of an entry may remove or rename it. */
    boolean isSticky() {
        return (mode & STICKY) != 0;
    }
}
