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

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;

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
                ip -o link show master s0 | sed 's/^[0-9]*: \\([^:@]*\\).*/\\1/' | while read -r port; do
                  ip link set dev "$port" nomaster
                done
                ip link set dev s0 type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 \
                mcast_snooping 0 group_fwd_mask 0
                ip link set dev s0p1 master s0
                ip link set dev s0p2 master s0
                ip link set dev s0p3 master s0
                bridge link set dev s0p1 learning off flood off
                bridge link set dev s0p2 learning off flood off
                bridge link set dev s0p3 learning off flood off
                bridge vlan add dev s0p1 vid 2
                bridge vlan add dev s0p2 vid 2-3
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
                ${OVS_DATAPATH_TYPE:+datapath_type=$OVS_DATAPATH_TYPE}
                for port in $(ovs-vsctl list-ports s0); do
                  case ' s0p1 s0p2 s0p3 ' in *" $port "*) ;; *) ovs-vsctl del-port s0 "$port" ;; esac
                done
                ovs-vsctl del-controller s0 -- set bridge s0 fail_mode=secure protocols=[] \
                stp_enable=false rstp_enable=false mcast_snooping_enable=false flood_vlans=[] \
                other_config:forward-bpdu=true other_config:mac-aging-time=300 \
                other_config:mac-table-size=8192 \\
                  -- --may-exist add-port s0 s0p1 -- set port s0p1 tag=[] vlan_mode=[] trunks=[] \\
                  -- --may-exist add-port s0 s0p2 -- set port s0p2 tag=[] vlan_mode=[] trunks=[] \\
                  -- --may-exist add-port s0 s0p3 -- set port s0p3 tag=[] vlan_mode=[] trunks=[]
                ovs-ofctl --bundle replace-flows s0 - <<'EOF'
                table=0,priority=0,actions=drop
                table=0,priority=10,in_port="s0p1",dl_vlan=2,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p2",dl_vlan=2,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p2",dl_vlan=3,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p3",dl_vlan=0,actions=mod_vlan_vid:2,resubmit(,1)
                table=0,priority=10,in_port="s0p3",dl_vlan=2,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p3",dl_vlan=3,actions=resubmit(,1)
                table=0,priority=10,in_port="s0p3",vlan_tci=0,actions=mod_vlan_vid:2,resubmit(,1)
                table=0,priority=20,dl_dst=01:80:c2:00:00:00/ff:ff:ff:ff:ff:f0,actions=drop
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
        assertTrue(text.contains("set port s0p2 tag=[] vlan_mode=trunk trunks=2,3"), text);
        assertTrue(text.contains("set port s0p1 tag=[] vlan_mode=trunk trunks=2 "), text);
        assertTrue(text.contains("table=0,priority=0,actions=NORMAL"), text);
        assertTrue(text.contains("01:80:c2:00:00:00/ff:ff:ff:ff:ff:f0,actions=drop"), text);
        assertTrue(text.contains("\ns0p1 2 02:48:58:42:00:01\n"), text);
        // eight addresses leave room for as many others as usual, before they are set
        final int size = text.indexOf("other_config:mac-table-size=8200 ");
        assertTrue(size > 0 && size < text.indexOf("fdb/add"), text);
    }

    @Test
    void shouldConfigureSonic() {
        final String text = full("sonic", PlanKind.HOST_TAGGED);
        assertTrue(
                text.contains(
                        """
                        vlan 2
                        vlan 3
                        switched Ethernet0
                        join 2 Ethernet0
                        switched Ethernet4
                        join 2 Ethernet4
                        join 3 Ethernet4
                        switched Ethernet8
                        join 2 Ethernet8
                        join 3 Ethernet8
                        """),
                text);
        assertTrue(
                text.contains(
                        "{\"FDB_TABLE:Vlan2:02-48-58-42-00-01\": {\"port\": \"Ethernet0\","
                                + " \"type\": \"static\"}, \"OP\": \"SET\"}"),
                text);
        assertTrue(text.endsWith("\nconfig save -y\n"), text);
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
        // a port is not in the bridge when its own commands run
        assertTrue(
                text.contains(
                        """
                            post-up bridge vlan add dev swp1 vid 2
                            post-up bridge vlan add dev swp2 vid 2-3
                            post-up bridge vlan add dev swp3 vid 3 untagged
                            post-up bridge vlan add dev swp3 vid 2 pvid untagged
                            post-up bridge fdb replace 02:48:58:42:00:00 dev swp3 vlan 2 master static
                        """),
                text);
        assertTrue(
                text.endsWith(
                        """
                        # host h0
                        auto swp3
                        iface swp3
                            bridge-vids 2-3
                            bridge-pvid 2
                            bridge-learning off
                            bridge-unicast-flood off
                        """),
                text);
        assertTrue(text.indexOf("fdb del") < text.indexOf("fdb replace"), text);
    }

    @Test
    void shouldWriteTheWholeFileOfCumulusWhereItChanges() {
        final SwitchSetup after = setup(PlanKind.SWITCH_TAGGED, "2,7");
        final Dialect cumulus = Dialect.parse("cumulus");
        final String changes =
                cumulus.changes(setup(PlanKind.SWITCH_TAGGED, "2-3"), after)
                        .replaceFirst("#.*\n", "");
        assertEquals(cumulus.full(after).replaceFirst("#.*\n", ""), changes);
    }

    @Test
    void shouldConfigureIosTrunksWhereHostsTag() {
        final String text = full("ios", PlanKind.HOST_TAGGED);
        assertTrue(text.contains("\nconfigure terminal\nvlan 2-3\n exit\ninterface"), text);
        assertTrue(text.endsWith("\nend\n"), text);
        assertFalse(text.contains("encapsulation"), text);
        // trunks carry all VLANs until they are told otherwise
        assertTrue(text.indexOf("no spanning-tree") > text.lastIndexOf("allowed vlan"), text);
        assertTrue(
                text.contains(
                        """
                        interface GigabitEthernet1/0/2
                         description switch s3 port 1
                         switchport
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
    void shouldNameTheEncapsulationWhereThereAreTwo() {
        final String text = full("ios:3560", PlanKind.HOST_TAGGED);
        assertTrue(
                text.contains(
                        """
                        interface GigabitEthernet0/2
                         description switch s3 port 1
                         switchport
                         switchport trunk encapsulation dot1q
                         switchport mode trunk
                        """),
                text);
    }

    @Test
    void shouldKeepLinesShortEnoughForTheCommandLine() {
        // given: VLANs that make no ranges
        final BitSet vids = new BitSet();
        for (int vid = 2; vid < 4000; vid += 2) {
            vids.set(vid);
        }
        vids.clear(1002, 1006);
        final SwitchSetup setup =
                new SwitchSetup(
                        "s0",
                        true,
                        List.of(
                                new SwitchSetup.Port(
                                        "1", 1, "host h0", true, 0, new BitSet(), vids)),
                        List.of());
        for (final Dialect dialect :
                List.of(Dialect.parse("ios"), Dialect.parse("ios:3560"), Dialect.parse("dell"))) {
            // when
            final String text = dialect.full(setup);
            // then: short lines, with every VLAN once for the switch, and once for the port
            text.lines().forEach(line -> assertTrue(line.length() <= 254, line));
            assertEquals(
                    vids, vidsOf(text, " *switchport (trunk|general) allowed vlan (add )?[0-9].*"));
            assertEquals(vids, vidsOf(text, "vlan [0-9].*"));
        }
    }

    private static BitSet vidsOf(final String text, final String command) {
        final BitSet vids = new BitSet();
        text.lines()
                .filter(line -> line.matches(command))
                .flatMap(line -> Stream.of(line.replaceAll("[^0-9,]", "").split(",", -1)))
                .mapToInt(Integer::parseInt)
                .peek(vid -> assertFalse(vids.get(vid), () -> "twice: " + vid))
                .forEach(vids::set);
        return vids;
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
        assertConfinedFirst(text);
    }

    /** Without spanning tree, ports that are still in VLAN 1 would close loops. */
    private static void assertConfinedFirst(final String text) {
        final int off = text.indexOf("\nno spanning-tree\nspanning-tree bpdu filtering\n");
        assertTrue(off > text.lastIndexOf("switchport"), text);
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
        assertConfinedFirst(text);
        assertTrue(text.indexOf("no bridge address") < text.indexOf("\nbridge address"), text);
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
                bridge fdb del 02:48:58:42:00:00 dev s0p3 vlan 3 master static 2>/dev/null || :
                bridge vlan del dev s0p2 vid 3
                bridge vlan del dev s0p3 vid 3
                bridge vlan add dev s0p2 vid 7
                bridge vlan add dev s0p3 vid 7 untagged
                bridge fdb replace 02:48:58:42:00:00 dev s0p3 vlan 7 master static
                """);
        final String dell = Dialect.parse("dell").changes(before, after);
        assertTrue(dell.contains("vlan database\nno vlan 3\nexit\n"), dell);
        assertTrue(dell.contains("interface vlan 3\nno bridge address 02:48"), dell);
        final String ios = Dialect.parse("ios").changes(before, after);
        assertTrue(ios.contains(" switchport general allowed vlan add 7 untagged\n"), ios);
        assertTrue(ios.contains("\nno vlan 3\n"), ios);
        assertFalse(ios.contains("spanning-tree"), ios);
        final String ovs = Dialect.parse("ovs").changes(before, after);
        assertFalse(ovs.contains("ovs-vsctl"), ovs);
        assertFalse(ovs.contains("dl_vlan=3"), ovs);
        assertTrue(ovs.contains("in_port=\"s0p2\",dl_vlan=7,actions=resubmit(,1)\n"), ovs);
        assertTrue(ovs.endsWith("ovs-appctl revalidator/purge\n"), ovs);
    }

    /** The same without the port to a neighbour: what was reached there is reached no more. */
    private static SwitchSetup without(final SwitchSetup setup, final String port) {
        return new SwitchSetup(
                setup.name(),
                setup.isLearning(),
                setup.ports().stream().filter(one -> !one.name().equals(port)).toList(),
                setup.macs().stream().filter(one -> !one.port().equals(port)).toList());
    }

    @Test
    void shouldRemoveFlowsBeforeThePortsThatTheyName() {
        final SwitchSetup before = setup(PlanKind.SWITCH_TAGGED, "2-3");
        final String text = Dialect.parse("ovs").changes(before, without(before, "1"));
        assertTrue(text.contains("replace-flows s0 - <<'EOF'\n"), text);
        assertFalse(text.contains("\"s0p1\""), text);
        assertTrue(text.indexOf("del-port s0 s0p1\n") > text.indexOf("EOF\n"), text);
    }

    @Test
    void shouldNotStopWherePortsAndAddressesAreGoneAlready() {
        final SwitchSetup before = setup(PlanKind.HOST_TAGGED, "2-3");
        final SwitchSetup after = without(before, "1");
        final String ovs = Dialect.parse("ovs").changes(before, after);
        assertTrue(
                ovs.contains("fdb/del s0 2 02:48:58:42:00:01 >/dev/null 2>&1 || :\n"), () -> ovs);
        assertTrue(ovs.contains("--if-exists del-port s0 s0p1"), ovs);
        final String linux = Dialect.parse("linux").changes(before, after);
        assertLines(
                linux,
                """
                set -e
                ! ip link show dev s0p1 >/dev/null 2>&1 || ip link set dev s0p1 nomaster
                """);
        final String back = Dialect.parse("linux").changes(after, before);
        assertTrue(back.contains("ip link set dev s0p1 master s0\n"), back);
        assertTrue(back.endsWith("ip link set dev s0p1 up\n"), back);
    }

    @Test
    void shouldSetTheAddressesOfAPortAgainWhenItsVlansChange() {
        // given: a port gets a VLAN; Open vSwitch then forgets its addresses
        final SwitchSetup after = setup(PlanKind.HOST_TAGGED, "2-3");
        final List<SwitchSetup.Port> ports = new ArrayList<>(after.ports());
        final BitSet one = new BitSet();
        one.set(2);
        ports.set(1, new SwitchSetup.Port("2", 2, "switch", false, 0, new BitSet(), one));
        final SwitchSetup before = new SwitchSetup("s0", true, ports, after.macs());
        // when
        final String text = Dialect.parse("ovs").changes(before, after);
        // then
        assertTrue(text.contains("fdb/add s0 s0p2 2 02:48:58:42:00:03 "), text);
        assertFalse(text.contains("fdb/add s0 s0p1"), text);
    }

    @Test
    void shouldWarnOfVidsThatSomeSwitchesKeep() {
        final BitSet vids = new BitSet();
        vids.set(3700);
        vids.set(4000);
        assertEquals(List.of(), Dialect.parse("linux").warnings(vids));
        assertEquals(1, Dialect.parse("cumulus").warnings(vids).size());
        assertTrue(Dialect.parse("cumulus").warnings(vids).getFirst().contains("4.3"));
        final String ios = Dialect.parse("ios").warnings(vids).toString();
        assertTrue(ios.contains("vtp mode transparent") && ios.contains("Nexus"), ios);
        vids.clear();
        vids.set(1001);
        assertEquals(List.of(), Dialect.parse("ios").warnings(vids));
        for (final String word : List.of("ios", "ios:3560", "dell", "sonic")) {
            assertTrue(Dialect.parse(word).reservedVids().get(1), word);
        }
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
