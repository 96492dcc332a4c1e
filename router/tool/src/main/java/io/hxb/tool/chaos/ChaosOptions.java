package io.hxb.tool.chaos;

import io.hxb.config.Quantity;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.RandomScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.TrafficOptions;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Options of what fails and what is written about it. Picocli fills it. */
public final class ChaosOptions {
    private static final long QUIET_NS = 1_000_000_000L;
    private static final long AFTERWARDS_NS = 2_000_000_000L;
    private static final long RANDOM_NS = 10_000_000_000L;
    private static final long SHORTEST_RANDOM_NS = 4_000_000_000L;
    private static final long NS_PER_RANDOM_FAULT = 1_000_000_000L;
    private static final List<String> KINDS = List.of(".json", ".svg", ".png", ".yaml");

    private static final int MIN_BYTES = 4;
    private static final int MAX_BYTES = 1 << 20;

    @Mixin private TrafficOptions traffic;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "send messages of this payload, 4..1048576 (default: 8192)")
    private Integer size;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description =
                    "send for this long (default: 2 s more than the script, or 10 s at "
                            + "random)")
    private Double seconds;

    @Option(
            names = "--script",
            paramLabel = "FILE",
            description = {
                "read the faults from this file, a list such as",
                "  - at: 2s",
                "    pull: x.0 of (0,0)",
                "with pull unplug down slow(rate) damage(drop,corrupt) one-way(passes) "
                        + "flap(period) restore; kill restart pause resume; and for: 1s"
            })
    private Path file;

    @Option(names = "--random", description = "make random faults instead of those of a script")
    private boolean isRandom;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "repeat the random faults of this seed (default: a new seed, which is "
                            + "printed)")
    private Long seed;

    @Option(
            names = "--faults",
            paramLabel = "N",
            description = "make this many random faults (default: one for each second)")
    private Integer count;

    @Option(names = "--no-nodes", description = "make random faults of links only, none of nodes")
    private boolean isWithoutNodes;

    @Option(
            names = "--sample",
            paramLabel = "TIME",
            defaultValue = "10ms",
            description = "sample the throughput over this time (default: ${DEFAULT-VALUE})")
    private String sample;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "write all samples to FILE.json, a picture to FILE.svg or FILE.png, "
                            + "the script to FILE.yaml; may be repeated")
    private List<Path> out = List.of();

    private Long drawn;

    /** Picocli makes it. */
    public ChaosOptions() {}

    /** The pairs between which messages flow. */
    public List<Pair> pairs(final LabSpec lab, final EndOptions ends) {
        return traffic.pairs(lab, ends);
    }

    /** Payload of a message in bytes, or what the command takes otherwise. */
    int sizeOr(final int other) {
        final int value = size == null ? other : size;
        if (value < MIN_BYTES || value > MAX_BYTES) {
            throw new UsageException(
                    "--size must be " + MIN_BYTES + ".." + MAX_BYTES + ": " + value);
        }
        return value;
    }

    /** How long to send before, in ns. */
    long warmUpNs() {
        return traffic.warmUpNs();
    }

    /** How long to send in ns; less than 0 if that was not given. */
    long sendNs() {
        return seconds == null ? -1 : TrafficOptions.sendNs(seconds);
    }

    /**
     * The faults.
     *
     * @param pairs between which messages flow; their nodes are not killed at random.
     * @param lengthNs of the run, or less than 0 if not given.
     */
    FaultScript script(
            final Shape shape,
            final int linkCount,
            final boolean hasCables,
            final List<Pair> pairs,
            final long lengthNs) {
        if ((file != null) == isRandom) {
            throw new UsageException(
                    isRandom
                            ? "--random makes its own faults: leave out --script"
                            : "no fault is named: give --script FILE or --random");
        }
        final Selector selector = new Selector(shape, linkCount);
        if (file != null) {
            if (seed != null || count != null || isWithoutNodes) {
                throw new UsageException("--seed, --faults and --no-nodes need --random");
            }
            return new ScriptReader(selector).parse(read(file), file.toString());
        }
        final long until = lengthNs < 0 ? RANDOM_NS : lengthNs;
        final int faults = count == null ? (int) (until / NS_PER_RANDOM_FAULT) : count;
        if (faults < 1 || faults > 10_000) {
            throw new UsageException("--faults must be 1..10000: " + faults);
        }
        if (until < SHORTEST_RANDOM_NS) {
            throw new UsageException(
                    "--seconds must be 4 or more with --random: faults begin after 1 s, and all is"
                            + " whole for the last 2 s: "
                            + seconds);
        }
        drawn = seed == null ? new SplittableRandom().nextLong(1, 1L << 32) : seed;
        final List<Integer> mortals =
                isWithoutNodes
                        ? List.of()
                        : IntStream.range(0, shape.nodeCount())
                                .filter(
                                        node ->
                                                pairs.stream()
                                                        .noneMatch(
                                                                pair ->
                                                                        pair.from() == node
                                                                                || pair.to()
                                                                                        == node))
                                .boxed()
                                .toList();
        if (!hasCables) {
            throw new UsageException(
                    "--random needs cables to cut: use --backend raw --wiring bridge as root, or a"
                            + " --script that kills and pauses nodes");
        }
        return new RandomScript(selector, mortals)
                .draw(drawn, faults, QUIET_NS, until - AFTERWARDS_NS);
    }

    private static String read(final Path file) {
        try {
            return GraphFile.text(file.toString());
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot read the script " + file + ": " + e + "; give the path of a script", e);
        }
    }

    /** The seed of the script; null if it was not drawn. */
    Long seed() {
        return drawn;
    }

    /** The default length of the run. */
    long lengthNs(final FaultScript script) {
        return drawn != null ? RANDOM_NS : script.lastNs() + AFTERWARDS_NS;
    }

    /** Length of a sample. */
    long sampleNs() {
        final long ns = UsageException.check(() -> Quantity.parseDurationNs(sample));
        if (ns < 1_000_000L || ns > 1_000_000_000L) {
            throw new UsageException("--sample must be 1ms..1s: " + sample);
        }
        return ns;
    }

    /** Files to be written, each of a kind that is known. */
    List<Path> files() {
        for (final Path path : out) {
            if (KINDS.stream().noneMatch(path.toString()::endsWith)) {
                throw new UsageException(
                        "--out " + path + " must end in one of " + String.join(" ", KINDS));
            }
        }
        return out;
    }
}
