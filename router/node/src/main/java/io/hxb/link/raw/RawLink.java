package io.hxb.link.raw;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.TrainCounts;
import io.hxb.link.socket.SocketReceiver;
import io.hxb.link.socket.SocketSender;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.MessageVector;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A NIC as a link, through two AF_PACKET sockets: source {@link #POOL} receives frames for this
 * node into pool buffers, source {@link #RING} frames for others into a ring from which they are
 * sent on without a copy, and sparse short frames for this node, which are copied out of it: that
 * takes less time than a system call. Where frames travel by UDP, or long ones as segments of TCP,
 * source {@link #IP} or {@link #SEGMENTS} receives those into pool buffers. The EtherType of a
 * frame selects the socket, so the kernel does not have to look; a frame that arrives in the wrong
 * socket only costs a little more. Owned by one loop; senders by theirs.
 *
 * <p>The ring's descriptor stays readable while the frame received last is held, so wait for it
 * edge-triggered, and receive until there are fewer frames than the limit.
 */
public final class RawLink implements Link {
    /** Source with the frames for this node. */
    public static final int POOL = 0;

    /** Source with the frames to be relayed, and sparse ones. */
    public static final int RING = 1;

    /** Source with frames by UDP, where there are any. */
    public static final int IP = 2;

    /** Source with long frames as segments, where there are any: then there are none by UDP. */
    public static final int SEGMENTS = 2;

    private static final Logger LOGGER = LoggerFactory.getLogger(RawLink.class);
    private static final int ETHERNET_LENGTH = 14;
    private static final long BROADCAST_MAC = 0xFFFF_FFFF_FFFFL;
    private static final int MAX_COORDINATE = 255;
    private static final int EMPTY_POLLS_PER_ERROR_CHECK = 4_096;

    private final RawLinkConfig config;
    private final boolean hasTags;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final RawSockets sockets;
    private final SocketReceiver receiver;
    private final long[] addresses = new long[MAX_COORDINATE + 1];
    // Index neighbour + 1, so that BROADCAST is 0: two bytes 0, then the MAC address, as in memory.
    // Read by senders of other loops.
    private final NeighbourAddresses destinations = new NeighbourAddresses(MAX_COORDINATE + 2);
    // Volatile because other loops ask before they send; written by the owner alone.
    private volatile boolean isUp;
    private boolean isClosed;
    private int emptyPolls;
    private long drops;

    private RawLink(
            final RawLinkConfig config, final BufferPool.Share share, final RawSockets sockets) {
        this.config = config;
        this.sockets = sockets;
        hasTags = config.frame().vlanTags();
        pool = share.pool();
        this.share = share;
        destinations.set(BROADCAST + 1, inMemory(BROADCAST_MAC));
        receiver =
                new SocketReceiver(
                        share,
                        config.frame().mayUseUdp()
                                ? SocketReceiver.BATCH_FRAMES - IpPath.HELD_BUFFERS
                                : SocketReceiver.BATCH_FRAMES,
                        ETHERNET_LENGTH,
                        0,
                        hasTags ? PacketSocket.TAG_CONTROL_LENGTH : 0);
        isUp = sockets.nic().hasCarrier();
    }

    /**
     * Opens a link; the NIC must exist but need not be up.
     *
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException if the NIC or the privilege is missing; the message explains what to do.
     */
    public static RawLink open(final RawLinkConfig config, final BufferPool.Share share)
            throws IOException {
        return NetworkNamespace.run(
                config.namespace(),
                () -> new RawLink(config, share, RawSockets.open(config, share)));
    }

    @Override
    public int index() {
        return config.index();
    }

    @Override
    public String name() {
        return sockets.nic().name();
    }

    @Override
    public int mtuBytes() {
        return sockets.mtuBytes();
    }

    @Override
    public int maxFrameBytes() {
        return SocketSender.maxFrameBytes(mtuBytes(), pool.frameBytes());
    }

    @Override
    public boolean isUp() {
        return isUp;
    }

    @Override
    public int descriptorCount() {
        return sockets.ip() == null && sockets.segments() == null ? IP : IP + 1;
    }

    @Override
    public int descriptor(final int source) {
        return switch (source) {
            case POOL -> sockets.pool();
            case RING -> sockets.ring();
            default ->
                    sockets.ip() == null
                            ? sockets.segments().descriptor()
                            : sockets.ip().descriptor();
        };
    }

    @Override
    public boolean isInMemory(final int source) {
        return source == RING;
    }

    @Override
    public int receive(final int source, final FrameSink sink, final int limitFrames) {
        final int count =
                switch (source) {
                    case POOL -> receiveIntoPool(sink, limitFrames);
                    case RING -> sockets.receiveRing().receive(this, sink, limitFrames);
                    default -> receiveByIp(sink, limitFrames);
                };
        return count != 0 ? count : onNothing(source);
    }

    private int receiveByIp(final FrameSink sink, final int limitFrames) {
        final int count =
                sockets.ip() == null
                        ? sockets.segments().receive(this, sink, limitFrames)
                        : sockets.ip().receive(this, sink, limitFrames);
        return count < 0 ? onError(-count) : count;
    }

    // A poll of the socket reports only what comes after it was empty.
    private int receiveIntoPool(final FrameSink sink, final int limitFrames) {
        int sum = 0;
        int count = receiver.batchFrames();
        while (count == receiver.batchFrames() && sum < limitFrames) {
            count = receiver.receive(sockets.pool(), limitFrames - sum);
            if (count < 0) {
                return sum > 0 ? sum : onError(-count);
            }
            pass(sink, count);
            sum += count;
        }
        return sum;
    }

    private void pass(final FrameSink sink, final int count) {
        final SocketReceiver frames = receiver;
        final MessageVector messages = frames.messages();
        final boolean tags = hasTags;
        for (int i = 0; i < count; i++) {
            final int index = frames.take();
            final int id = frames.bufferId(index);
            final long header = pool.headerAddress(id);
            final int tag =
                    tags
                            ? PacketSocket.tag(
                                    messages.controlAddress(index),
                                    messages.receivedControlBytes(index))
                            : -1;
            sink.onBuffer(
                    this,
                    share,
                    id,
                    Math.max(0, frames.receivedBytes(index) - ETHERNET_LENGTH),
                    ReceiveRing.sourceAddress(header - ETHERNET_LENGTH),
                    tag);
        }
    }

    // The ring's socket is never read, so an error on it would keep its descriptor ready forever.
    private int onNothing(final int source) {
        if (source == RING && ++emptyPolls >= EMPTY_POLLS_PER_ERROR_CHECK) {
            emptyPolls = 0;
            try {
                final int error = Sockets.takeError(sockets.ring());
                if (error != 0) {
                    return onError(error);
                }
            } catch (final LinuxException e) {
                return onError(e.errno());
            }
        }
        return isUp ? 0 : DOWN;
    }

    private int onError(final int error) {
        // The owner of the link reports that it is down, which is not an error; what else is wrong
        // stands
        // here only.
        if (isUp && error != Errno.ENETDOWN) {
            LOGGER.warn("link {} ({}): {}", config.index(), config.nic(), Errno.describe(error));
        }
        isUp = false;
        return DOWN;
    }

    @Override
    public LinkSender newSender(final int queueFrames) {
        final int frames = SocketSender.queueFrames(queueFrames, this);
        try {
            return new RawLinkSender(
                    this, sockets.openSender(), frames, destinations, trains(frames));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RawTrains trains(final int queueFrames) {
        if (sockets.ip() == null && sockets.segments() == null) {
            return null;
        }
        return new RawTrains(
                sockets.ip(),
                sockets.segments() == null
                        ? null
                        : new SegmentSender(sockets.segments(), config, queueFrames),
                config.index() + " (" + config.nic() + ")",
                queueFrames);
    }

    @Override
    public long localAddress() {
        return sockets.nic().mac();
    }

    @Override
    public void learn(final int neighbour, final long address) {
        if (addresses[neighbour] != address) {
            addresses[neighbour] = address;
            destinations.set(neighbour + 1, inMemory(address));
            if (sockets.ip() != null) {
                sockets.ip().learn(neighbour, address);
            }
            if (sockets.segments() != null) {
                sockets.segments().restart(neighbour);
            }
        }
    }

    @Override
    public long learned(final int neighbour) {
        return addresses[neighbour];
    }

    @Override
    public void onFailed(final int neighbour) {
        if (sockets.segments() != null) {
            sockets.segments().restart(neighbour);
        }
    }

    private static long inMemory(final long mac) {
        return Long.reverseBytes(mac);
    }

    @Override
    public long kernelDrops() {
        if (!isClosed) {
            try {
                drops = sockets.drops();
            } catch (final LinuxException e) {
                LOGGER.warn("link {} ({}): {}", config.index(), config.nic(), e.getMessage());
            }
        }
        return drops;
    }

    @Override
    public long poolStarvations() {
        return receiver.starvations()
                + (sockets.ip() == null ? 0 : sockets.ip().receiver().starvations())
                + (sockets.segments() == null ? 0 : sockets.segments().starvations());
    }

    @Override
    public LongFrameCounts longFrames() {
        return sockets.segments() == null ? LongFrameCounts.NONE : sockets.segments().counts();
    }

    @Override
    public TrainCounts trains() {
        return sockets.ip() == null ? TrainCounts.NONE : sockets.ip().receiver().counts();
    }

    @Override
    public int heldBuffers() {
        return receiver.heldBuffers()
                + (sockets.ip() == null ? 0 : sockets.ip().receiver().heldBuffers())
                + (sockets.segments() == null ? 0 : sockets.segments().heldBuffers());
    }

    @Override
    public boolean refresh() {
        if (isClosed) {
            return false;
        }
        final boolean wasUp = isUp;
        final int oldMtu = sockets.mtuBytes();
        final int oldRing = sockets.ring();
        try {
            isUp = sockets.follow();
        } catch (final IOException e) {
            LOGGER.warn("link {} ({}): {}", config.index(), config.nic(), e.getMessage());
            isUp = false;
        }
        return isUp != wasUp || sockets.mtuBytes() != oldMtu || sockets.ring() != oldRing;
    }

    @Override
    public void stop() {
        if (sockets.ip() != null) {
            sockets.ip().leave();
        }
        if (sockets.segments() != null) {
            sockets.segments().leave();
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        kernelDrops();
        isClosed = true;
        isUp = false;
        sockets.close();
        receiver.close();
    }

    /** The NIC that the link is bound to. */
    public NicInfo nic() {
        return sockets.nic();
    }

    /**
     * The MAC address to which long data frames to a neighbour go by IP, as UDP or as segments; any
     * thread may ask.
     *
     * @return 0 if they do not.
     */
    public long ipAddress(final int neighbour) {
        if (sockets.segments() != null) {
            return Long.reverseBytes(sockets.segments().destination(neighbour));
        }
        return sockets.ip() == null ? 0 : Long.reverseBytes(sockets.ip().destination(neighbour));
    }

    /** Changes when {@link #ipAddress} does by what senders find out; any thread may ask. */
    public int ipVersion() {
        return sockets.segments() == null ? 0 : sockets.segments().version();
    }

    RawLinkConfig config() {
        return config;
    }

    void onBindFailure(final LinuxException e) {
        LOGGER.warn("link {} ({}): sender: {}", config.index(), config.nic(), e.getMessage());
    }
}
