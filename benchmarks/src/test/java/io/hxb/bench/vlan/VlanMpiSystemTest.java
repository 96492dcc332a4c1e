package io.hxb.bench.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.lab.OpenVswitch;
import io.hxb.tool.machine.Privileges;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The experiment with VLAN paths whose hosts run a program of MPI. */
@Tag("system")
class VlanMpiSystemTest {
    private final String name = "y" + ProcessHandle.current().pid();

    @BeforeEach
    void needsSwitches() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: making network namespaces needs root");
        assumeTrue(OpenVswitch.isInstalled(), "skipped: Open vSwitch is not installed");
    }

    @Tag("outside")
    @Test
    void shouldRunAnMpiProgramThatChoosesItsPathsByItself() {
        assumeTrue(isInstalled("mpicc") && isInstalled("make"), "skipped: there is no Open MPI");
        // A wrong result, or a program that fails by any paths, would end it with 1.
        assertEquals(
                0,
                VlanBench.execute(
                        "mpi-cg",
                        "--short",
                        "--iterations",
                        "2",
                        "--rate",
                        "100mbit",
                        "--name",
                        name,
                        "--no-results"));
    }

    private static boolean isInstalled(final String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
