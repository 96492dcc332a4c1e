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

/**
 * The provider of libfabric, built on this machine by the first command that needs it. Immutable.
 */
final class FabricProvider {
    private final Path sources;
    private final Path out;

    /**
     * The provider of a tree of HXB.
     *
     * @param root of the tree.
     */
    FabricProvider(final Path root) {
        final Path absolute = root.toAbsolutePath().normalize();
        sources = absolute.resolve("pm-api/src/main/c");
        out = absolute.resolve("target/hxb/c");
    }

    /** Folder that libfabric finds it in. */
    Path folder() {
        return out.resolve("fi");
    }

    /** What tells libfabric of it, and keeps it from starting all others. */
    Map<String, String> environment() {
        return Map.of("FI_PROVIDER_PATH", folder().toString(), "FI_PROVIDER", "hxb");
    }

    /**
     * Builds it unless it is built; other processes may do the same. Blocks until it is there.
     *
     * @throws ToolException saying what is missing.
     */
    void build() {
        if (isBuilt()) {
            return;
        }
        require("make", "make");
        require(System.getenv().getOrDefault("CC", "cc"), "gcc");
        try {
            Files.createDirectories(out);
        } catch (final IOException e) {
            throw unwritable(e);
        }
        try (FileChannel channel =
                        FileChannel.open(
                                out.resolve("lock"),
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

    private static void require(final String program, final String debianPackage) {
        if (Programs.find(program).isEmpty()) {
            throw new ToolException(
                    "the libfabric provider is not built yet, and that needs "
                            + program
                            + ": install it (Debian: apt-get install "
                            + debianPackage
                            + " libfabric-dev)");
        }
    }

    private ToolException unwritable(final IOException cause) {
        return new ToolException(
                "the libfabric provider is not built yet, or not since its sources changed, and"
                        + " this user may not write "
                        + out
                        + ": run hxb mpirun --dry-run once as the owner of that folder ("
                        + cause
                        + ")",
                cause);
    }

    private boolean isBuilt() {
        if (!Files.exists(folder().resolve("libhxb-fi.so"))) {
            return false;
        }
        return Programs.find("make").isEmpty() || run("make -q").exitStatus() == 0;
    }

    private void make() {
        System.err.println("hxb: building the libfabric provider (needed again when it changes)");
        // Everybody may use what is built here, also if its builder usually keeps files private.
        final Shell.Outcome outcome = run("umask 022; exec make -s");
        if (outcome.exitStatus() != 0) {
            final boolean isLibraryMissing =
                    outcome.output().contains("rdma/") || outcome.output().contains("-lfabric");
            throw new ToolException(
                    isLibraryMissing
                            ? "the headers of libfabric are missing, which its provider is built"
                                    + " with: install them (Debian: apt-get install libfabric-dev)"
                            : "the libfabric provider cannot be built: " + outcome.output());
        }
    }

    private Shell.Outcome run(final String make) {
        return Shell.run(
                "",
                List.of(
                        "sh",
                        "-c",
                        make + " -C \"$0\" \"OUT=$1\" fi",
                        sources.toString(),
                        out.toString()));
    }
}
