package io.hxb.tool.option;

import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** Options of whatever sends as much as it can. Picocli fills it. */
public final class TrafficOptions {
    private static final long MAX_WARMUP_NS = 600_000_000_000L;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "3s",
            description =
                    "send this long before measuring, while code is compiled (default: "
                            + "${DEFAULT-VALUE})")
    private String warmup;

    @Option(names = "--both", description = "send in both directions at once")
    private boolean isBoth;

    @Option(names = "--all", description = "send from every node to every other, all at once")
    private boolean isAll;

    /** Picocli makes it. */
    public TrafficOptions() {}

    /** How long to send before, in ns. */
    public long warmUpNs() {
        return TimeOption.parseNs("--warmup", warmup, 0, MAX_WARMUP_NS);
    }

    /** These options as words of a command line. */
    public List<String> words() {
        final List<String> words = new ArrayList<>(List.of("--warmup", warmup));
        if (isBoth) {
            words.add("--both");
        }
        if (isAll) {
            words.add("--all");
        }
        return words;
    }

    /**
     * Reads how long to send.
     *
     * @param seconds value of {@code --seconds}.
     * @return the time in ns.
     */
    public static long sendNs(final double seconds) {
        if (!(seconds > 0 && seconds <= 86_400)) {
            throw new UsageException(
                    "--seconds must be above 0, at most 86400 seconds: " + seconds);
        }
        return (long) (seconds * 1e9);
    }

    /** True if every node sends to every other. */
    public boolean isForAll() {
        return isAll;
    }

    /** All pairs, for {@code --all}. */
    public List<Pair> allPairs(final Shape shape) {
        if (isBoth) {
            throw new UsageException("--all sends in both directions: leave out --both");
        }
        return Pair.all(shape);
    }

    /** The pairs of a lab that exchange messages: all, or those between two ends. */
    public List<Pair> pairs(final LabSpec lab, final EndOptions ends) {
        if (isAll && ends.isGiven()) {
            throw new UsageException(
                    "--all sends from every node to every other: leave out --from and --to");
        }
        return pairs(lab.shape(), ends.from(lab.shape()), ends.to(lab));
    }

    /** The pairs that exchange messages: all, or one, or both of its directions. */
    public List<Pair> pairs(final Shape shape, final int from, final int to) {
        if (isAll) {
            return allPairs(shape);
        }
        if (from == to) {
            throw new UsageException(
                    "sender and receiver are the same node, "
                            + shape.format(shape.coordinates(from)));
        }
        final List<Pair> pairs = new ArrayList<>(List.of(new Pair(from, to)));
        if (isBoth) {
            pairs.add(new Pair(to, from));
        }
        return pairs;
    }
}
