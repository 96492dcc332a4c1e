package io.hxb.tool.perf;

import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.MessageSizes;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.option.TrafficOptions;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** Options of a measurement of throughput. Picocli fills it. */
public final class PerfOptions {
    /** The longest message that can be measured. */
    private static final int MAX_BYTES = 1 << 30;

    private static final String INTERVAL = "1s";
    private static final String NO_INTERVAL = "0";
    private static final long MIN_INTERVAL_NS = 100_000_000L;
    private static final long MAX_INTERVAL_NS = 3_600_000_000_000L;

    @Mixin private TrafficOptions traffic;

    @Option(
            names = {"--size", "--sizes"},
            paramLabel = "BYTES",
            defaultValue = "8192",
            description =
                    "send messages of this payload, such as 32, 8192, 64K or 1M; several with"
                        + " commas, or a range such as 1..1G for each power of two in it, make a"
                        + " table (default: ${DEFAULT-VALUE})")
    private String size;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "send for this long, messages of each size (default: ${DEFAULT-VALUE})")
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
            description =
                    "print a line about the progress this often; 0: none (default: "
                            + INTERVAL
                            + "; none with a table)")
    private String interval;

    /** Picocli makes it. */
    public PerfOptions() {}

    /**
     * What is sent, for each size.
     *
     * @throws UsageException that names the wrong value and the valid ones.
     */
    public List<RunMeasurement.Load> loads() {
        final long limit = count == null ? Long.MAX_VALUE : count;
        if (limit < 1) {
            throw new UsageException("--count must be 1 or more: " + limit);
        }
        if (checkEvery < 1) {
            throw new UsageException("--check must be 1 or more: " + checkEvery);
        }
        final long warmUpNs = traffic.warmUpNs();
        final long sendNs = TrafficOptions.sendNs(seconds);
        return MessageSizes.parse("--size", size, MAX_BYTES).stream()
                .map(bytes -> new RunMeasurement.Load(bytes, checkEvery, warmUpNs, sendNs, limit))
                .toList();
    }

    /**
     * Time between interim results in ns; 0 for none.
     *
     * @param isTable whether there will be a table of several results.
     */
    public long intervalNs(final boolean isTable) {
        final String given = interval == null ? isTable ? NO_INTERVAL : INTERVAL : interval;
        return given.strip().equals(NO_INTERVAL)
                ? 0
                : TimeOption.parseNs("--interval", given, MIN_INTERVAL_NS, MAX_INTERVAL_NS);
    }

    /** All pairs, for {@code --all}. */
    public List<Pair> allPairs(final Shape shape) {
        return traffic.allPairs(shape);
    }

    /** The pairs of a lab that exchange messages. */
    public List<Pair> pairs(final LabSpec lab, final EndOptions ends) {
        return traffic.pairs(lab, ends);
    }

    /** The pairs that exchange messages. */
    public List<Pair> pairs(final Shape shape, final int from, final int to) {
        return traffic.pairs(shape, from, to);
    }

    /** True if every node sends to every other. */
    public boolean isForAll() {
        return traffic.isForAll();
    }

    /** These options as words of a command line. */
    public List<String> words() {
        final List<String> words = new ArrayList<>(traffic.words());
        words.addAll(List.of("--size", size, "--seconds", Double.toString(seconds)));
        words.addAll(List.of("--check", Long.toString(checkEvery)));
        if (count != null) {
            words.addAll(List.of("--count", count.toString()));
        }
        if (interval != null) {
            words.addAll(List.of("--interval", interval));
        }
        return words;
    }
}
