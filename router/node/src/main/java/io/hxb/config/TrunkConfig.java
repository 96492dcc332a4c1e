package io.hxb.config;

/**
 * When a link to a neighbour counts as failed, and when as recovered. Immutable.
 *
 * @param failFrames a link with almost no frames is failed when another link of its trunk received
 *     this many, 2 to 100,000.
 * @param minFrames fewer frames count as almost none, 1 to {@code failFrames}.
 * @param heartbeatNs time between two heartbeats on a link that is not used.
 * @param healBeats consecutive heartbeats after which it is used again, 1 to 1,000.
 * @param lossPercent share of lost frames, beyond that of the trunk's best link, above which a link
 *     is excluded, 1 to 100; below it, the link gets fewer frames.
 * @param holdDownNs minimum time for which a link that fails again soon is left out; doubles each
 *     time.
 * @param maxHoldDownNs the maximum to which it doubles.
 * @param silenceNs time after which a neighbour is asked that is sent frames and is silent.
 */
public record TrunkConfig(
        int failFrames,
        int minFrames,
        long heartbeatNs,
        int healBeats,
        int lossPercent,
        long holdDownNs,
        long maxHoldDownNs,
        long silenceNs) {
    /** What holds when the file says nothing. */
    public static final TrunkConfig DEFAULT =
            new TrunkConfig(48, 2, 20_000_000L, 3, 25, 100_000_000L, 10_000_000_000L, 30_000_000L);

    /** Checks the values. */
    public TrunkConfig {
        new Check()
                .range("failFrames", failFrames, 2, 100_000)
                .range("minFrames", minFrames, 1, failFrames)
                .duration("heartbeat", heartbeatNs, 1_000_000, 60_000_000_000L)
                .range("healBeats", healBeats, 1, 1_000)
                .range("lossPercent", lossPercent, 1, 100)
                .duration("holdDown", holdDownNs, 0, 60_000_000_000L)
                .duration("maxHoldDown", maxHoldDownNs, holdDownNs, 3_600_000_000_000L)
                .duration("silence", silenceNs, 1_000_000, 60_000_000_000L)
                .done();
    }

    /** The same with another {@link #holdDownNs()} and {@link #maxHoldDownNs()}. */
    public TrunkConfig withHoldDownNs(final long value, final long maxValue) {
        return new TrunkConfig(
                failFrames,
                minFrames,
                heartbeatNs,
                healBeats,
                lossPercent,
                value,
                maxValue,
                silenceNs);
    }

    /** The same with another {@link #silenceNs()}. */
    public TrunkConfig withSilenceNs(final long value) {
        return new TrunkConfig(
                failFrames,
                minFrames,
                heartbeatNs,
                healBeats,
                lossPercent,
                holdDownNs,
                maxHoldDownNs,
                value);
    }
}
