package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.os.nic.NicRequest;

/**
 * What a raw link is made from. Immutable.
 *
 * @param index number of the link in its node, from 0.
 * @param nic name of the NIC.
 * @param namespace name or path of its network namespace, null for the node's own.
 * @param dimension dimension the link lies in, 0 to 7.
 * @param coordinates this node's coordinates, one byte a dimension, dimension 0 lowest.
 * @param etherType EtherType of frames that the next hop receives into its pool, 0x0600 to 0xFFFF.
 * @param relayEtherType EtherType of frames that it receives in its ring, another one.
 * @param ringFrames slots of the ring for frames to be relayed, 8 to 65,536.
 * @param receiveBufferBytes what the kernel may hold of frames for this node.
 * @param sendBufferBytes what the kernel may hold of sent frames, for each sender.
 * @param tags true to recover IEEE 802.1Q tags. The socket then stands before the traffic control
 *     of ingress, which costs little; without, the kernel hands over untagged frames only.
 */
public record RawLinkConfig(
        int index,
        String nic,
        String namespace,
        int dimension,
        long coordinates,
        int etherType,
        int relayEtherType,
        int ringFrames,
        int receiveBufferBytes,
        int sendBufferBytes,
        boolean tags) {
    /** IEEE local experimental EtherType 1. */
    public static final int DEFAULT_ETHER_TYPE = 0x88B5;

    /** IEEE local experimental EtherType 2. */
    public static final int DEFAULT_RELAY_ETHER_TYPE = 0x88B6;

    /** Slots of a ring unless configured. */
    public static final int DEFAULT_RING_FRAMES = 512;

    /** Receive buffer unless configured: some hundred jumbo frames. */
    public static final int DEFAULT_RECEIVE_BUFFER_BYTES = 8 << 20;

    /** Send buffer unless configured: a batch of jumbo frames. */
    public static final int DEFAULT_SEND_BUFFER_BYTES = 1 << 20;

    private static final int MIN_BUFFER_BYTES = 1 << 12;

    /** Checks the ranges. */
    public RawLinkConfig {
        check(NicRequest.isName(nic), "nic", nic);
        check(dimension >= 0 && dimension < 8, "dimension", dimension);
        check(coordinates != FrameHeaderFlyweight.ANY_DESTINATION, "coordinates", coordinates);
        check(etherType >= 0x600 && etherType <= 0xFFFF, "etherType", etherType);
        check(
                relayEtherType >= 0x600 && relayEtherType <= 0xFFFF && relayEtherType != etherType,
                "relayEtherType",
                relayEtherType);
        check(ringFrames >= 8 && ringFrames <= 1 << 16, "ringFrames", ringFrames);
        check(receiveBufferBytes >= MIN_BUFFER_BYTES, "receiveBufferBytes", receiveBufferBytes);
        check(sendBufferBytes >= MIN_BUFFER_BYTES, "sendBufferBytes", sendBufferBytes);
    }

    /** A link with all defaults. */
    public static RawLinkConfig of(
            final int index,
            final String nic,
            final String namespace,
            final int dimension,
            final long coordinates) {
        return new RawLinkConfig(
                index,
                nic,
                namespace,
                dimension,
                coordinates,
                DEFAULT_ETHER_TYPE,
                DEFAULT_RELAY_ETHER_TYPE,
                DEFAULT_RING_FRAMES,
                DEFAULT_RECEIVE_BUFFER_BYTES,
                DEFAULT_SEND_BUFFER_BYTES,
                true);
    }

    private static void check(final boolean holds, final String field, final Object value) {
        if (!holds) {
            throw new IllegalArgumentException(field + " is out of range: " + value);
        }
    }
}
