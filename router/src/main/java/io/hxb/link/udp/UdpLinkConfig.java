package io.hxb.link.udp;

import io.hxb.frame.FrameHeaderFlyweight;

/**
 * What a UDP link is made from. Immutable.
 *
 * @param index number of the link in its node, from 0.
 * @param address this end, IPv4:port; port 0 lets the kernel choose.
 * @param mtuBytes largest HXB header + body; at most 65,507 are used.
 * @param receiveBufferBytes what the kernel may hold of received frames.
 * @param sendBufferBytes what the kernel may hold of sent frames.
 */
public record UdpLinkConfig(
        int index, String address, int mtuBytes, int receiveBufferBytes, int sendBufferBytes) {
    /** Frame size unless configured: 9,000 less the headers of IP and UDP. */
    public static final int DEFAULT_MTU_BYTES = 8972;

    /** Buffers unless configured. */
    public static final int DEFAULT_BUFFER_BYTES = 4 << 20;

    /** Checks the ranges. */
    public UdpLinkConfig {
        UdpAddress.parse(address);
        if (mtuBytes < 2 * FrameHeaderFlyweight.LENGTH) {
            throw new IllegalArgumentException("mtuBytes must be 128 or more: " + mtuBytes);
        }
        if (receiveBufferBytes < 1 || sendBufferBytes < 1) {
            throw new IllegalArgumentException(
                    "buffers must have 1 byte or more: "
                            + receiveBufferBytes
                            + ", "
                            + sendBufferBytes);
        }
    }

    /** A link with all defaults. */
    public static UdpLinkConfig of(final int index, final String address) {
        return new UdpLinkConfig(
                index, address, DEFAULT_MTU_BYTES, DEFAULT_BUFFER_BYTES, DEFAULT_BUFFER_BYTES);
    }
}
