package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Programs;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Labs by the real command line, from set-up to removal. */
@Tag("system")
class LabRunSystemTest {
    @TempDir private Path folder;

    private final String name = "s" + ProcessHandle.current().pid();

    @Test
    void shouldMeasureRoundTripsOverUdpWithoutAnyPrivilege() throws Exception {
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "lab",
                        "run",
                        "ping",
                        "--shape",
                        "2x2",
                        "--links",
                        "2",
                        "--backend",
                        "udp",
                        "--count",
                        "100",
                        "--name",
                        name,
                        "--json")) {
            // when
            final int status = hxb.status();

            // then
            assertEquals(ExitStatus.OK, status, hxb::errors);
            assertEquals("", hxb.errorsButSilentLinks());
            ReportingSystemTest.assertObjects("lab run", hxb);
            final Map<?, ?> report = hxb.json();
            assertEquals(true, report.get("ok"));
            assertEquals(4, report.get("nodes"));
            assertEquals(400, report.get("messages"));
            assertTrue((int) report.get("relays") >= 100, report::toString);
            assertFalse(Files.exists(folder.resolve("run/labs/" + name + ".json")));
        }
    }

    @Test
    void shouldCaptureEveryFrameOfEachNode() throws Exception {
        // given, when
        final Path captures = folder.resolve("captures");
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "lab",
                        "run",
                        "ping",
                        "--shape",
                        "2",
                        "--links",
                        "1",
                        "--backend",
                        "udp",
                        "--count",
                        "50",
                        "--name",
                        name,
                        "--capture",
                        captures.toString())) {
            assertEquals(ExitStatus.OK, hxb.status(), hxb::errors);
        }

        // then: each node has written its 50 requests or answers, sent and received
        for (int node = 0; node < 2; node++) {
            final Path file = captures.resolve(name + "-" + node + ".pcapng");
            final PcapBlocks blocks = PcapBlocks.read(file);
            assertEquals(1, blocks.interfaces());
            assertTrue(blocks.frames() >= 100, blocks::toString);
            assertEquals(blocks.frames(), blocks.framesOfEtherType(0x88B5), blocks::toString);
        }
        assertEquals(2, interfacesAfterMerging(captures), "the nodes cannot be told apart");
    }

    private int interfacesAfterMerging(final Path captures) throws Exception {
        assumeTrue(Programs.find("mergecap").isPresent(), "skipped: mergecap is not installed");
        final Path merged = folder.resolve("merged.pcapng");
        final Process mergecap =
                new ProcessBuilder(
                                "mergecap",
                                "-w",
                                merged.toString(),
                                captures.resolve(name + "-0.pcapng").toString(),
                                captures.resolve(name + "-1.pcapng").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("mergecap.log").toFile())
                        .start();
        assertEquals(0, mergecap.waitFor());
        return PcapBlocks.read(merged).interfaces();
    }

    @Test
    void shouldLoseNothingOverShapedLinksAndRelaysAndLeaveNothingBehind() throws Exception {
        loseNothing("on");
    }

    @Tag("outside")
    @Test
    void shouldLoseNothingOverRelaysThatAreNodes() throws Exception {
        loseNothing("off");
    }

    private void loseNothing(final String kernelRelay) throws Exception {
        assumeRoot();
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "lab",
                        "run",
                        "perf",
                        "--shape",
                        "2x2x2",
                        "--links",
                        "2",
                        "--backend",
                        "raw",
                        "--rate",
                        "1gbit",
                        "--mtu",
                        "9000",
                        "--kernel-relay",
                        kernelRelay,
                        "--from",
                        "0,0,0",
                        "--to",
                        "1,1,1",
                        "--size",
                        "8192",
                        "--check",
                        "4",
                        "--warmup",
                        "0",
                        "--seconds",
                        "1",
                        "--name",
                        name,
                        "--json")) {
            // when
            final int status = hxb.status();

            // then
            assertEquals(ExitStatus.OK, status, hxb::errors);
            assertEquals("", hxb.errorsButSilentLinks());
            final Map<?, ?> report = hxb.json();
            for (final String count : new String[] {"lost", "duplicated", "reordered", "corrupt"}) {
                assertEquals(0, report.get(count), report::toString);
            }
            assertTrue(
                    (int) report.get("relays") >= 2 * (int) report.get("messages"),
                    report::toString);
            assertEquals(0, namespaces());
        }
    }

    @Test
    void shouldRemoveTheLabWhenInterrupted() throws Exception {
        assumeRoot();
        try (HxbProcess hxb = start("--shape", "2x2", "--links", "1")) {
            awaitLab(hxb);
            // when: what Ctrl-C sends
            hxb.interrupt();

            // then
            assertEquals(130, hxb.status(), hxb::errors);
            assertEquals(0, namespaces());
            assertFalse(Files.exists(folder.resolve("run/labs/" + name + ".json")));
        }
    }

    @Test
    void shouldFindAndRemoveTheLabOfAnOwnerThatWasKilled() throws Exception {
        assumeRoot();
        try (PrivateNamespaces own = new PrivateNamespaces();
                HxbProcess hxb = start(own.prefix(), "--shape", "2x2", "--links", "1")) {
            awaitLab(hxb);
            hxb.process().destroyForcibly().waitFor();
            assertFalse(own.names().isEmpty());
            final LabRegistry registry = new LabRegistry(folder.resolve("run/labs"));
            assertTrue(registry.stale().contains(name));

            // when
            try (HxbProcess down =
                    HxbProcess.start(folder, own.prefix(), "lab", "down", "--name", name)) {
                assertEquals(ExitStatus.OK, down.status(), down::errors);
                assertTrue(
                        down.output().contains("removed lab " + name + " (stale)"), down::output);
            }

            // then
            assertEquals(List.of(), own.names());
        }
    }

    @Test
    void shouldRemoveTheLabOnSigtermWhileItIsMade() throws Exception {
        assumeRoot();
        try (HxbProcess hxb = start("--shape", "3x3", "--links", "2")) {
            hxb.await("the first namespace", () -> namespaces() > 0);
            // when
            hxb.process().destroy();
            hxb.status();

            // then
            assertEquals(0, namespaces(), hxb::errors);
            assertFalse(Files.exists(folder.resolve("run/labs/" + name + ".json")), hxb::errors);
            assertFalse(Files.exists(folder.resolve("run/labs/" + name)), hxb::errors);
        }
    }

    @Test
    void shouldEndTheNodesOfAKilledOwnerAndRemoveTheRestWithTheNextLab() throws Exception {
        assumeRoot();
        try (PrivateNamespaces own = new PrivateNamespaces();
                HxbProcess hxb =
                        start(own.prefix(), "--shape", "2", "--links", "1", "--processes")) {
            // given
            final List<Long> nodes = awaitLab(hxb).nodePids();
            assertEquals(2, nodes.size());
            // when
            hxb.process().destroyForcibly().waitFor();
            // then
            TestNamespaces.await(
                    "the nodes have ended",
                    () -> nodes.stream().noneMatch(pid -> ProcessHandle.of(pid).isPresent()));
            assertFalse(own.names().isEmpty());
            // when
            try (HxbProcess next =
                    HxbProcess.start(
                            folder,
                            own.prefix(),
                            "lab",
                            "run",
                            "--shape",
                            "2",
                            "--backend",
                            "udp",
                            "--name",
                            name + "b",
                            "--",
                            "true")) {
                assertEquals(ExitStatus.OK, next.status(), next::errors);
            }
            // then
            assertEquals(List.of(), own.names());
            assertFalse(Files.exists(folder.resolve("run/labs/" + name)));
        }
    }

    private HxbProcess start(final String... options) throws IOException {
        return start(List.of(), options);
    }

    private HxbProcess start(final List<String> prefix, final String... options)
            throws IOException {
        final List<String> arguments =
                new ArrayList<>(List.of("lab", "run", "--backend", "raw", "--name", name));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--", "sleep", "100"));
        return HxbProcess.start(folder, prefix, arguments.toArray(String[]::new));
    }

    private LabState awaitLab(final HxbProcess hxb) {
        final LabRegistry registry = new LabRegistry(folder.resolve("run/labs"));
        hxb.await("the lab", () -> registry.find(name).filter(LabState::isReady).isPresent());
        return registry.require(name);
    }

    private static void assumeRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
    }

    private long namespaces() {
        try (var files = Files.list(Path.of("/run/netns"))) {
            return files.map(file -> LabNames.labOf(file.getFileName().toString()))
                    .filter(lab -> lab.isPresent() && lab.get().equals(name))
                    .count();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
