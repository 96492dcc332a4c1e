package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Wrong surroundings: the real command line reports what to do, and ends with status 1. */
@Tag("system")
class BadInputSystemTest {
    @TempDir private Path folder;

    @Test
    void shouldNameTheNicThatIsMissing() throws Exception {
        assumeTrue(Privileges.has(Privileges.NET_RAW), "skipped: raw links need CAP_NET_RAW");
        final Path file = cluster("backend: raw\nlinks: {x: [hxbnone0]}\n");

        try (HxbProcess hxb =
                HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
            assertFailure(hxb, "hxbnone0");
        }
    }

    @Test
    void shouldWaitForTheNameOfAMachineThatStarts() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: giving a name of its own needs root");
        final Path file = cluster("backend: udp\nlinks: {x: 1}\nhosts: {west: '0', east: '1'}\n");
        final List<String> unnamed =
                List.of("unshare", "-u", "sh", "-c", "hostname localhost; exec \"$@\"", "sh");

        try (HxbProcess hxb =
                HxbProcess.start(folder, unnamed, "node", "--config", file.toString())) {
            assertFailure(hxb, "no name yet");
        }
        // Any other name does not get better by waiting.
        final List<String> other =
                List.of("unshare", "-u", "sh", "-c", "hostname north; exec \"$@\"", "sh");
        try (HxbProcess hxb =
                HxbProcess.start(folder, other, "node", "--config", file.toString())) {
            assertEquals(ExitStatus.USAGE, hxb.status(), hxb::output);
            assertTrue(hxb.errors().contains("north"), hxb::errors);
        }
    }

    @Test
    void shouldRefuseANicThatIsGivenTwice() throws Exception {
        final Path file = cluster("backend: raw\nlinks: {x: [lo, lo]}\n");

        try (HxbProcess hxb =
                HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.USAGE, hxb.status(), hxb::output);
            assertTrue(hxb.errors().contains("lo"), hxb::errors);
        }
    }

    @Test
    void shouldReportWhichPrivilegeIsMissing() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: taking capabilities away needs root");
        final Path file = cluster("backend: raw\nlinks: {x: [lo]}\n");
        final List<String> without =
                List.of(
                        "setpriv",
                        "--bounding-set=-net_raw,-net_admin",
                        "--inh-caps=-net_raw,-net_admin");

        try (HxbProcess hxb =
                HxbProcess.start(
                        folder, without, "node", "--config", file.toString(), "--node", "0")) {
            assertFailure(hxb, "CAP_NET_RAW");
        }
        try (HxbProcess hxb = HxbProcess.start(folder, without, "lab", "up", "--backend", "raw")) {
            assertFailure(hxb, "--backend udp");
        }
    }

    @Test
    void shouldNameThePortThatIsInUse() throws Exception {
        try (DatagramSocket other =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            final Path file =
                    cluster(
                            "backend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                    + other.getLocalPort()
                                    + "}\n");

            try (HxbProcess hxb =
                    HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
                assertFailure(hxb, Integer.toString(other.getLocalPort()));
            }
        }
    }

    @Test
    void shouldRefuseASecondNodeOnOneSocketPathAndLeaveTheFirstAlone() throws Exception {
        // given
        final Path file =
                cluster(
                        "backend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                + TestPorts.take(2)
                                + "}\n");
        try (HxbProcess first =
                HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
            first.await("the node", () -> first.output().contains("the node relays"));
            final Path counters = folder.resolve("bad-0.counters");
            final Object before = inode(counters);
            // when: the same place in the cluster, other ports
            final Path other =
                    cluster(
                            "backend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                    + TestPorts.take(2)
                                    + "}\n");
            try (HxbProcess second =
                    HxbProcess.start(folder, "node", "--config", other.toString(), "--node", "0")) {
                // then
                assertFailure(second, "two nodes on one socket path");
            }
            assertEquals(before, inode(counters), "the first node's counters were replaced");
            assertTrue(first.process().isAlive());
        }
    }

    @Test
    void shouldRunWithoutAFileForItsCountersWhenTheDiskIsFull() throws Exception {
        // given
        final Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=16k,mode=755", "hxbt", disk.toString())
                        == 0,
                "skipped: a small disk can be mounted by root only");
        try {
            final Path file =
                    Files.writeString(
                            folder.resolve("full.yaml"),
                            "name: full\nshape: 2\nbackend: udp\nlinks: {x: 1}\n"
                                    + "udp: {basePort: "
                                    + TestPorts.take(2)
                                    + "}\nattach: {directory: "
                                    + folder
                                    + ", countersDirectory: "
                                    + disk
                                    + "}\n");
            // when
            try (HxbProcess hxb =
                    HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
                // then
                hxb.await("the node", () -> hxb.output().contains("is up"));
                hxb.await(
                        "the log",
                        () ->
                                hxb.errors().contains("no space left")
                                        && hxb.errors().contains("attach.countersDirectory"));
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    private static Object inode(final Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    private static int run(final String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private Path cluster(final String rest) throws IOException {
        return Files.writeString(
                folder.resolve("cluster.yaml"),
                "name: bad\nshape: 2\nattach: {directory: "
                        + folder
                        + ", countersDirectory: "
                        + folder
                        + "}\n"
                        + rest);
    }

    private static void assertFailure(final HxbProcess hxb, final String part)
            throws InterruptedException {
        assertEquals(ExitStatus.FAILED, hxb.status(), hxb::output);
        assertTrue(hxb.errors().contains(part), hxb::errors);
        assertTrue(
                !hxb.errors().contains("\tat "), "a stack trace is not a message: " + hxb.errors());
    }
}
