package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The systemd unit in deploy. */
@Tag("unit")
class ServiceUnitTest {
    private static final double MAX_EXPOSURE = 2.5;
    private static final Pattern EXPOSURE =
            Pattern.compile("Overall exposure level for hxb-node.service: ([\\d.]+)");
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));

    @TempDir private Path folder;

    @Test
    void shouldPassTheCheckOfSystemd() throws IOException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/systemd-analyze")),
                "skipped: systemd-analyze is not installed");
        // given the unit with the program where it is here
        final String text =
                Files.readString(ROOT.resolve("deploy/hxb-node.service"))
                        .replace("/opt/hxb/", ROOT + "/");
        final Path unit = Files.writeString(folder.resolve("hxb-node.service"), text);

        // when
        final Shell.Outcome outcome =
                Shell.run("", List.of("systemd-analyze", "verify", unit.toString()));

        // then
        assertEquals(0, outcome.exitStatus(), outcome::output);
        assertEquals("", outcome.output().strip());
    }

    @Test
    void shouldExposeLittleOfTheMachine() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/systemd-analyze")),
                "skipped: systemd-analyze is not installed");
        // when
        final Shell.Outcome outcome =
                Shell.run(
                        "",
                        List.of(
                                "systemd-analyze",
                                "--no-pager",
                                "security",
                                "--offline=true",
                                ROOT.resolve("deploy/hxb-node.service").toString()));

        // then
        final Matcher score = EXPOSURE.matcher(outcome.output());
        assertTrue(score.find(), outcome::output);
        assertTrue(Double.parseDouble(score.group(1)) <= MAX_EXPOSURE, outcome::output);
    }

    @Test
    void shouldBeWatchedAndLimited() throws IOException {
        final List<String> lines = Files.readAllLines(ROOT.resolve("deploy/hxb-node.service"));
        assertEquals("notify", value(lines, "Type"));
        assertEquals("20", value(lines, "WatchdogSec"));
        assertEquals("0077", value(lines, "UMask"));
        assertEquals("4G", value(lines, "MemoryMax"));
        for (final String key :
                List.of(
                        "NoNewPrivileges",
                        "ProtectKernelTunables",
                        "ProtectKernelModules",
                        "ProtectKernelLogs",
                        "ProtectControlGroups",
                        "RestrictNamespaces",
                        "PrivateDevices")) {
            assertEquals("yes", value(lines, key), key);
        }
    }

    @Test
    void shouldGrantTheSameCapabilitiesThatItAllows() throws IOException {
        final List<String> lines = Files.readAllLines(ROOT.resolve("deploy/hxb-node.service"));
        final String ambient = value(lines, "AmbientCapabilities");
        assertTrue(ambient.contains("CAP_NET_RAW"), ambient);
        assertEquals(ambient, value(lines, "CapabilityBoundingSet"));
        assertEquals("infinity", value(lines, "LimitMEMLOCK"));
        assertEquals("on-failure", value(lines, "Restart"));
        assertEquals("143", value(lines, "SuccessExitStatus"));
        assertEquals("hxb", value(lines, "RuntimeDirectory"));
    }

    @Test
    void shouldTryAgainForWhatMayComeLaterButNotWithAWrongClusterFile() throws IOException {
        final List<String> lines = Files.readAllLines(ROOT.resolve("deploy/hxb-node.service"));
        // Exit statuses of systemd itself: no such group, no such user.
        assertEquals(ExitStatus.USAGE + " 216 217", value(lines, "RestartPreventExitStatus"));
        assertEquals("0", value(lines, "StartLimitIntervalSec"));
    }

    private static String value(final List<String> lines, final String key) {
        return lines.stream()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElse("missing: " + key);
    }
}
