package io.hxb.tool.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Networks as lldpcli reports them, from lldpd 1.0.16 and switches of other makers. */
@Tag("unit")
class LldpNeighboursTest {
    private static final String BRIDGE = "Bridge";
    private static final String STATION = "Station";
    private static final String LONG_AGO = "3 days, 04:00:10";
    private static final String JUST_NOW = "0 day, 00:00:20";

    private final Map<String, List<String>> reports = new LinkedHashMap<>();

    /** A system hears a neighbour at one of its ports, which has a name. */
    private void hears(
            final String system,
            final String port,
            final String neighbour,
            final String theirPort,
            final String capability) {
        hears(system, port, neighbour, "ifname", theirPort, "", capability, LONG_AGO, "");
    }

    private void hears(
            final String system,
            final String port,
            final String neighbour,
            final String portType,
            final String portId,
            final String description,
            final String capability,
            final String age,
            final String aggregate) {
        final String name = neighbour.isEmpty() ? "%s" : "{\"" + neighbour + "\": %s}";
        final String chassis =
                "{\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:01:%02x\"}, \"capability\":"
                                .formatted(neighbour.isEmpty() ? port.hashCode() & 0xFF : 0)
                        + (capability.equals(STATION)
                                ? "[{\"type\": \"Bridge\", \"enabled\": false}, "
                                : "[")
                        + "{\"type\": \"%s\", \"enabled\": true}]}".formatted(capability);
        reports.computeIfAbsent(system, key -> new ArrayList<>())
                .add(
                        ("{\"%s\": {\"via\": \"LLDP\", \"rid\": \"1\", \"age\": \"%s\","
                             + " \"chassis\": %s, \"port\": {\"id\": {\"type\": \"%s\", \"value\":"
                             + " \"%s\"}, \"descr\": \"%s\", \"ttl\": \"120\"%s}}}")
                                .formatted(
                                        port,
                                        age,
                                        name.formatted(chassis),
                                        portType,
                                        portId,
                                        description,
                                        aggregate.isEmpty()
                                                ? ""
                                                : ", \"aggregation\": \"" + aggregate + "\""));
    }

    private String json() {
        return reports.entrySet().stream()
                .map(
                        system ->
                                "\"%s\": {\"lldp\": {\"interface\": %s}}"
                                        .formatted(system.getKey(), system.getValue()))
                .collect(Collectors.joining(",\n", "{", "}"));
    }

    private SwitchGraph graph(final String... hostNames) {
        return LldpNeighbours.parse("f.json", json(), 0, Set.of(hostNames));
    }

    private static Set<String> links(final SwitchGraph graph) {
        final Set<String> links = new TreeSet<>();
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            final String a =
                    graph.switchName(graph.source(channel)) + "." + graph.sourcePort(channel);
            final String b =
                    graph.switchName(graph.target(channel)) + "." + graph.targetPort(channel);
            links.add(a.compareTo(b) < 0 ? a + " " + b : b + " " + a);
        }
        return links;
    }

    private static Set<String> hosts(final SwitchGraph graph) {
        final Set<String> hosts = new TreeSet<>();
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.add(
                    "%s at %s.%s %012x"
                            .formatted(
                                    graph.hostName(host),
                                    graph.switchName(graph.hostSwitch(host)),
                                    graph.hostPort(host),
                                    graph.hostMac(host)));
        }
        return hosts;
    }

    @Test
    void shouldTakeForwardingHostsForHosts() {
        // given: a hypervisor, a Kubernetes node and an ordinary host, none of which reports
        hears("leaf1", "swp1", "k8s", "eth0", "Router");
        hears("leaf1", "swp2", "hypervisor", "eth0", BRIDGE);
        hears("leaf1", "swp3", "plain", "eth0", STATION);
        hears("leaf1", "swp4", "spine1", "swp1", BRIDGE);
        hears("spine1", "swp1", "leaf1", "swp4", BRIDGE);
        hears("spine1", "swp2", "leaf2", "swp1", BRIDGE);
        hears("leaf2", "swp1", "spine1", "swp2", BRIDGE);
        hears("leaf2", "swp2", "double", "eth0", "Router");
        hears("leaf1", "swp5", "double", "eth1", "Router");
        // when
        final SwitchGraph graph = graph();
        // then: the one with two switches can be either
        assertEquals("4 switches, 4 links, 3 hosts", graph.toString());
        assertEquals(
                Set.of(
                        "hypervisor at leaf1.swp2 000000000000",
                        "k8s at leaf1.swp1 000000000000",
                        "plain at leaf1.swp3 000000000000"),
                hosts(graph));
        // and with names
        assertEquals(
                "3 switches, 2 links, 5 hosts", graph("k8s", "hypervisor", "double").toString());
        final GraphException unknown = assertThrows(GraphException.class, () -> graph("k9s"));
        assertEquals("f.json: --host-names: there is no system 'k9s'", unknown.getMessage());
    }

    @Test
    void shouldKeepLeavesThatReportThemselves() {
        // given: no hosts run lldpd
        hears("core", "p1", "edge1", "up", BRIDGE);
        hears("core", "p2", "edge2", "up", BRIDGE);
        hears("edge1", "up", "core", "p1", BRIDGE);
        hears("edge2", "up", "core", "p2", BRIDGE);
        // when, then
        assertEquals("3 switches, 2 links, 0 hosts", graph().toString());
    }

    @Test
    void shouldKeepNamelessNeighboursApart() {
        // given
        hears("leaf1", "swp1", "", "local", "34", "", STATION, LONG_AGO, "");
        hears("leaf1", "swp2", "", "local", "12", "", STATION, LONG_AGO, "");
        // when
        final SwitchGraph graph = graph();
        // then
        assertEquals("1 switches, 0 links, 2 hosts", graph.toString());
        assertTrue(graph.hostName(0).startsWith("02:00:00:00:01:"), graph.hostName(0));
    }

    @Test
    void shouldReadTheOtherJson() {
        // given: what lldpcli -f json0 prints
        final String text =
                """
                {"leaf1": {"lldp": [{"interface": [
                 {"name": "swp1", "via": "LLDP", "rid": "1", "age": "0 day, 00:00:10",
                  "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:01"}],
                    "name": [{"value": "node1"}],
                    "capability": [{"type": "Bridge", "enabled": false},
                      {"type": "Station", "enabled": true}]}],
                  "port": [{"id": [{"type": "mac", "value": "02:00:00:00:00:01"}],
                    "descr": [{"value": "eth0"}], "ttl": [{"value": "120"}]}]},
                 {"name": "swp2", "chassis": [{"name": [{"value": "spine1"}],
                    "capability": [{"type": "Bridge", "enabled": true}]}],
                  "port": [{"id": [{"type": "ifname", "value": "swp1"}]}]}]}]},
                 "spine1": {"lldp": [{"interface": [
                 {"name": "swp1", "chassis": [{"name": [{"value": "leaf1"}],
                    "capability": [{"type": "Bridge", "enabled": true}]}],
                  "port": [{"id": [{"type": "ifname", "value": "swp2"}]}]}]}]},
                 "idle": {"lldp": [{}]}}
                """;
        // when
        final SwitchGraph graph = LldpNeighbours.parse("f.json", text, 0, Set.of("node1"));
        // then
        assertEquals("2 switches, 1 links, 1 hosts", graph.toString());
        assertEquals(Set.of("leaf1.swp2 spine1.swp1"), links(graph));
        assertEquals(Set.of("node1 at leaf1.swp1 020000000001"), hosts(graph));
    }

    @Test
    void shouldJoinReportsThatNamePortsAndSystemsDifferently() {
        // given: a short name here, the name of the domain there; Eth for Ethernet, a description
        hears("leaf1", "swp49", "spine1", "Eth1/28", BRIDGE);
        hears("spine1", "Ethernet1/28", "leaf1.example.com", "swp49", BRIDGE);
        hears("leaf1", "swp50", "spine1", "ifalias", "33", "to leaf1", BRIDGE, LONG_AGO, "");
        hears("spine1", "Ethernet1/29", "leaf1.example.com", "swp50", BRIDGE);
        hears("leaf2", "1", "SPINE1", "Ethernet1/30", BRIDGE);
        hears("spine1", "Ethernet1/30", "other", "Slot0/1", BRIDGE);
        // when
        final SwitchGraph graph = graph();
        // then
        assertEquals(
                Set.of(
                        "leaf1.swp49 spine1.Ethernet1/28",
                        "leaf1.swp50 spine1.Ethernet1/29",
                        "leaf2.1 spine1.Ethernet1/30"),
                links(graph));
    }

    @Test
    void shouldNameBothReportsThatCannotBeBroughtTogether() {
        // given: two cables, of which each end has its own names
        hears("leaf1", "swp1", "spine1", "x", BRIDGE);
        hears("leaf1", "swp2", "spine1", "y", BRIDGE);
        hears("spine1", "Ethernet1", "leaf1", "a", BRIDGE);
        hears("spine1", "Ethernet2", "leaf1", "b", BRIDGE);
        // when
        final GraphException thrown = assertThrows(GraphException.class, this::graph);
        // then
        assertTrue(
                thrown.getMessage()
                        .startsWith(
                                "f.json: leaf1.swp1 hears spine1 at its port x, and"
                                    + " spine1.Ethernet1 hears leaf1 at its port a: whether this is"
                                    + " one cable"),
                thrown.getMessage());
    }

    @Test
    void shouldTakeTheAddressOfEachPortOfAHost() {
        // given: a host with a cable to each of two leaves, which also reports them
        hears("leaf1", "swp10", "node1", "mac", "02:00:00:00:00:0a", "eth0", STATION, LONG_AGO, "");
        hears("leaf2", "swp10", "node1", "mac", "02:00:00:00:00:0b", "eth1", STATION, LONG_AGO, "");
        hears("leaf1", "swp1", "leaf2", "swp1", BRIDGE);
        hears("leaf2", "swp1", "leaf1", "swp1", BRIDGE);
        hears("node1", "eth0", "leaf1", "swp10", BRIDGE);
        hears("node1", "eth1", "leaf2", "swp10", BRIDGE);
        // when, then
        assertEquals(
                Set.of(
                        "node1.eth0 at leaf1.swp10 02000000000a",
                        "node1.eth1 at leaf2.swp10 02000000000b"),
                hosts(graph()));
    }

    @Test
    void shouldTakeABondForOneHostWhoseAddressNoPortAnnounces() {
        // given: bond 7 of eth0 and eth1, bond 8 of eth2 and eth3
        for (int i = 0; i < 4; i++) {
            final String mac = "02:00:00:00:00:1" + i;
            final String bond = i < 2 ? "7" : "8";
            hears("sw1", "swp" + i, "node1", "mac", mac, "eth" + i, STATION, LONG_AGO, bond);
        }
        // when, then
        assertEquals(
                Set.of(
                        "node1.eth0 at sw1.swp0 000000000000",
                        "node1.eth2 at sw1.swp2 000000000000"),
                hosts(graph()));
    }

    @Test
    void shouldReportAHubThatPassesLldpOn() {
        // given
        hears("sw1", "swp1", "node1", "eth0", STATION);
        hears("sw1", "swp1", "node2", "eth0", STATION);
        hears("node1", "eth0", "sw1", "swp1", BRIDGE);
        hears("node1", "eth0", "node2", "eth0", STATION);
        hears("node2", "eth0", "sw1", "swp1", BRIDGE);
        hears("node2", "eth0", "node1", "eth0", STATION);
        // when
        final GraphException thrown = assertThrows(GraphException.class, this::graph);
        // then
        assertTrue(
                thrown.getMessage()
                        .startsWith(
                                "f.json: port sw1.swp1 has two neighbours, node1.eth0 and"
                                        + " node2.eth0: a switch or hub without LLDP"),
                thrown.getMessage());
    }

    @Test
    void shouldNotTakeFramesOfAnAggregateForFurtherCables() {
        for (final boolean hasBothEnds : List.of(true, false)) {
            // given: a frame that left by swp2 of leaf2 was heard at swp1, too
            reports.clear();
            hears("leaf1", "swp1", "leaf2", "swp1", BRIDGE);
            hears("leaf1", "swp1", "leaf2", "swp2", BRIDGE);
            hears("leaf1", "swp2", "leaf2", "swp2", BRIDGE);
            hears("leaf1", "swp3", "leaf3", "swp1", BRIDGE);
            hears("leaf2", "swp3", "leaf3", "swp2", BRIDGE);
            if (hasBothEnds) {
                hears("leaf2", "swp1", "leaf1", "swp1", BRIDGE);
                hears("leaf2", "swp2", "leaf1", "swp2", BRIDGE);
            }
            // when, then
            assertEquals(
                    Set.of(
                            "leaf1.swp1 leaf2.swp1",
                            "leaf1.swp2 leaf2.swp2",
                            "leaf1.swp3 leaf3.swp1",
                            "leaf2.swp3 leaf3.swp2"),
                    links(graph()));
        }
    }

    @Test
    void shouldForgetWhereANeighbourWasBeforeItMoved() {
        // given: edge1 has left core.p2, where it is listed until its time is over
        hears("core", "p1", "edge1", "up1", BRIDGE);
        hears("core", "p2", "edge1", "up2", BRIDGE);
        hears("core", "p2", "edge2", "up1", BRIDGE);
        hears("edge1", "up1", "core", "p1", BRIDGE);
        hears("edge2", "up1", "core", "p2", BRIDGE);
        // when, then
        assertEquals(Set.of("core.p1 edge1.up1", "core.p2 edge2.up1"), links(graph()));
    }

    @Test
    void shouldTakeTheYoungerReportOfAPort() {
        // given: only core reports, and edge2 came within the time for which edge1 is listed
        hears("core", "p2", "edge1", "up2", BRIDGE);
        hears("core", "p2", "edge2", "ifname", "up1", "", BRIDGE, JUST_NOW, "");
        hears("core", "p3", "edge3", "up1", BRIDGE);
        // when, then
        assertEquals(
                Set.of("edge2 at core.p2 000000000000", "edge3 at core.p3 000000000000"),
                hosts(graph()));
        // and when both have been there for days, both are named
        reports.clear();
        hears("core", "p2", "edge1", "up2", BRIDGE);
        hears("core", "p2", "edge2", "up1", BRIDGE);
        final GraphException thrown = assertThrows(GraphException.class, this::graph);
        assertTrue(
                thrown.getMessage().contains("core.p2 has two neighbours, edge1.up2 and edge2.up1"),
                thrown.getMessage());
    }

    @Test
    void shouldRefuseAnAddressThatIsNone() {
        // given
        hears("leaf1", "swp1", "node1", "mac", "02:00:00:00:0", "eth0", STATION, LONG_AGO, "");
        // when
        final GraphException thrown = assertThrows(GraphException.class, this::graph);
        // then
        assertEquals(
                "f.json: the neighbour at leaf1.swp1 has a port with the MAC address"
                        + " '02:00:00:00:0', which is none",
                thrown.getMessage());
    }
}
