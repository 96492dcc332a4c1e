package io.hxb.os.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** What the kernel knows of NICs and neighbours by number. */
@Tag("system")
class NeighboursSystemTest {
    private static long macOf(final String namespace, final String address) throws IOException {
        return NetworkNamespace.run(
                namespace, () -> Neighbours.macOf(InetAddress.ofLiteral(address).getAddress()));
    }

    @Test
    void shouldFindTheMacAddressesOfNeighbours() throws IOException {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given: more than one message has room for
            final String near = namespaces.add("near");
            final String far = namespaces.add("far");
            namespaces.veth(near, "eth0", far, "eth0", 1500);
            final List<String> lines = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                lines.add(
                        "neigh add 10.9.%d.%d lladdr 02:00:00:00:%02x:%02x dev eth0"
                                .formatted(i / 200, 1 + i % 200, i >> 8, i & 0xFF));
            }
            lines.add("neigh add fe80::9:1 lladdr fe:dc:ba:98:76:54 dev eth0");
            TestNamespaces.ipIn(near, lines.toArray(String[]::new));
            // when, then
            assertEquals(0x0200_0000_0000L, macOf(near, "10.9.0.1"));
            assertEquals(0x0200_0000_0000L | 499, macOf(near, "10.9.2.100"));
            assertEquals(0xFEDC_BA98_7654L, macOf(near, "fe80::9:1"));
            assertEquals(0, macOf(near, "10.9.2.101"));
            assertEquals(0, macOf(far, "10.9.0.1"));
            // and what NICs are called
            final int ifindex = TestNamespaces.info(near, "eth0").ifindex();
            assertEquals("eth0", NetworkNamespace.run(near, () -> NicName.of(ifindex)));
            TestNamespaces.ipIn(near, "link set eth0 down", "link set eth0 name lan0");
            assertEquals("lan0", NetworkNamespace.run(near, () -> NicName.of(ifindex)));
            assertNull(NetworkNamespace.run(near, () -> NicName.of(ifindex + 500)));
        }
    }
}
