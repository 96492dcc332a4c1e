package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb lab down}: removes a lab, or all of them. Picocli makes it. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        description = "Remove a lab with everything it made.")
final class LabDownCommand implements Callable<Integer> {
    @Option(
            names = "--name",
            paramLabel = "LAB",
            description = "remove the lab of this name (default: lab)")
    private String named;

    @Option(
            names = "--all",
            description = "remove all labs of this machine and user, stale ones too")
    private boolean isAll;

    @Option(names = "--stale", description = "remove only labs whose owner has died")
    private boolean isStale;

    @Mixin private Output output;

    /** Picocli makes it. */
    LabDownCommand() {}

    @Override
    public Integer call() {
        if ((isAll && isStale) || ((isAll || isStale) && named != null)) {
            throw new UsageException("--all, --stale and --name exclude each other: give one");
        }
        final String name = named == null ? "lab" : named;
        final LabRegistry registry = LabRegistry.ofUser();
        final List<String> stale = registry.stale();
        final List<String> names = new ArrayList<>();
        if (isAll || isStale) {
            names.addAll(stale);
            registry.list().stream()
                    .map(LabState::name)
                    .filter(lab -> isAll && !stale.contains(lab))
                    .forEach(names::add);
        } else {
            if (registry.find(name).isEmpty() && !stale.contains(name)) {
                registry.require(name);
            }
            names.add(name);
        }
        for (final String lab : names) {
            registry.remove(lab);
            registry.forgetLog(lab);
            output.text().println("removed lab " + lab + (stale.contains(lab) ? " (stale)" : ""));
        }
        if (names.isEmpty()) {
            output.text().println("no lab to remove");
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("removed", names);
        output.report(report);
        return ExitStatus.OK;
    }
}
