package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.machine.Programs;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the kernel's IP does to frames of UDP links: what doctor says, and what happens. */
@Tag("system")
class UdpCheckSystemTest {
    private static final int PORT = 48_070;
    private static final Set<Integer> PORTS = Set.of(PORT);

    // Of 20 ms each; the many are over with the first datagram that arrives.
    private static final int FEW = 5;
    private static final int MANY = 1_000;

    private static TestNamespaces namespaces;
    private static String here;
    private static String there;

    @BeforeAll
    static void joinTwoMachines() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        here = namespaces.add("a");
        there = namespaces.add("b");
        namespaces.veth(here, "p0", there, "p0", 1_500);
        namespaces.veth(here, "p1", there, "p1", 1_500);
        TestNamespaces.ipIn(here, "addr add 10.91.0.1/24 dev p0", "addr add 10.91.0.2/24 dev p1");
        TestNamespaces.ipIn(there, "addr add 10.91.0.3/24 dev p0", "addr add 10.91.0.4/24 dev p1");
    }

    @AfterAll
    static void removeThem() {
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private static Optional<Finding> way(final boolean isStrict) throws IOException {
        return NetworkNamespace.run(
                here, () -> UdpCheck.way("udp x.1", "10.91.0.2", "10.91.0.4", "p1", isStrict));
    }

    @Test
    void shouldNameLinksThatLeaveByTheNicOfAnother() throws IOException {
        // given: both NICs are in one subnet
        final Finding shared = way(false).orElseThrow();
        assertEquals(Finding.Level.WARN, shared.level());
        assertTrue(shared.text().contains("10.91.0.4 leave by p0"), shared::text);
        final Finding dropped = way(true).orElseThrow();
        assertEquals(Finding.Level.FAIL, dropped.level());
        assertTrue(dropped.text().contains("rp_filter drops"), dropped::text);
        // when: what it advises is done
        final String advice = dropped.fix();
        for (final String command : advice.substring(advice.indexOf("ip rule")).split("; ", -1)) {
            TestNamespaces.exec(here, command.split(" ", -1));
        }
        // then
        assertEquals(Optional.empty(), way(true));
    }

    @Test
    void shouldNameAFirewallThatDropsWhatArrives() throws Exception {
        assumeTrue(Programs.find("nft").isPresent(), "skipped: there is no nft");
        assertEquals(List.of(), firewall());
        assertTrue(arrives(MANY, false));
        // given
        nft("add table inet hxbt");
        nft("add chain inet hxbt in { type filter hook input priority 0; policy drop; }");
        nft("add rule inet hxbt in iifname \"lo\" accept");
        nft("add rule inet hxbt in tcp dport 22 accept");
        try {
            // when, then
            assertFalse(arrives(FEW, false));
            final Finding found = firewall().getFirst();
            assertEquals(Finding.Level.FAIL, found.level());
            assertTrue(found.text().contains("inet hxbt in"), found::text);
            // and: what it advises helps
            TestNamespaces.exec(here, found.fix().split(" ", -1));
            assertTrue(arrives(MANY, false));
            assertEquals(List.of(), firewall());
            // and: rules that let replies pass are enough for nodes, which both send
            nft("flush chain inet hxbt in");
            nft("add rule inet hxbt in ct state invalid drop");
            nft("add rule inet hxbt in ct state established,related accept");
            assertTrue(arrives(MANY, true));
            assertEquals(List.of(), firewall());
        } finally {
            nft("delete table inet hxbt");
        }
    }

    @Test
    void shouldReadWhatIptablesPrints() {
        final String drop = "-P INPUT DROP\n-P FORWARD ACCEPT\n-A INPUT -i lo -j ACCEPT\n";
        final Finding found = UdpCheck.firewall("", drop, Set.of(7_000, 7_003)).getFirst();
        assertTrue(found.fix().contains("--dport 7000:7003"), found::fix);
        assertEquals(
                List.of(),
                UdpCheck.firewall(
                        "", drop + "-A INPUT -p udp -m udp --dport 7000 -j ACCEPT\n", PORTS));
        assertEquals(List.of(), UdpCheck.firewall("", "-P INPUT ACCEPT\n", PORTS));
        assertEquals(List.of(), UdpCheck.firewall("", "", PORTS));
    }

    private static void nft(final String command) {
        TestNamespaces.exec(here, "nft", command);
    }

    private static List<Finding> firewall() throws IOException {
        return NetworkNamespace.run(here, () -> UdpCheck.firewall(NicCheck.rules(), "", PORTS));
    }

    /**
     * Whether one of several datagrams passes from the other machine, as frames of hello do.
     *
     * @param isAnswer whether this machine sends, too, as nodes do.
     */
    private static boolean arrives(final int attempts, final boolean isAnswer) throws IOException {
        final InetSocketAddress local =
                new InetSocketAddress(InetAddress.ofLiteral("10.91.0.1"), PORT);
        final InetSocketAddress other =
                new InetSocketAddress(InetAddress.ofLiteral("10.91.0.3"), PORT);
        try (DatagramSocket receiver = socket(here, local);
                DatagramSocket sender = socket(there, other)) {
            receiver.setSoTimeout(20);
            final DatagramPacket packet = new DatagramPacket(new byte[8], 8);
            for (int i = 0; i < attempts; i++) {
                if (isAnswer) {
                    receiver.send(new DatagramPacket(new byte[8], 8, other));
                }
                sender.send(new DatagramPacket(new byte[8], 8, local));
                try {
                    receiver.receive(packet);
                    return true;
                } catch (final SocketTimeoutException e) {
                    // Dropped, or late: once more.
                }
            }
            return false;
        }
    }

    private static DatagramSocket socket(final String namespace, final InetSocketAddress address)
            throws IOException {
        return NetworkNamespace.run(namespace, () -> new DatagramSocket(address));
    }
}
