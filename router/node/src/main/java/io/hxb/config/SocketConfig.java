package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.BYTES;
import static io.hxb.config.ValueType.SIZE;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.powerOfTwo;

import java.util.Map;

/**
 * The sockets of the links. Immutable.
 *
 * @param mtuBytes largest frame (HXB header and body) on any link; 0 takes each NIC's MTU; for UDP,
 *     that of the route less 28, 8,972 at most.
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

    /** The keys. */
    public static final ConfigSection<SocketConfig> KEYS =
            ConfigSection.<SocketConfig>of(
                    "socket",
                    v ->
                            new SocketConfig(
                                    v.next(), v.next(), v.next(), v.next(), v.next(), v.next(),
                                    v.next()),
                    basic(
                            "mtu",
                            BYTES,
                            0,
                            SocketConfig::mtuBytes,
                            Limits.<SocketConfig>range(256, 65_507).orZero("that of the NIC"),
                            "Bytes of a frame after its Ethernet header; 0 takes the MTU of the"
                                    + " NIC, or of the route for UDP."),
                    advanced(
                            "receiveBuffer",
                            SIZE,
                            8 << 20,
                            SocketConfig::receiveBufferBytes,
                            range(64 << 10, 1 << 30),
                            "Receive buffer in the kernel of each link's socket."),
                    advanced(
                            "sendBuffer",
                            SIZE,
                            1 << 20,
                            SocketConfig::sendBufferBytes,
                            range(16 << 10, 1 << 30),
                            "Send buffer in the kernel of each link's socket; raw links reduce it"
                                    + " to what they send in 2 ms."),
                    advanced(
                            "relayRingFrames",
                            powerOfTwo("frames"),
                            512,
                            SocketConfig::relayRingFrames,
                            range(16, 65_536),
                            "Frames of the ring that a raw link receives into."),
                    advanced(
                            "kernelRelay",
                            choice(KernelRelay.class),
                            KernelRelay.AUTO,
                            SocketConfig::kernelRelay,
                            any(),
                            "Whether a BPF program at each NIC of a raw node relays frames"
                                    + " ([Relaying in the kernel](#relaying-in-the-kernel))."),
                    advanced(
                            "segmentation",
                            choice(Segmentation.class),
                            Segmentation.AUTO,
                            SocketConfig::segmentation,
                            any(),
                            "Whether UDP links send and receive frames of one size in GSO batches"
                                    + " ([details](#gso-batches))."),
                    advanced(
                            "senderQueueFrames",
                            powerOfTwo("frames"),
                            256,
                            SocketConfig::senderQueueFrames,
                            range(16, 4096),
                            "Maximum number of frames that wait for a link; further ones are held"
                                    + " back or, on relays, dropped."));

    /** The defaults. */
    public static final SocketConfig DEFAULT = KEYS.defaults();

    /** The same with another setting for relaying in the kernel. */
    public SocketConfig withKernelRelay(final KernelRelay value) {
        return KEYS.with(this, "kernelRelay", value);
    }

    /** The same with another MTU and other buffers of the sockets, all in bytes. */
    public SocketConfig withSizes(final int mtu, final int receiveBuffer, final int sendBuffer) {
        return KEYS.with(
                this, Map.of("mtu", mtu, "receiveBuffer", receiveBuffer, "sendBuffer", sendBuffer));
    }

    /** The same with another setting for trains of frames. */
    public SocketConfig withSegmentation(final Segmentation value) {
        return KEYS.with(this, "segmentation", value);
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
