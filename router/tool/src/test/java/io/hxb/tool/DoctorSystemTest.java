package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What doctor reports of a lab that is cabled and set up wrongly. */
@Tag("system")
class DoctorSystemTest {
    private static final int MAX_LOOKS = 20;

    @TempDir private Path folder;

    private final String name = "d" + ProcessHandle.current().pid();
    private final String switches = "hxb-" + name + "-switch";

    @BeforeEach
    void needsRoot() {
        TestNamespaces.assumeRoot();
    }

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab", "down", "--name", name)) {
            down.status();
        }
    }

    @Test
    void shouldFailForWrongCablingDifferentMtusAndTwoNodesInOnePlace() throws Exception {
        // given
        try (HxbProcess up =
                run(
                        "lab",
                        "up",
                        "--shape",
                        "2x2",
                        "--links",
                        "2",
                        "--backend",
                        "raw",
                        "--name",
                        name)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
        checkHealthy();

        // when, then
        checkCabling();
        checkMtu();
        checkTwoNodesInOnePlace();
    }

    private void checkHealthy() throws Exception {
        try (HxbProcess doctor = healthy("doctor", "--name", name)) {
            final String last = doctor.output().lines().toList().getLast();
            assertTrue(last.matches("\\d+ fine, \\d+ warnings?, 0 failures"), doctor::output);
            assertFalse(doctor.output().contains("OK "), doctor::output);
        }
        try (HxbProcess doctor = healthy("doctor", "--name", name, "--all")) {
            assertTrue(doctor.output().contains("OK    node: runs, pid"), doctor::output);
            assertTrue(doctor.output().contains("nodes 0..3\n"), doctor::output);
        }
    }

    /** Asks until nothing fails: links of nodes that find no CPU are excluded for a moment. */
    private HxbProcess healthy(final String... command) throws Exception {
        for (int look = 0; true; look++) {
            final HxbProcess doctor = run(command);
            if (doctor.status() == ExitStatus.OK) {
                return doctor;
            }
            assertTrue(look < MAX_LOOKS, doctor::output);
        }
    }

    private void checkCabling() throws Exception {
        TestNamespaces.ipIn(switches, "link set x0.0 master by0.0");
        awaitFailure(
                text ->
                        text.equals(
                                "x.0 of (0,0) and y.0 of (0,1) on host "
                                        + host()
                                        + " are on one switch"));
        final Map<?, ?> finding = awaitFailure(text -> text.contains("which other links hear"));
        assertTrue(finding.get("fix").toString().contains("plug the cables of x.0"));
        TestNamespaces.ipIn(switches, "link set x0.0 master bx0.0");
    }

    private static String host() {
        try {
            return java.net.InetAddress.getLocalHost().getHostName();
        } catch (final java.net.UnknownHostException e) {
            return "localhost";
        }
    }

    private void checkMtu() throws Exception {
        TestNamespaces.ipIn("hxb-" + name + "-1", "link set y1 mtu 1500");
        final Map<?, ?> finding =
                awaitFailure(text -> text.contains("y.1") && text.contains("different MTUs"));
        assertEquals("set both NICs to the same", finding.get("fix"));
        TestNamespaces.ipIn("hxb-" + name + "-1", "link set y1 mtu 9000");
    }

    private void checkTwoNodesInOnePlace() throws Exception {
        final Path own = folder.resolve("run/labs/" + name);
        final Path second = Files.createDirectory(folder.resolve("second"));
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final String namespace = namespaces.add("second");
            for (final String nic : List.of("x0", "x1", "y0", "y1")) {
                namespaces.veth(namespace, nic, switches, "second-" + nic, 9000);
            }
            TestNamespaces.ipIn(switches, "link set second-x0 master bx0.2");
            final Path file = second.resolve("cluster.yaml");
            Files.writeString(
                    file,
                    Files.readString(own.resolve("cluster.yaml"))
                            .replace(own.toString(), second.toString())
                            .replaceAll("(?m)^netns:.*$", "netns: " + namespace));
            try (HxbProcess node = hxb("node", "--config", file.toString(), "--node", "0,1")) {
                final Map<?, ?> finding =
                        awaitFailure(
                                text -> text.startsWith("two nodes have the coordinates (0,1)"));
                assertTrue(node.process().isAlive(), node::errors);
                assertTrue(finding.get("fix").toString().contains("--node"), finding::toString);
            }
        }
    }

    /** Asks doctor until it reports a failure whose text is like that. */
    private Map<?, ?> awaitFailure(final Predicate<String> isLike) throws Exception {
        String last = "";
        for (int look = 0; look < MAX_LOOKS; look++) {
            try (HxbProcess doctor = run("doctor", "--name", name, "--json")) {
                final int status = doctor.status();
                last = doctor.output();
                assertEquals(status == ExitStatus.OK, doctor.json().get("ok"), last);
                for (final Object entry : (List<?>) doctor.json().get("findings")) {
                    final Map<?, ?> finding = (Map<?, ?>) entry;
                    checkFix(finding);
                    if (finding.get("level").equals("FAIL")
                            && isLike.test(finding.get("text").toString())) {
                        assertEquals(ExitStatus.FAILED, status, last);
                        return finding;
                    }
                }
            }
        }
        throw new AssertionError("doctor did not find it: " + last);
    }

    private static void checkFix(final Map<?, ?> finding) {
        final String fix = finding.get("fix").toString();
        assertEquals(finding.get("level").equals("OK"), fix.isEmpty(), finding::toString);
        assertFalse(fix.contains("see the text"), finding::toString);
    }

    private HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }

    /** Where nothing depends on the process of the command. */
    private HxbProcess run(final String... arguments) throws Exception {
        return HxbProcess.run(folder, arguments);
    }
}
