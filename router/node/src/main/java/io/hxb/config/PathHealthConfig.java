package io.hxb.config;

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
    /** What holds when the file says nothing. */
    public static final PathHealthConfig DEFAULT =
            new PathHealthConfig(
                    true,
                    10_000_000L,
                    500_000_000L,
                    20_000_000L,
                    4_000,
                    3,
                    25,
                    1_000_000_000L,
                    60_000_000_000L);

    /** No probes. */
    public static final PathHealthConfig OFF =
            new PathHealthConfig(
                    false,
                    DEFAULT.heartbeatNs,
                    DEFAULT.spareHeartbeatNs,
                    DEFAULT.silenceNs,
                    DEFAULT.framesPerSecond,
                    DEFAULT.healBeats,
                    DEFAULT.lossPercent,
                    DEFAULT.holdDownNs,
                    DEFAULT.maxHoldDownNs);

    /** Checks the values. */
    public PathHealthConfig {
        new Check()
                .duration("heartbeat", heartbeatNs, 1_000_000, 1_000_000_000)
                .duration("spareHeartbeat", spareHeartbeatNs, heartbeatNs, 60_000_000_000L)
                .duration("silence", silenceNs, heartbeatNs, 60_000_000_000L)
                .range("framesPerSecond", framesPerSecond, 100, 1_000_000)
                .range("healBeats", healBeats, 1, 1_000)
                .range("lossPercent", lossPercent, 1, 100)
                .duration("holdDown", holdDownNs, 0, 60_000_000_000L)
                .duration("maxHoldDown", maxHoldDownNs, holdDownNs, 3_600_000_000_000L)
                .done();
    }
}
