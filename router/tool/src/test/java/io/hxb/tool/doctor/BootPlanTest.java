package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.doctor.BootPlan.State;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Files that set up NICs when a machine starts, below folders that stand for machines. */
@Tag("unit")
class BootPlanTest {
    private static final String HEADER =
            "# Written by 'hxb doctor --fix', which writes it again. Without this line it stays as"
                    + " it is.\n";
    private static final String NETWORKD = "run/systemd/netif/state";
    private static final String NETWORKD_FILE = "etc/systemd/network/10-hxb-eth1.network";
    private static final BootPlan.Nic NIC = new BootPlan.Nic("eth1", 9_000, true, false);

    @TempDir private Path root;

    private Path write(final String path, final String text) throws IOException {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private BootPlan plan() {
        return BootPlan.of(root, NIC);
    }

    private void assertLeft(final String what, final BootPlan plan) {
        assertEquals(State.OF_OTHERS, plan.state(), plan::text);
        assertTrue((plan.text() + "; " + plan.fix()).contains(what), plan::toString);
        assertEquals(List.of(), NicCheck.atBoot("nic", plan));
    }

    /** Expects that the file is written as it has to be, and then is as it should be. */
    private void assertWritten(
            final String path, final String text, final String mode, final String apply)
            throws IOException {
        // given
        final Path file = root.resolve(path);
        final Finding finding = NicCheck.atBoot("nic eth1", plan()).getFirst();
        assertEquals(Finding.Level.WARN, finding.level());
        assertTrue(finding.fix().contains("writes /" + path), finding::fix);
        // when, then: nothing is written
        final Repair.Step shown = Repair.boot(NIC, root, true);
        assertEquals(HEADER + text, shown.content());
        assertEquals(Repair.Result.SHOWN, shown.result(), shown::text);
        assertTrue(Files.notExists(file));
        // when, then
        final Repair.Step step = Repair.boot(NIC, root, false);
        assertEquals(Repair.Result.DONE, step.result(), step::text);
        assertEquals(apply, step.next());
        assertEquals(HEADER + text, Files.readString(file));
        assertEquals(mode, PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(1, file.getParent().toFile().list().length, "no other file remains");
        assertEquals(State.DONE, plan().state());
        assertEquals(Repair.Result.LEFT, Repair.boot(NIC, root, false).result());
        assertEquals(Finding.Level.OK, NicCheck.atBoot("nic eth1", plan()).getFirst().level());
    }

    @Test
    void shouldWriteAFileForNetworkd() throws IOException {
        write(NETWORKD, "");
        assertWritten(
                NETWORKD_FILE,
                """
                [Match]
                Name=eth1

                [Link]
                MTUBytes=9000
                RequiredForOnline=no

                [Network]
                LinkLocalAddressing=no
                IPv6AcceptRA=no
                """,
                "rw-r--r--",
                "networkctl reload");
    }

    @Test
    void shouldWriteAConnectionForNetworkManager() throws IOException {
        write(NETWORKD, "");
        write("etc/network/interfaces", "auto lo\n");
        Files.createDirectories(root.resolve("run/NetworkManager"));
        assertWritten(
                "etc/NetworkManager/system-connections/hxb-eth1.nmconnection",
                """
                [connection]
                id=hxb-eth1
                uuid=e1f83d08-fc94-32cf-8c4f-b373f2f65718
                type=ethernet
                interface-name=eth1
                autoconnect-priority=100

                [ethernet]
                mtu=9000

                [ipv4]
                method=disabled

                [ipv6]
                method=disabled
                """,
                "rw-------",
                "nmcli connection load"
                        + " /etc/NetworkManager/system-connections/hxb-eth1.nmconnection; nmcli"
                        + " connection up hxb-eth1");
    }

    @Test
    void shouldWriteAStanzaForIfupdown() throws IOException {
        // given
        write("etc/network/interfaces", "auto lo\niface lo inet loopback\n");
        assertLeft("source /etc/network/interfaces.d/*", plan());
        // when, then
        write("etc/network/interfaces", "source /etc/network/interfaces.d/*\n");
        assertWritten(
                "etc/network/interfaces.d/hxb-eth1",
                """
                auto eth1
                iface eth1 inet manual
                    up ip link set dev eth1 mtu 9000 up
                    down ip link set dev eth1 down
                """,
                "rw-r--r--",
                "ifup eth1");
    }

    @Test
    void shouldWriteItsOwnFileAgainAndNoOther() throws IOException {
        // given
        write(NETWORKD, "");
        final Path file = write(NETWORKD_FILE, HEADER + "[Link]\nMTUBytes=1500\n");
        assertEquals(State.TO_WRITE, plan().state());
        // when
        final Repair.Step step = Repair.boot(NIC, root, false);
        // then
        assertEquals(Repair.Result.DONE, step.result(), step::text);
        assertTrue(Files.readString(file).contains("MTUBytes=9000"));
        // and when
        Files.writeString(file, "[Match]\nName=eth1\n");
        // then
        assertLeft("which doctor has not written; write there MTUBytes=9000", plan());
        assertEquals(Repair.Result.LEFT, Repair.boot(NIC, root, false).result());
        assertEquals("[Match]\nName=eth1\n", Files.readString(file));
    }

    @Test
    void shouldLeaveNicsThatOthersSetUp() throws IOException {
        // given
        assertLeft("by a program that is not known here", plan());
        write(NETWORKD, "");
        // when, then
        assertLeft("is no hardware", BootPlan.of(root, new BootPlan.Nic("v", 9_000, false, false)));
        assertLeft("characters", BootPlan.of(root, new BootPlan.Nic("e*", 9_000, true, false)));
        assertLeft("IP address", BootPlan.of(root, new BootPlan.Nic("eth1", 9_000, true, true)));
        // and: files that name it, or another one
        write("etc/systemd/network/a.network", "# eth1\n[Match]\nName=eth10 eth1.5 eth2\n");
        assertEquals(State.TO_WRITE, plan().state());
        write("etc/systemd/network/b.network", "[Match]\nName=eth0 eth1\n");
        assertLeft("is set up by /etc/systemd/network/b.network", plan());
    }

    @Test
    void shouldReportWhatCannotBeWritten() throws IOException {
        // given: a file where a folder has to be
        write(NETWORKD, "");
        write("etc/systemd/network", "");
        // when
        final Repair repair = new Repair(List.of(Repair.boot(NIC, root, false)));
        // then
        assertFalse(repair.isOk());
        assertTrue(repair.text().contains("FAILED"), repair::text);
    }
}
