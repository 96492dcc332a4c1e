package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.testing.TestPorts;
import io.hxb.tool.lab.Capture;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An ordinary user with a cluster file that names no folders, and one who may not attach. */
@Tag("system")
class OrdinaryUserSystemTest {
    private static final int NOBODY = 65_534;

    @TempDir private Path folder;

    private Path runtime;
    private Path own;

    @BeforeEach
    void makesASession() throws IOException {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        runtime = Files.createDirectory(folder.resolve("session"));
        Files.setAttribute(runtime, "unix:uid", NOBODY);
        own = runtime.resolve("hxb");
    }

    @Test
    void shouldRunANodeInAPrivateFolderAndSeeAtOnceThatItWasKilled() throws Exception {
        // given
        final Path file = cluster(TestPorts.take(2), "");
        try (HxbProcess node = hxb("node", "--config", file.toString(), "--node", "0")) {
            // when
            node.await("the node", () -> node.output().contains("is up"));

            // then: it is found by those who look where it was made
            assertTrue(node.output().contains(own + "/user-0.sock"), node.output());
            assertEquals(
                    "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
            assertEquals("running", state(file));
            checkLog(node);
            checkSecondStart(file, node.process().pid());

            // and: a killed one does not look alive until its heartbeat is missed
            node.process().destroyForcibly().waitFor();
            assertEquals("dead", state(file));
        }
    }

    private static void checkLog(final HxbProcess node) {
        // A thread of its own writes the log.
        node.await("a line that its links are up", () -> node.errors().contains("\n"));
        final String log = node.errors();
        for (final String line : log.substring(0, log.lastIndexOf('\n')).lines().toList()) {
            assertTrue(
                    line.matches(
                            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\S+ [A-Z]+ .*"),
                    "no time: " + line);
        }
    }

    private void checkSecondStart(final Path file, final long pid) throws Exception {
        try (HxbProcess second = hxb("node", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, second.status(), second::output);
            // Its ports are taken as well: the first conflict of the second one is reported.
            assertTrue(
                    second.errors().contains("pid " + pid)
                            || second.errors().contains("Address already in use")
                            || second.errors().contains("in use"),
                    second::errors);
            assertFalse(second.errors().contains("NullPointerException"), second::errors);
        }
        // The same place in the cluster, other ports.
        final Path other = cluster(TestPorts.take(2), "");
        try (HxbProcess second = hxb("node", "--config", other.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, second.status(), second::output);
            assertTrue(second.errors().contains("the node with pid " + pid), second::errors);
            assertFalse(second.errors().contains("NullPointerException"), second::errors);
        }
    }

    private String state(final Path file) throws Exception {
        try (HxbProcess stat = hxb("stat", "--config", file.toString(), "--node", "0", "--json")) {
            stat.status();
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            return ((Map<?, ?>) nodes.getFirst()).get("state").toString();
        }
    }

    @Test
    void shouldRefuseAPrivateFolderThatIsNotPrivate() throws Exception {
        // given
        final Path file = cluster(TestPorts.take(2), "");
        Files.createDirectory(own);
        Files.setAttribute(own, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));

        // when, then
        try (HxbProcess node = hxb("node", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, node.status(), node::output);
            assertTrue(node.errors().contains("chmod 700 " + own), node::errors);
            assertFalse(node.errors().contains("NullPointerException"), node::errors);
        }
        try (HxbProcess doctor = hxb("doctor", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, doctor.status(), doctor::output);
            assertTrue(doctor.output().contains("chmod 700 " + own), doctor::output);
        }
    }

    @Test
    void shouldReportWhereTheNodeCannotMakeItsSocket() throws Exception {
        // given a folder of root's
        final Path roots = Files.createDirectory(folder.resolve("roots"));
        Files.setPosixFilePermissions(roots, PosixFilePermissions.fromString("rwxr-xr-x"));
        final Path file = cluster(TestPorts.take(2), "attach: {directory: " + roots + "}\n");

        // when, then
        try (HxbProcess node = hxb("node", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, node.status(), node::output);
            assertTrue(
                    node.errors().contains("this user (uid 65534) may not make the node's socket"),
                    node::errors);
            assertTrue(node.errors().contains("run as"), node::errors);
            assertFalse(node.errors().contains("NullPointerException"), node::errors);
        }
        try (HxbProcess doctor = hxb("doctor", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, doctor.status(), doctor::output);
            assertTrue(doctor.output().contains("may not write to " + roots), doctor::output);
        }
    }

    @Test
    void shouldReportTheRemedyToARefusedUserAtOnce() throws Exception {
        // given a node of root's that only root may attach to
        final Path roots = Files.createDirectory(folder.resolve("roots"));
        Files.setPosixFilePermissions(roots, PosixFilePermissions.fromString("rwxr-xr-x"));
        final String attach =
                "attach: {directory: " + roots + ", countersDirectory: " + roots + "%s}\n";
        checkRefused(
                cluster(TestPorts.take(2), String.format(attach, "")),
                "(mode 0600)",
                "attach.allowedUids");
        // and one that others may attach to
        checkRefused(
                cluster(TestPorts.take(2), String.format(attach, ", allowedUids: [4711]")),
                "user 65534",
                "attach.allowedUids");
        // and one after a closed door
        Files.setPosixFilePermissions(roots, PosixFilePermissions.fromString("rwx------"));
        checkRefused(
                cluster(TestPorts.take(2), String.format(attach, "")),
                "may not enter the folder " + roots,
                "run as root");
    }

    private void checkRefused(final Path file, final String... parts) throws Exception {
        final ClusterConfig config = ClusterConfigYaml.read(file);
        try (Node node = Node.start(NodeOptions.service(config, 0));
                HxbProcess ping = hxb("ping", "1", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, ping.status(), ping::output);
            assertEquals(0, node.nodeId());
            for (final String part : parts) {
                assertTrue(ping.errors().contains(part), ping::errors);
            }
            assertFalse(ping.errors().contains("group or run"), ping::errors);
        }
    }

    @Test
    void shouldNotCallALabStaleThatThisUserCannotLookInto() throws Exception {
        // given a lab of root's, in another folder
        final LabRegistry roots = new LabRegistry(folder.resolve("roots"));
        final String name = "u" + ProcessHandle.current().pid() % 100_000;
        final LabSpec spec = new LabSpec(name, Shape.of(2), 1, Backend.RAW, 0, 1500);
        try (Lab lab = Lab.up(roots, spec);
                HxbProcess status = hxb("lab", "status", "--json")) {
            // when, then
            assertEquals(ExitStatus.OK, status.status(), status::output);
            assertFalse(status.output().contains(lab.spec().name()), status::output);
        }
    }

    @Test
    void shouldNotLetAnotherUserHaveANodeOfRootsChangeAFile() throws Exception {
        // given a folder that nobody has prepared, with links to a file of root's
        final Path secret = Files.writeString(folder.resolve("secret"), "text");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        for (final String name : List.of("user-0.counters", "user-0.sock", "user-0.sock.lock")) {
            Files.createSymbolicLink(runtime.resolve(name), secret);
        }
        final String attach =
                "attach: {directory: " + folder + ", countersDirectory: " + runtime + "}\n";
        Files.createSymbolicLink(runtime.resolve("user-0.pcapng"), secret);

        // when
        final ClusterConfig config = ClusterConfigYaml.read(cluster(TestPorts.take(2), attach));
        try (Node node = Node.start(NodeOptions.service(config, 0))) {
            // then: it runs without a file
            assertNull(node.counters().file());
        }
        final ClusterConfig other =
                ClusterConfigYaml.read(
                        cluster(TestPorts.take(2), attach.replace(folder + ",", runtime + ",")));
        final IOException refused =
                assertThrows(
                        IOException.class, () -> Node.start(NodeOptions.service(other, 0)).close());
        assertTrue(refused.getMessage().contains("belongs to another user"), refused.getMessage());
        final NodeOptions captured = NodeOptions.service(config, 0);
        assertThrows(ToolException.class, () -> new Capture(runtime).apply(captured));
        assertEquals("text", Files.readString(secret));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)));
    }

    private HxbProcess hxb(final String... arguments) throws IOException {
        // May read everything, for the class path may be in root's home, but write nothing.
        final List<String> prefix =
                new ArrayList<>(List.of("env", "-u", "HXB_RUN", "XDG_RUNTIME_DIR=" + runtime));
        prefix.addAll(
                List.of(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=" + NOBODY,
                        "--clear-groups",
                        "--inh-caps=-all,+dac_read_search",
                        "--ambient-caps=-all,+dac_read_search",
                        "--bounding-set=-all,+dac_read_search"));
        return HxbProcess.start(folder, prefix, arguments);
    }

    private Path cluster(final int basePort, final String rest) throws IOException {
        final Path file =
                Files.writeString(
                        folder.resolve("cluster-" + basePort + ".yaml"),
                        "name: user\nshape: 2\nbackend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                + basePort
                                + "}\n"
                                + rest);
        Shell.run("", List.of("chmod", "644", file.toString()));
        return file;
    }
}
