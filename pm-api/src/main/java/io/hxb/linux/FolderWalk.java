package io.hxb.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The path to a folder, component by component: each is opened by the descriptor of the one before
 * and checked before the next. Used once, by one thread.
 */
final class FolderWalk {
    /** As many as the kernel follows. Source: MAXSYMLINKS. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");

    private final Path goal;
    private final int mode;
    private final Deque<String> rest = new ArrayDeque<>();
    private int descriptor = -1;
    private Path place = ROOT;
    private FileStatus status;
    private int links;
    private int rootUid;

    private FolderWalk(final Path goal, final int mode) {
        this.goal = goal.toAbsolutePath();
        this.mode = mode;
        push(this.goal);
    }

    /**
     * Opens a folder, see {@link Folder}.
     *
     * @param mode of the folder if it is to be made; -1 if it has to be there.
     */
    static Folder to(final Path folder, final int mode) throws IOException {
        final FolderWalk walk = new FolderWalk(folder, mode);
        try {
            walk.enter(opened(Folder.openFolder(-1, "/", false), ROOT), ROOT);
            while (!walk.rest.isEmpty()) {
                walk.step(walk.rest.pop());
            }
            walk.checkGoal();
        } catch (final IOException | RuntimeException e) {
            if (walk.descriptor >= 0) {
                Descriptors.close(walk.descriptor);
            }
            throw e;
        }
        return new Folder(walk.goal, walk.descriptor);
    }

    private void push(final Path path) {
        for (int i = path.getNameCount() - 1; i >= 0; i--) {
            rest.push(path.getName(i).toString());
        }
    }

    private void step(final String name) throws IOException {
        if (name.isEmpty() || name.equals(".")) {
            return;
        }
        // Users who may write in the folder could replace what is opened next.
        checkParent();
        final Path next = name.equals("..") ? place.resolve("..").normalize() : place.resolve(name);
        final int fd = Folder.openFolder(descriptor, name, false);
        if (fd == -Errno.ENOENT && mode >= 0) {
            enter(make(name, next), next);
        } else if (fd == -Errno.ENOTDIR || fd == -Errno.ELOOP) {
            follow(name, next);
        } else {
            enter(opened(fd, next), next);
        }
    }

    private static int opened(final int fd, final Path place) throws LinuxException {
        if (fd < 0) {
            throw new LinuxException("open(" + place + ")", -fd);
        }
        return fd;
    }

    private void enter(final int fd, final Path next) throws LinuxException {
        if (descriptor >= 0) {
            Descriptors.close(descriptor);
        }
        descriptor = fd;
        place = next;
        status = Folder.status(fd, "", next);
        if (next.equals(ROOT)) {
            rootUid = status.uid();
        }
    }

    // A folder that another process has made in the meantime is accepted if it passes the check.
    private int make(final String name, final Path next) throws IOException {
        final int result = Folder.makeFolder(descriptor, name);
        if (result == -Errno.EEXIST) {
            return opened(Folder.openFolder(descriptor, name, false), next);
        }
        opened(result, next);
        final int fd = opened(Folder.openFolder(descriptor, name, true), next);
        if (rest.isEmpty()) {
            try {
                Folder.fchmod(fd, mode, next.toString());
            } catch (final LinuxException e) {
                Descriptors.close(fd);
                throw e;
            }
        }
        return fd;
    }

    private void follow(final String name, final Path next) throws IOException {
        final FileStatus link = Folder.status(descriptor, name, next);
        if (!link.isLink()) {
            throw new LinuxException("open(" + next + ")", Errno.ENOTDIR);
        }
        if (!isTrusted(link)) {
            throw new UntrustedFolderException(
                    next
                            + " is a symbolic link of another user (uid "
                            + link.uid()
                            + "): look at it and remove it, or choose another folder");
        }
        if (++links > MAX_LINKS) {
            throw new LinuxException("open(" + next + ")", Errno.ELOOP);
        }
        final Path target = Path.of(Folder.readLink(descriptor, name, next));
        push(target);
        if (target.isAbsolute()) {
            enter(opened(Folder.openFolder(-1, "/", false), ROOT), ROOT);
        }
    }

    private void checkParent() throws UntrustedFolderException {
        if (!isTrusted(status)) {
            throw belongsToAnother();
        }
        if (status.isOpenToOthers() && !status.isSticky()) {
            throw isOpenToOthers();
        }
    }

    private void checkGoal() throws UntrustedFolderException {
        if (!status.isTrusted()) {
            throw belongsToAnother();
        }
        if (status.isOpenToOthers()) {
            throw isOpenToOthers();
        }
    }

    // In a user namespace without root, root's folders belong to the owner of all.
    private boolean isTrusted(final FileStatus of) {
        return of.isTrusted() || of.uid() == rootUid;
    }

    private UntrustedFolderException belongsToAnother() {
        return new UntrustedFolderException(
                place
                        + " belongs to another user (uid "
                        + status.uid()
                        + "), who could exchange files in it: choose a folder of root's or of your"
                        + " own");
    }

    private UntrustedFolderException isOpenToOthers() {
        return new UntrustedFolderException(
                String.format(
                        "others may write in %s (mode %04o) and could exchange files in it: run"
                                + " chmod go-w %s, or choose another folder",
                        place, status.permissions(), place));
    }
}
