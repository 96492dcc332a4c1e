package io.hxb.tool.ping;

import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.PingPlan;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

import java.util.List;

/** Options of round trips. Picocli fills it. */
public final class PingOptions {
    /** Time between round trips that people watch, as in ping(8). */
    private static final String SECOND = "1s";

    private static final long PACED_COUNT = 5;
    private static final long FLOOD_COUNT = 1000;
    private static final long ALL_COUNT = 100;
    private static final long ALL_PAIRS_COUNT = 20;
    private static final long MAX_TIME_NS = 600_000_000_000L;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "64",
            description =
                    "send messages of this payload, 4 to one frame (default: "
                            + "${DEFAULT-VALUE})")
    private int size;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            description =
                    "make this many round trips to each node; 0: until Ctrl-C (default: 5; "
                            + "back to back 1000, with --all 100, with --all-pairs 20)")
    private Long count;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description =
                    "start round trips this far apart, with a line for each; 0: back to "
                            + "back, with the summary alone (default: 1s; with --all, --all-pairs "
                            + "and in 'lab run' 0)")
    private String interval;

    @Option(names = "--flood", description = "send back to back, as with --interval 0")
    private boolean isFlood;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "2s",
            description = "count an answer that takes longer as lost (default: ${DEFAULT-VALUE})")
    private String timeout;

    @Option(names = "--all", description = "measure to every other node, one after the other")
    private boolean isAll;

    @Option(
            names = "--all-pairs",
            description =
                    "measure from every node to every other; all of them on this machine, "
                            + "as in a lab")
    private boolean isAllPairs;

    /** Picocli makes it. */
    public PingOptions() {}

    /** True if the nodes need not be named one by one. */
    public boolean isForAll() {
        return isAll || isAllPairs;
    }

    /** True if all nodes send. */
    public boolean isForAllPairs() {
        return isAllPairs;
    }

    /** The pairs that {@code --all} or {@code --all-pairs} mean. */
    public List<Pair> allPairs(final Shape shape, final int from) {
        if (isAll && isAllPairs) {
            throw new UsageException("--all is from one node, --all-pairs from all: give one");
        }
        return Pair.all(shape).stream().filter(pair -> isAllPairs || pair.from() == from).toList();
    }

    /**
     * How round trips are made.
     *
     * @param isPaced whether there is one per second unless set by options.
     * @param pairCount nodes that are asked.
     * @throws UsageException that names the wrong value and the valid ones.
     */
    public PingPlan plan(final boolean isPaced, final int pairCount) {
        if (isFlood && interval != null) {
            throw new UsageException("--flood is --interval 0: give one of them");
        }
        final String wanted = interval != null ? interval : SECOND;
        final boolean isBackToBack = isFlood || (interval == null && (!isPaced || isForAll()));
        final long intervalNs =
                isBackToBack ? 0 : TimeOption.parseNs("--interval", wanted, 0, MAX_TIME_NS);
        final long trips = count == null ? defaultCount(intervalNs) : count;
        if (trips < 0 || trips > 1_000_000_000) {
            throw new UsageException("--count must be 0 (until Ctrl-C) to 1000000000: " + trips);
        }
        if (trips == 0 && intervalNs == 0 && pairCount > 1) {
            throw new UsageException(
                    "--count 0 back to back would never come to the second node: give an"
                            + " --interval, or one node");
        }
        if (size < 4 || size > 1 << 20) {
            throw new UsageException("--size must be 4..1048576: " + size);
        }
        return new PingPlan(
                size,
                trips,
                intervalNs,
                TimeOption.parseNs("--timeout", timeout, 100_000, MAX_TIME_NS));
    }

    private long defaultCount(final long intervalNs) {
        if (intervalNs > 0) {
            return PACED_COUNT;
        }
        if (isAllPairs) {
            return ALL_PAIRS_COUNT;
        }
        return isAll ? ALL_COUNT : FLOOD_COUNT;
    }
}
