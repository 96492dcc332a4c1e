package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** The two libraries that stand between a program and its MPI, loaded together. */
@Tag("system")
class MpiPreloadSystemTest {
    private static String run(final String preloaded) throws Exception {
        try (LibHxb programs = new LibHxb()) {
            final Process mpirun =
                    programs.start(
                            "sh",
                            "-c",
                            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun"
                                + " --oversubscribe -np 2 -x HXB_COLLECTIVES=report -x LD_PRELOAD="
                                    + preloaded
                                    + " "
                                    + LibVfn.file("unchanged")
                                    + " 2 2>&1");
            return String.join("\n", LibHxb.lines(mpirun));
        }
    }

    @Test
    void shouldPassCallsOnToEachOtherInEitherOrder() throws Exception {
        // given
        LibVfn.assumePresent("mpicc", "libopenmpi-dev");
        LibVfn.assumePresent("mpirun", "openmpi-bin");
        LibVfn.build("unchanged", "libvfnprof.so");
        LibHxb.build(LibHxb.Build.PLAIN, "libhxb-coll.so");
        final String paths = LibVfn.file("libvfnprof.so").toString();
        final String collectives = LibHxb.Build.PLAIN.file("libhxb-coll.so").toString();
        for (final String preloaded :
                List.of(paths + ":" + collectives, collectives + ":" + paths)) {
            // when
            final String output = run(preloaded);
            // then
            assertTrue(output.contains("libvfnprof: the program runs"), output);
            assertTrue(output.contains("libhxb-coll: rank 0 had"), output);
        }
    }
}
