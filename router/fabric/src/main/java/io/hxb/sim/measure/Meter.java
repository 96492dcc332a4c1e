package io.hxb.sim.measure;

import io.hxb.sim.flit.DeliveryListener;

import org.HdrHistogram.Histogram;

/** Listens to a run, from the end of its warm-up on. Owned by the run's thread. */
public final class Meter implements DeliveryListener {
    private final Histogram latency = new Histogram(1L << 40, 3);
    private final Histogram messageLatency = new Histogram(1L << 40, 3);
    private final Batches batchLatency = new Batches();
    private final Batches batchAccepted = new Batches();
    private boolean isOn;
    private long packets;
    private double latencySum;
    private double messageLatencySum;
    private long hopSum;
    private long flits;
    private long batchPackets;
    private double batchLatencySum;
    private long batchFlits;
    private long windowPackets;
    private double windowLatencySum;

    /** Starts in the warm-up. */
    public Meter() {}

    /** Ends the warm-up: what arrives from now on counts. */
    public void start() {
        isOn = true;
    }

    @Override
    public void onDelivered(
            final int source,
            final int destination,
            final int flitCount,
            final long created,
            final int hops,
            final long now) {
        final long cycles = now - created;
        windowPackets++;
        windowLatencySum += cycles;
        if (!isOn) {
            return;
        }
        latency.recordValue(cycles);
        packets++;
        latencySum += cycles;
        hopSum += hops;
        flits += flitCount;
        batchPackets++;
        batchLatencySum += cycles;
        batchFlits += flitCount;
    }

    @Override
    public void onMessage(final long created, final long now) {
        if (isOn) {
            messageLatency.recordValue(now - created);
            messageLatencySum += now - created;
        }
    }

    /** Ends a batch of that many cycles of that many hosts. */
    public void endBatch(final long cycles, final int hosts) {
        batchAccepted.add((double) batchFlits / cycles / hosts);
        if (batchPackets > 0) {
            batchLatency.add(batchLatencySum / batchPackets);
        }
        batchPackets = 0;
        batchLatencySum = 0;
        batchFlits = 0;
    }

    /** Mean latency since the last call, NaN when nothing arrived; for the warm-up's end. */
    public double windowLatency() {
        final double mean = windowPackets == 0 ? Double.NaN : windowLatencySum / windowPackets;
        windowPackets = 0;
        windowLatencySum = 0;
        return mean;
    }

    /** Latency of the packets that counted, in cycles from the source's queue to the last flit. */
    public Latency latency() {
        return latency(latency, latencySum, batchLatency.halfWidth());
    }

    /**
     * Latency of the messages that counted, until their last packet, in cycles; without confidence.
     * Only messages that the traffic announced count.
     */
    public Latency messageLatency() {
        return latency(messageLatency, messageLatencySum, Double.NaN);
    }

    private static Latency latency(
            final Histogram histogram, final double sum, final double halfWidth) {
        final long count = histogram.getTotalCount();
        if (count == 0) {
            return new Latency(0, 0, 0, 0, 0, 0, Double.NaN);
        }
        return new Latency(
                count,
                sum / count,
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(99),
                histogram.getMinValue(),
                histogram.getMaxValue(),
                halfWidth);
    }

    /** The distribution itself. */
    public Histogram histogram() {
        return latency;
    }

    /** Mean links between switches that the packets passed. */
    public double hops() {
        return packets == 0 ? 0 : (double) hopSum / packets;
    }

    /** Packets that counted. */
    public long packets() {
        return packets;
    }

    /** Flits of the packets that counted. */
    public long flits() {
        return flits;
    }

    /** Half the 95 % confidence interval of the accepted traffic. */
    public double acceptedHalfWidth() {
        return batchAccepted.halfWidth();
    }

    /**
     * Latency in cycles.
     *
     * @param count of what was measured.
     * @param halfWidth of the mean's 95 % confidence interval, by batch means.
     */
    public record Latency(
            long count, double mean, long median, long p99, long min, long max, double halfWidth) {}
}
