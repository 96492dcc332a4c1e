package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The main job, as a user starts it, with smaller files. */
@Tag("system")
class DemoSystemTest {
    @TempDir private Path folder;

    @Tag("outside")
    @Test
    void shouldDeliverEveryFileOverUdp() throws Exception {
        assertDemo("udp");
    }

    @Test
    void shouldDeliverEveryFileOverNicsInNamespaces() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");

        assertDemo("raw");
    }

    @Test
    void shouldCleanUpEverythingWhenInterruptedInTheMiddle() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");

        // given: a demonstration that would take half a minute, each node a process
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "demo",
                        "--backend",
                        "raw",
                        "--processes",
                        "--shape",
                        "2",
                        "--links",
                        "1",
                        "--rate",
                        "10mbit",
                        "--file-size",
                        "30000000")) {
            final String lab = "demo-" + hxb.process().pid();
            hxb.await("traffic", () -> hxb.output().contains("% arrived"));
            final List<ProcessHandle> nodes = hxb.process().descendants().toList();
            assertEquals(2, nodes.size(), nodes::toString);
            assertTrue(namespaces(lab) >= 2);

            // when: what Ctrl-C sends
            hxb.interrupt();
            final int status = hxb.status();

            // then
            assertEquals(130, status, hxb::errors);
            assertEquals(0, namespaces(lab));
            TestNamespaces.await(
                    "the nodes have ended", () -> nodes.stream().noneMatch(ProcessHandle::isAlive));
            assertEquals(List.of(), files());
        }
    }

    @Test
    void shouldEndWithWhatTcpOverTheVirtualNicLacks() throws Exception {
        // when
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "demo",
                        "--backend",
                        "udp",
                        "--shape",
                        "2",
                        "--links",
                        "1",
                        "--file-size",
                        "1000",
                        "--seconds",
                        "0.1")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());

            // then
            final String last = hxb.output().lines().toList().getLast();
            assertTrue(
                    last.startsWith(
                            "an ordinary TCP connection over the virtual NIC: not measured,"
                                    + " because it needs --backend raw"),
                    hxb::output);
        }
    }

    @Test
    void shouldPullACableOutOfARing() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        // when
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "demo",
                        "--graph",
                        "ring:4",
                        "--file-size",
                        "200000",
                        "--seconds",
                        "0.2",
                        "--json")) {
            assertEquals(ExitStatus.OK, hxb.status(), () -> hxb.output() + hxb.errors());

            // then: 12 pairs, one and two cables apart
            final Map<?, ?> report = hxb.json();
            assertEquals(true, report.get("ok"));
            assertEquals(12, report.get("files_intact"));
            assertEquals(
                    List.of(1, 2),
                    ((List<?>) report.get("trips"))
                            .stream().map(trip -> ((Map<?, ?>) trip).get("hops")).toList());
            assertEquals(2, ((Map<?, ?>) report.get("cables_MBps")).size(), report::toString);
            assertTrue(
                    report.get("pulled_cable").toString().matches("\\d\\.x\\d - \\d\\.x\\d"),
                    report::toString);
            assertEquals(true, report.get("pulled_intact"));
        }
    }

    private static long namespaces(final String lab) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/run/netns"))) {
            return files.map(file -> LabNames.labOf(file.getFileName().toString()))
                    .filter(name -> name.filter(lab::equals).isPresent())
                    .count();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("run"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private void assertDemo(final String backend) throws Exception {
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder,
                        "demo",
                        "--backend",
                        backend,
                        "--file-size",
                        "200000",
                        "--seconds",
                        "0.2",
                        "--json")) {
            // when
            final int status = hxb.status();

            // then: 8 nodes, 56 pairs, on 1, 2 and 3 dimensions
            assertEquals(ExitStatus.OK, status, () -> hxb.output() + hxb.errors());
            assertEquals("", hxb.errorsButSilentLinks());
            ReportingSystemTest.assertObjects("demo", hxb);
            final Map<?, ?> report = hxb.json();
            assertEquals(true, report.get("ok"));
            assertEquals(8, report.get("nodes"));
            assertEquals(56, report.get("pairs"));
            assertEquals(56, report.get("files_intact"));
            assertEquals(0, report.get("lost"));
            assertTrue((int) report.get("relays") > 0, report::toString);
            if (backend.equals("raw") && Files.exists(Path.of("/dev/net/tun"))) {
                assertTrue(((Number) report.get("tcp_MBps")).doubleValue() > 0, report::toString);
                assertTrue(
                        ((Number) report.get("tcp_one_link_MBps")).doubleValue() > 0,
                        report::toString);
            } else {
                assertFalse(((String) report.get("tcp_missing")).isEmpty(), report::toString);
            }
        }
    }
}
