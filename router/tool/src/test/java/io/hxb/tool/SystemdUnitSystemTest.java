package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The unit of {@code deploy}, run by a real systemd in namespaces of its own. */
@Tag("system")
@Tag("outside")
class SystemdUnitSystemTest {
    private static final int CANNOT = 77;
    private static final String UNIT = "hxb-node";
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final String SETUP =
            """
            useradd --system hxb
            mount -t tmpfs tmpfs /dev/net
            mknod -m 666 /dev/net/tun c 10 200
            mkdir -p /etc/hxb /etc/systemd/system/hxb-node.service.d
            cp /opt/hxb/deploy/hxb-node.service /etc/systemd/system
            cat >/etc/systemd/system/hxb-node.service.d/java.conf <<END
            [Service]
            ExecStart=
            ExecStart=JAVA @/opt/hxb/.mvn/jvm.config @/opt/hxb/deploy/node.config -Dhxb.root=/opt/hxb \\
              -cp "/opt/hxb/classpath/*:CLASSES" io.hxb.tool.Hxb node --config /etc/hxb/cluster.yaml
            END
            cat >/etc/hxb/cluster.yaml <<END
            name: served
            shape: 2
            backend: raw
            links:
              x: [eth1, eth2]
            ip: {prefix: 10.77.0.0/24}
            END
            echo HXB_NODE=0 >/etc/hxb/node.env
            systemctl daemon-reload
            """;

    private final String name = "hxb-unit-" + ProcessHandle.current().pid();
    private final Path group = Path.of("/sys/fs/cgroup/systemd", name);
    private final List<String> classpath =
            List.of(System.getProperty("java.class.path").split(":"));
    private Process machine;

    @BeforeEach
    void boot(@TempDir final Path folder) throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: root makes namespaces");
        assumeTrue(
                Files.isExecutable(Path.of("/lib/systemd/systemd")),
                "skipped: there is no systemd");
        final Path script =
                Path.of(SystemdUnitSystemTest.class.getResource("boot-systemd").toURI());
        final Path log = folder.resolve("log");
        machine =
                new ProcessBuilder(
                                "bash",
                                script.toString(),
                                name,
                                ROOT.toString(),
                                String.join(":", classpath),
                                Files.createDirectory(folder.resolve("machine")).toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        await(
                "systemd",
                () -> {
                    if (!machine.isAlive()) {
                        assumeTrue(
                                machine.exitValue() != CANNOT,
                                "skipped: no overlay file systems, or no hierarchy of systemd's");
                        fail("the machine did not boot: " + read(log));
                    }
                    return run("systemctl is-system-running").equals("running");
                });
    }

    @AfterEach
    void end() throws Exception {
        if (machine == null) {
            return;
        }
        machine.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        await(
                "the end of its processes",
                () ->
                        groups().stream()
                                .allMatch(each -> read(each.resolve("cgroup.procs")).isEmpty()));
        for (final Path each : groups()) {
            Files.delete(each);
        }
    }

    @Test
    void shouldStartWithWhatTheUnitGrantsAndComeBackUnlessTheFileIsWrong() throws Exception {
        // given
        run(setup());

        // when
        run("systemctl start " + UNIT);

        // then
        assertEquals("active", show("ActiveState"), this::log);
        assertEquals("node 0 of cluster served", show("StatusText"), this::log);
        assertTrue(log().contains("link up x.1 (eth2) of node 0"), this::log);
        assertEquals("hxb", run("stat -c %U /run/hxb/served-0.sock"));
        assertTrue(run("ip -br address show hxb0").contains("10.77.0.1/24"), this::log);

        // when
        final String before = show("MainPID");
        run("kill -9 " + before);

        // then
        await("the next node", () -> show("NRestarts").equals("1") && isActive());
        assertNotEquals(before, show("MainPID"));

        // when: the user is missing, which no other try makes better
        run("systemctl stop " + UNIT + "; userdel hxb; systemctl start " + UNIT);

        // then
        assertEquals("failed", show("ActiveState"), this::log);
        assertEquals("217", show("ExecMainStatus"), this::log);
        assertEquals("0", show("NRestarts"), this::log);

        // when
        run(
                "install -Dm644 -t /etc/sysusers.d /opt/hxb/deploy/sysusers.d/hxb.conf;"
                        + " systemd-sysusers hxb.conf; chmod 700 /etc/hxb;"
                        + " install -Dm644 -t /etc/tmpfiles.d /opt/hxb/deploy/tmpfiles.d/hxb.conf;"
                        + " systemd-tmpfiles --create hxb.conf");

        // then
        assertEquals("hxb hxb", run("id -nu hxb; id -ng hxb").replace('\n', ' '));
        assertEquals("755", run("stat -c %a /etc/hxb"));

        // when
        run("sed -i s/shape/shpae/ /etc/hxb/cluster.yaml; systemctl restart " + UNIT);

        // then
        assertEquals("failed", show("ActiveState"), this::log);
        assertEquals("2", show("ExecMainStatus"), this::log);
        assertTrue(log().contains("shpae"), this::log);
    }

    private String setup() {
        final List<String> folders = new ArrayList<>();
        for (int i = 0; i < classpath.size(); i++) {
            if (Files.isDirectory(Path.of(classpath.get(i)))) {
                folders.add("/opt/hxb/classpath/" + (i + 1));
            }
        }
        return SETUP.replace("JAVA", System.getProperty("java.home") + "/bin/java")
                .replace("CLASSES", String.join(":", folders));
    }

    private boolean isActive() {
        return show("ActiveState").equals("active");
    }

    private String show(final String property) {
        return run("systemctl show --value -p " + property + " " + UNIT);
    }

    private String log() {
        return run("journalctl --no-pager -u " + UNIT);
    }

    /** Output of commands within the machine, without the last line feed. */
    private String run(final String commands) {
        final ProcessHandle init = machine.children().findFirst().orElse(null);
        if (init == null) {
            return "";
        }
        final List<String> enter =
                List.of(
                        "nsenter",
                        "--target=" + init.pid(),
                        "--all",
                        "--root",
                        "env",
                        "-i",
                        "-C",
                        "/",
                        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                        "bash",
                        "-c",
                        commands);
        return Shell.run("", enter).output().strip();
    }

    private List<Path> groups() {
        if (!Files.isDirectory(group)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(group)) {
            return all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(final String what, final BooleanSupplier condition) {
        final long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "waited for " + what);
            LockSupport.parkNanos(100_000_000);
        }
    }
}
