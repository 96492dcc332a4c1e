package io.hxb.trunk.health;

/**
 * When a link counts as failed and when as healed. Immutable.
 *
 * @param failFrames frames that another link of the trunk gets while this one gets next to none.
 * @param minFrames a link with fewer frames got next to none.
 * @param heartbeatNs time between two heartbeats on a link that is not used.
 * @param healBeats consecutive heartbeats after which a failed link is used again.
 * @param lossPercent share of lost frames, beyond that of the trunk's best link, above which a link
 *     is excluded; below it, the link gets fewer frames.
 * @param holdDownNs time that a link which fails again soon is at least left out; doubles each
 *     time.
 * @param maxHoldDownNs the most it doubles to.
 * @param silenceNs time after which a neighbour that is sent frames and says nothing is asked.
 */
public record HealthSettings(
        int failFrames,
        int minFrames,
        long heartbeatNs,
        int healBeats,
        int lossPercent,
        long holdDownNs,
        long maxHoldDownNs,
        long silenceNs) {
    /** What holds when nothing else is said. */
    public static final HealthSettings DEFAULT =
            new HealthSettings(
                    48, 2, 20_000_000L, 3, 25, 100_000_000L, 10_000_000_000L, 30_000_000L);

    /** Time between two looks at the links of a trunk that carries frames. */
    static final long CHECK_NS = 500_000;

    /** Looks in a row in which a link was silent while another was not, before it is judged. */
    static final int SILENT_CHECKS = 6;

    /** Frames to a neighbour after which it is told how many were sent over each link. */
    static final int MARK_FRAMES = 32;

    /** Time between two such messages, at least, to a neighbour that sends and is sent little. */
    static final long RECEIVED_MARK_NS = 1_000_000;

    /** Questions that a silent neighbour may leave unanswered. */
    static final int ASKS = 3;

    /**
     * Frames that the neighbour has sent over a link, at least, for its silence to mean something.
     */
    int sentFrames() {
        return Math.max(minFrames, failFrames / 4);
    }
}
