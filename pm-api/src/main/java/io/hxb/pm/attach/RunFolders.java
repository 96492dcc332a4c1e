package io.hxb.pm.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The folders that hold the sockets and counters of this machine's nodes where a cluster file names
 * none: the one rule for nodes, tools and applications. Immutable; any thread may call it.
 *
 * <p>A program makes its own where {@code HXB_RUN} says, else in /run/hxb if it may write there (as
 * root, or as the user of the service), else in a folder that no other user may enter: {@code
 * $XDG_RUNTIME_DIR/hxb}, or {@code hxb-USER} in the folder of temporary files. A node is looked for
 * in all of these, in that order.
 */
public final class RunFolders {
    private static final Path SYSTEM = Path.of("/run/hxb");
    private static final Path SYSTEM_COUNTERS = Path.of("/dev/shm/hxb");
    private static final int OTHERS_BITS = 077;
    private static final int MODE_BITS = 07777;
    private static final RunFolders OF_THIS_PROCESS =
            new RunFolders(
                    System.getenv(),
                    SYSTEM,
                    SYSTEM_COUNTERS,
                    Path.of(System.getProperty("java.io.tmpdir")),
                    System.getProperty("user.name"));

    private final Path chosen;
    private final Path system;
    private final Path systemCounters;
    private final Path personal;
    private final Path personalCounters;

    /**
     * Makes the folders of a user.
     *
     * @param environment environment variables.
     * @param system the folder of the service, normally /run/hxb.
     * @param systemCounters the folder of its counters, normally /dev/shm/hxb.
     * @param temporary folder of temporary files.
     * @param user name of the user.
     */
    RunFolders(
            final Map<String, String> environment,
            final Path system,
            final Path systemCounters,
            final Path temporary,
            final String user) {
        final String run = environment.get("HXB_RUN");
        chosen = run == null || run.isBlank() ? null : Path.of(run).toAbsolutePath();
        this.system = system;
        this.systemCounters = systemCounters;
        final String runtime = environment.get("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isBlank() && isOurs(Path.of(runtime))) {
            personal = Path.of(runtime, "hxb").toAbsolutePath();
            personalCounters = personal;
        } else {
            personal = temporary.resolve("hxb-" + user).toAbsolutePath();
            // In memory: pages of a file on a disk are kept from their writer while they are saved.
            final Path memory = systemCounters.toAbsolutePath().getParent();
            personalCounters = Files.isWritable(memory) ? memory.resolve("hxb-" + user) : personal;
        }
    }

    /** The folders of this process. */
    public static RunFolders ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Folder in which this process makes sockets and keeps its labs. */
    public Path own() {
        if (chosen != null) {
            return chosen;
        }
        return isUsable(system) ? system : personal;
    }

    /** Folder in which this process makes counter files. */
    public Path ownCounters() {
        if (chosen != null) {
            return chosen;
        }
        return isUsable(system) ? systemCounters : personalCounters;
    }

    /** Folders in which the sockets of this machine's nodes may be, the first to be tried first. */
    public List<Path> searched() {
        return searched(system, personal);
    }

    /** Folders in which the counter files of this machine's nodes may be, in the same order. */
    public List<Path> searchedCounters() {
        return searched(systemCounters, personalCounters);
    }

    private List<Path> searched(final Path ofSystem, final Path ofUser) {
        final Set<Path> folders = new LinkedHashSet<>();
        if (chosen != null) {
            folders.add(chosen);
        }
        folders.add(ofSystem);
        // Anybody could have put a node of his own there.
        if (problem(ofUser).isEmpty()) {
            folders.add(ofUser);
        }
        return List.copyOf(folders);
    }

    /**
     * Makes one of this process's own folders if it is not there; other folders are left to whoever
     * named them.
     *
     * @param folder {@link #own} or {@link #ownCounters}, or any other, for which nothing is done.
     * @throws IOException in words, with what to do: it cannot be made, or it is not private.
     */
    public void prepare(final Path folder) throws IOException {
        final boolean isPrivate = isPrivate(folder);
        final boolean isOwn = folder.equals(own()) || folder.equals(ownCounters());
        if (!isOwn && !isPrivate) {
            return;
        }
        try {
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                make(folder, isPrivate ? "rwx------" : "rwxr-xr-x");
            }
        } catch (final IOException e) {
            throw new IOException(
                    "cannot make the folder "
                            + folder
                            + " ("
                            + e
                            + "): set HXB_RUN to a folder in which this user may write",
                    e);
        }
        final String problem = isPrivate ? problem(folder) : "";
        if (!problem.isEmpty()) {
            throw new IOException(problem);
        }
    }

    // Whatever the umask says: others attach by the folder of the service.
    private static void make(final Path folder, final String mode) throws IOException {
        Files.createDirectories(folder.getParent());
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
        } catch (final java.nio.file.FileAlreadyExistsException e) {
            // Another process was quicker.
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
                // In use, or its parent is not writable: it may stay.
            }
        }
    }

    /** Why this process cannot use its own folders, and what to do; empty if it can. */
    public String problem() {
        for (final Path folder : List.of(own(), ownCounters())) {
            final String problem = isPrivate(folder) ? problem(folder) : "";
            if (!problem.isEmpty()) {
                return problem;
            }
        }
        return "";
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
            if (owner != ownUid()) {
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

    private boolean isPrivate(final Path folder) {
        return folder.equals(personal) || folder.equals(personalCounters);
    }

    private static boolean isUsable(final Path folder) {
        final Path place = Files.exists(folder) ? folder : folder.toAbsolutePath().getParent();
        return Files.isDirectory(place) && Files.isWritable(place);
    }

    private static boolean isOurs(final Path folder) {
        try {
            return Files.isDirectory(folder) && number(folder, "unix:uid") == ownUid();
        } catch (final IOException e) {
            return false;
        }
    }

    private static int ownUid() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static int number(final Path path, final String attribute) throws IOException {
        return (int) Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS);
    }
}
