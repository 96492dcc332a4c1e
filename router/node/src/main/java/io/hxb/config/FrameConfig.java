package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.BYTES;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.ETHER_TYPE;
import static io.hxb.config.ValueType.FLAG;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.count;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;

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
 * @param maxBytes header and body of the longest frame of a flow; 0 for {@link #LONGEST_BYTES}, or
 *     as much as a receive buffer holds ({@link ClusterConfig#maxFrameBytes}).
 */
public record FrameConfig(
        boolean crc,
        int hopLimit,
        int etherType,
        int relayEtherType,
        long helloIntervalNs,
        boolean vlanTags,
        Encapsulation encapsulation,
        int maxBytes) {

    /**
     * Header, record and payload of a frame with one message of 65,536 bytes and as much of a
     * header as streams, remote procedure calls and libfabric put before what programs send.
     */
    public static final int LONGEST_BYTES =
            FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH + 64 + 65_536;

    /** The keys. Source of the EtherTypes: IEEE 802, local experimental EtherTypes 1, 2. */
    public static final ConfigSection<FrameConfig> KEYS =
            ConfigSection.<FrameConfig>of(
                    "frame",
                    v ->
                            new FrameConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next(), v.next()),
                    advanced(
                            "crc",
                            FLAG,
                            false,
                            FrameConfig::crc,
                            any(),
                            "CRC-32C over payload and end-to-end fields of every frame."),
                    advanced(
                            "hopLimit",
                            count("links"),
                            32,
                            FrameConfig::hopLimit,
                            range(1, 255),
                            "Maximum number of links that a frame may cross; at least the"
                                    + " dimensions of the shape; `maxNodes` by default with"
                                    + " `cabling: any`."),
                    advanced(
                            "etherType",
                            ETHER_TYPE,
                            0x88B5,
                            FrameConfig::etherType,
                            range(0x0600, 0xFFFF),
                            "EtherType of frames for the next hop itself."),
                    advanced(
                            "relayEtherType",
                            ETHER_TYPE,
                            0x88B6,
                            FrameConfig::relayEtherType,
                            Limits.<FrameConfig>range(0x0600, 0xFFFF)
                                    .except("etherType", FrameConfig::etherType),
                            "EtherType of frames that the next hop receives in its ring: those that"
                                    + " it relays, and single short messages."),
                    advanced(
                            "helloInterval",
                            DURATION,
                            200_000_000L,
                            FrameConfig::helloIntervalNs,
                            range(1_000_000, 60_000_000_000L),
                            "Time between two hello frames on a link."),
                    advanced(
                            "vlanTags",
                            FLAG,
                            false,
                            FrameConfig::vlanTags,
                            any(),
                            "Whether 802.1Q tags are kept on raw links."),
                    advanced(
                            "encapsulation",
                            choice(Encapsulation.class, "ip", Encapsulation.UDP),
                            Encapsulation.AUTO,
                            FrameConfig::encapsulation,
                            any(),
                            "What raw links put long data frames into"
                                    + " ([details](#encapsulation)); not `udp` or `tcp` with"
                                    + " `vlanTags`."),
                    advanced(
                            "maxBytes",
                            BYTES,
                            0,
                            FrameConfig::maxBytes,
                            Limits.<FrameConfig>range(256, LONGEST_BYTES)
                                    .orZero("as much as links and receive buffers take"),
                            "Header and body of the longest frame of a flow; 0 takes as much as"
                                    + " links and buffers do ([details](#sizes-of-frames))."),
                    new ConfigSection.Rule<>(
                            "encapsulation",
                            frame ->
                                    !frame.vlanTags
                                            || frame.encapsulation == Encapsulation.ETHERNET
                                            || frame.encapsulation == Encapsulation.AUTO,
                            frame ->
                                    "must be ethernet or auto where frame.vlanTags is true, not "
                                            + ValueType.lower(frame.encapsulation)));

    /** As the other constructor, for frames as long as links and buffers take. */
    public FrameConfig(
            final boolean crc,
            final int hopLimit,
            final int etherType,
            final int relayEtherType,
            final long helloIntervalNs,
            final boolean vlanTags,
            final Encapsulation encapsulation) {
        this(crc, hopLimit, etherType, relayEtherType, helloIntervalNs, vlanTags, encapsulation, 0);
    }

    /** The defaults. */
    public static final FrameConfig DEFAULT = KEYS.defaults();

    /** True if frames of raw links may travel by UDP, so that each leaves room for its headers. */
    public boolean mayUseUdp() {
        return encapsulation == Encapsulation.UDP && !vlanTags;
    }

    /** True if frames that are longer than the MTU may travel as segments of TCP on raw links. */
    public boolean mayUseSegments() {
        return (encapsulation == Encapsulation.TCP || encapsulation == Encapsulation.AUTO)
                && !vlanTags;
    }

    /** The same with another encapsulation. */
    public FrameConfig withEncapsulation(final Encapsulation value) {
        return KEYS.with(this, "encapsulation", value);
    }

    /** The same with another longest frame of flows, 0 for as much as links and buffers take. */
    public FrameConfig withMaxBytes(final int value) {
        return KEYS.with(this, "maxBytes", value);
    }

    /** The same with another limit of links that a frame may cross. */
    FrameConfig withHopLimit(final int value) {
        return KEYS.with(this, "hopLimit", value);
    }

    /** The same with or without a CRC. */
    public FrameConfig withCrc(final boolean value) {
        return KEYS.with(this, "crc", value);
    }

    /**
     * What raw links put long data frames into. Short frames, frames of the link itself and, with
     * UDP, frames that are relayed on a detour always are Ethernet frames of the EtherTypes.
     */
    public enum Encapsulation {
        /** Ethernet frames of the EtherTypes. */
        ETHERNET,

        /** UDP over IPv4, in trains; a link whose kernel cannot do that does not open. */
        UDP,

        /**
         * Segments of TCP over IPv4, for frames longer than the MTU, where they pass; a link whose
         * kernel cannot do that does not open.
         */
        TCP,

        /** The same where the kernel can do it. */
        AUTO
    }
}
