package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;
import io.hxb.tool.doctor.ClusterCheck;
import io.hxb.tool.doctor.Finding;
import io.hxb.tool.doctor.MachineCheck;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb doctor}: what is wrong here, and how to fix it. Picocli makes it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        header = "Finds what is wrong with this machine or its cluster.",
        description =
                "Examines this machine, a cluster file and the running node; says how to fix each"
                        + " finding.")
final class DoctorCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    /** Picocli makes it. */
    DoctorCommand() {}

    @Override
    public Integer call() {
        final List<Finding> findings = new ArrayList<>(MachineCheck.run(LabRegistry.ofUser()));
        findings.addAll(ofCluster());
        for (final Finding finding : findings) {
            output.text()
                    .printf("%-5s %-20s %s%n", finding.level(), finding.subject(), finding.text());
            if (!finding.fix().isEmpty()) {
                output.text().printf("%-5s %-20s -> %s%n", "", "", finding.fix());
            }
        }
        final boolean isOk =
                findings.stream().noneMatch(finding -> finding.level() == Finding.Level.FAIL);
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("findings", findings);
        output.report(report);
        return isOk ? Hxb.OK : Hxb.FAILED;
    }

    private List<Finding> ofCluster() {
        if (!cluster.isGiven()) {
            return List.of();
        }
        final ClusterConfig config;
        try {
            config = cluster.config();
        } catch (final ConfigException e) {
            return e.problems().stream()
                    .map(problem -> Finding.failed("configuration", problem))
                    .toList();
        }
        final List<Finding> findings = new ArrayList<>();
        final List<Integer> nodes = cluster.nodesHere(config);
        for (final int node : nodes) {
            findings.addAll(ClusterCheck.run(config, node));
        }
        findings.addAll(ClusterCheck.loops(config, nodes));
        return findings;
    }
}
