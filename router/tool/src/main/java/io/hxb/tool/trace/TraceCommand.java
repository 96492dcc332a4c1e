package io.hxb.tool.trace;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb trace}: the ways of frames, hop by hop. Picocli makes it. */
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        header = "Show the ways of frames to another node, hop by hop.",
        description = {
            "Send marked frames to a node. Each node that relays one, and the one it is for, "
                    + "reports on which link it came, on which it left, who relayed it (the "
                    + "node or the kernel) and how long that took. The exit status is 0 only if "
                    + "every frame arrived."
        },
        footer = {
            "",
            "A round trip is the time until the report of a hop is back. The time there ends "
                    + "when the frame is given to the link, which may still queue it.",
            "Examples: hxb trace 1,1,0",
            "          hxb trace 0,0,0 1,1,0 --all-paths --size 8000"
        })
public final class TraceCommand implements Callable<Integer> {
    private static final long MAX_INTERVAL_NS = 60_000_000_000L;

    /** A node takes 1,000 a second of all its programs. */
    private static final long MIN_INTERVAL_NS = 1_000_000;

    private static final int MAX_COUNT = 100_000;

    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Parameters(
            index = "0..1",
            arity = "1..2",
            paramLabel = "NODE",
            description =
                    "send to this node: a host name of the cluster file, coordinates such as "
                            + "1,1,0, or an id; with two, from the first, which runs on this "
                            + "machine, to the second")
    private List<String> nodes = List.of();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "20",
            description = "send this many frames (default: ${DEFAULT-VALUE})")
    private int count;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            defaultValue = "10ms",
            description = "send them this far apart, at least 1ms (default: ${DEFAULT-VALUE})")
    private String interval;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description =
                    "send frames of this length, header included, at most what every link takes "
                            + "(default: the shortest, 80)")
    private Integer size;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "1s",
            description =
                    "count frames as lost that are not reported within this time (default: "
                            + "${DEFAULT-VALUE})")
    private String timeout;

    @Option(
            names = "--all-paths",
            description =
                    "send so many frames in each dimension order, instead of those that the "
                            + "node uses")
    private boolean isAllPaths;

    /** Picocli makes it. */
    TraceCommand() {}

    @Override
    public Integer call() throws IOException {
        final ClusterConfig config = cluster.config();
        final Shape shape = config.shape();
        final NodeNames names = new NodeNames(config);
        final int to = names.node(nodes.getLast());
        final int from =
                nodes.size() == 2 ? names.node(nodes.getFirst()) : cluster.runningNode(config);
        if (from == to) {
            throw new UsageException(
                    "a node reaches itself without a frame: name another than "
                            + shape.format(shape.coordinates(from)));
        }
        final TracePlan plan = plan(shape, from, to);
        try (Cluster attached = new AttachedCluster(config);
                StopRequest stop = StopRequest.onInterrupt();
                TraceRun run = TraceRun.open(attached.device(from), plan)) {
            final TracedFrames frames = run.send(stop);
            final TraceResult result = TraceResult.of(config, plan, frames);
            output.text().print(result.text());
            output.report(result.report());
            return ExitStatus.of(result.isOk());
        }
    }

    private TracePlan plan(final Shape shape, final int from, final int to) {
        if (count < 1 || count > MAX_COUNT) {
            throw new UsageException("--count must be 1.." + MAX_COUNT + ": " + count);
        }
        final int shortest = FrameHeaderFlyweight.LENGTH + TraceFlyweight.MIN_BODY_BYTES;
        if (size != null && size < shortest) {
            throw new UsageException("--size must be at least " + shortest + ": " + size);
        }
        return new TracePlan(
                from,
                to,
                count,
                TimeOption.parseNs("--interval", interval, MIN_INTERVAL_NS, MAX_INTERVAL_NS),
                TimeOption.parseNs("--timeout", timeout, 1_000_000, MAX_INTERVAL_NS),
                size == null ? shortest : size,
                isAllPaths
                        ? TracePlan.orders(shape.coordinates(from), shape.coordinates(to))
                        : List.of(TracePlan.USUAL));
    }
}
