package io.hxb.config;

/**
 * How flows keep order and repair losses. Immutable.
 *
 * @param windowFrames maximum number of frames in flight on one flow and slots of its ordering
 *     array, a power of two, 4 to 4096.
 * @param ackEveryFrames a receiver acknowledges after at most that many frames, 1 to half the
 *     window.
 * @param ackDelayNs a receiver acknowledges after at most that time.
 * @param reorderingThresholdFrames a frame counts as lost when this number of later ones have
 *     arrived; at least 3, below the window.
 * @param minRetransmitNs shortest retransmission timer.
 * @param maxRetransmitNs longest retransmission timer, reached by doubling.
 * @param peerTimeoutNs a peer that acknowledges nothing for this time is unreachable.
 * @param maxFlows sending flows of a node, and receiving flows of a node, 16 to 1,048,576. A
 *     context gets a new one only while it has fewer than are free.
 * @param idleTimeoutNs a flow on which nothing was sent for this time is forgotten by both ends; at
 *     least two peer timeouts.
 * @param routes how the routes of its frames are judged.
 */
public record FlowConfig(
        int windowFrames,
        int ackEveryFrames,
        long ackDelayNs,
        int reorderingThresholdFrames,
        long minRetransmitNs,
        long maxRetransmitNs,
        long peerTimeoutNs,
        int maxFlows,
        long idleTimeoutNs,
        RouteConfig routes) {

    private static final int ACK_PATIENCE = 16;

    /** The defaults. */
    public static final FlowConfig DEFAULT =
            new FlowConfig(
                    1024,
                    16,
                    100_000,
                    64,
                    2_000_000,
                    500_000_000,
                    5_000_000_000L,
                    8_192,
                    60_000_000_000L,
                    RouteConfig.DEFAULT);

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
                .duration(
                        "peerTimeout",
                        peerTimeoutNs,
                        Math.max(10_000_000, 2 * minRetransmitNs),
                        3_600_000_000_000L)
                .range("maxFlows", maxFlows, 16, 1 << 20)
                .duration("idleTimeout", idleTimeoutNs, 2 * peerTimeoutNs, 36_000_000_000_000L)
                .done();
    }

    /**
     * For how much longer than {@link #ackDelayNs()} an acknowledgement waits that is likely to
     * ride on a frame of the other direction; the source does not yet take its frame for lost.
     */
    public long piggybackDelayNs() {
        final long longestNs = Math.min(minRetransmitNs / 4 * 3, ACK_PATIENCE * ackDelayNs);
        return Math.max(0, longestNs - ackDelayNs);
    }

    /**
     * The same with another {@link #windowFrames()}, and the other numbers of frames reduced to it
     * where they were larger.
     */
    public FlowConfig withWindowFrames(final int value) {
        return new Builder(this).windowFrames(value).build();
    }

    /** The same with another {@link #ackEveryFrames()}. */
    public FlowConfig withAckEveryFrames(final int value) {
        return new Builder(this).ackEveryFrames(value).build();
    }

    /** The same with another {@link #ackDelayNs()}. */
    public FlowConfig withAckDelayNs(final long value) {
        return new Builder(this).ackDelayNs(value).build();
    }

    /** The same with another {@link #reorderingThresholdFrames()}. */
    public FlowConfig withReorderingThresholdFrames(final int value) {
        return new Builder(this).reorderingThresholdFrames(value).build();
    }

    /** The same with another {@link #maxRetransmitNs()}. */
    public FlowConfig withMaxRetransmitNs(final long value) {
        return new Builder(this).maxRetransmitNs(value).build();
    }

    /** The same with another {@link #peerTimeoutNs()}. */
    public FlowConfig withPeerTimeoutNs(final long value) {
        return new Builder(this).peerTimeoutNs(value).build();
    }

    /** The same with another {@link #maxFlows()}. */
    public FlowConfig withMaxFlows(final int value) {
        return new Builder(this).maxFlows(value).build();
    }

    /** The same with another {@link #idleTimeoutNs()}. */
    public FlowConfig withIdleTimeoutNs(final long value) {
        return new Builder(this).idleTimeoutNs(value).build();
    }

    /** The same with another {@link #routes()}. */
    public FlowConfig withRoutes(final RouteConfig value) {
        return new Builder(this).routes(value).build();
    }

    /** Maximum of {@link #ackEveryFrames()} with a window of {@code windowFrames}. */
    private static int maxAckEveryFrames(final int windowFrames) {
        return Math.max(1, windowFrames / 2);
    }

    /** Maximum of {@link #reorderingThresholdFrames()} with such a window. */
    private static int maxReorderingThresholdFrames(final int windowFrames) {
        return Math.max(3, windowFrames - 1);
    }

    /** Changes some of the defaults, or of other flows. Used by one thread. */
    public static final class Builder {
        private int windowFrames;
        private int ackEveryFrames;
        private long ackDelayNs;
        private int reorderingThresholdFrames;
        private long minRetransmitNs;
        private long maxRetransmitNs;
        private long peerTimeoutNs;
        private int maxFlows;
        private long idleTimeoutNs;
        private RouteConfig routes;

        /** Starts from the defaults. */
        public Builder() {
            this(DEFAULT);
        }

        Builder(final FlowConfig given) {
            windowFrames = given.windowFrames;
            ackEveryFrames = given.ackEveryFrames;
            ackDelayNs = given.ackDelayNs;
            reorderingThresholdFrames = given.reorderingThresholdFrames;
            minRetransmitNs = given.minRetransmitNs;
            maxRetransmitNs = given.maxRetransmitNs;
            peerTimeoutNs = given.peerTimeoutNs;
            maxFlows = given.maxFlows;
            idleTimeoutNs = given.idleTimeoutNs;
            routes = given.routes;
        }

        /** See {@link FlowConfig#windowFrames()}; lowers the other frames to what it allows. */
        public Builder windowFrames(final int value) {
            windowFrames = value;
            ackEveryFrames = Math.min(ackEveryFrames, maxAckEveryFrames(value));
            reorderingThresholdFrames =
                    Math.min(reorderingThresholdFrames, maxReorderingThresholdFrames(value));
            return this;
        }

        /** See {@link FlowConfig#ackEveryFrames()}. */
        public Builder ackEveryFrames(final int value) {
            ackEveryFrames = value;
            return this;
        }

        /** See {@link FlowConfig#ackDelayNs()}. */
        public Builder ackDelayNs(final long value) {
            ackDelayNs = value;
            return this;
        }

        /** See {@link FlowConfig#reorderingThresholdFrames()}. */
        public Builder reorderingThresholdFrames(final int value) {
            reorderingThresholdFrames = value;
            return this;
        }

        /** See {@link FlowConfig#minRetransmitNs()}; raises the longer times that it limits. */
        public Builder minRetransmitNs(final long value) {
            minRetransmitNs = value;
            maxRetransmitNs = Math.max(maxRetransmitNs, value);
            return peerTimeoutNs(Math.max(peerTimeoutNs, 2 * value));
        }

        /** See {@link FlowConfig#maxRetransmitNs()}. */
        public Builder maxRetransmitNs(final long value) {
            maxRetransmitNs = value;
            return this;
        }

        /** See {@link FlowConfig#peerTimeoutNs()}; raises the idle timeout to twice as long. */
        public Builder peerTimeoutNs(final long value) {
            peerTimeoutNs = value;
            idleTimeoutNs = Math.max(idleTimeoutNs, 2 * value);
            return this;
        }

        /** See {@link FlowConfig#maxFlows()}. */
        public Builder maxFlows(final int value) {
            maxFlows = value;
            return this;
        }

        /** See {@link FlowConfig#idleTimeoutNs()}. */
        public Builder idleTimeoutNs(final long value) {
            idleTimeoutNs = value;
            return this;
        }

        /** See {@link FlowConfig#routes()}. */
        public Builder routes(final RouteConfig value) {
            routes = value;
            return this;
        }

        /** The flows, checked. */
        public FlowConfig build() {
            return new FlowConfig(
                    windowFrames,
                    ackEveryFrames,
                    ackDelayNs,
                    reorderingThresholdFrames,
                    minRetransmitNs,
                    maxRetransmitNs,
                    peerTimeoutNs,
                    maxFlows,
                    idleTimeoutNs,
                    routes);
        }
    }
}
