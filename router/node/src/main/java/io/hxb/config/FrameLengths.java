package io.hxb.config;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.tap.VirtioHeader;

/**
 * How the lengths of frames, receive buffers and packets follow from the keys of a cluster file.
 * Immutable.
 *
 * @param frame {@code frame.maxBytes}.
 * @param pool {@code pool.bufferBytes}.
 * @param security whether frames are sealed.
 */
record FrameLengths(FrameConfig frame, PoolConfig pool, SecurityConfig security) {
    /** Bytes of a receive buffer before the frame: HEADER_OFFSET_BYTES of BufferPool. */
    private static final int BUFFER_HEAD_BYTES = 64;

    private static final int CACHE_LINE_BYTES = 64;

    /** Bytes of a frame before the message. */
    private static final int FRAME_HEAD_BYTES =
            FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH;

    /** Header and body of the longest frame; see {@link ClusterConfig#maxFrameBytes}. */
    int maxFrameBytes() {
        final int wanted = frame.maxBytes() > 0 ? frame.maxBytes() : FrameConfig.LONGEST_BYTES;
        return pool.bufferBytes() == 0 ? wanted : Math.min(wanted, heldBytes());
    }

    /** Bytes of the longest packet of a virtual NIC that a message holds with its headers. */
    int maxPacketBytes() {
        return maxFrameBytes()
                - FRAME_HEAD_BYTES
                - VirtioHeader.LENGTH
                - VirtioHeader.ETHERNET_LENGTH;
    }

    /** Bytes of a receive buffer; see {@link ClusterConfig#bufferBytes}. */
    int bufferBytes() {
        if (pool.bufferBytes() > 0) {
            return pool.bufferBytes();
        }
        final int bytes = BUFFER_HEAD_BYTES + FrameConfig.LONGEST_BYTES + SealFlyweight.LENGTH;
        return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES
                | CACHE_LINE_BYTES;
    }

    // Of a frame, in a buffer of the configured size.
    private int heldBytes() {
        return pool.bufferBytes()
                - BUFFER_HEAD_BYTES
                - (security.mode() == SecurityConfig.Mode.NONE ? 0 : SealFlyweight.LENGTH);
    }

    /** Adds what contradicts itself to the problems of a file. */
    void check(final Check check, final SocketConfig socket, final IpConfig ip) {
        final int packetBytes = Math.max(ip.mtuBytes(), IpConfig.MIN_MTU);
        check.that(
                        pool.bufferBytes() == 0
                                || socket.mtuBytes() <= pool.bufferBytes() - BUFFER_HEAD_BYTES,
                        "pool",
                        "needs buffers 64 bytes larger than the MTU of "
                                + socket.mtuBytes()
                                + " bytes: "
                                + pool.bufferBytes())
                .that(
                        pool.bufferBytes() == 0 || frame.maxBytes() <= heldBytes(),
                        "pool",
                        "needs buffers of "
                                + (pool.bufferBytes() + frame.maxBytes() - heldBytes())
                                + " bytes for frames of frame.maxBytes ("
                                + frame.maxBytes()
                                + "), or 0 for what frames need, not "
                                + pool.bufferBytes())
                .that(
                        !ip.isWanted() || packetBytes <= maxPacketBytes(),
                        "ip",
                        "needs messages that hold a packet of "
                                + packetBytes
                                + " bytes; those of frame.maxBytes and pool.bufferBytes hold "
                                + maxPacketBytes());
    }
}
