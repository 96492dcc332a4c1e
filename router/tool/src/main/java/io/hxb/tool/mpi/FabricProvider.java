package io.hxb.tool.mpi;

import io.hxb.tool.report.ToolException;

import java.nio.file.Path;
import java.util.Map;

/** The provider of libfabric. Immutable. */
final class FabricProvider {
    private final NativeBuild build;

    /**
     * The provider of a tree of HXB.
     *
     * @param root of the tree.
     */
    FabricProvider(final Path root) {
        build =
                new NativeBuild(
                        "the libfabric provider",
                        "fi",
                        "fi/libhxb-fi.so",
                        Map.of("make", "make", compiler(System.getenv("CC")), "gcc"),
                        new NativeBuild.Headers("libfabric", "libfabric-dev"),
                        output -> output.contains("rdma/") || output.contains("-lfabric"),
                        root);
    }

    /**
     * The program that make starts to compile.
     *
     * @param variable CC as the user has set it, which may have arguments; null if he has not.
     */
    static String compiler(final String variable) {
        return variable == null || variable.isBlank() ? "cc" : variable.strip().split("\\s+", 2)[0];
    }

    /** Folder that libfabric finds it in. */
    Path folder() {
        return build.out().resolve("fi");
    }

    /** Variables that make libfabric load it, and no other providers. */
    Map<String, String> environment() {
        return Map.of("FI_PROVIDER_PATH", folder().toString(), "FI_PROVIDER", "hxb");
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
