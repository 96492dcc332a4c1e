package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.count;
import static io.hxb.config.ValueType.powerOfTwo;

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

    /** The keys; each limit of time is also one for the keys after it. */
    public static final ConfigSection<FlowConfig> KEYS =
            ConfigSection.<FlowConfig>of(
                    "flow",
                    v ->
                            new FlowConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next(), v.next(), v.next(), v.next()),
                    advanced(
                            "windowFrames",
                            powerOfTwo("frames"),
                            1024,
                            FlowConfig::windowFrames,
                            range(4, 4096),
                            "Maximum number of frames of one flow that are not acknowledged."),
                    advanced(
                            "ackEveryFrames",
                            count("frames"),
                            16,
                            FlowConfig::ackEveryFrames,
                            range(1, FlowConfig::maxAckEveryFrames),
                            "Frames after which an acknowledgement is sent; at most half of the"
                                    + " window."),
                    advanced(
                            "ackDelay",
                            DURATION,
                            100_000L,
                            FlowConfig::ackDelayNs,
                            range(1_000, 1_000_000_000),
                            "Maximum time until an acknowledgement is sent on its own; see"
                                    + " [Acknowledgements](#acknowledgements)."),
                    advanced(
                            "reorderingThresholdFrames",
                            count("frames"),
                            64,
                            FlowConfig::reorderingThresholdFrames,
                            range(3, FlowConfig::maxReorderingThresholdFrames),
                            "A frame overtaken by this many others counts as lost; less than the"
                                    + " window."),
                    advanced(
                            "minRetransmit",
                            DURATION,
                            2_000_000L,
                            FlowConfig::minRetransmitNs,
                            range(10_000, 10_000_000_000L),
                            "Minimum time before a frame is sent again."),
                    advanced(
                            "maxRetransmit",
                            DURATION,
                            500_000_000L,
                            FlowConfig::maxRetransmitNs,
                            range(FlowConfig::minRetransmitNs, 60_000_000_000L),
                            "Maximum time between two attempts; at least `minRetransmit`."),
                    basic(
                            "peerTimeout",
                            DURATION,
                            5_000_000_000L,
                            FlowConfig::peerTimeoutNs,
                            range(FlowConfig::shortestPeerTimeoutNs, 3_600_000_000_000L),
                            "A peer that is silent for this time is unreachable; at least two"
                                    + " `minRetransmit`, so that a lost frame is repeated before."),
                    advanced(
                            "maxFlows",
                            count("flows"),
                            8_192,
                            FlowConfig::maxFlows,
                            range(16, 1 << 20),
                            "Maximum number of sending flows of a node, and of receiving flows; see"
                                    + " [Memory of flows](#memory-of-flows)."),
                    advanced(
                            "idleTimeout",
                            DURATION,
                            60_000_000_000L,
                            FlowConfig::idleTimeoutNs,
                            range(FlowConfig::shortestIdleTimeoutNs, 36_000_000_000_000L),
                            "Both ends forget a flow on which nothing was sent for this time; at"
                                    + " least two `peerTimeout`."),
                    new ConfigSection.Group<>(RouteConfig.KEYS, FlowConfig::routes));

    /** The defaults. */
    public static final FlowConfig DEFAULT = KEYS.defaults();

    private static final int MAX_PIGGYBACK_FACTOR = 16;

    /**
     * How much longer than {@link #ackDelayNs()} an acknowledgement waits if it is likely to be
     * piggybacked: too short for the source to take its frame for lost.
     */
    public long piggybackDelayNs() {
        final long longestNs = Math.min(minRetransmitNs / 4 * 3, MAX_PIGGYBACK_FACTOR * ackDelayNs);
        return Math.max(0, longestNs - ackDelayNs);
    }

    /**
     * The same with another {@link #windowFrames()}, and the other numbers of frames reduced to it
     * where they were larger.
     */
    public FlowConfig withWindowFrames(final int value) {
        return KEYS.with(this, "windowFrames", value);
    }

    /** The same with another {@link #ackEveryFrames()}. */
    public FlowConfig withAckEveryFrames(final int value) {
        return KEYS.with(this, "ackEveryFrames", value);
    }

    /** The same with another {@link #ackDelayNs()}. */
    public FlowConfig withAckDelayNs(final long value) {
        return KEYS.with(this, "ackDelay", value);
    }

    /** The same with another {@link #reorderingThresholdFrames()}. */
    public FlowConfig withReorderingThresholdFrames(final int value) {
        return KEYS.with(this, "reorderingThresholdFrames", value);
    }

    /** The same with another {@link #maxRetransmitNs()}. */
    public FlowConfig withMaxRetransmitNs(final long value) {
        return KEYS.with(this, "maxRetransmit", value);
    }

    /** The same with another {@link #peerTimeoutNs()}. */
    public FlowConfig withPeerTimeoutNs(final long value) {
        return KEYS.with(this, "peerTimeout", value);
    }

    /** The same with another {@link #maxFlows()}. */
    public FlowConfig withMaxFlows(final int value) {
        return KEYS.with(this, "maxFlows", value);
    }

    /** The same with another {@link #idleTimeoutNs()}. */
    public FlowConfig withIdleTimeoutNs(final long value) {
        return KEYS.with(this, "idleTimeout", value);
    }

    /** The same with another {@link #routes()}. */
    public FlowConfig withRoutes(final RouteConfig value) {
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
                value);
    }

    private static long maxAckEveryFrames(final FlowConfig flow) {
        return Math.max(1, flow.windowFrames / 2);
    }

    private static long maxReorderingThresholdFrames(final FlowConfig flow) {
        return Math.max(3, flow.windowFrames - 1);
    }

    private static long shortestPeerTimeoutNs(final FlowConfig flow) {
        return Math.max(10_000_000, 2 * flow.minRetransmitNs);
    }

    private static long shortestIdleTimeoutNs(final FlowConfig flow) {
        return 2 * flow.peerTimeoutNs;
    }
}
