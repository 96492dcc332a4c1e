package io.hxb.tool.perf;

import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.option.TrafficOptions;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;

/** Options of a measurement of throughput. Picocli fills it. */
public final class PerfOptions {
    private static final int SIZE_BYTES = 8192;
    private static final long MIN_INTERVAL_NS = 100_000_000L;
    private static final long MAX_INTERVAL_NS = 3_600_000_000_000L;

    @Mixin private TrafficOptions traffic;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "send for this long (default: ${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "send at most this many messages of each pair (default: no limit)")
    private Long count;

    @Option(
            names = "--check",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "write and compare every byte of one message of N, of the others only "
                            + "the number; 1: of all (default: ${DEFAULT-VALUE})")
    private long checkEvery;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            defaultValue = "1s",
            description =
                    "print a line about the progress this often; 0: none (default: "
                            + "${DEFAULT-VALUE})")
    private String interval;

    /** Picocli makes it. */
    public PerfOptions() {}

    /**
     * What is sent.
     *
     * @throws UsageException that says which value is wrong and what it may be.
     */
    public RunMeasurement.Load load() {
        final long limit = count == null ? Long.MAX_VALUE : count;
        if (limit < 1) {
            throw new UsageException("--count must be 1 or more: " + limit);
        }
        if (checkEvery < 1) {
            throw new UsageException("--check must be 1 or more: " + checkEvery);
        }
        return new RunMeasurement.Load(
                traffic.sizeOr(SIZE_BYTES),
                checkEvery,
                traffic.warmUpNs(),
                TrafficOptions.sendNs(seconds),
                limit);
    }

    /** Time between interim results in ns; 0 for none. */
    public long intervalNs() {
        return interval.strip().equals("0")
                ? 0
                : TimeOption.parseNs("--interval", interval, MIN_INTERVAL_NS, MAX_INTERVAL_NS);
    }

    /** The pairs that exchange messages. */
    public List<Pair> pairs(final Shape shape, final int from, final int to) {
        return traffic.pairs(shape, from, to);
    }
}
