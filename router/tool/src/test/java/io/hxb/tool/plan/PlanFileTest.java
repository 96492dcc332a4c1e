package io.hxb.tool.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.Trees;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

@Tag("unit")
class PlanFileTest {
    private static final VlanPlan PLAN = plan();
    private static final String TEXT = Json.line(PlanFile.of(PLAN, "tops"));

    private static VlanPlan plan() {
        final VlanPlan tops =
                VlanPlanner.of(PlanKind.HOST_TAGGED, 4)
                        .plan(Trees.fatTree(2, 4, 2), new TopTrees(), "tops");
        return tops.withTable(tops.trees().ofHosts(), Map.of(VlanPlan.Pair.of(3, 9), 0));
    }

    @Test
    void shouldReadWhatItHasWritten() {
        final VlanPlan read = PlanFile.parse(TEXT, "net.plan");
        assertEquals(TEXT, Json.line(PlanFile.of(read, "tops")));
        assertEquals(PLAN.exceptions(), read.exceptions());
    }

    @ParameterizedTest
    @CsvSource({
        "'\"low\":3,\"high\":9', '\"low\":3,\"high\":99999'",
        "'\"low\":3,\"high\":9', '\"low\":99998,\"high\":99999'",
        "'\"low\":3,\"high\":9', '\"low\":-1,\"high\":9'",
        "'\"low\":3,\"high\":9', '\"low\":9,\"high\":9'",
        "'\"links\":[', '\"links\":[-1,'",
        "'\"links\":[', '\"links\":[99999,'",
        "'\"links\":[', '\"links\":null,\"x\":['"
    })
    void shouldReportThatAFileIsDamaged(final String part, final String damaged) {
        // given
        final String text = replaceLast(part, damaged);
        assertNotEquals(TEXT, text);
        // when
        final ToolException refusal =
                assertThrows(ToolException.class, () -> PlanFile.parse(text, "net.plan"));
        // then
        assertTrue(refusal.getMessage().contains("net.plan"), refusal::getMessage);
    }

    private static String replaceLast(final String part, final String by) {
        final int index = TEXT.lastIndexOf(part);
        return TEXT.substring(0, index) + by + TEXT.substring(index + part.length());
    }
}
