package io.hxb.config;

/**
 * The content of frames and how often neighbours hear from each other. Immutable.
 *
 * @param crc whether frames carry a CRC-32C from end to end.
 * @param hopLimit links a frame may cross, 1 to 255.
 * @param etherType EtherType of raw links for frames whose next hop is their last, and for those of
 *     the link itself, 0x0600 to 0xFFFF.
 * @param relayEtherType EtherType of raw links for frames that the next hop receives in its ring,
 *     another one.
 * @param helloIntervalNs time between hello frames on each link.
 * @param vlanTags whether raw links also receive frames with IEEE 802.1Q tags and recover the tags;
 *     their sockets then look at every frame of the NIC.
 */
public record FrameConfig(
        boolean crc,
        int hopLimit,
        int etherType,
        int relayEtherType,
        long helloIntervalNs,
        boolean vlanTags) {
    /** The defaults. Source: IEEE 802, local experimental EtherTypes 1, 2. */
    public static final FrameConfig DEFAULT =
            new FrameConfig(false, 32, 0x88B5, 0x88B6, 200_000_000L, false);

    /** Checks the values. */
    public FrameConfig {
        new Check()
                .range("hopLimit", hopLimit, 1, 255)
                .that(
                        isEtherType(etherType),
                        "etherType",
                        "must be 0x0600..0xffff: " + hex(etherType))
                .that(
                        isEtherType(relayEtherType) && relayEtherType != etherType,
                        "relayEtherType",
                        "must be 0x0600..0xffff and not etherType: " + hex(relayEtherType))
                .duration("helloInterval", helloIntervalNs, 1_000_000, 60_000_000_000L)
                .done();
    }

    /** The same with or without a CRC. */
    public FrameConfig withCrc(final boolean value) {
        return new FrameConfig(
                value, hopLimit, etherType, relayEtherType, helloIntervalNs, vlanTags);
    }

    private static boolean isEtherType(final int value) {
        return value >= 0x0600 && value <= 0xFFFF;
    }

    private static String hex(final int value) {
        return "0x" + Integer.toHexString(value);
    }
}
