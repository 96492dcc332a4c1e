package io.hxb.pm.attach;

import io.hxb.linux.FileStatus;
import io.hxb.linux.Folder;
import io.hxb.linux.LinuxException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The folders that hold the sockets and counters of this machine's nodes where a cluster file names
 * none: one rule for nodes, tools and applications. Immutable; any thread may call it.
 *
 * <p>A program makes its own files in {@code HXB_RUN}, otherwise in /run/hxb if that belongs to
 * root or its user and it may write there (as root, or as the user of the service), otherwise in a
 * folder that no other user may enter: {@code $XDG_RUNTIME_DIR/hxb}, or {@code hxb-USER} in the
 * folder of temporary files. A node is looked for in all of these, in that order.
 */
public final class RunFolders {
    private static final Path SYSTEM = Path.of("/run/hxb");
    private static final int OTHERS_BITS = 077;
    private static final int PRIVATE_MODE = 0700;
    private static final int PUBLIC_MODE = 0755;
    private static final int MODE_BITS = 07777;
    private static final RunFolders OF_THIS_PROCESS =
            new RunFolders(
                    System.getenv(),
                    SYSTEM,
                    Path.of(System.getProperty("java.io.tmpdir")),
                    System.getProperty("user.name"));

    private final Path chosen;
    private final Path system;
    private final Path personal;

    /**
     * Makes the folders of a user.
     *
     * @param environment environment variables.
     * @param system the folder of the service, normally /run/hxb.
     * @param temporary folder of temporary files.
     * @param user name of the user.
     */
    RunFolders(
            final Map<String, String> environment,
            final Path system,
            final Path temporary,
            final String user) {
        final String run = environment.get("HXB_RUN");
        chosen = run == null || run.isBlank() ? null : Path.of(run).toAbsolutePath();
        this.system = system;
        final String runtime = environment.get("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isBlank() && isOurs(Path.of(runtime))) {
            personal = Path.of(runtime, "hxb").toAbsolutePath();
        } else {
            personal = temporary.resolve("hxb-" + user).toAbsolutePath();
        }
    }

    /** The folders of this process. */
    public static RunFolders ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Folder in which this process makes sockets and counter files, and keeps its labs. */
    public Path own() {
        if (chosen != null) {
            return chosen;
        }
        return isUsable(system) ? system : personal;
    }

    /**
     * Folders in which the sockets and counter files of this machine's nodes may be, in the order
     * in which they are searched.
     */
    public List<Path> searched() {
        final Set<Path> folders = new LinkedHashSet<>();
        if (chosen != null) {
            folders.add(chosen);
        }
        folders.add(system);
        // Anybody could have put a node there.
        if (problem(personal).isEmpty()) {
            folders.add(personal);
        }
        return List.copyOf(folders);
    }

    /**
     * Makes this process's own folder if there is none; other folders are left to the user who
     * named them.
     *
     * @param folder {@link #own}, or any other, for which nothing is done.
     * @throws IOException with a message that explains what to do: it cannot be made, it is not
     *     private, or others could replace the files in it.
     */
    public void prepare(final Path folder) throws IOException {
        final boolean isPrivate = folder.equals(personal);
        if (!folder.equals(own()) && !isPrivate) {
            return;
        }
        final String problem = isPrivate ? problem(folder) : "";
        if (!problem.isEmpty()) {
            throw new IOException(problem);
        }
        try (Folder made = Folder.make(folder, isPrivate ? PRIVATE_MODE : PUBLIC_MODE)) {
            assert made.status().isTrusted() : folder;
        } catch (final LinuxException e) {
            throw new IOException(
                    "cannot make the folder "
                            + folder
                            + " ("
                            + e.getMessage()
                            + "): set HXB_RUN to a folder in which this user may write",
                    e);
        }
    }

    /**
     * Removes the folder of {@link #own} if it is empty and was made by this user, but not one that
     * {@code HXB_RUN} names.
     */
    public void removeIfEmpty() {
        final Path folder = own();
        if (chosen == null && isOurs(folder)) {
            try {
                Files.deleteIfExists(folder);
            } catch (final IOException e) {
                // It is in use, or its parent is not writable: it may stay.
            }
        }
    }

    /** Why this process cannot use its own folder, and what to do; empty if it can. */
    public String problem() {
        return own().equals(personal) ? problem(personal) : "";
    }

    /** Why a folder cannot be trusted as private; empty if it can, or is not there. */
    private static String problem(final Path folder) {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return "";
        }
        final String remedy =
                ": look at what it is and remove it, or set HXB_RUN to a folder of your own";
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                return folder + " is not a folder" + remedy;
            }
            final int owner = number(folder, "unix:uid");
            if (owner != FileStatus.ownUid()) {
                return folder + " belongs to another user (uid " + owner + ")" + remedy;
            }
            final int mode = number(folder, "unix:mode") & MODE_BITS;
            return (mode & OTHERS_BITS) == 0
                    ? ""
                    : String.format(
                            "%s is open to other users (mode %04o): if nothing in it is theirs,"
                                    + " run chmod 700 %s",
                            folder, mode, folder);
        } catch (final IOException e) {
            return folder + " cannot be examined (" + e.getMessage() + ")" + remedy;
        }
    }

    // Root leaves a folder to the user as which the service runs.
    private static boolean isUsable(final Path folder) {
        final boolean exists = Files.exists(folder, LinkOption.NOFOLLOW_LINKS);
        final Path place = exists ? folder : folder.toAbsolutePath().getParent();
        try {
            final int owner = exists ? number(place, "unix:uid") : 0;
            return Files.isDirectory(place)
                    && Files.isWritable(place)
                    && (owner == 0 || owner == FileStatus.ownUid());
        } catch (final IOException e) {
            return false;
        }
    }

    private static boolean isOurs(final Path folder) {
        try {
            return Files.isDirectory(folder) && number(folder, "unix:uid") == FileStatus.ownUid();
        } catch (final IOException e) {
            return false;
        }
    }

    private static int number(final Path path, final String attribute) throws IOException {
        return (int) Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS);
    }
}
