package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.yaml.ClusterConfigYaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Cluster files of the hosts of a {@link BulkNetwork}, one for each way in which frames cross the
 * links. Used by one thread.
 */
final class BulkCluster implements AutoCloseable {
    private static final String PORT = "20000";

    private final BulkNetwork network;
    private final TemporaryFolder folder = new TemporaryFolder();

    /** Writes those of the ways that the network has. */
    BulkCluster(final BulkNetwork network) throws IOException {
        this.network = network;
        if (BenchNetwork.isLoopback()) {
            write(BulkWay.UDP_TRAINS, "");
            return;
        }
        for (final BulkWay way : BulkWay.values()) {
            if (way.isRaw() || !network.hasRelay()) {
                write(way, "");
            }
        }
    }

    /**
     * Writes one.
     *
     * @param loop keys of the loops, as {@code a: b, c: d}; empty for the defaults.
     */
    void write(final BulkWay way, final String loop) throws IOException {
        write(way, loop, List.of());
    }

    /** The same with further lines. */
    void write(final BulkWay way, final String loop, final List<String> more) throws IOException {
        final List<String> lines = new ArrayList<>();
        lines.add("name: bulk-" + ProcessHandle.current().pid());
        lines.add("shape: " + (network.hasRelay() ? "2x2" : "2"));
        if (way.isRaw()) {
            lines.add("backend: raw");
            final String y = network.hasRelay() ? ", y: " + network.nicsOfY() : "";
            lines.add("links: {x: " + network.nics() + y + "}");
            lines.add("frame: {encapsulation: " + way.encapsulation() + "}");
        } else {
            lines.add("backend: udp");
            lines.add("links: " + network.links());
            lines.add("nodes:");
            lines.add("  0: {links: " + hxbAddresses(BulkNetwork.LEFT) + "}");
            lines.add("  1: {links: " + hxbAddresses(BulkNetwork.RIGHT) + "}");
            lines.add(
                    "socket: {mtu: "
                            + (network.mtu() - BulkNetwork.DATAGRAM_HEADER_BYTES)
                            + ", segmentation: "
                            + (way == BulkWay.UDP ? "off" : "auto")
                            + "}");
        }
        lines.add("attach: {directory: " + folder.path() + ",");
        lines.add("  countersDirectory: " + folder.path() + "}");
        lines.addAll(more);
        lines.add("");
        lines.add(lines.size() - 1, "loop: {" + loop + "}");
        Files.writeString(file(way), String.join("\n", lines));
    }

    /** The cluster file of a way. */
    Path file(final BulkWay way) {
        return folder.file(way.name().toLowerCase(Locale.ROOT) + ".yaml");
    }

    private String hxbAddresses(final String host) {
        final List<String> all =
                network.addresses(host).stream().map(a -> '"' + a + ":" + PORT + '"').toList();
        return "[" + String.join(", ", all) + "]";
    }

    /** Path of the socket of a node. */
    Path socketPath(final BulkWay way, final int node) throws IOException {
        return ClusterConfigYaml.read(file(way)).socketPath(node);
    }

    /** Path of the counters of a node. */
    Path countersPath(final BulkWay way, final int node) throws IOException {
        return ClusterConfigYaml.read(file(way)).countersPath(node);
    }

    @Override
    public void close() {
        folder.close();
    }
}
