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
                1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\\    link/loopback
                2: x0@if212: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc tbf state UP\\    link/ether
                3: eth1: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc fq state DOWN\\    link/ether
                """;

        // when
        final NicTable table = NicTable.parse(text);

        // then
        assertEquals(
                Map.of(
                        "lo", new NicTable.Nic(true, true, 65536),
                        "x0", new NicTable.Nic(true, true, 9000),
                        "eth1", new NicTable.Nic(true, false, 1500)),
                table.nics());
    }
}
