package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb lab status}: the labs of this machine. Picocli makes it. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show the labs of this machine and user.")
final class LabStatusCommand implements Callable<Integer> {
    @Mixin private Output output;

    /** Picocli makes it. */
    LabStatusCommand() {}

    @Override
    public Integer call() {
        final LabRegistry registry = LabRegistry.ofUser();
        final List<LabState> labs = registry.list();
        final List<String> stale = registry.stale();
        if (labs.isEmpty()) {
            output.text().println("no lab is up");
        } else {
            final TextTable table =
                    new TextTable(
                            "lab", "state", "nodes", "shape", "links", "backend", "rate", "mtu",
                            "owner");
            for (final LabState lab : labs) {
                table.row(
                        lab.name(),
                        stale.contains(lab.name()) ? "stale" : lab.isReady() ? "ready" : "starting",
                        nodes(lab),
                        lab.hasSwitches() ? lab.network() : lab.shape(),
                        lab.links(),
                        lab.hasSwitches() ? "switches" : lab.backend(),
                        lab.rateBps() == 0
                                ? "none"
                                : io.hxb.config.Quantity.formatRate(lab.rateBps()),
                        lab.mtuBytes(),
                        lab.ownerPid());
            }
            output.text().print(table);
        }
        if (!stale.isEmpty()) {
            output.text()
                    .println(
                            "stale, remove with 'hxb lab down --stale': "
                                    + String.join(", ", stale));
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        final Map<String, List<Integer>> dead = new LinkedHashMap<>();
        labs.stream()
                .filter(lab -> !lab.deadNodes().isEmpty())
                .forEach(lab -> dead.put(lab.name(), lab.deadNodes()));
        report.put("ok", true);
        report.put("labs", labs);
        report.put("stale", stale);
        report.put("dead_nodes", dead);
        output.report(report);
        return ExitStatus.OK;
    }

    /** Nodes that run: {@code 8}, or {@code 7 of 8, dead: [3]}. */
    private static String nodes(final LabState lab) {
        final int all = lab.spec().shape().nodeCount();
        final List<Integer> dead = lab.deadNodes();
        return dead.isEmpty()
                ? Integer.toString(all)
                : all - dead.size() + " of " + all + ", dead: " + dead;
    }
}
