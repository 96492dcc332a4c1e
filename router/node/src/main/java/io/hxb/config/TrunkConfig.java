package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.count;

import java.util.Map;

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
    /** The keys. */
    public static final ConfigSection<TrunkConfig> KEYS =
            ConfigSection.<TrunkConfig>of(
                    "trunk",
                    v ->
                            new TrunkConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next(), v.next()),
                    advanced(
                            "failFrames",
                            count("frames"),
                            48,
                            TrunkConfig::failFrames,
                            range(2, 100_000),
                            "A silent link is excluded when another link of its trunk has received"
                                    + " this many frames of the neighbour."),
                    advanced(
                            "minFrames",
                            count("frames"),
                            2,
                            TrunkConfig::minFrames,
                            range(1, TrunkConfig::failFrames),
                            "A link that received fewer frames counts as silent; at most"
                                    + " `failFrames`."),
                    advanced(
                            "heartbeat",
                            DURATION,
                            20_000_000L,
                            TrunkConfig::heartbeatNs,
                            range(1_000_000, 60_000_000_000L),
                            "Time between two heartbeats on an excluded link."),
                    advanced(
                            "healBeats",
                            count("heartbeats"),
                            3,
                            TrunkConfig::healBeats,
                            range(1, 1_000),
                            "Heartbeats in a row, in both directions, after which a link is used"
                                    + " again; see [Links that fail](#links-that-fail)."),
                    advanced(
                            "lossPercent",
                            count("per cent"),
                            25,
                            TrunkConfig::lossPercent,
                            range(1, 100),
                            "A link that loses more frames than this, compared with the best of its"
                                    + " trunk, is excluded."),
                    advanced(
                            "holdDown",
                            DURATION,
                            100_000_000L,
                            TrunkConfig::holdDownNs,
                            range(0, 60_000_000_000L),
                            "Minimum time for which a link is excluded when it fails again soon;"
                                    + " doubles each time."),
                    advanced(
                            "maxHoldDown",
                            DURATION,
                            10_000_000_000L,
                            TrunkConfig::maxHoldDownNs,
                            range(TrunkConfig::holdDownNs, 3_600_000_000_000L),
                            "Maximum to which the hold-down time doubles; at least `holdDown`."),
                    advanced(
                            "silence",
                            DURATION,
                            30_000_000L,
                            TrunkConfig::silenceNs,
                            range(1_000_000, 60_000_000_000L),
                            "A neighbour that is silent for this time is probed; see [Links that"
                                    + " fail](#links-that-fail)."));

    /** The defaults. */
    public static final TrunkConfig DEFAULT = KEYS.defaults();

    /** The same with another {@link #holdDownNs()} and {@link #maxHoldDownNs()}. */
    public TrunkConfig withHoldDownNs(final long value, final long maxValue) {
        return KEYS.with(this, Map.of("holdDown", value, "maxHoldDown", maxValue));
    }

    /** The same with another {@link #silenceNs()}. */
    public TrunkConfig withSilenceNs(final long value) {
        return KEYS.with(this, "silence", value);
    }
}
