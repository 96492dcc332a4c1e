package io.hxb.os.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.LinuxException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Tag("unit")
class NicFinderTest {
    private static NicFinder.Listed nic(
            final int ifindex, final String name, final String mac, final String permanent) {
        return new NicFinder.Listed(ifindex, name, mac, permanent, "", "", 0);
    }

    @Test
    void shouldPreferTheHardwareToWhatHasTakenOnItsAddress() {
        final List<NicFinder.Listed> nics =
                List.of(
                        nic(2, "bond0", "02:00:00:00:00:0a", ""),
                        nic(3, "eth1", "02:00:00:00:00:0a", "02:00:00:00:00:0a"),
                        nic(4, "eth2", "02:00:00:00:00:0a", "02:00:00:00:00:0b"),
                        nic(5, "veth1", "02:00:00:00:00:0c", ""));

        assertEquals("eth1", NicFinder.name("mac:02:00:00:00:00:0a", nics));
        assertEquals("eth2", NicFinder.name("mac:02:00:00:00:00:0b", nics));
        assertEquals("veth1", NicFinder.name("mac:02:00:00:00:00:0c", nics));
        assertEquals("mac:02:00:00:00:00:0d", NicFinder.name("mac:02:00:00:00:00:0d", nics));
        assertEquals("eth9", NicFinder.name("eth9", nics));
    }

    /** Makes a device as sysfs has it. */
    private static void device(final Path sysfs, final String folder, final String subsystem)
            throws IOException {
        final Path device = Files.createDirectories(sysfs.resolve("devices/" + folder));
        Files.writeString(device.resolve("uevent"), "");
        if (!subsystem.isEmpty()) {
            Files.createSymbolicLink(
                    device.resolve("subsystem"), Path.of("../../bus/" + subsystem));
            final Path bus =
                    Files.createDirectories(sysfs.resolve("bus/" + subsystem + "/devices"));
            Files.createSymbolicLink(bus.resolve(device.getFileName()), device);
        }
    }

    private static NicFinder.Listed plugged(final String name, final String bus, final String at) {
        return new NicFinder.Listed(2, name, "", "", bus, at, 0);
    }

    @Test
    void shouldFindWhatIsPluggedInAtAPlace(@TempDir final Path sysfs) throws IOException {
        // given: a NIC behind a bridge, one on the second port of a USB hub, one of a board
        device(sysfs, "pci0000:00", "");
        device(sysfs, "pci0000:00/0000:00:1c.0", "pci");
        device(sysfs, "pci0000:00/0000:00:1c.0/0000:03:00.0", "pci");
        device(sysfs, "pci0000:00/0000:00:14.0", "pci");
        device(sysfs, "pci0000:00/0000:00:14.0/usb1", "usb");
        device(sysfs, "pci0000:00/0000:00:14.0/usb1/1-1", "usb");
        device(sysfs, "pci0000:00/0000:00:14.0/usb1/1-1/1-1.2", "usb");
        device(sysfs, "pci0000:00/0000:00:14.0/usb1/1-1/1-1.2/1-1.2:1.0", "usb");
        device(sysfs, "platform/fd580000.ethernet", "platform");
        device(sysfs, "pci0000:00/0000:00:03.0", "pci");
        device(sysfs, "pci0000:00/0000:00:03.0/virtio2", "virtio");
        // when, then: as udev calls them
        assertEquals("pci-0000:03:00.0", NicPath.of(sysfs, "pci", "0000:03:00.0"));
        assertEquals("pci-0000:00:14.0-usb-0:1.2:1.0", NicPath.of(sysfs, "usb", "1-1.2:1.0"));
        assertEquals(
                "platform-fd580000.ethernet", NicPath.of(sysfs, "platform", "fd580000.ethernet"));
        assertEquals("pci-0000:00:03.0", NicPath.of(sysfs, "virtio", "virtio2"));
        assertEquals("", NicPath.of(sysfs, "pci", "0000:09:00.0"));
        // and: found under any name
        final List<NicFinder.Listed> nics =
                List.of(
                        plugged("lo", "", ""),
                        plugged("usb7", "usb", "1-1.2:1.0"),
                        plugged("eth1", "pci", "0000:03:00.0"));
        assertEquals("usb7", NicFinder.name("path:pci-0000:00:14.0-usb-0:1.2:1.0", nics, sysfs));
        assertEquals(
                "eth1",
                NicFinder.name(
                        "path:/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0", nics, sysfs));
        for (final String missing :
                List.of("path:pci-0000:09:00.0", "path:/sys/devices/pci0000:00/0000:09:00.0")) {
            assertEquals(missing, NicFinder.name(missing, nics, sysfs));
        }
    }

    @Test
    void shouldKnowPaths() {
        for (final String text :
                List.of(
                        "pci-0000:03:00.0",
                        "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0",
                        "/sys/devices/pci0000:00/0000:00:03.0/virtio2")) {
            assertTrue(NicFinder.isPath(text), text);
        }
        for (final String text : List.of("", "eth1", "0000:03:00.0", "/dev/null", "pci-a b")) {
            assertFalse(NicFinder.isPath(text), text);
        }
    }

    @Test
    void shouldListTheNicsOfTheKernel() throws LinuxException {
        final NicFinder.Listed loopback =
                NicFinder.all().stream()
                        .filter(nic -> nic.name().equals("lo"))
                        .findFirst()
                        .orElseThrow();

        assertEquals(1, loopback.ifindex());
        assertEquals("00:00:00:00:00:00", loopback.mac());
        assertEquals("", loopback.path());
        // and: a NIC of a device is found by its path; the first, if the device has several
        final List<NicFinder.Listed> nics = NicFinder.all();
        for (final NicFinder.Listed nic : nics) {
            final String found = NicFinder.name(NicFinder.byPath(nic.path()), nics);
            assertEquals(
                    nic.path(),
                    nics.stream()
                            .filter(one -> one.name().equals(found))
                            .map(NicFinder.Listed::path)
                            .findFirst()
                            .orElse(""));
        }
    }

    @Test
    void shouldKnowMacAddresses() {
        assertTrue(NicFinder.isMac("02:00:00:00:00:0A"));
        assertEquals("mac:02:00:00:00:00:0a", NicFinder.byMac("02:00:00:00:00:0A"));
        for (final String text : List.of("", "02:00:00:00:00", "02-00-00-00-00-0a", "eth1")) {
            assertFalse(NicFinder.isMac(text), text);
        }
    }
}
