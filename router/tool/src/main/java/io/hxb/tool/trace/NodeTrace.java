package io.hxb.tool.trace;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.util.List;

/** Traces for commands that show them among other things. Stateless. */
public final class NodeTrace {
    private static final int COUNT = 20;
    private static final long INTERVAL_NS = 10_000_000;
    private static final long TIMEOUT_NS = 1_000_000_000;

    private NodeTrace() {}

    /**
     * Sends 20 of the shortest frames from a node of this machine, as {@code hxb trace} does by
     * default. Blocks for two seconds at most, beyond the time that the node takes to answer.
     *
     * @param from id of the node that sends.
     * @param to id of another node.
     * @return hops and paths, as that command prints them.
     * @throws UsageException if both are the same.
     * @throws IOException if the node cannot be reached.
     */
    public static String text(final ClusterConfig config, final int from, final int to)
            throws IOException {
        if (from == to) {
            throw new UsageException("a node reaches itself without a frame: name another");
        }
        final TracePlan plan =
                new TracePlan(
                        from,
                        to,
                        COUNT,
                        INTERVAL_NS,
                        TIMEOUT_NS,
                        FrameHeaderFlyweight.LENGTH + TraceFlyweight.MIN_BODY_BYTES,
                        List.of(TracePlan.USUAL));
        try (Cluster attached = new AttachedCluster(config);
                TraceRun run = TraceRun.open(attached.device(from), plan)) {
            return TraceResult.of(config, plan, run.send(StopRequest.NEVER)).text();
        }
    }
}
