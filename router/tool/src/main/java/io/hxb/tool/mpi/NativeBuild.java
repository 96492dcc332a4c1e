package io.hxb.tool.mpi;

import io.hxb.tool.machine.Programs;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A library that is built on this machine by the first command that needs it. Immutable.
 *
 * @param what it is, for messages.
 * @param target of the Makefile that builds it.
 * @param file that is built, below {@link #out}.
 * @param programs that build it, with the package of Debian that each is in.
 * @param headers that it needs: what they are, and the package of Debian.
 * @param isHeaderMissing true of the output of a build that failed because there are no headers.
 * @param root of the tree of HXB.
 */
record NativeBuild(
        String what,
        String target,
        String file,
        Map<String, String> programs,
        Headers headers,
        Predicate<String> isHeaderMissing,
        Path root) {

    /** Headers that a build needs. */
    record Headers(String what, String debianPackage) {}

    NativeBuild {
        root = root.toAbsolutePath().normalize();
        programs = Map.copyOf(programs);
    }

    private Path sources() {
        return root.resolve("pm-api/src/main/c");
    }

    /** Folder in which all libraries are built. */
    Path out() {
        return root.resolve("target/hxb/c");
    }

    /** Where it is when it has been built. */
    Path library() {
        return out().resolve(file);
    }

    /**
     * Builds it unless it is built; other processes may do the same. Blocks until it is there.
     *
     * @throws ToolException that names what is missing.
     */
    void build() {
        if (isBuilt()) {
            return;
        }
        if (!Files.isDirectory(sources())) {
            throw new ToolException(
                    what
                            + " is built from the sources of HXB, which packages do not have: run"
                            + " deploy/hxb mpirun of a source tree");
        }
        programs.forEach(this::require);
        try {
            Files.createDirectories(out());
        } catch (final IOException e) {
            throw unwritable(e);
        }
        try (FileChannel channel =
                        FileChannel.open(
                                out().resolve("lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assert lock.isValid();
            if (!isBuilt()) {
                make();
            }
        } catch (final IOException e) {
            throw unwritable(e);
        }
    }

    private void require(final String program, final String debianPackage) {
        if (Programs.find(program).isEmpty()) {
            throw new ToolException(
                    what
                            + " is not built yet, and that needs "
                            + program
                            + ": install it (Debian: apt-get install "
                            + debianPackage
                            + " "
                            + headers.debianPackage()
                            + ")");
        }
    }

    private ToolException unwritable(final IOException cause) {
        return new ToolException(
                what
                        + " is not built yet, or not since its sources changed, and this user may"
                        + " not write "
                        + out()
                        + ": run hxb mpirun --dry-run once as the owner of that folder ("
                        + cause
                        + ")",
                cause);
    }

    private boolean isBuilt() {
        if (!Files.exists(library())) {
            return false;
        }
        return Programs.find("make").isEmpty() || run("make -q").exitStatus() == 0;
    }

    private void make() {
        System.err.println("hxb: building " + what + " (needed again when it changes)");
        // Everybody may use what is built here, also if its builder usually keeps files private.
        final Shell.Outcome outcome = run("umask 022; exec make -s");
        if (outcome.exitStatus() != 0) {
            throw new ToolException(
                    isHeaderMissing.test(outcome.output())
                            ? "the headers of "
                                    + headers.what()
                                    + " are missing, with which "
                                    + what
                                    + " is built: install them (Debian: apt-get install "
                                    + headers.debianPackage()
                                    + ")"
                            : what + " cannot be built: " + outcome.output());
        }
    }

    private Shell.Outcome run(final String make) {
        return Shell.run(
                "",
                List.of(
                        "sh",
                        "-c",
                        make + " -C \"$0\" \"OUT=$1\" " + target,
                        sources().toString(),
                        out().toString()));
    }
}
