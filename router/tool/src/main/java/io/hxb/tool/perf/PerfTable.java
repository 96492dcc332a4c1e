package io.hxb.tool.perf;

import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.Throughput;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Throughput by size, and whether a size is slower than a smaller one. Lines are printed as they
 * come. Owned by the command's thread.
 */
final class PerfTable {
    /** What counts as slower than the best of the smaller sizes: below this fraction of it. */
    private static final double SLOWER = 0.97;

    private static final String ROW = "%10s %10s %12s %9s %9s %9s %9s %9s %8s %6s";

    private final Shape shape;
    private final boolean hasTargets;
    private final List<String> slower = new ArrayList<>();
    private final List<Integer> slowerSizes = new ArrayList<>();
    private final Map<List<Pair>, Map<Integer, Double>> rates = new LinkedHashMap<>();
    private String lastLine = "";
    private Optional<String> ended = Optional.empty();
    private int count;
    private boolean isOk = true;

    /**
     * An empty one.
     *
     * @param hasTargets whether a column shows the receiving node.
     */
    PerfTable(final Shape shape, final boolean hasTargets) {
        this.shape = shape;
        this.hasTargets = hasTargets;
    }

    /** Headings of the columns; CPU is in seconds for each GB. */
    String heading() {
        return (hasTargets ? String.format(Locale.ROOT, "%-12s", "to") : "")
                + String.format(
                        Locale.ROOT,
                        ROW,
                        "bytes",
                        "MB/s",
                        "messages/s",
                        "/ smaller",
                        "CPU: send",
                        "node",
                        "receive",
                        "node",
                        "resent",
                        "lost");
    }

    /** Adds a line; the fields as JSON has them. */
    Map<String, Object> add(final List<Pair> pairs, final int size, final Throughput found) {
        final Result result = found.result();
        final String to = shape.format(shape.coordinates(pairs.getFirst().to()));
        final double ratio = found.ended().isPresent() ? 0 : ratio(pairs, size, result);
        isOk &= found.isOk();
        found.ended().ifPresent(this::end);
        count++;
        final Map<String, Double> cost = found.ends().perGigabyte(result.bytes());
        lastLine =
                (hasTargets ? String.format(Locale.ROOT, "%-12s", to) : "")
                        + String.format(
                                Locale.ROOT,
                                ROW,
                                size,
                                String.format(Locale.ROOT, "%.2f", result.bandwidthMegabytes()),
                                result.messagesPerSecond(),
                                ratio > 0 ? String.format(Locale.ROOT, "%.2f", ratio) : "",
                                cell(cost, "sender"),
                                cell(cost, "sender_node"),
                                cell(cost, "receiver"),
                                cost.containsKey("nodes")
                                        ? cell(cost, "nodes")
                                        : cell(cost, "receiver_node"),
                                found.resent(),
                                result.lost());
        if (ratio > 0 && ratio < SLOWER) {
            slower.add(
                    String.format(
                            Locale.ROOT,
                            "%d (%.2f)%s",
                            size,
                            ratio,
                            hasTargets ? " to " + to : ""));
            slowerSizes.add(size);
        }
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "measurement");
        fields.putAll(found.fields());
        fields.put("to", to);
        fields.put("size", size);
        if (ratio > 0) {
            fields.put("of_smaller", Math.round(ratio * 1e3) / 1e3);
        }
        return fields;
    }

    /** The throughput by that of the best smaller size; 0 if there is none. */
    private double ratio(final List<Pair> pairs, final int size, final Result result) {
        final double rate = result.seconds() > 0 ? result.bytes() / result.seconds() : 0;
        final Map<Integer, Double> others =
                rates.computeIfAbsent(pairs, key -> new LinkedHashMap<>());
        final double best =
                others.entrySet().stream()
                        .filter(entry -> entry.getKey() < size)
                        .mapToDouble(Map.Entry::getValue)
                        .max()
                        .orElse(0);
        others.put(size, rate);
        return best > 0 ? rate / best : 0;
    }

    private static String cell(final Map<String, Double> cost, final String name) {
        return cost.containsKey(name) ? String.format(Locale.ROOT, "%.3f", cost.get(name)) : "";
    }

    /** Nothing more can be measured; the reason is reported. */
    void end(final String reason) {
        ended = Optional.of(reason);
        isOk = false;
    }

    /** Why nothing more can be measured; empty if it can. */
    Optional<String> ended() {
        return ended;
    }

    /** True if there is no line yet. */
    boolean isEmpty() {
        return count == 0;
    }

    /** The line that was added last. */
    String lastLine() {
        return lastLine;
    }

    /** What comes below the table. */
    String verdict() {
        final String sizes =
                slower.isEmpty()
                        ? "no size is slower than a smaller one by more than 3 %"
                        : "slower than a smaller size by more than 3 %: "
                                + String.join(", ", slower);
        return ended.map(reason -> "ended early: " + reason + "; " + sizes).orElse(sizes);
    }

    /** The last object. */
    Map<String, Object> summary() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "summary");
        fields.put("ok", isOk());
        ended.ifPresent(reason -> fields.put("error", reason));
        fields.put("measurements", count);
        fields.put("slower_sizes", slowerSizes);
        return fields;
    }

    /** True if every message of every line arrived once, in order and intact. */
    boolean isOk() {
        return isOk && count > 0;
    }
}
