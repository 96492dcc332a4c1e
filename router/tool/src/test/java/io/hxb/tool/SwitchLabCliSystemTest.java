package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A lab of hosts and switches that stays, with two NICs a host, used by other commands. */
@Tag("system")
class SwitchLabCliSystemTest {
    @TempDir private Path folder;

    private final String name = "c" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab", "down", "--all")) {
            down.status();
        }
    }

    private HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }

    /** Where nothing depends on the process of the command. */
    private HxbProcess run(final String... arguments) throws Exception {
        return HxbProcess.run(folder, arguments);
    }

    private static double number(final Map<?, ?> report, final String key) {
        return ((Number) report.get(key)).doubleValue();
    }

    @Test
    void shouldMeasureBetweenHostsAndShowTheirRoutes() throws Exception {
        // given
        OvsLab.assumePossible();
        final List<String> commands;
        try (HxbProcess up =
                run(
                        "lab",
                        "up",
                        "--network",
                        "vbft:2,2",
                        "--hosts-per-switch",
                        "2",
                        "--rails",
                        "2",
                        "--name",
                        name)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
            commands = up.output().lines().filter(line -> line.startsWith("  hxb ")).toList();
        }

        // when, then: what it advises works
        assertEquals(5, commands.size());
        for (final String command : commands.subList(0, 2)) {
            final String[] words = command.strip().split(" ", -1);
            try (HxbProcess hxb = hxb(Arrays.copyOfRange(words, 1, words.length))) {
                assertEquals(
                        ExitStatus.OK, hxb.status(), () -> command + hxb.output() + hxb.errors());
            }
        }
        checkMeasurements();
        try (HxbProcess show = run("route", "show", "--manager", "0", "--name", name, "--json")) {
            assertEquals(ExitStatus.OK, show.status(), show::errors);
            assertEquals(3, ((List<?>) show.json().get("nics")).size(), "two, and the device");
            final Map<?, ?> counts = (Map<?, ?>) show.json().get("counts");
            assertTrue(number(counts, "probes_sent") > 0, counts.toString());
        }
        try (HxbProcess wrong = run("lab", "ping", "0,4", "--name", name)) {
            assertEquals(ExitStatus.USAGE, wrong.status());
            assertTrue(wrong.errors().contains("each below 4"), wrong::errors);
        }
        checkKill();
    }

    /** Managers that are killed leave their hosts connected by the first NIC, and no device. */
    private void checkKill() throws Exception {
        final String first = LabNames.namespace(name, 0);
        assertTrue(devices(first).contains("hxb"), devices(first));
        try (HxbProcess status = run("lab", "status", "--json")) {
            assertEquals(ExitStatus.OK, status.status(), status::errors);
            final Map<?, ?> lab = (Map<?, ?>) ((List<?>) status.json().get("labs")).getFirst();
            final long owner = ((Number) lab.get("ownerPid")).longValue();
            assertTrue(ProcessHandle.of(owner).orElseThrow().destroyForcibly());
        }
        TestNamespaces.await("the device is gone", () -> !devices(first).contains("hxb"));
        assertTrue(
                Shell.check("", List.of("ip", "-n", first, "route", "get", "10.77.0.3"))
                        .contains("dev eth0"));
        try (HxbProcess down = run("lab", "down", "--stale")) {
            assertEquals(ExitStatus.OK, down.status(), down::errors);
        }
    }

    private static String devices(final String namespace) {
        return Shell.check("", List.of("ip", "-n", namespace, "-br", "link"));
    }

    private void checkMeasurements() throws Exception {
        try (HxbProcess ping =
                run("lab", "ping", "0,2", "--count", "3", "--name", name, "--json")) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            assertEquals(3, ping.json().get("answered"));
            assertTrue(number((Map<?, ?>) ping.json().get("rtt_us"), "median") > 0);
        }
        try (HxbProcess perf =
                hxb("lab", "perf", "0,2", "3,1", "--seconds", "0.5", "--name", name, "--json")) {
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            assertEquals(2, ((List<?>) perf.json().get("pairs")).size());
            assertTrue(number(perf.json(), "bandwidth_MBps") > 0.1);
        }
    }
}
