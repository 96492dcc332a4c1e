package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tap.IpPrefix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Nodes of HXB at the two hosts of a network, with virtual NICs. Used by one thread. */
final class IpNodes implements AutoCloseable {
    static final IpPrefix PREFIX = IpPrefix.parse("10.97.0.0/24");

    private static final double LIMIT_SECONDS = 180;

    private final TcpHosts.Route route;
    private final List<Program> nodes = new ArrayList<>();
    private final List<Path> counters = new ArrayList<>();

    /** Starts them, and waits until they can be used. */
    IpNodes(final BulkNetwork network, final BulkCluster cluster, final BulkWay way)
            throws IOException, InterruptedException {
        cluster.write(way, "", List.of("ip: {prefix: [" + PREFIX + "]}"));
        route = new TcpHosts.Route(false, PREFIX.address(network.number(BulkNetwork.RIGHT)));
        try {
            for (final String host : List.of(BulkNetwork.LEFT, BulkNetwork.RIGHT)) {
                final int number = network.number(host);
                nodes.add(start(network.name(host), cluster.file(way), number));
                counters.add(ClusterConfigYaml.read(cluster.file(way)).countersPath(number));
            }
            for (final Program node : nodes) {
                node.next(LIMIT_SECONDS);
            }
        } catch (final IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Program start(final String namespace, final Path file, final int number)
            throws IOException {
        return Program.start(
                namespace,
                "",
                Peers.hxb(
                        "node",
                        "--config",
                        file.toString(),
                        "--node",
                        Integer.toString(number),
                        "--json"));
    }

    /** The way by virtual NICs. */
    TcpHosts.Route route() {
        return route;
    }

    /** What both have counted. */
    IpCounts counts() throws IOException {
        return IpCounts.of(counters);
    }

    @Override
    public void close() {
        nodes.forEach(Program::close);
    }
}
