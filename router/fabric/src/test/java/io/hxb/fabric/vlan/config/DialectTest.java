package io.hxb.fabric.vlan.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.List;

/** Four switches of a Myrinet-Clos network and the settings of each kind of switch. */
@Tag("unit")
class DialectTest {
    /**
     * Two times two switches; s0 has ports 1 and 2 to s2 and s3; VLAN 2 is the stars of s0 and s2,
     * the next of s1 and s3, and 3 to host h0.
     */
    private static SwitchGraph graph() {
        return new SwitchGraphBuilder()
                .addSwitches(4)
                .addLink(0, 2)
                .addLink(0, 3)
                .addLink(1, 2)
                .addLink(1, 3)
                .addHosts(1)
                .build();
    }

    private static VlanPlan plan(final PlanKind kind, final String vids) {
        return new VlanPlanner(kind, 4, VlanIds.parse(vids), new BitSet(), "none")
                .plan(graph(), new DoubleStarTrees(1), "double-star");
    }

    private static SwitchSetup setup(final PlanKind kind, final String vids) {
        return SetupMaker.of(plan(kind, vids)).getFirst();
    }

    private static String full(final String dialect, final PlanKind kind) {
        return Dialect.parse(dialect).full(setup(kind, "2-5"));
    }

    private static void assertLines(final String text, final String expected) {
        final List<String> lines = text.lines().filter(line -> !line.startsWith("#")).toList();
        assertEquals(expected.lines().toList(), lines, text);
    }

    @Test
    void shouldConfigureALinuxBridge() {
        assertLines(
                full("linux", PlanKind.SWITCH_TAGGED),
                """
                set -e
                ip link show dev s0 >/dev/null 2>&1 || ip link add name s0 type bridge
                ip link set dev s0 type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 \
                mcast_snooping 0
                ip link set dev s0p1 master s0
                ip link set dev s0p2 master s0
                ip link set dev s0p3 master s0
                bridge link set dev s0p1 learning off flood off
                bridge vlan add dev s0p1 vid 2
                bridge link set dev s0p2 learning off flood off
                bridge vlan add dev s0p2 vid 2-3
                bridge link set dev s0p3 learning off flood off
                bridge vlan add dev s0p3 vid 3 untagged
                bridge vlan add dev s0p3 vid 2 pvid untagged
                bridge fdb replace 02:48:58:42:00:00 dev s0p3 vlan 2 master static
                bridge fdb replace 02:48:58:42:00:01 dev s0p1 vlan 2 master static
                bridge fdb replace 02:48:58:42:00:02 dev s0p1 vlan 2 master static
                bridge fdb replace 02:48:58:42:00:03 dev s0p2 vlan 2 master static
                bridge fdb replace 02:48:58:42:00:00 dev s0p3 vlan 3 master static
                ip link set dev s0p1 up
                ip link set dev s0p2 up
                ip link set dev s0p3 up
                ip link set dev s0 up
                """);
    }

    @Test
    void shouldConfigureOpenVSwitchByFlowsWhereSwitchesTag() {
        assertLines(
                full("ovs", PlanKind.SWITCH_TAGGED),
                """
                set -e
                ovs-vsctl --may-exist add-br s0 -- set bridge s0 fail_mode=secure \
                ${OVS_DATAPATH_TYPE:+datapath_type=$OVS_DATAPATH_TYPE} \\
                  -- --may-exist add-port s0 s0p1 -- set port s0p1 vlan_mode=[] trunks=[] \\
                  -- --may-exist add-port s0 s0p2 -- set port s0p2 vlan_mode=[] trunks=[] \\
                  -- --may-exist add-port s0 s0p3 -- set port s0p3 vlan_mode=[] trunks=[]
                ovs-ofctl --bundle replace-flows s0 - <<'EOF'
                table=0,priority=0,actions=drop
                table=0,priority=10,in_port="s0p1",dl_vlan=2,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p2",dl_vlan=2,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p2",dl_vlan=3,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p3",vlan_tci=0,actions=mod_vlan_vid:2,resubmit(,1)
                table=1,priority=0,actions=drop
                table=1,priority=10,dl_vlan=2,dl_dst=02:48:58:42:00:00,actions=strip_vlan,output:"s0p3"
                table=1,priority=10,dl_vlan=2,dl_dst=02:48:58:42:00:01,actions=output:"s0p1"
                table=1,priority=10,dl_vlan=2,dl_dst=02:48:58:42:00:02,actions=output:"s0p1"
                table=1,priority=10,dl_vlan=2,dl_dst=02:48:58:42:00:03,actions=output:"s0p2"
                table=1,priority=10,dl_vlan=3,dl_dst=02:48:58:42:00:00,actions=strip_vlan,output:"s0p3"
                table=1,priority=5,dl_vlan=2,dl_dst=01:00:00:00:00:00/01:00:00:00:00:00,\
                actions=output:"s0p1",output:"s0p2",strip_vlan,output:"s0p3"
                table=1,priority=5,dl_vlan=3,dl_dst=01:00:00:00:00:00/01:00:00:00:00:00,\
                actions=output:"s0p2",strip_vlan,output:"s0p3"
                EOF
                ovs-appctl revalidator/purge
                """);
    }

    @Test
    void shouldConfigureOpenVSwitchByTrunksWhereHostsTag() {
        final String text = full("ovs", PlanKind.HOST_TAGGED);
        assertTrue(text.contains("set port s0p2 vlan_mode=trunk trunks=2,3"), text);
        assertTrue(text.contains("set port s0p1 vlan_mode=trunk trunks=2 "), text);
        assertTrue(text.contains("table=0,priority=0,actions=NORMAL"), text);
        assertTrue(text.contains("ovs-appctl fdb/add s0 s0p1 2 02:48:58:42:00:01"), text);
    }

    @Test
    void shouldConfigureSonic() {
        assertLines(
                full("sonic", PlanKind.HOST_TAGGED).replaceAll("(?m)^  \\{.*\n", ""),
                """
                set -e
                config vlan add 2
                config vlan add 3
                config vlan member add 2 Ethernet0
                config vlan member add 2 Ethernet4
                config vlan member add 3 Ethernet4
                config vlan member add 2 Ethernet8
                config vlan member add 3 Ethernet8
                docker exec -i swss sh -c 'cat >/tmp/fdb.json; swssconfig /tmp/fdb.json' <<'EOF'
                [
                ]
                EOF
                config save -y
                """);
        assertTrue(
                full("sonic", PlanKind.HOST_TAGGED)
                        .contains(
                                "{\"FDB_TABLE:Vlan2:02-48-58-42-00-01\": {\"port\": \"Ethernet0\","
                                        + " \"type\": \"static\"}, \"OP\": \"SET\"}"));
    }

    @Test
    void shouldRefuseSonicWhereSwitchesTag() {
        final GraphException e =
                assertThrows(
                        GraphException.class,
                        () -> Dialect.parse("sonic").check(PlanKind.SWITCH_TAGGED));
        assertTrue(e.getMessage().contains("untagged member of one VLAN only"), e.getMessage());
        assertTrue(e.getMessage().contains("--kind host-tagged"), e.getMessage());
    }

    @Test
    void shouldConfigureCumulus() {
        final String text = full("cumulus", PlanKind.SWITCH_TAGGED);
        assertTrue(text.contains("    bridge-ports swp1 swp2 swp3\n    bridge-vids 2-3\n"), text);
        assertTrue(
                text.contains(
                        """
                        # host h0
                        auto swp3
                        iface swp3
                            bridge-vids 2-3
                            bridge-pvid 2
                            bridge-learning off
                            bridge-unicast-flood off
                            post-up bridge vlan add dev swp3 vid 3 untagged
                            post-up bridge fdb replace 02:48:58:42:00:00 dev swp3 vlan 2 master static
                        """),
                text);
    }

    @Test
    void shouldConfigureIosTrunksWhereHostsTag() {
        final String text = full("ios", PlanKind.HOST_TAGGED);
        assertTrue(text.contains("vlan 2-3\n exit\nno spanning-tree vlan 2-3\n"), text);
        assertTrue(
                text.contains(
                        """
                        interface GigabitEthernet1/0/2
                         description switch s3 port 1
                         switchport mode trunk
                         switchport nonegotiate
                         switchport trunk allowed vlan 2-3
                         exit
                        """),
                text);
        assertTrue(
                text.contains(
                        "\nmac address-table static 0248.5842.0001 vlan 2 interface"
                                + " GigabitEthernet1/0/1\n"),
                text);
    }

    @Test
    void shouldConfigureIosGeneralPortsWhereSwitchesTag() {
        final String text = full("ios", PlanKind.SWITCH_TAGGED);
        assertTrue(
                text.contains(
                        """
                        interface GigabitEthernet1/0/3
                         description host h0
                         switchport mode general
                         switchport general allowed vlan remove 1
                         switchport general allowed vlan add 2-3 untagged
                         switchport general pvid 2
                         exit
                        """),
                text);
    }

    @Test
    void shouldConfigurePowerConnect() {
        final String text = full("dell", PlanKind.SWITCH_TAGGED);
        assertTrue(
                text.contains(
                        """
                        interface ethernet g3
                        description 'host h0'
                        switchport mode general
                        switchport general allowed vlan remove 1
                        switchport general allowed vlan add 2-3 untagged
                        switchport general pvid 2
                        exit
                        """),
                text);
        assertTrue(
                text.contains(
                        """
                        interface vlan 3
                        bridge address 02:48:58:42:00:00 ethernet g3 permanent
                        exit
                        """),
                text);
    }

    @Test
    void shouldReportNothingWhereNothingChanges() {
        for (final Dialect dialect : Dialect.all()) {
            final SwitchSetup setup = setup(PlanKind.HOST_TAGGED, "2-5");
            assertEquals("", dialect.changes(setup, setup), dialect::word);
        }
    }

    @Test
    void shouldReportOnlyWhatChanges() {
        // given: the second VLAN has another VID
        final SwitchSetup before = setup(PlanKind.SWITCH_TAGGED, "2-3");
        final SwitchSetup after = setup(PlanKind.SWITCH_TAGGED, "2,7");
        // when, then
        assertLines(
                Dialect.parse("linux").changes(before, after),
                """
                set -e
                bridge fdb del 02:48:58:42:00:00 dev s0p3 vlan 3 master static
                bridge vlan del dev s0p2 vid 3
                bridge vlan add dev s0p2 vid 7
                bridge vlan del dev s0p3 vid 3
                bridge vlan add dev s0p3 vid 7 untagged
                bridge fdb replace 02:48:58:42:00:00 dev s0p3 vlan 7 master static
                """);
        final String dell = Dialect.parse("dell").changes(before, after);
        assertTrue(dell.contains("vlan database\nno vlan 3\nexit\n"), dell);
        assertTrue(dell.contains("interface vlan 3\nno bridge address 02:48"), dell);
        final String ios = Dialect.parse("ios").changes(before, after);
        assertTrue(ios.contains(" switchport general allowed vlan add 7 untagged\n"), ios);
        assertTrue(ios.contains("\nno vlan 3\n"), ios);
        final String ovs = Dialect.parse("ovs").changes(before, after);
        assertTrue(
                ovs.contains("delete_strict table=0,priority=10,in_port=\"s0p2\",dl_vlan=3\n"),
                ovs);
        assertFalse(ovs.contains("dl_vlan=2"), ovs);
        assertTrue(ovs.endsWith("ovs-appctl revalidator/purge\n"), ovs);
    }

    @Test
    void shouldMoveThePvidOfAHost() {
        // given: the two VLANs have exchanged their VIDs
        final SwitchSetup before = setup(PlanKind.SWITCH_TAGGED, "2,3");
        final SwitchSetup after = setup(PlanKind.SWITCH_TAGGED, "3,2");
        // when
        final String linux = Dialect.parse("linux").changes(before, after);
        final String dell = Dialect.parse("dell").changes(before, after);
        // then
        assertTrue(
                linux.contains(
                        """
                        bridge vlan add dev s0p3 vid 2 untagged
                        bridge vlan add dev s0p3 vid 3 pvid untagged
                        """),
                linux);
        assertTrue(dell.contains("interface ethernet g3\nswitchport general pvid 3\nexit\n"), dell);
    }

    @Test
    void shouldRefuseNamesThatCouldMeanSomethingElse() {
        for (final String name : List.of("s0; reboot", "a b", "$(x)", "-rf", "x\ny", "")) {
            final SwitchSetup setup = new SwitchSetup(name, true, List.of(), List.of());
            for (final Dialect dialect : Dialect.all()) {
                assertThrows(GraphException.class, () -> dialect.full(setup), name);
            }
        }
        final SwitchSetup longName =
                new SwitchSetup("a-name-of-16-lon", true, List.of(), List.of());
        assertThrows(GraphException.class, () -> Dialect.parse("linux").full(longName));
        assertThrows(GraphException.class, () -> Dialect.parse("nortel"));
    }
}
