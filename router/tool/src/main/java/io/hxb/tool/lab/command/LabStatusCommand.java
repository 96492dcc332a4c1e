package io.hxb.tool.lab.command;

import io.hxb.config.Quantity;
import io.hxb.tool.lab.LabAdvice;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabHealth;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb lab status}: the labs of this machine. Picocli makes it. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show the labs of this machine, and what is wrong with them.")
final class LabStatusCommand implements Callable<Integer> {
    private static final int MAX_PROBLEMS = 10;
    private static final int MAX_CABLES = 64;
    private static final int CABLES_IN_LINE = 4;

    @Mixin private Output output;

    /** Picocli makes it. */
    LabStatusCommand() {}

    @Override
    public Integer call() {
        final LabRegistry registry = LabRegistry.ofUser();
        final List<LabState> labs = registry.list();
        final List<String> stale = registry.stale();
        if (!output.isJson()) {
            final Map<String, LabHealth> health = new LinkedHashMap<>();
            labs.stream()
                    .filter(lab -> !lab.hasSwitches() && !stale.contains(lab.name()))
                    .forEach(lab -> health.put(lab.name(), LabHealth.of(registry, lab)));
            output.text().print(text(labs, stale, health, LabAdvice.program()));
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

    /**
     * What people read: a table of the labs, and what is wrong.
     *
     * @param stale names of labs whose owners have ended, also of such without a state.
     * @param health of each lab of nodes that is not stale, by its name.
     * @param program how this program was called.
     */
    static String text(
            final List<LabState> labs,
            final List<String> stale,
            final Map<String, LabHealth> health,
            final String program) {
        final StringBuilder text = new StringBuilder();
        if (labs.isEmpty()) {
            text.append("no lab is up\n");
        } else {
            text.append(table(labs, stale, health));
            labs.stream()
                    .filter(lab -> lab.cabling() != null)
                    .forEach(lab -> text.append(cables(lab.name(), lab.cabling().cables())));
        }
        final List<String> lines = new ArrayList<>();
        stale.forEach(
                lab ->
                        lines.add(
                                lab
                                        + ": its process has ended, its files or namespaces are"
                                        + " left: "
                                        + program
                                        + " lab down --stale"));
        final List<Map.Entry<String, LabHealth.Problem>> problems = new ArrayList<>();
        health.forEach(
                (lab, each) ->
                        each.problems().forEach(problem -> problems.add(Map.entry(lab, problem))));
        problems.sort(
                Comparator.comparing(
                        entry -> entry.getValue().urgency(), Comparator.reverseOrder()));
        problems.stream()
                .limit(MAX_PROBLEMS)
                .forEach(entry -> lines.add(entry.getValue().line(program, entry.getKey())));
        if (problems.size() > MAX_PROBLEMS) {
            lines.add("and " + (problems.size() - MAX_PROBLEMS) + " more: " + program + " doctor");
        }
        if (lines.isEmpty() && !labs.isEmpty()) {
            lines.add("nothing needs attention");
        }
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private static TextTable table(
            final List<LabState> labs,
            final List<String> stale,
            final Map<String, LabHealth> health) {
        final TextTable table =
                new TextTable(
                        "lab",
                        "state",
                        "running",
                        "links good",
                        "shape",
                        "links each",
                        "backend",
                        "rate",
                        "mtu",
                        "owner");
        for (final LabState lab : labs) {
            final LabHealth each = health.get(lab.name());
            table.row(
                    lab.name(),
                    stale.contains(lab.name()) ? "stale" : lab.isReady() ? "ready" : "starting",
                    each == null ? hosts(lab) : each.running() + "/" + each.nodes(),
                    each == null ? "-" : each.goodLinks() + "/" + each.links(),
                    graph(lab),
                    lab.cabling() == null ? lab.links() : lab.cabling().linkCountsText(),
                    lab.hasSwitches() ? "switches" : lab.backend(),
                    lab.rateBps() == 0 ? "none" : Quantity.formatRate(lab.rateBps()),
                    lab.mtuBytes(),
                    lab.ownerPid());
        }
        return table;
    }

    private static String graph(final LabState lab) {
        if (lab.hasSwitches()) {
            return lab.network();
        }
        return lab.cabling() == null ? lab.shape() : lab.cabling().graph();
    }

    /** The cables of a lab, some in a line. */
    private static String cables(final String lab, final List<LabCabling.Cable> cables) {
        final StringBuilder text = new StringBuilder();
        final int shown = Math.min(cables.size(), MAX_CABLES);
        for (int i = 0; i < shown; i++) {
            if (i % CABLES_IN_LINE == 0) {
                text.append(i == 0 ? "" : "\n").append(lab).append(": cables ");
            } else {
                text.append(", ");
            }
            text.append(cables.get(i));
        }
        if (shown < cables.size()) {
            text.append("\n").append(lab).append(": and ").append(cables.size() - shown);
            text.append(" more cables, see --json");
        }
        return text.append('\n').toString();
    }

    private static String hosts(final LabState lab) {
        return lab.hasSwitches() ? Integer.toString(lab.spec().shape().nodeCount()) : "-";
    }
}
