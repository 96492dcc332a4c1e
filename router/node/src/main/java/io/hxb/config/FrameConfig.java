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
 * @param encapsulation what raw links put long frames into.
 */
public record FrameConfig(
        boolean crc,
        int hopLimit,
        int etherType,
        int relayEtherType,
        long helloIntervalNs,
        boolean vlanTags,
        Encapsulation encapsulation) {
    /** The defaults. Source: IEEE 802, local experimental EtherTypes 1, 2. */
    public static final FrameConfig DEFAULT =
            new FrameConfig(false, 32, 0x88B5, 0x88B6, 200_000_000L, false, Encapsulation.ETHERNET);

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
                .that(
                        !vlanTags || encapsulation != Encapsulation.IP,
                        "encapsulation",
                        "must be ethernet or auto where frame.vlanTags is true, not ip")
                .done();
    }

    /** True if frames of raw links may travel by IP, so that each leaves room for its headers. */
    public boolean mayUseIp() {
        return encapsulation != Encapsulation.ETHERNET && !vlanTags;
    }

    /** The same with another encapsulation. */
    public FrameConfig withEncapsulation(final Encapsulation value) {
        return new FrameConfig(
                crc, hopLimit, etherType, relayEtherType, helloIntervalNs, vlanTags, value);
    }

    /** The same with or without a CRC. */
    public FrameConfig withCrc(final boolean value) {
        return new FrameConfig(
                value,
                hopLimit,
                etherType,
                relayEtherType,
                helloIntervalNs,
                vlanTags,
                encapsulation);
    }

    private static boolean isEtherType(final int value) {
        return value >= 0x0600 && value <= 0xFFFF;
    }

    private static String hex(final int value) {
        return "0x" + Integer.toHexString(value);
    }

    /**
     * What raw links put long data frames into. Short frames, frames of the link itself and frames
     * that are relayed on a detour always are Ethernet frames of the EtherTypes.
     */
    public enum Encapsulation {
        /** Ethernet frames of the EtherTypes. */
        ETHERNET,

        /** UDP over IPv4, in trains; a link whose kernel cannot do that does not open. */
        IP,

        /** The same where the kernel and the way to the neighbour allow it, else Ethernet. */
        AUTO
    }
}
