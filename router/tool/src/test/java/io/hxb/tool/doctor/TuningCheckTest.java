package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicOffloads;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

@Tag("unit")
class TuningCheckTest {
    @TempDir private Path folder;

    @Test
    void shouldReportHowToMakeHugePages() {
        final Finding finding = TuningCheck.hugePages(0);
        assertEquals(Finding.Level.WARN, finding.level());
        assertTrue(finding.fix().contains("vm.nr_hugepages"), finding::fix);
    }

    @Test
    void shouldWarnOfCpuTimeThatIsSharedOutAmongSessions() throws IOException {
        final Path file = folder.resolve("sched_autogroup_enabled");
        assertEquals(Finding.Level.OK, TuningCheck.sessionGroups(file).level());
        Files.writeString(file, "0\n");
        assertEquals(Finding.Level.OK, TuningCheck.sessionGroups(file).level());
        Files.writeString(file, "1\n");
        final Finding finding = TuningCheck.sessionGroups(file);
        assertEquals(Finding.Level.WARN, finding.level());
        assertTrue(finding.fix().contains("sched_autogroup_enabled=0"), finding::fix);
    }

    @Test
    void shouldWantMoreCpusThanSpinningLoops() {
        assertEquals(Finding.Level.OK, TuningCheck.spinning(2, 3).level());
        final Finding full = TuningCheck.spinning(2, 2);
        assertEquals(Finding.Level.WARN, full.level());
        assertTrue(full.text().contains("applications"), full::text);
        final Finding crowded = TuningCheck.spinning(27, 2);
        assertEquals(Finding.Level.WARN, crowded.level());
        assertTrue(crowded.text().contains("loops here: 27, CPUs: 2"), crowded::text);
        assertTrue(crowded.fix().contains("hybrid"), crowded::fix);
    }

    @Test
    void shouldFindThePagesOfThePoolAmongTheMappingsOfANode() throws IOException {
        // given
        final String mappings =
                """
                7f0000000000-7f0000200000 rw-s 00000000 00:01 5 /memfd:hxb-node (deleted)
                KernelPageSize:        4 kB
                7f0000200000-7f0003400000 rw-s 00000000 00:0f 6 /memfd:hxb-receive (deleted)
                Size:              51200 kB
                KernelPageSize:     2048 kB
                """;
        final Path huge = Files.writeString(folder.resolve("huge"), mappings);
        final Path small =
                Files.writeString(folder.resolve("small"), mappings.replace("2048 kB", "4 kB"));

        // when, then
        assertEquals(Finding.Level.OK, TuningCheck.pool("node 0", huge).level());
        final Finding finding = TuningCheck.pool("node 0", small);
        assertEquals(Finding.Level.WARN, finding.level());
        assertEquals("lies in small pages", finding.text());
        assertTrue(finding.fix().contains("restart"), finding::fix);
        final Path both =
                Files.writeString(
                        folder.resolve("both"), mappings + mappings.replace("2048 kB", "4 kB"));
        assertTrue(TuningCheck.pool("node 0", both).text().contains("1 of 2 pools"));
    }

    @Test
    void shouldReportWhenThePoolCannotBeFound() throws IOException {
        final Path none = Files.writeString(folder.resolve("none"), "");
        assertEquals(Finding.Level.WARN, TuningCheck.pool("node 0", none).level());
        final Finding finding = TuningCheck.pool("node 0", folder.resolve("nothing"));
        assertTrue(finding.fix().contains("as root"), finding::fix);
    }

    @Test
    void shouldWarnOfClocksThatRiseLate() throws IOException {
        // given
        governor("cpu0", "performance");
        assertEquals(Finding.Level.OK, TuningCheck.governor(folder).level());
        governor("cpu1", "powersave");

        // when
        final Finding finding = TuningCheck.governor(folder);

        // then
        assertEquals(Finding.Level.WARN, finding.level());
        assertTrue(finding.text().startsWith("performance, powersave"), finding::text);
        assertTrue(finding.fix().contains("cpupower"), finding::fix);
        assertEquals(
                Finding.Level.OK, TuningCheck.governor(folder.resolve("no such folder")).level());
    }

    private void governor(final String cpu, final String name) throws IOException {
        final Path place = Files.createDirectories(folder.resolve(cpu).resolve("cpufreq"));
        Files.writeString(place.resolve("scaling_governor"), name + "\n");
    }

    @Test
    void shouldWarnOfLargeReceiveOffloadOnly() {
        // given
        final NicOffloads usual = new NicOffloads(true, true, true, true, true, false, true, true);
        final NicOffloads bad = new NicOffloads(true, true, true, true, true, true, false, true);

        // when, then
        assertTrue(
                TuningCheck.offloads("eth1", usual).stream()
                        .allMatch(finding -> finding.level() == Finding.Level.OK));
        final List<Finding> findings = TuningCheck.offloads("eth1", bad);
        assertEquals(Finding.Level.WARN, findings.getFirst().level());
        assertEquals("ethtool -K eth1 lro off", findings.getFirst().fix());
    }

    @Test
    void shouldWarnIfTrainsThatAreWantedAreNotJoined() {
        // given
        final Set<NicFeature> none = Set.of();
        final Set<NicFeature> all = EnumSet.allOf(NicFeature.class);
        // when, then
        final Finding missing = TuningCheck.trains("eth1", none, 0, true);
        assertEquals(Finding.Level.WARN, missing.level());
        assertEquals("ethtool -K eth1 gro on", missing.fix());
        assertEquals(Finding.Level.OK, TuningCheck.trains("eth1", none, 0, false).level());
        final Finding good = TuningCheck.trains("eth1", all, -1, true);
        assertEquals("frames by IP: cut by the NIC, joined by the kernel", good.text());
        final String usual = TuningCheck.trains("eth1", all, 0, true).text();
        assertTrue(usual.endsWith("which nodes that may write to /sys raise under bulk"), usual);
        final String held = TuningCheck.trains("eth1", all, 20_000, true).text();
        assertTrue(held.endsWith("; gro_flush_timeout is 20 us"), held);
    }

    @Test
    void shouldReportWhatBecomesOfLongFrames() {
        // given
        final Set<NicFeature> none = Set.of();
        final Set<NicFeature> all = EnumSet.allOf(NicFeature.class);
        // when, then
        assertEquals(
                "as TCP: cut by the NIC, joined by the kernel",
                TuningCheck.longFrames("eth1", all, true).text());
        final Finding missing = TuningCheck.longFrames("eth1", none, true);
        assertEquals("as TCP: cut by the kernel, not joined, since gro is off", missing.text());
        assertEquals("ethtool -K eth1 gro on", missing.fix());
        assertEquals(Finding.Level.OK, TuningCheck.longFrames("eth1", none, false).level());
    }

    @Test
    void shouldAskTheKernelAboutFeatures() throws LinuxException {
        assertTrue(NicFeature.GSO.isOn("lo"));
        assertTrue(NicFeature.allOn("lo").contains(NicFeature.GSO));
        assertThrows(LinuxException.class, () -> NicFeature.GSO.isOn("nosuchnic"));
    }

    @Test
    void shouldAskTheKernelAboutOffloads() throws LinuxException {
        // The loopback NIC can do generic segmentation on every kernel, and never LRO.
        final NicOffloads loopback = NicOffloads.read("lo");
        assertTrue(loopback.gso());
        assertEquals(false, loopback.lro());
        final LinuxException thrown =
                assertThrows(LinuxException.class, () -> NicOffloads.read("nosuchnic"));
        assertEquals(Errno.ENODEV, thrown.errno());
    }
}
