package io.hxb.tool.chaos.result;

import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.tool.measure.Pair;

import java.util.ArrayList;
import java.util.List;

/**
 * Compares the throughput of pairs with what the faults left of their paths. What flows before the
 * first fault is what the whole path carries. Used by one thread.
 */
public final class GapAnalysis {
    /** Less than this of what is left is a gap. */
    public static final double ENOUGH = 0.9;

    /** A gap that begins later than this after a fault is not caused by it. */
    private static final long CONSEQUENCE_NS = 500_000_000L;

    private static final long SHORTEST_QUIET_NS = 200_000_000L;

    private final List<Pair> pairs;
    private final List<RateSeries> series;
    private final List<Moment> moments;
    private final RemainingCapacity remainingCapacity;

    /**
     * A fault that has happened. Immutable.
     *
     * @param fault what.
     * @param begunNs when it was begun, from the start of the run.
     * @param doneNs when it had happened.
     */
    public record Moment(Fault fault, long begunNs, long doneNs) {}

    /** The share that a pair has from a moment on, and had before it. */
    private record Change(double before, double after) {}

    /**
     * Makes an analysis.
     *
     * @param series throughput of each pair.
     * @param moments what happened, in order.
     * @param remainingCapacity with everything whole; used up here.
     */
    public GapAnalysis(
            final List<Pair> pairs,
            final List<RateSeries> series,
            final List<Moment> moments,
            final RemainingCapacity remainingCapacity) {
        this.pairs = List.copyOf(pairs);
        this.series = List.copyOf(series);
        this.moments = List.copyOf(moments);
        this.remainingCapacity = remainingCapacity;
    }

    /** Bytes per sample that a pair received before the first fault; 0 if that came too early. */
    public double quiet(final int pair) {
        final RateSeries rates = series.get(pair);
        final long endNs = quietNs(rates);
        return endNs < SHORTEST_QUIET_NS ? 0 : rates.mean(0, rates.index(endNs));
    }

    private long quietNs(final RateSeries rates) {
        return moments.isEmpty()
                ? rates.sampleNs() * rates.bytes().length
                : moments.getFirst().begunNs();
    }

    /**
     * The longest run of samples below 90 % before anything failed, of the pair that fared worst:
     * what the machine does without any fault, in ms.
     */
    public double quietGapMs() {
        double worst = 0;
        for (int pair = 0; pair < pairs.size(); pair++) {
            final RateSeries rates = series.get(pair);
            worst =
                    Math.max(
                            worst,
                            rates.longestBelowNs(
                                            0, rates.index(quietNs(rates)), ENOUGH * quiet(pair))
                                    / 1e6);
        }
        return worst;
    }

    /** What each moment did, in order. */
    public List<FaultOutcome> outcomes() {
        final List<FaultOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < moments.size(); i++) {
            final double[] before = shares();
            remainingCapacity.apply(moments.get(i).fault());
            outcomes.add(outcome(i, before, shares()));
        }
        for (int i = 0; i < moments.size(); i++) {
            final int repair = repairOf(i);
            if (repair >= 0) {
                outcomes.set(i, outcomes.get(i).withRepair(outcomes.get(repair).fullMs()));
            }
        }
        return outcomes;
    }

    private double[] shares() {
        return pairs.stream().mapToDouble(remainingCapacity::share).toArray();
    }

    private FaultOutcome outcome(final int index, final double[] before, final double[] after) {
        Double left = null;
        Double gap = null;
        Double full = null;
        boolean isFull = true;
        for (int pair = 0; pair < pairs.size(); pair++) {
            if (after[pair] > 0) {
                left = left == null ? after[pair] : Math.min(left, after[pair]);
            }
            if (quiet(pair) == 0 || after[pair] == 0) {
                continue;
            }
            final Change change = new Change(before[pair], after[pair]);
            gap = worst(gap, gapMs(index, pair, change));
            final Double pairFull = fullMs(index, pair, change);
            isFull &= pairFull != null;
            full = worst(full, pairFull);
        }
        final Moment moment = moments.get(index);
        return new FaultOutcome(
                seconds(moment.begunNs),
                seconds(moment.doneNs),
                moment.fault.action().word(),
                moment.fault.target(),
                moment.fault.line(),
                left,
                gap,
                isFull ? full : null,
                null);
    }

    private static double seconds(final long timeNs) {
        return Math.round(timeNs / 1e5) / 1e4;
    }

    private static Double worst(final Double one, final Double other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Math.max(one, other);
    }

    /** Null if nothing flowed before, so that the gap does not belong to this moment. */
    private Double gapMs(final int index, final int pair, final Change change) {
        final RateSeries rates = series.get(pair);
        final double share = Math.min(change.before, change.after);
        final long begunNs = moments.get(index).begunNs;
        return share == 0
                ? null
                : rates.longestBelowNs(
                                rates.index(begunNs),
                                rates.index(begunNs + CONSEQUENCE_NS),
                                to(index, rates),
                                ENOUGH * share * quiet(pair))
                        / 1e6;
    }

    private Double fullMs(final int index, final int pair, final Change change) {
        final RateSeries rates = series.get(pair);
        final long reachedNs =
                rates.steadyFromNs(
                        rates.index(moments.get(index).doneNs),
                        to(index, rates),
                        ENOUGH * change.after * quiet(pair));
        return reachedNs < 0 ? null : Math.max(0, reachedNs - moments.get(index).doneNs) / 1e6;
    }

    private int to(final int index, final RateSeries rates) {
        return index + 1 < moments.size()
                ? rates.index(moments.get(index + 1).begunNs)
                : rates.bytes().length;
    }

    /** The first later repair of the same cables and nodes. */
    private int repairOf(final int index) {
        final Fault fault = moments.get(index).fault;
        for (int i = index + 1; i < moments.size(); i++) {
            final Fault later = moments.get(i).fault;
            if (!fault.action().isRepair()
                    && later.action().isRepair()
                    && later.cables().containsAll(fault.cables())
                    && later.nodes().containsAll(fault.nodes())) {
                return i;
            }
        }
        return -1;
    }
}
