package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tap.IpDevice;
import io.hxb.tap.TapDevice;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What doctor finds about routes by a node that is a gateway. */
@Tag("system")
class IpCheckSystemTest {
    private static List<String> findings(final ClusterConfig config, final int node) {
        return IpCheck.run(config, node, true).stream()
                .filter(each -> each.subject().startsWith("ip route"))
                .map(each -> each.subject() + " " + each.text() + ": " + each.fix())
                .toList();
    }

    private static IpDevice open(final ClusterConfig config, final int node) throws IOException {
        return IpDevice.open(
                config.netns(node),
                new IpDevice.Settings(
                        "hxb0",
                        node,
                        config.ip().prefixes(),
                        config.ipMtuBytes(),
                        TapDevice.MAX_FRAME_LENGTH,
                        config.ip().routes()));
    }

    @Test
    void shouldReportMissingRoutesAndGatewaysThatDoNotForward() throws IOException {
        // given
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final String node = namespaces.add("0");
            final String gateway = namespaces.add("1");
            final ClusterConfig config =
                    ClusterConfigYaml.parse(
                            "shape: 2\nlinks: {x: [eth0]}\nbackend: raw\nnetns: '"
                                    + node.substring(0, node.length() - 1)
                                    + "{node}'\nip: {prefix: 10.77.0.0/24, routes: [10.9.0.0/24 via"
                                    + " 1]}\n",
                            "c.yaml");
            TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv4.ip_forward=0");
            try (IpDevice ofNode = open(config, 0);
                    IpDevice ofGateway = open(config, 1)) {
                // then
                assertEquals(List.of(), findings(config, 0));
                assertEquals(
                        List.of(
                                "ip route 10.9.0.0/24 via 1 this node is the gateway, and its"
                                    + " kernel does not forward: sysctl -w net.ipv4.ip_forward=1"),
                        findings(config, 1));
                // when
                TestNamespaces.exec(gateway, "sysctl", "-qw", "net.ipv4.ip_forward=1");
                TestNamespaces.ipIn(node, "route del 10.9.0.0/24");
                // then
                assertEquals(
                        List.of(
                                "ip route 10.9.0.0/24 via 1 is missing at this node: ip route add"
                                        + " 10.9.0.0/24 via 10.77.0.2 dev hxb0"),
                        findings(config, 0));
                assertEquals(List.of(), findings(config, 1));
                assertEquals("hxb0", ofNode.name() + ofGateway.name().substring(4));
            }
        }
    }
}
