package io.hxb.tool.plan;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.tool.graph.GraphFile;

import java.io.IOException;

/** Plans that {@code hxb plan vlan --save} has written. Stateless. */
public final class SavedPlan {
    private SavedPlan() {}

    /**
     * Reads a plan.
     *
     * @throws io.hxb.tool.report.ToolException if there is no such file, or it is no plan.
     */
    public static VlanPlan read(final String file) throws IOException {
        return PlanFile.parse(GraphFile.text(file), file);
    }
}
