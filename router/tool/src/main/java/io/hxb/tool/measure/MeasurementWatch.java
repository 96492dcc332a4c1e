package io.hxb.tool.measure;

import io.hxb.counter.CounterType;
import io.hxb.tool.cluster.ClusterCounters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Watches a measurement while it goes on: reports each interval, and whether the user wants it to
 * stop. Owned by the thread that measures; between intervals it allocates nothing.
 */
public final class MeasurementWatch {
    /** Of an interval that the end cuts short, at least this fraction is reported. */
    private static final long SHORTEST_PART = 5;

    private final long intervalNs;
    private final Consumer<Interval> listener;
    private final StopRequest stop;
    private ClusterCounters counters;
    private boolean isWarmUp;
    private int messageBytes;
    private long startNs;
    private long lastNs;
    private long lastMessages;
    private ClusterCounters.Reading last;
    private OptionalLong lastCpuNs = OptionalLong.empty();

    /**
     * Makes one.
     *
     * @param intervalNs length of an interval, 0 for none.
     * @param listener called after each interval.
     */
    public MeasurementWatch(
            final long intervalNs, final Consumer<Interval> listener, final StopRequest stop) {
        this.intervalNs = intervalNs;
        this.listener = listener;
        this.stop = stop;
    }

    /** One that reports nothing and never stops. */
    public static MeasurementWatch none() {
        return new MeasurementWatch(0, interval -> {}, StopRequest.NEVER);
    }

    /** Looks at these counters from now on, of messages of so many bytes. */
    void observe(final ClusterCounters observed, final boolean isWarming, final int lengthBytes) {
        counters = observed;
        isWarmUp = isWarming;
        messageBytes = lengthBytes;
    }

    /** The sending begins. */
    void begin(final long nowNs) {
        startNs = nowNs;
        lastNs = nowNs;
        lastMessages = 0;
        last = intervalNs > 0 ? read() : null;
        lastCpuNs = intervalNs > 0 ? counters.localCpuNs() : OptionalLong.empty();
    }

    /** True if {@link #onProgress} is to be called. */
    boolean isDue(final long nowNs) {
        return intervalNs > 0 && nowNs - lastNs >= intervalNs;
    }

    /**
     * Reports what happened since the last time, {@code messages} being all since the beginning.
     */
    void onProgress(final long nowNs, final long messages) {
        final ClusterCounters.Reading now = read();
        final OptionalLong cpuNs = counters.localCpuNs();
        listener.accept(
                new Interval(
                        isWarmUp,
                        (lastNs - startNs) / 1e9,
                        (nowNs - startNs) / 1e9,
                        (messages - lastMessages) * messageBytes,
                        messages - lastMessages,
                        now.sum(CounterType.FLOW_RESENT_FRAMES)
                                - last.sum(CounterType.FLOW_RESENT_FRAMES),
                        now.dropped() - last.dropped(),
                        busy(cpuNs, nowNs)));
        last = now;
        lastCpuNs = cpuNs;
        lastNs = nowNs;
        lastMessages = messages;
    }

    private OptionalDouble busy(final OptionalLong cpuNs, final long nowNs) {
        return cpuNs.isPresent() && lastCpuNs.isPresent()
                ? OptionalDouble.of(
                        (double) (cpuNs.getAsLong() - lastCpuNs.getAsLong()) / (nowNs - lastNs))
                : OptionalDouble.empty();
    }

    /** The sending is over: reports the last interval unless it was very short. */
    void end(final long nowNs, final long messages) {
        if (intervalNs > 0 && nowNs - lastNs >= intervalNs / SHORTEST_PART) {
            onProgress(nowNs, messages);
        }
    }

    /** True once the user wants it to stop. */
    boolean isStopped() {
        return stop.isStopped();
    }

    private ClusterCounters.Reading read() {
        try {
            return counters.read();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
