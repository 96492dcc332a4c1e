package io.hxb.config;

/**
 * The sockets of the links. Immutable.
 *
 * @param mtuBytes largest frame (HXB header and body) on any link; 0 takes each NIC's MTU, and
 *     8,972 for UDP.
 * @param receiveBufferBytes SO_RCVBUF of each socket that receives into the pool.
 * @param sendBufferBytes SO_SNDBUF of each sending socket.
 * @param relayRingFrames slots of each NIC's ring of frames to relay, 16 to 65,536, a power of two.
 * @param kernelRelay whether the kernel relays frames of raw links.
 * @param segmentation whether UDP links send and receive trains of frames in one piece.
 * @param senderQueueFrames frames that one loop holds back for one blocked link, 16 to 4,096, a
 *     power of two.
 */
public record SocketConfig(
        int mtuBytes,
        int receiveBufferBytes,
        int sendBufferBytes,
        int relayRingFrames,
        KernelRelay kernelRelay,
        Segmentation segmentation,
        int senderQueueFrames) {

    /** The defaults. */
    public static final SocketConfig DEFAULT =
            new SocketConfig(0, 8 << 20, 1 << 20, 512, KernelRelay.AUTO, Segmentation.AUTO, 256);

    /** Frames of UDP links unless configured: 9,000 minus the headers of IP and UDP. */
    private static final int UDP_MTU_BYTES = 8972;

    /** Checks the values. */
    public SocketConfig {
        new Check()
                .that(
                        mtuBytes == 0 || (mtuBytes >= 256 && mtuBytes <= 65_507),
                        "mtu",
                        "must be 256..65507 bytes, or 0 for that of the NIC: " + mtuBytes)
                .size("receiveBuffer", receiveBufferBytes, 64 << 10, 1 << 30)
                .size("sendBuffer", sendBufferBytes, 16 << 10, 1 << 30)
                .powerOfTwo("relayRingFrames", relayRingFrames, 16, 65_536)
                .powerOfTwo("senderQueueFrames", senderQueueFrames, 16, 4096)
                .done();
    }

    /** Largest frame on a UDP link, which has no NIC to ask. */
    public int udpMtuBytes() {
        return mtuBytes > 0 ? mtuBytes : UDP_MTU_BYTES;
    }

    /** The same with another setting for relaying in the kernel. */
    public SocketConfig withKernelRelay(final KernelRelay value) {
        return new SocketConfig(
                mtuBytes,
                receiveBufferBytes,
                sendBufferBytes,
                relayRingFrames,
                value,
                segmentation,
                senderQueueFrames);
    }

    /** The same with another MTU and other buffers of the sockets, all in bytes. */
    public SocketConfig withSizes(final int mtu, final int receiveBuffer, final int sendBuffer) {
        return new SocketConfig(
                mtu,
                receiveBuffer,
                sendBuffer,
                relayRingFrames,
                kernelRelay,
                segmentation,
                senderQueueFrames);
    }

    /** The same with another setting for trains of frames. */
    public SocketConfig withSegmentation(final Segmentation value) {
        return new SocketConfig(
                mtuBytes,
                receiveBufferBytes,
                sendBufferBytes,
                relayRingFrames,
                kernelRelay,
                value,
                senderQueueFrames);
    }

    /** Whether the kernel relays frames of raw links, so that the node need not wake for them. */
    public enum KernelRelay {
        /** When the kernel and the privileges allow it. */
        AUTO,

        /** Always; the node does not start without. */
        ON,

        /** Never. */
        OFF
    }

    /**
     * Whether frames of one size to one neighbour pass through the kernel in one piece, a train,
     * which kernel or NIC cut into datagrams and join again.
     */
    public enum Segmentation {
        /** When the kernel can; a link whose kernel or NIC refuses trains goes on without. */
        AUTO,

        /** Never. */
        OFF
    }
}
