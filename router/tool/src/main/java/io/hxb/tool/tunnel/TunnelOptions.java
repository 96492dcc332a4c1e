package io.hxb.tool.tunnel;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Quantity;
import io.hxb.tool.machine.OpenJars;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.UsageException;
import io.netty.channel.WriteBufferWaterMark;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;

/** The options that all commands with tunnels have. Picocli fills it. */
public final class TunnelOptions {
    private static final int MAX_CONNECTIONS = 16_384;
    private static final int MIN_SHARE_BYTES = 64 << 10;
    private static final int MAX_WINDOW_BYTES = 1 << 20;
    private static final int MAX_WATER_MARK_BYTES = 256 << 10;

    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description =
                    "have at most N connections at a time, and refuse others (default: "
                            + "${DEFAULT-VALUE})")
    private int connections = 256;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "let at most this many bytes wait for slow readers, divided among N "
                            + "connections (default: ${DEFAULT-VALUE})")
    private String memory = "512MiB";

    /** Picocli makes it. */
    public TunnelOptions() {}

    /** The cluster that is meant. */
    public ClusterConfig config() {
        return cluster.config();
    }

    /** Where results go. */
    public Output output() {
        return output;
    }

    /**
     * Attaches to the node of this machine.
     *
     * @return the tunnel, which the caller closes.
     * @throws IOException if the node cannot be attached to or has no free context.
     */
    public Tunnel open(final ClusterConfig config) throws IOException {
        share();
        OpenJars.openAll();
        return Tunnel.attach(config, config.socketPath(cluster.runningNode(config)), this);
    }

    /** Bytes that may wait for the readers of one connection. */
    private int share() {
        if (connections < 1 || connections > MAX_CONNECTIONS) {
            throw new UsageException(
                    "--connections must be 1.." + MAX_CONNECTIONS + ": " + connections);
        }
        final long bytes = UsageException.check(() -> Quantity.parseSizeBytes(memory));
        if (bytes / connections < MIN_SHARE_BYTES) {
            throw new UsageException(
                    "--memory must be 64 KiB or more for each of "
                            + connections
                            + " connections, "
                            + Quantity.formatSize((long) connections * MIN_SHARE_BYTES)
                            + ": "
                            + memory);
        }
        return (int) Math.min(bytes / connections, 2 * MAX_WINDOW_BYTES);
    }

    int connections() {
        return connections;
    }

    /** Half of the share: what a stream has received and the tunnel has not read. */
    int windowBytes() {
        return share() / 2;
    }

    /** A quarter of the share for each direction: what is read and cannot be written yet. */
    WriteBufferWaterMark waterMark() {
        final int high = Math.min(share() / 4, MAX_WATER_MARK_BYTES);
        return new WriteBufferWaterMark(high / 2, high);
    }
}
