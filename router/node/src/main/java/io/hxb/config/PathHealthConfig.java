package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.FLAG;
import static io.hxb.config.ValueType.count;

/**
 * When a path through plain switches, which is a host and a VID, counts as dead, and when as usable
 * again. Immutable.
 *
 * @param isEnabled whether paths are probed at all.
 * @param heartbeatNs time between two probes of a path in use, while there are few enough of them.
 * @param spareHeartbeatNs time between two probes of other paths to a host that is in use.
 * @param silenceNs time after which a path in use is in doubt, so that the host is asked on others.
 * @param framesPerSecond probes that are sent at most; half as many in one burst.
 * @param healBeats consecutive probes after which a dead path is used again, 1 to 1,000.
 * @param lossPercent share of lost probes above which a path is left, 1 to 100.
 * @param holdDownNs minimum time for which a path that dies again soon is left out; doubles each
 *     time.
 * @param maxHoldDownNs the maximum to which it doubles.
 */
public record PathHealthConfig(
        boolean isEnabled,
        long heartbeatNs,
        long spareHeartbeatNs,
        long silenceNs,
        int framesPerSecond,
        int healBeats,
        int lossPercent,
        long holdDownNs,
        long maxHoldDownNs) {
    /** The keys. */
    public static final ConfigSection<PathHealthConfig> KEYS =
            ConfigSection.<PathHealthConfig>of(
                    "pathHealth",
                    v ->
                            new PathHealthConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next(), v.next(), v.next()),
                    basic(
                            "enabled",
                            FLAG,
                            true,
                            PathHealthConfig::isEnabled,
                            any(),
                            "Whether paths through the switches are probed, and left when they are"
                                    + " [dead](../howto/vlan.md)."),
                    advanced(
                            "heartbeat",
                            DURATION,
                            10_000_000L,
                            PathHealthConfig::heartbeatNs,
                            range(1_000_000, 1_000_000_000),
                            "Time between two probes of a path in use, while `framesPerSecond`"
                                    + " allows it."),
                    advanced(
                            "spareHeartbeat",
                            DURATION,
                            500_000_000L,
                            PathHealthConfig::spareHeartbeatNs,
                            range(PathHealthConfig::heartbeatNs, 60_000_000_000L),
                            "Time between two probes of spare paths to a host in use, and of dead"
                                    + " paths; at least `heartbeat`."),
                    advanced(
                            "silence",
                            DURATION,
                            20_000_000L,
                            PathHealthConfig::silenceNs,
                            range(PathHealthConfig::heartbeatNs, 60_000_000_000L),
                            "A host that is silent for this time is probed on several paths; at"
                                    + " least `heartbeat`."),
                    advanced(
                            "framesPerSecond",
                            count("frames"),
                            4_000,
                            PathHealthConfig::framesPerSecond,
                            range(100, 1_000_000),
                            "Maximum number of probes that a host sends per second, half as many in"
                                    + " one burst."),
                    advanced(
                            "healBeats",
                            count("probes"),
                            3,
                            PathHealthConfig::healBeats,
                            range(1, 1_000),
                            "Probes in a row after which a dead path is used again."),
                    advanced(
                            "lossPercent",
                            count("per cent"),
                            25,
                            PathHealthConfig::lossPercent,
                            range(1, 100),
                            "Share of lost probes above which a path is left."),
                    advanced(
                            "holdDown",
                            DURATION,
                            1_000_000_000L,
                            PathHealthConfig::holdDownNs,
                            range(0, 60_000_000_000L),
                            "Minimum time for which a path is excluded when it dies again soon;"
                                    + " doubles each time."),
                    advanced(
                            "maxHoldDown",
                            DURATION,
                            60_000_000_000L,
                            PathHealthConfig::maxHoldDownNs,
                            range(PathHealthConfig::holdDownNs, 3_600_000_000_000L),
                            "Maximum to which the hold-down time doubles; at least `holdDown`."));

    /** The defaults. */
    public static final PathHealthConfig DEFAULT = KEYS.defaults();

    /** No probes. */
    public static final PathHealthConfig OFF = KEYS.with(DEFAULT, "enabled", false);
}
