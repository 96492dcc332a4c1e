package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;

@Tag("unit")
class NicTableTest {
    @Test
    void shouldReadWhatIpPrints() {
        // given
        final String text =
                """
                1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\\ \
                   link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
                2: x0@if212: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 xdpgeneric qdisc tbf \
                master br0 state UP\\    link/ether 02:00:00:00:00:05 brd ff:ff:ff:ff:ff:ff promiscuity 3 minmtu 68\\ \
                   bridge_slave state forwarding \\    prog/xdp id 12 name  tag 614b434cd8324ecc
                3: eth1: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc fq state DOWN\\ \
                   link/none
                """;

        // when
        final NicTable table = NicTable.parse(text);

        // then
        assertEquals(
                Map.of(
                        "lo", new NicTable.Nic(true, true, 65536, "loopback", "", "", false, "", 0),
                        "x0",
                                new NicTable.Nic(
                                        true,
                                        true,
                                        9000,
                                        "ether",
                                        "02:00:00:00:00:05",
                                        "br0",
                                        true,
                                        "12",
                                        3),
                        "eth1", new NicTable.Nic(true, false, 1500, "none", "", "", false, "", 0)),
                table.nics());
    }
}
