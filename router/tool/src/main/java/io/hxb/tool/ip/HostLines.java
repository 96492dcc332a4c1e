package io.hxb.tool.ip;

import io.hxb.config.ClusterConfig;
import io.hxb.tap.IpPrefix;

import java.util.List;
import java.util.Map;

/**
 * Lines of a hosts file for nodes: {@code node3.CLUSTER.hxb} and {@code HOST.CLUSTER.hxb}, which
 * NodeNames reads. Stateless.
 */
final class HostLines {
    private HostLines() {}

    /** A line for each address of each node. */
    static String of(final ClusterConfig config, final List<Integer> nodes) {
        final StringBuilder lines = new StringBuilder();
        for (final int node : nodes) {
            for (final IpPrefix prefix : config.ip().prefixes()) {
                lines.append(prefix.address(node))
                        .append(" node")
                        .append(node)
                        .append('.')
                        .append(config.name())
                        .append(".hxb");
                config.hosts().entrySet().stream()
                        .filter(host -> host.getValue() == config.shape().coordinates(node))
                        .map(Map.Entry::getKey)
                        .forEach(
                                host ->
                                        lines.append(' ')
                                                .append(host)
                                                .append('.')
                                                .append(config.name())
                                                .append(".hxb"));
                lines.append('\n');
            }
        }
        return lines.toString();
    }
}
