package io.hxb.tool.trace;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.util.List;

/** Traces for commands that show them among other things. Stateless. */
public final class NodeTrace {
    private static final int COUNT = 20;
    private static final long INTERVAL_NS = 10_000_000;
    private static final long TIMEOUT_NS = 1_000_000_000;
    private static final long SHORT_INTERVAL_NS = 5_000_000;
    private static final long SHORT_TIMEOUT_NS = 300_000_000;

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
        try (Cluster attached = new AttachedCluster(config)) {
            return trace(attached, plan(from, to, INTERVAL_NS, TIMEOUT_NS)).text();
        }
    }

    /**
     * Sends 20 of the shortest frames within 100 ms, and waits for reports for another 300 ms at
     * most.
     *
     * @param cluster with the node that sends.
     * @param from id of the node that sends.
     * @param to id of another node.
     * @return their ways, the one of the most frames first.
     * @throws ToolException if no frame could be sent.
     */
    public static List<TracedPath> ways(final Cluster cluster, final int from, final int to) {
        return trace(cluster, plan(from, to, SHORT_INTERVAL_NS, SHORT_TIMEOUT_NS)).ways();
    }

    private static TraceResult trace(final Cluster cluster, final TracePlan plan) {
        try (TraceRun run = TraceRun.open(cluster.device(plan.from()), plan)) {
            return TraceResult.of(cluster.config(), plan, run.send(StopRequest.NEVER));
        }
    }

    private static TracePlan plan(
            final int from, final int to, final long intervalNs, final long timeoutNs) {
        return new TracePlan(
                from,
                to,
                COUNT,
                intervalNs,
                timeoutNs,
                FrameHeaderFlyweight.LENGTH + TraceFlyweight.MIN_BODY_BYTES,
                List.of(TracePlan.USUAL));
    }
}
