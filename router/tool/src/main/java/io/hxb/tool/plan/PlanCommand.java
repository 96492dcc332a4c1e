package io.hxb.tool.plan;

import io.hxb.tool.option.MissingCommand;
import io.hxb.tool.plan.routes.CheckCommand;
import io.hxb.tool.plan.routes.CompareCommand;
import io.hxb.tool.plan.routes.RoutesCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code hxb plan}: the group of planning commands. Picocli makes it. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description = "Plan routes and VLANs for networks of plain switches.",
        subcommands = {
            RoutesCommand.class,
            CheckCommand.class,
            CompareCommand.class,
            VlanPlanCommand.class
        })
public final class PlanCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    public PlanCommand() {}

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
