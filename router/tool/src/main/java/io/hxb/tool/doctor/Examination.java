package io.hxb.tool.doctor;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ConfigException;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;

import java.util.ArrayList;
import java.util.List;

/** All checks of this machine and of a cluster, if one is selected. Stateless. */
public final class Examination {
    private Examination() {}

    /** What they find. */
    public static FindingReport of(final ClusterOptions cluster) {
        final List<FindingGroup> groups = new ArrayList<>();
        groups.add(FindingGroup.of("machine", MachineCheck.run(LabRegistry.ofUser())));
        groups.addAll(ofCluster(cluster));
        return new FindingReport(groups);
    }

    private static List<FindingGroup> ofCluster(final ClusterOptions cluster) {
        if (!cluster.isGiven()) {
            return List.of();
        }
        final List<FindingGroup> groups = new ArrayList<>();
        try {
            final ClusterConfig config = cluster.config();
            final List<Integer> nodes = cluster.nodesHere(config);
            final NodeNames names = new NodeNames(config);
            final List<Finding> ofFile = new ArrayList<>(ClusterCheck.intentions(config));
            ofFile.addAll(ClusterCheck.loops(config, nodes));
            groups.add(FindingGroup.of("cluster file", ofFile));
            for (final int node : nodes) {
                final String coordinates = config.shape().format(config.shape().coordinates(node));
                groups.add(
                        new FindingGroup(
                                names.in("node " + node + " (" + coordinates + ")"),
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
