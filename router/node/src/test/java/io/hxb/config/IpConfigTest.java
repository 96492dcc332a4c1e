package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.yaml.ClusterConfigYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class IpConfigTest {
    private static final String BASE = "shape: 2x2\nlinks: 1\n";

    private static ClusterConfig parse(final String rest) {
        return ClusterConfigYaml.parse(BASE + rest, "c.yaml");
    }

    @Test
    void shouldHaveNoVirtualNicByDefault() {
        assertFalse(parse("").ip().isWanted());
    }

    @Test
    void shouldReadBothFamiliesAndWriteThemBack() {
        // when
        final ClusterConfig config =
                parse("ip: {prefix: [10.77.0.0/16, 'fd68:7862::/64'], device: fast0, mtu: 9000}\n");
        // then
        assertTrue(config.ip().isWanted());
        assertEquals("10.77.0.4", config.ip().prefixes().get(0).address(3));
        assertEquals("fd68:7862::4", config.ip().prefixes().get(1).address(3));
        assertEquals("fast0", config.ip().device());
        assertEquals(9_000, config.ipMtuBytes());
        assertEquals(
                config, ClusterConfigYaml.parse(ClusterConfigYaml.write(config), "written.yaml"));
    }

    @Test
    void shouldReadRoutesOfBothFamiliesAndWriteThemBack() {
        // when
        final ClusterConfig config =
                parse(
                        """
                        ip:
                          prefix: [10.77.0.0/16, 'fd68:7862::/64']
                          routes: [10.9.0.0/24 via 3, 'fd01::/64 via 0']
                        """);
        // then
        assertEquals("10.77.0.4", config.ip().gateway(config.ip().routes().get(0)));
        assertEquals("fd68:7862::1", config.ip().gateway(config.ip().routes().get(1)));
        assertEquals(
                config, ClusterConfigYaml.parse(ClusterConfigYaml.write(config), "written.yaml"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"physics", "operator"})
    void shouldBelongToATenantOfTheFile(final String tenant) {
        // when
        final ClusterConfig config =
                parse(
                        """
                        ip: {prefix: 10.77.0.0/16, tenant: %s}
                        tenants: {physics: {uids: 1000}}
                        """
                                .formatted(tenant));
        // then
        assertEquals(tenant, config.ip().tenant());
        assertEquals(
                config, ClusterConfigYaml.parse(ClusterConfigYaml.write(config), "written.yaml"));
        assertEquals("", parse("ip: {prefix: 10.77.0.0/16}\n").ip().tenant());
    }

    @Test
    void shouldTakeOnePrefixWithoutAList() {
        assertEquals(1, parse("ip: {prefix: 10.77.0.0/16}\n").ip().prefixes().size());
    }

    @Test
    void shouldChooseAnMtuWhosePacketsAreMessages() {
        assertEquals(65_000, parse("ip: {prefix: 10.77.0.0/16}\n").ipMtuBytes());
        assertEquals(
                9_000 - 64 - 8 - 10 - 14,
                parse("ip: {prefix: 10.77.0.0/16}\nframe: {maxBytes: 9000}\n").ipMtuBytes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ip: {prefix: 10.77.0.0/30} | ip needs a larger prefix for 4 nodes: 10.77.0.0/30",
                "ip: {prefix: [10.77.0.0/16, 10.77.1.0/24]} | ip.prefix must have one prefix of",
                "ip: {prefix: [10.77.0.0/16, fd68::1/64]} | ip.prefix must end after its length:",
                "ip: {device: fast0} | ip.prefix must be given where there is a device",
                "ip: {prefix: 10.77.0.0/16, device: sixteen-bytes-xx} | ip.device must be the name",
                "ip: {prefix: 10.77.0.0/16, device: a/b} | ip.device must be the name of a NIC",
                "ip: {prefix: 10.77.0.0/16, device: ..} | ip.device must be the name of a NIC",
                "ip: {prefix: 10.77.0.0/16, mtu: 65522} | ip.mtu must be 1280..65521",
                "ip: {prefix: 10.77.0.0/16, mtu: 1279} | ip.mtu must be 1280..65521",
                "ip: {prefix: 10.77.0.0/16, repairTime: 0s} | ip.repairTime must be",
                "ip: {prefix: {a: b}} | ip.prefix must be a list",
                "ip: {routes: [10.9.0.0/24 via 3]} | ip.routes must have a prefix of their family",
                "ip: {prefix: 10.77.0.0/16, routes: ['fd01::/64 via 3']} | ip.routes must have a",
                "ip: {prefix: 10.77.0.0/16, routes: [10.77.8.0/24 via 3]} | ip.routes must not"
                        + " overlap: 10.77.0.0/16 and 10.77.8.0/24",
                "ip: {prefix: 10.77.0.0/16, routes: [10.9.1.0/24 via 3, 10.9.0.0/16 via 2]} |"
                        + " ip.routes must not overlap: 10.9.1.0/24 and 10.9.0.0/16",
                "ip: {prefix: 'fd68::/64', routes: ['fd68::1:0/112 via 1']} | ip.routes must not"
                        + " overlap: fd68::/64 and fd68::1:0/112",
                "ip: {prefix: 10.77.0.0/16, routes: [10.9.0.0/24 via 4]} | ip has a route by a"
                        + " node",
                "ip: {prefix: 10.77.0.0/16, routes: [10.9.0.0/24]} | ip.routes must be addresses"
                        + " and the number of a node",
                "ip: {prefix: 10.77.0.0/16, tenant: x} | ip must name one of tenants or operator",
                "ip: {prefix: 10.77.0.0/16, tenant: operator} | ip must name one of tenants or",
            })
    void shouldReportWhatCannotBe(final String text, final String message) {
        // when
        final ConfigException thrown =
                assertThrows(ConfigException.class, () -> parse(text + "\n"));
        // then
        final String problem = thrown.problems().getFirst();
        assertTrue(problem.startsWith("c.yaml:") && problem.contains(": " + message), problem);
    }

    @Test
    void shouldRefuseMessagesThatHoldNoPacket() {
        // when
        final ConfigException large =
                assertThrows(
                        ConfigException.class,
                        () ->
                                parse(
                                        """
                                        ip: {prefix: 10.77.0.0/16, mtu: 9000}
                                        frame: {maxBytes: 9000}
                                        """));
        final ConfigException small =
                assertThrows(
                        ConfigException.class,
                        () -> parse("ip: {prefix: 10.77.0.0/16}\nframe: {maxBytes: 512}\n"));
        // then
        assertTrue(large.getMessage().contains("pool.bufferBytes hold 8904"), large.getMessage());
        assertTrue(small.getMessage().contains("hold a packet of 1280 bytes"), small.getMessage());
    }
}
