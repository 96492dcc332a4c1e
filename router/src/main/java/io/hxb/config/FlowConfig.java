package io.hxb.config;

/**
 * How flows keep order and repair losses. Immutable.
 *
 * @param windowFrames most frames in flight on one flow and slots of its ordering array, a power of
 *     two, 4 to 4096.
 * @param ackEveryFrames a receiver acknowledges at the latest after that many frames, 1 to half the
 *     window.
 * @param ackDelayNs a receiver acknowledges at the latest after that time.
 * @param reorderingThresholdFrames a frame counts as lost when so many later ones have arrived; at
 *     least 3, below the window.
 * @param minRetransmitNs shortest retransmission timer.
 * @param maxRetransmitNs longest retransmission timer, reached by doubling.
 * @param peerTimeoutNs a peer that acknowledges nothing for so long is unreachable.
 * @param routeSilenceNs a route on which frames got lost for so long, and none arrived, is avoided.
 * @param routeRetryNs longest time between two tries of a route that is avoided.
 * @param partitionTimeoutNs a peer that was not heard for so long, and to which no route has led
 *     for half of it, is unreachable.
 */
public record FlowConfig(
        int windowFrames,
        int ackEveryFrames,
        long ackDelayNs,
        int reorderingThresholdFrames,
        long minRetransmitNs,
        long maxRetransmitNs,
        long peerTimeoutNs,
        long routeSilenceNs,
        long routeRetryNs,
        long partitionTimeoutNs) {

    /** What holds when the file says nothing. */
    public static final FlowConfig DEFAULT =
            new FlowConfig(
                    1024,
                    16,
                    100_000,
                    64,
                    2_000_000,
                    500_000_000,
                    5_000_000_000L,
                    30_000_000,
                    200_000_000,
                    800_000_000);

    /** Checks the values. */
    public FlowConfig {
        new Check()
                .powerOfTwo("windowFrames", windowFrames, 4, 4096)
                .range("ackEveryFrames", ackEveryFrames, 1, maxAckEveryFrames(windowFrames))
                .duration("ackDelay", ackDelayNs, 1_000, 1_000_000_000)
                .range(
                        "reorderingThresholdFrames",
                        reorderingThresholdFrames,
                        3,
                        maxReorderingThresholdFrames(windowFrames))
                .duration("minRetransmit", minRetransmitNs, 10_000, 10_000_000_000L)
                .duration("maxRetransmit", maxRetransmitNs, minRetransmitNs, 60_000_000_000L)
                .duration("peerTimeout", peerTimeoutNs, 10_000_000, 3_600_000_000_000L)
                .duration("routeSilence", routeSilenceNs, 1_000_000, 60_000_000_000L)
                .duration("routeRetry", routeRetryNs, 1_000_000, 60_000_000_000L)
                .duration("partitionTimeout", partitionTimeoutNs, 10_000_000, 3_600_000_000_000L)
                .done();
    }

    /**
     * The same with another {@link #windowFrames()}, and with no more of the other frames than it
     * allows.
     */
    public FlowConfig withWindowFrames(final int value) {
        return new FlowConfig(
                value,
                Math.min(ackEveryFrames, maxAckEveryFrames(value)),
                ackDelayNs,
                Math.min(reorderingThresholdFrames, maxReorderingThresholdFrames(value)),
                minRetransmitNs,
                maxRetransmitNs,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #ackEveryFrames()}. */
    public FlowConfig withAckEveryFrames(final int value) {
        return new FlowConfig(
                windowFrames,
                value,
                ackDelayNs,
                reorderingThresholdFrames,
                minRetransmitNs,
                maxRetransmitNs,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #ackDelayNs()}. */
    public FlowConfig withAckDelayNs(final long value) {
        return new FlowConfig(
                windowFrames,
                ackEveryFrames,
                value,
                reorderingThresholdFrames,
                minRetransmitNs,
                maxRetransmitNs,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #reorderingThresholdFrames()}. */
    public FlowConfig withReorderingThresholdFrames(final int value) {
        return new FlowConfig(
                windowFrames,
                ackEveryFrames,
                ackDelayNs,
                value,
                minRetransmitNs,
                maxRetransmitNs,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #maxRetransmitNs()}. */
    public FlowConfig withMaxRetransmitNs(final long value) {
        return new FlowConfig(
                windowFrames,
                ackEveryFrames,
                ackDelayNs,
                reorderingThresholdFrames,
                minRetransmitNs,
                value,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #peerTimeoutNs()}. */
    public FlowConfig withPeerTimeoutNs(final long value) {
        return new FlowConfig(
                windowFrames,
                ackEveryFrames,
                ackDelayNs,
                reorderingThresholdFrames,
                minRetransmitNs,
                maxRetransmitNs,
                value,
                routeSilenceNs,
                routeRetryNs,
                partitionTimeoutNs);
    }

    /** The same with another {@link #partitionTimeoutNs()}. */
    public FlowConfig withPartitionTimeoutNs(final long value) {
        return new FlowConfig(
                windowFrames,
                ackEveryFrames,
                ackDelayNs,
                reorderingThresholdFrames,
                minRetransmitNs,
                maxRetransmitNs,
                peerTimeoutNs,
                routeSilenceNs,
                routeRetryNs,
                value);
    }

    /** Most that {@link #ackEveryFrames()} may be with a window of {@code windowFrames}. */
    public static int maxAckEveryFrames(final int windowFrames) {
        return Math.max(1, windowFrames / 2);
    }

    /** Most that {@link #reorderingThresholdFrames()} may be with such a window. */
    public static int maxReorderingThresholdFrames(final int windowFrames) {
        return Math.max(3, windowFrames - 1);
    }
}
