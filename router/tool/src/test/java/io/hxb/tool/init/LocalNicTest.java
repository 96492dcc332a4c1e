package io.hxb.tool.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

@Tag("unit")
class LocalNicTest {
    @TempDir private Path folder;

    private void nic(final String name, final String flags, final String... extra)
            throws IOException {
        final Path entry = Files.createDirectories(folder.resolve(name));
        Files.writeString(entry.resolve("flags"), flags + "\n");
        Files.writeString(entry.resolve("type"), "1\n");
        Files.writeString(entry.resolve("mtu"), "9000\n");
        Files.writeString(entry.resolve("address"), "02:00:00:00:00:0a\n");
        for (final String file : extra) {
            final String[] parts = file.split("=", 2);
            if (parts.length == 1) {
                Files.createDirectories(entry.resolve(file));
            } else {
                Files.writeString(entry.resolve(parts[0]), parts[1] + "\n");
            }
        }
    }

    @Test
    void shouldOnlyAskOnNicsThatAreFree() throws IOException {
        // given
        nic("lo", "0x9");
        nic("eth0", "0x1003", "device", "carrier=1", "speed=1000");
        nic("eth10", "0x1003", "device", "carrier=0");
        nic("eth2", "0x1003", "device", "carrier=1", "speed=-1");
        nic("eth3", "0x1002", "device");
        nic("wlan0", "0x1003", "device", "phy80211");
        nic("br0", "0x1003", "bridge");
        nic("veth1", "0x1003", "carrier=1");
        // when
        final List<LocalNic> nics = LocalNic.list(folder, Set.of("eth0"));
        // then
        assertEquals(
                List.of("br0", "eth0", "eth2", "eth3", "eth10", "veth1", "wlan0"),
                nics.stream().map(LocalNic::name).toList());
        assertEquals(
                List.of(
                        "left alone: bridge",
                        "left alone: carries the default route",
                        "",
                        "down: ip link set eth3 up",
                        "",
                        "left alone: virtual",
                        "left alone: wireless"),
                nics.stream().map(nic -> nic.reasonToLeaveAlone(false)).toList());
        assertEquals("", nics.get(5).reasonToLeaveAlone(true));
        assertEquals(1000, nics.get(1).speedMbps());
        assertEquals(0, nics.get(2).speedMbps());
        assertEquals("02000000000a", nics.get(2).mac());
        assertTrue(nics.get(2).hasCarrier());
    }

    @Test
    void shouldLeaveAloneWhatBelongsToOtherDevices() throws IOException {
        // given
        nic("br0", "0x1003", "bridge");
        nic("eth1", "0x1003", "device", "carrier=1");
        Files.createSymbolicLink(folder.resolve("eth1/master"), folder.resolve("br0"));
        nic("eth2.5", "0x1003", "uevent=DEVTYPE=vlan\nINTERFACE=eth2.5");
        nic("mac0", "0x1003", "uevent=DEVTYPE=macvlan");
        nic("team0", "0x1003", "lower_eth3");
        nic("tie0", "0x1003", "bonding");
        // when
        final List<LocalNic> nics = LocalNic.list(folder, Set.of());
        // then
        assertEquals(
                List.of(
                        "left alone: bridge",
                        "left alone: a port of br0, which takes its frames",
                        "left alone: vlan",
                        "left alone: macvlan",
                        "left alone: other",
                        "left alone: bond"),
                nics.stream().map(nic -> nic.reasonToLeaveAlone(true)).toList());
        assertEquals("br0", nics.get(1).master());
    }

    @Test
    void shouldFindTheDefaultRoute() throws IOException {
        final Path routes =
                Files.writeString(
                        folder.resolve("route"),
                        """
                        Iface\tDestination\tGateway
                        eth0\t00000000\t0104A8C0
                        eth1\t0004A8C0\t00000000
                        """);

        assertEquals(Set.of("eth0"), LocalNic.defaultRoutes(routes));
        assertEquals(Set.of(), LocalNic.defaultRoutes(folder.resolve("none")));
    }
}
