package io.hxb.tool.option;

import io.hxb.tool.measure.Pair;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** Options of everything that measures. Picocli fills it. */
public final class MeasureOptions {
    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "payload of a message, 4..1048576 (default 8192; ping 64)")
    private Integer size;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "round trips, or most messages of each pair")
    private Long count;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description =
                    "how long to send (default 3; chaos: 2 more than the script, or 10 at random)")
    private Double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            defaultValue = "3",
            description =
                    "how long perf sends before it measures, while code is compiled (default 3)")
    private double warmUp;

    @Option(
            names = "--check",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "perf: write and compare every byte of one message of N, of the others only the"
                            + " number (default 1: all)")
    private long checkEvery;

    @Option(
            names = "--interval",
            paramLabel = "US",
            defaultValue = "0",
            description = "microseconds between round trips")
    private long intervalUs;

    @Option(names = "--both", description = "both directions at once")
    private boolean isBoth;

    @Option(names = "--all", description = "every node to every other")
    private boolean isAll;

    /** Picocli makes it. */
    public MeasureOptions() {}

    /** Payload of a message in bytes, or what the command takes otherwise. */
    public int sizeOr(final int other) {
        final int value = size == null ? other : size;
        if (value < 4 || value > 1 << 20) {
            throw new UsageException("--size must be 4..1048576: " + value);
        }
        return value;
    }

    /** How many were asked for, or what the command takes otherwise. */
    public long countOr(final long other) {
        final long value = count == null ? other : count;
        if (value < 1) {
            throw new UsageException("--count must be 1 or more: " + value);
        }
        return value;
    }

    /** How long to send. */
    public long sendNs() {
        return sendNsOr(3_000_000_000L);
    }

    /** How long to send, or what the command takes otherwise. */
    public long sendNsOr(final long other) {
        if (seconds == null) {
            return other;
        }
        if (!(seconds > 0 && seconds <= 86_400)) {
            throw new UsageException(
                    "--seconds must be above 0, at most 86400 seconds: " + seconds);
        }
        return (long) (seconds * 1e9);
    }

    /** How long to send before. */
    public long warmUpNs() {
        if (!(warmUp >= 0 && warmUp <= 600)) {
            throw new UsageException("--warm-up must be 0..600 seconds: " + warmUp);
        }
        return (long) (warmUp * 1e9);
    }

    /** Of how many messages one is compared whole. */
    public long checkEvery() {
        if (checkEvery < 1) {
            throw new UsageException("--check must be 1 or more: " + checkEvery);
        }
        return checkEvery;
    }

    /** Pause between round trips. */
    public long intervalNs() {
        if (intervalUs < 0 || intervalUs > 600_000_000) {
            throw new UsageException("--interval must be 0..600000000 microseconds: " + intervalUs);
        }
        return intervalUs * 1_000;
    }

    /**
     * Checks every value before anything is set up.
     *
     * @throws UsageException that says which value is wrong and what it may be.
     */
    public void check() {
        sizeOr(64);
        countOr(1);
        sendNs();
        warmUpNs();
        checkEvery();
        intervalNs();
    }

    /** The pairs that exchange messages: all, or one, or both of its directions. */
    public List<Pair> pairs(final Shape shape, final int from, final int to) {
        if (isAll) {
            return Pair.all(shape);
        }
        if (from == to) {
            throw new UsageException("--from and --to are the same node");
        }
        final List<Pair> pairs = new ArrayList<>(List.of(new Pair(from, to)));
        if (isBoth) {
            pairs.add(new Pair(to, from));
        }
        return pairs;
    }
}
