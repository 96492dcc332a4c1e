package io.hxb.fabric.vlan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.config.SwitchSetup;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.vlan.HostTable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.List;

/** Plans for hosts with several NICs. */
@Tag("unit")
class HostNicsTest {
    private static VlanPlan plan(final SwitchGraph graph) {
        return VlanPlanner.of(PlanKind.HOST_TAGGED, 16).plan(graph, new TopTrees(), "tops");
    }

    private static int nicOf(final VlanPlan plan, final int a, final int b) {
        return HostNics.of(plan.graph()).nic(a, plan.tree(plan.vlanOf(a, b)));
    }

    @Test
    void shouldGiveEachNetworkItsVlansAndPairsTheNicsInTurn() {
        // given
        final VlanPlan plan = plan(Rails.of(Trees.vbft(4, 4, 4), 2));
        // then
        assertEquals(8, plan.vlanCount());
        assertEquals(2, plan.spread().nicCount());
        final int[] pairsOfNic = new int[2];
        for (int a = 0; a < 16; a++) {
            final int[] ofHost = new int[2];
            for (int b = 0; b < 16; b++) {
                if (a != b) {
                    final int nic = nicOf(plan, a, b);
                    assertEquals(nic, nicOf(plan, b, a));
                    assertEquals(plan.vlanOf(a, b), plan.vlanOf(b, a));
                    ofHost[nic]++;
                    pairsOfNic[nic]++;
                    checkPath(plan, a, b);
                }
            }
            assertTrue(Math.abs(ofHost[0] - ofHost[1]) <= 1, "host " + a);
        }
        assertEquals(pairsOfNic[0] + pairsOfNic[1], 16 * 15);
    }

    /** From the host's NIC by switches of one network to the other host. */
    private static void checkPath(final VlanPlan plan, final int a, final int b) {
        final SwitchGraph graph = plan.graph();
        final char network = (char) ('a' + nicOf(plan, a, b));
        final int[] path = plan.path(a, b);
        assertTrue(path.length == 2 || path.length == 4, "links: " + path.length);
        for (int i = 0; i + 1 < path.length; i++) {
            final String name = graph.switchName(graph.target(path[i]));
            assertEquals(network, name.charAt(name.length() - 1), name);
        }
    }

    @Test
    void shouldGiveATableEqualToThePlan() {
        final VlanPlan plan = plan(Rails.of(Trees.vbft(4, 4, 4), 3));
        final HostTable table = HostTable.of(plan);
        for (int a = 0; a < 16; a++) {
            for (int b = 0; b < 16; b++) {
                if (a != b) {
                    assertEquals(plan.vid(plan.vlanOf(a, b)), table.vid(a, b));
                    assertEquals(nicOf(plan, a, b), table.nic(table.vid(a, b)));
                }
            }
        }
    }

    @Test
    void shouldConfigureSwitchesOnlyForTheVlansOfTheirNetwork() {
        // given
        final VlanPlan plan = plan(Rails.of(Trees.vbft(2, 2, 2), 2));
        // when
        final List<SwitchSetup> setups = SetupMaker.of(plan);
        // then: four switches in each network, and no host among them
        assertEquals(8, setups.size());
        for (final SwitchSetup setup : setups) {
            final int nic = setup.name().endsWith("a") ? 0 : 1;
            final BitSet ofNetwork = new BitSet();
            ofNetwork.set(plan.vid(2 * nic));
            ofNetwork.set(plan.vid(2 * nic + 1));
            final BitSet others = setup.vids();
            others.andNot(ofNetwork);
            assertTrue(others.isEmpty() && !setup.vids().isEmpty(), setup.name());
            for (final SwitchSetup.Port port : setup.ports()) {
                assertEquals(port.isHost(), port.peer().startsWith("host "));
                assertTrue(!port.isHost() || port.peer().endsWith(" NIC " + nic));
            }
        }
    }

    @Test
    void shouldOptimiseOverBothNetworks() {
        // given: all hosts of one switch send to those of another
        final VlanPlan plan = plan(Rails.of(Trees.vbft(2, 2, 4), 2));
        final TrafficMatrix.Builder traffic = new TrafficMatrix.Builder();
        for (int host = 0; host < 4; host++) {
            traffic.add(host, host + 4, 1);
        }
        // then
        assertEquals(1, VidOptimiser.optimise(plan, traffic.build(), 1).load(), 1e-9);
    }

    @Test
    void shouldPlanTwoNicsIntoOneNetwork() {
        // given: two switches, each host on both, and a top switch
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        final int left = builder.addSwitch("left");
        final int right = builder.addSwitch("right");
        final int top = builder.addSwitch("top");
        builder.addLink(left, top).addLink(right, top);
        for (int host = 0; host < 3; host++) {
            final int node = builder.addSwitch("h" + host);
            builder.addLink(node, left).addLink(node, right);
            builder.addHost("h" + host, node, HostNics.PORT, 0, 0);
        }
        // when
        final VlanPlan plan = plan(builder.build());
        // then
        assertEquals(2, plan.vlanCount());
        assertEquals(2, plan.spread().nicCount());
        assertEquals(nicOf(plan, 0, 1), 1 - nicOf(plan, 0, 2));
    }

    @Test
    void shouldRefuseHostsThatDifferAndSwitchesThatTag() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(1).addHosts(1);
        final int node = builder.addSwitch("x");
        builder.addLink(node, 0).addHost("x", node, HostNics.PORT, 0, 0);
        final SwitchGraph graph = builder.build();
        assertThrows(GraphException.class, () -> HostNics.of(graph));
        assertThrows(
                GraphException.class,
                () ->
                        VlanPlanner.of(PlanKind.SWITCH_TAGGED, 16)
                                .plan(Rails.of(Trees.vbft(2, 2, 2), 2), new TopTrees(), "tops"));
    }

    @Test
    void shouldSpreadWhereNicsHaveDifferentNumbersOfVlans() {
        final NicSpread spread = NicSpread.of(0, 0, 0, 1);
        final int[] vlans = new int[6];
        for (int sum = 0; sum < 6; sum++) {
            vlans[sum] = spread.vlan(sum % 3, 0, sum);
        }
        assertArrayEquals(new int[] {0, 3, 2, 3, 1, 3}, vlans);
    }
}
