package io.hxb.manager;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.TopTrees;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Builds libvfn and its test programs from the sources beside the modules. Stateless. */
final class LibVfn {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final Path BUILT = ROOT.resolve("target").resolve("libvfn").toAbsolutePath();

    private LibVfn() {}

    /** Skips the test, with the reason, where a program is missing. */
    static void assumePresent(final String program, final String debianPackage) {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":", -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
                "skipped: " + program + " is not installed (Debian: " + debianPackage + ")");
    }

    /** Builds programs of these names, which need what their rules in the Makefile list. */
    static void build(final String... names) throws IOException, InterruptedException {
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                // Another JVM may build the same.
                                "flock",
                                ROOT.resolve("libvfn").toString(),
                                "make",
                                "-s",
                                "-C",
                                ROOT.resolve("libvfn").toString(),
                                "OUT=" + BUILT));
        for (final String name : names) {
            command.add(file(name).toString());
        }
        final Process make = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output =
                new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (make.waitFor() != 0) {
            throw new AssertionError(command + ": " + output);
        }
    }

    /** Where a program is after it has been built. */
    static Path file(final String name) {
        return BUILT.resolve(name);
    }

    /** Four hosts, two at each of two leaf switches; all pairs take the first of two VIDs. */
    static VlanPlan plan() {
        return VlanPlanner.of(PlanKind.HOST_TAGGED, 4000)
                .plan(Trees.vbft(2, 2, 2), new TopTrees(), "test")
                .withTable(new int[4], Map.of());
    }
}
