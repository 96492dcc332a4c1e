package io.hxb.tool.mpi;

import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.Map;

/** The library that has the nodes carry out collective operations of MPI. Immutable. */
final class CollectiveLibrary {
    private final NativeBuild build;

    /**
     * The library of a tree of HXB.
     *
     * @param root of the tree.
     */
    CollectiveLibrary(final Path root) {
        build =
                new NativeBuild(
                        "the library for collective operations",
                        "mpi-coll",
                        "libhxb-coll.so",
                        Map.of("make", "make", "mpicc", "libopenmpi-dev"),
                        new NativeBuild.Headers("Open MPI", "libopenmpi-dev"),
                        output -> output.contains("mpi.h"),
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
