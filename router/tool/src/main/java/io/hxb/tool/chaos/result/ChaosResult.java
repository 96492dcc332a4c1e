package io.hxb.tool.chaos.result;

import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.traffic.CableMeter;
import io.hxb.tool.chaos.traffic.PairCounts;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of one run. Immutable.
 *
 * @param shape of the lab.
 * @param script what was planned.
 * @param seed it was drawn from; null if it was not drawn.
 * @param sampleNs length of a sample.
 * @param pairs the result of each pair.
 * @param cables bytes on each cable; empty where there are none.
 * @param faults what each fault did.
 * @param quietGapMs longest run of samples below 90 % before anything failed.
 * @param droppedFrames frames that faults dropped.
 * @param damagedFrames frames that faults damaged.
 */
public record ChaosResult(
        Shape shape,
        FaultScript script,
        Long seed,
        long sampleNs,
        List<PairCounts> pairs,
        List<CableMeter.CableSamples> cables,
        List<FaultOutcome> faults,
        double quietGapMs,
        long droppedFrames,
        long damagedFrames) {

    /** True if nothing was lost, duplicated, reordered or damaged on any pair. */
    public boolean isOk() {
        return pairs.stream().allMatch(PairCounts::isOk);
    }

    /** The fields of the last line. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ok", isOk());
        fields.put("bytes", pairs.stream().mapToLong(PairCounts::bytes).sum());
        fields.put("messages", pairs.stream().mapToLong(PairCounts::messages).sum());
        fields.put("lost", pairs.stream().mapToLong(PairCounts::lost).sum());
        fields.put("duplicated", pairs.stream().mapToLong(PairCounts::duplicated).sum());
        fields.put("reordered", pairs.stream().mapToLong(PairCounts::reordered).sum());
        fields.put("corrupt", pairs.stream().mapToLong(PairCounts::corrupt).sum());
        fields.put("reported", pairs.stream().mapToLong(PairCounts::reported).sum());
        fields.put("errors", pairs.stream().flatMap(pair -> pair.errors().stream()).toList());
        fields.put("dropped_frames", droppedFrames);
        fields.put("damaged_frames", damagedFrames);
        fields.put("sample_ms", sampleNs / 1e6);
        fields.put("quiet_gap_ms", quietGapMs);
        if (seed != null) {
            fields.put("seed", seed);
        }
        fields.put("faults", faults);
        return fields;
    }

    /** The same with all samples. */
    public Map<String, Object> allFields() {
        final Map<String, Object> fields = fields();
        final List<Map<String, Object>> series = new ArrayList<>();
        for (final PairCounts pair : pairs) {
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("from", coordinates(pair.pair().from()));
            one.put("to", coordinates(pair.pair().to()));
            one.put("bytes", pair.bytes());
            one.put("lost", pair.lost());
            one.put("duplicated", pair.duplicated());
            one.put("reordered", pair.reordered());
            one.put("corrupt", pair.corrupt());
            one.put("reported", pair.reported());
            one.put("errors", pair.errors());
            one.put("MBps", megabytes(pair.samples()));
            series.add(one);
        }
        fields.put("pairs", series);
        final List<Map<String, Object>> links = new ArrayList<>();
        for (final CableMeter.CableSamples cable : cables) {
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("link", cable.cable().format(shape));
            one.put("to_node_MBps", megabytes(cable.toNode()));
            one.put("from_node_MBps", megabytes(cable.fromNode()));
            links.add(one);
        }
        fields.put("links", links);
        fields.put("script", script.write());
        return fields;
    }

    /** A node as text. */
    public String coordinates(final int node) {
        return shape.format(shape.coordinates(node));
    }

    /** Bytes of samples as 10^6 bytes per second, rounded to hundredths. */
    public double[] megabytes(final RateSeries series) {
        return Arrays.stream(series.bytes())
                .mapToDouble(count -> Math.round(count * 1e5 / sampleNs) / 100.0)
                .toArray();
    }
}
