package io.hxb.tool.mpi;

import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.Map;

/** The library that sets right what Open MPI does wrong over libfabric. Immutable. */
final class OpenMpiLibrary {
    private final NativeBuild build;

    /**
     * The library of a tree of HXB.
     *
     * @param root of the tree.
     */
    OpenMpiLibrary(final Path root) {
        build =
                new NativeBuild(
                        "the library for Open MPI",
                        "mpi-openmpi",
                        "libhxb-openmpi.so",
                        Map.of("make", "make", FabricProvider.compiler(System.getenv("CC")), "gcc"),
                        new NativeBuild.Headers("the C library", "libc6-dev"),
                        output -> output.contains("stdio.h"),
                        root);
    }

    /** Its file. */
    Path file() {
        return build.library();
    }

    /**
     * Builds it unless it is built; other processes may do the same. Blocks until it is there.
     *
     * @throws ToolException that names what is missing.
     */
    void build() {
        build.build();
    }
}
