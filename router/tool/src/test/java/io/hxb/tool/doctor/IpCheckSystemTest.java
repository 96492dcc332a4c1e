package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tap.IpDevice;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;
import io.hxb.tap.TapDevice;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What doctor finds about the virtual NIC of a node. */
@Tag("system")
class IpCheckSystemTest {
    private static List<String> findings(
            final ClusterConfig config, final int node, final String subject) {
        return IpCheck.run(config, node, true).stream()
                .filter(each -> each.subject().startsWith(subject))
                .map(each -> each.subject() + " " + each.text() + ": " + each.fix())
                .toList();
    }

    private static IpDevice open(
            final ClusterConfig config,
            final int node,
            final List<IpPrefix> prefixes,
            final List<IpRoute> routes)
            throws IOException {
        return IpDevice.open(
                config.netns(node),
                new IpDevice.Settings(
                        "hxb0",
                        node,
                        prefixes,
                        config.ipMtuBytes(),
                        TapDevice.MAX_FRAME_LENGTH,
                        routes));
    }

    private static IpDevice open(final ClusterConfig config, final int node) throws IOException {
        return open(config, node, config.ip().prefixes(), config.ip().routes());
    }

    private static ClusterConfig config(final String node, final String ip) throws IOException {
        return ClusterConfigYaml.parse(
                "shape: 2\nlinks: {x: [eth0]}\nbackend: raw\nnetns: '"
                        + node.substring(0, node.length() - 1)
                        + "{node}'\nip: "
                        + ip
                        + "\n",
                "c.yaml");
    }

    private static void assumeTap() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
    }

    /** One that opens with fewer prefixes than its file has is as one that lost some for good. */
    @Test
    void shouldReportAddressesThatAreGone() throws IOException {
        // given
        assumeTap();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final ClusterConfig config =
                    config(namespaces.add("0"), "{prefix: [10.77.0.0/24, 'fd68:7862::/64']}");
            try (IpDevice device =
                    open(config, 0, config.ip().prefixes().subList(0, 1), List.of())) {
                // when
                final List<String> found = findings(config, 0, "ip " + device.name());
                // then
                assertEquals(
                        List.of(
                                "ip hxb0 has no longer the address fd68:7862::1/64: another program"
                                    + " takes it away, and the node may not put it back, or not as"
                                    + " often: exclude hxb0 from the program that manages the NICs"
                                    + " of this machine (docs/howto/ip.md); ip address add"
                                    + " fd68:7862::1/64 dev hxb0"),
                        found.stream().filter(each -> each.contains("no longer")).toList());
            }
            try (IpDevice device = open(config, 0)) {
                assertEquals(
                        List.of(),
                        findings(config, 0, "ip " + device.name()).stream()
                                .filter(each -> each.contains("no longer"))
                                .toList());
            }
        }
    }

    @Test
    void shouldReportMissingRoutesAndGatewaysThatDoNotForward() throws IOException {
        // given
        assumeTap();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final String node = namespaces.add("0");
            final String gateway = namespaces.add("1");
            final ClusterConfig config =
                    config(node, "{prefix: 10.77.0.0/24, routes: [10.9.0.0/24 via 1]}");
            TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv4.ip_forward=0");
            try (IpDevice ofNode = open(config, 0);
                    IpDevice ofGateway = open(config, 1)) {
                // then
                assertEquals(List.of(), findings(config, 0, "ip route"));
                assertEquals(
                        List.of(
                                "ip route 10.9.0.0/24 via 1 this node is the gateway, and its"
                                    + " kernel does not forward: sysctl -w net.ipv4.ip_forward=1"),
                        findings(config, 1, "ip route"));
                // when
                TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv4.ip_forward=1");
                // then
                assertEquals(List.of(), findings(config, 1, "ip route"));
                assertEquals("hxb0", ofNode.name() + ofGateway.name().substring(4));
            }
            // when it has none
            try (IpDevice ofNode = open(config, 0, config.ip().prefixes(), List.of())) {
                // then
                assertEquals(
                        List.of(
                                "ip route 10.9.0.0/24 via 1 is missing at this node: ip route add"
                                        + " 10.9.0.0/24 via 10.77.0.2 dev "
                                        + ofNode.name()),
                        findings(config, 0, "ip route"));
            }
        }
    }
}
