package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.tree.TopTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@Tag("unit")
class HostTableTest {
    private static final List<HostRow> ROWS =
            List.of(
                    new HostRow("a", 0x0200_0000_0001L, 11, 0),
                    new HostRow("b", 0x0200_0000_0002L, 12, 1),
                    new HostRow("c", 0x0200_0000_0003L, 13, 2));
    private static final List<Integer> VIDS = List.of(11, 12, 13);

    private static HostTable table(final Map<VlanPlan.Pair, Integer> exceptions) {
        return new HostTable(ROWS, VIDS, exceptions);
    }

    private static String refusal(final List<HostRow> rows, final List<Integer> vids) {
        return assertThrows(
                        IllegalArgumentException.class, () -> new HostTable(rows, vids, Map.of()))
                .getMessage();
    }

    @Test
    void shouldGivePairsTheVidOfTheHigherPriorityOrTheirOwn() {
        final HostTable table = table(Map.of(VlanPlan.Pair.of(2, 1), 11));
        assertEquals(11, table.vid(0, 2));
        assertEquals(11, table.vid(2, 0));
        assertEquals(11, table.vid(1, 2));
        assertEquals(12, table(Map.of()).vid(2, 1));
    }

    @Test
    void shouldHaveTheVidsOfAPlan() {
        // given: a plan with an exception
        final VlanPlan tops =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4)
                        .plan(Trees.fatTree(2, 4, 2), new TopTrees(), "tops");
        final int[] defaults = new int[tops.graph().hostCount()];
        for (int host = 0; host < defaults.length; host++) {
            defaults[host] = tops.vlanOf(host);
        }
        final VlanPlan plan = tops.withTable(defaults, Map.of(VlanPlan.Pair.of(3, 9), 0));
        // when
        final HostTable table = HostTable.of(plan);
        // then
        for (int a = 0; a < defaults.length; a++) {
            assertEquals(a, table.hostOf(SetupMaker.mac(plan.graph(), a)));
            assertEquals(a, table.hostOf(plan.graph().hostName(a)));
            for (int b = 0; b < defaults.length; b++) {
                if (a != b) {
                    assertEquals(plan.vid(plan.vlanOf(a, b)), table.vid(a, b), a + " to " + b);
                }
            }
        }
        assertEquals(-1, table.hostOf(42));
        assertEquals(-1, table.hostOf("nobody"));
    }

    @Test
    void shouldRefuseTablesThatContradictThemselves() {
        // given
        final List<HostRow> rows = new ArrayList<>(ROWS);
        rows.set(1, new HostRow("b", ROWS.get(0).mac(), 4000, ROWS.get(0).rank()));
        // when
        final String message = refusal(rows, VIDS);
        // then
        assertTrue(message.contains("b has the MAC address of another host"), message);
        assertTrue(message.contains("b has the rank of another host"), message);
        assertTrue(message.contains("VID 4000 of b is not in the plan"), message);
    }

    @Test
    void shouldRefuseVidsAndPairsThatThereAreNot() {
        for (final int vid : List.of(0, 4095, -1)) {
            assertTrue(refusal(ROWS, List.of(11, 12, 13, vid)).contains("1 to 4094"));
        }
        assertTrue(refusal(ROWS, List.of(11, 12, 13, 11)).contains("each once"));
        for (final VlanPlan.Pair pair :
                List.of(
                        new VlanPlan.Pair(1, 1),
                        new VlanPlan.Pair(-1, 2),
                        VlanPlan.Pair.of(1, 3))) {
            assertThrows(IllegalArgumentException.class, () -> table(Map.of(pair, 11)));
        }
        assertThrows(
                IllegalArgumentException.class, () -> table(Map.of(VlanPlan.Pair.of(0, 1), 14)));
    }

    @Test
    void shouldDistinguishNetworksAndNotTheirPaths() {
        final List<HostRow> others = new ArrayList<>(ROWS);
        others.set(2, new HostRow("c", 0x0200_0000_0009L, 13, 2));
        final long fingerprint = table(Map.of()).fingerprint();
        assertEquals(fingerprint, table(Map.of(VlanPlan.Pair.of(0, 1), 13)).fingerprint());
        assertNotEquals(fingerprint, new HostTable(others, VIDS, Map.of()).fingerprint());
        assertNotEquals(
                fingerprint, new HostTable(ROWS, List.of(11, 12, 13, 14), Map.of()).fingerprint());
    }
}
