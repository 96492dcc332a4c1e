package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb doctor}: what is wrong here, and how to fix it. Picocli makes it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        header = "Report what is wrong here, and how to fix it.",
        description =
                "Examine this machine, a cluster file, its NICs and the running nodes. "
                        + "Warnings cost speed or comfort; failures keep something from working, "
                        + "and the exit status is then 1.")
public final class DoctorCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(names = "--all", description = "show the checks that passed, too")
    private boolean isAll;

    /** Picocli makes it. */
    DoctorCommand() {}

    @Override
    public Integer call() {
        final List<FindingGroup> groups = new ArrayList<>();
        groups.add(FindingGroup.of("machine", MachineCheck.run(LabRegistry.ofUser())));
        groups.addAll(ofCluster());
        final FindingReport findings = new FindingReport(groups);
        if (!cluster.isGiven()) {
            output.text().println("no cluster file and no lab: only the machine is examined");
        }
        output.text().print(findings.text(isAll));
        output.report(findings.report());
        return ExitStatus.of(findings.isOk());
    }

    private List<FindingGroup> ofCluster() {
        if (!cluster.isGiven()) {
            return List.of();
        }
        final List<FindingGroup> groups = new ArrayList<>();
        try {
            final ClusterConfig config = cluster.config();
            final List<Integer> nodes = cluster.nodesHere(config);
            final List<Finding> ofFile = new ArrayList<>(ClusterCheck.intentions(config));
            ofFile.addAll(ClusterCheck.loops(config, nodes));
            groups.add(FindingGroup.of("cluster file", ofFile));
            for (final int node : nodes) {
                final String coordinates = config.shape().format(config.shape().coordinates(node));
                groups.add(
                        new FindingGroup(
                                "node " + node + " (" + coordinates + ")",
                                node,
                                ClusterCheck.run(config, node)));
            }
        } catch (final ConfigException e) {
            groups.add(
                    FindingGroup.of(
                            "cluster file",
                            e.problems().stream()
                                    .map(problem -> Finding.failed("configuration", problem))
                                    .toList()));
        }
        return groups;
    }
}
