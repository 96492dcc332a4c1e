package io.hxb.link.raw;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.TrainCounts;
import io.hxb.link.socket.SocketBuffers;
import io.hxb.link.socket.SocketReceiver;
import io.hxb.link.socket.SocketSender;
import io.hxb.linux.Descriptors;
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
 * takes less time than a system call. Where frames travel by IP as well, source {@link #IP}
 * receives those into pool buffers. The sender of a frame tells which by its EtherType, so the
 * kernel does not have to look; a frame that arrives in the wrong socket only costs a little more.
 * Owned by one loop; senders by theirs.
 *
 * <p>The sockets are bound to the NIC again when it was deleted and made again, and keep their
 * descriptors; only a larger MTU needs another ring and with it another descriptor. The old one
 * stays open until the next {@link #refresh}, so that it can be removed from an epoll set.
 *
 * <p>The ring's descriptor stays readable while the frame received last is held, so wait for it
 * edge-triggered, and receive until there are fewer frames than the limit.
 */
public final class RawLink implements Link {
    /** Source with the frames for this node. */
    public static final int POOL = 0;

    /** Source with the frames to be relayed, and sparse ones. */
    public static final int RING = 1;

    /** Source with frames by IP, where there are any. */
    public static final int IP = 2;

    private static final Logger LOGGER = LoggerFactory.getLogger(RawLink.class);
    private static final int ETHERNET_LENGTH = 14;
    private static final long BROADCAST_MAC = 0xFFFF_FFFF_FFFFL;
    private static final int MAX_COORDINATE = 255;
    private static final int EMPTY_POLLS_PER_ERROR_CHECK = 4_096;

    private final RawLinkConfig config;
    private final boolean hasTags;
    private final BufferPool pool;
    private final SocketReceiver receiver;
    private final int poolSocket;
    // Null where frames do not travel by IP.
    private final IpPath ip;
    private final long[] addresses = new long[MAX_COORDINATE + 1];
    // Index neighbour + 1, so that BROADCAST is 0: two bytes 0, then the MAC address, as in memory.
    // Read by senders of other loops.
    private final NeighbourAddresses destinations = new NeighbourAddresses(MAX_COORDINATE + 2);
    private int ringSocket;
    private ReceiveRing ring;
    private int retiredSocket = -1;
    private int mtuBytes;
    // Volatile because other loops ask before they send; written by the owner alone.
    private volatile boolean isUp;
    private boolean isClosed;
    private int emptyPolls;
    private long drops;
    // Volatile because senders of other loops compare it with the one they bound to; another object
    // means that they have to bind again.
    private volatile NicInfo boundNic;

    private RawLink(
            final RawLinkConfig config,
            final BufferPool.Share share,
            final NicInfo nic,
            final int poolSocket)
            throws LinuxException {
        this.config = config;
        hasTags = config.frame().vlanTags();
        pool = share.pool();
        this.poolSocket = poolSocket;
        boundNic = nic;
        destinations.set(BROADCAST + 1, inMemory(BROADCAST_MAC));
        PacketSocket.attachFilter(poolSocket, RawFilter.of(config.frame().etherType()));
        if (hasTags) {
            PacketSocket.enableTags(poolSocket);
        }
        SocketBuffers.setReceive(poolSocket, config.socket().receiveBufferBytes(), config.nic());
        receiver =
                new SocketReceiver(
                        share,
                        config.frame().mayUseIp()
                                ? SocketReceiver.BATCH_FRAMES - IpPath.HELD_BUFFERS
                                : SocketReceiver.BATCH_FRAMES,
                        ETHERNET_LENGTH,
                        0,
                        hasTags ? PacketSocket.TAG_CONTROL_LENGTH : 0);
        applyMtu(nic);
        ip = config.frame().mayUseIp() ? openIp(share) : null;
        try {
            openRing();
            bindSockets(nic);
        } catch (final LinuxException e) {
            if (ring != null) {
                Descriptors.close(ringSocket);
                ring.retire();
            }
            if (ip != null) {
                ip.close();
            }
            throw e;
        }
        isUp = nic.hasCarrier();
    }

    private IpPath openIp(final BufferPool.Share share) throws LinuxException {
        try {
            return IpPath.open(config, share);
        } catch (final LinuxException e) {
            if (config.frame().encapsulation() == FrameConfig.Encapsulation.IP) {
                throw e;
            }
            LOGGER.info(
                    "link {} ({}): frames do not go by IP: {}",
                    config.index(),
                    config.nic(),
                    e.getMessage());
            return null;
        }
    }

    /**
     * Opens a link; the NIC must exist but need not be up.
     *
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException if the NIC or the privilege is missing; the message says what to do.
     */
    public static RawLink open(final RawLinkConfig config, final BufferPool.Share share)
            throws IOException {
        return NetworkNamespace.run(
                config.namespace(),
                () -> {
                    final NicInfo nic = NicInfo.read(config.nic());
                    if (!nic.exists()) {
                        throw new IOException(
                                "link "
                                        + config.index()
                                        + ": there is no NIC "
                                        + config.nic()
                                        + "; see `ip link` for the names");
                    }
                    final int socket = openSocket(config);
                    try {
                        return new RawLink(config, share, nic, socket);
                    } catch (final IOException | RuntimeException e) {
                        Descriptors.close(socket);
                        throw e;
                    }
                });
    }

    private static int openSocket(final RawLinkConfig config) throws IOException {
        try {
            return PacketSocket.open();
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
                throw new IOException(
                        "link "
                                + config.index()
                                + " ("
                                + config.nic()
                                + "): raw links need CAP_NET_RAW: run as root, or give the service"
                                + " AmbientCapabilities=CAP_NET_RAW, or use UDP links",
                        e);
            }
            throw e;
        }
    }

    private void applyMtu(final NicInfo info) {
        final int headers = config.frame().mayUseIp() ? IpHeaders.IP_AND_UDP_LENGTH : 0;
        final int usable = Math.min(info.mtuBytes() - headers, pool.frameBytes());
        if (usable < info.mtuBytes() - headers && usable != mtuBytes) {
            LOGGER.warn(
                    "link {} ({}): MTU {} of the NIC is used up to {} only, the size of pool"
                            + " buffers; raise it in the configuration",
                    config.index(),
                    config.nic(),
                    info.mtuBytes(),
                    usable + headers);
        }
        mtuBytes = Math.max(usable, FrameHeaderFlyweight.LENGTH);
    }

    private void openRing() throws LinuxException {
        final int socket = PacketSocket.open();
        try {
            PacketSocket.attachFilter(socket, RawFilter.of(config.frame().relayEtherType()));
            ring = new ReceiveRing(socket, mtuBytes, config.socket().relayRingFrames());
        } catch (final LinuxException e) {
            Descriptors.close(socket);
            throw e;
        }
        ringSocket = socket;
    }

    // The kernel hands a frame to the one socket of its EtherType. If both received all types, the
    // one bound last would receive first, and only the last to receive would get a frame without a
    // clone: the ring copies anyway, the pool's socket queues.
    private void bindSockets(final NicInfo info) throws LinuxException {
        bind(poolSocket, config.frame().etherType(), info);
        bind(ringSocket, config.frame().relayEtherType(), info);
        if (ip != null) {
            ip.bind(info);
        }
        takeErrors();
    }

    private void bind(final int socket, final int etherType, final NicInfo info)
            throws LinuxException {
        final int type = hasTags ? PacketSocket.ALL_ETHER_TYPES : etherType;
        PacketSocket.bind(socket, type, info.ifindex(), config.nic());
    }

    private void takeErrors() throws LinuxException {
        Sockets.takeError(poolSocket);
        Sockets.takeError(ringSocket);
        if (ip != null) {
            Sockets.takeError(ip.descriptor());
        }
    }

    @Override
    public int index() {
        return config.index();
    }

    @Override
    public String name() {
        return config.nic();
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public boolean isUp() {
        return isUp;
    }

    @Override
    public int descriptorCount() {
        return ip == null ? IP : IP + 1;
    }

    @Override
    public int descriptor(final int source) {
        return switch (source) {
            case POOL -> poolSocket;
            case RING -> ringSocket;
            default -> ip.descriptor();
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
                    case RING -> ring.receive(this, sink, limitFrames);
                    default -> receiveByIp(sink, limitFrames);
                };
        return count != 0 ? count : onNothing(source);
    }

    private int receiveByIp(final FrameSink sink, final int limitFrames) {
        final int count = ip.receive(this, sink, limitFrames);
        return count < 0 ? onError(-count) : count;
    }

    // Whoever waits for the socket is told only of what comes after it was empty.
    private int receiveIntoPool(final FrameSink sink, final int limitFrames) {
        int sum = 0;
        int count = receiver.batchFrames();
        while (count == receiver.batchFrames() && sum < limitFrames) {
            count = receiver.receive(poolSocket, limitFrames - sum);
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
            sink.onFrame(
                    this,
                    pool,
                    id,
                    header,
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
                final int error = Sockets.takeError(ringSocket);
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
        // Whoever owns the link tells that it is down, which is not an error; what else is wrong
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
        SocketSender.checkQueue(queueFrames);
        try {
            return NetworkNamespace.run(
                    config.namespace(),
                    () -> {
                        final int socket = PacketSocket.open();
                        SocketBuffers.setSend(
                                socket, config.socket().sendBufferBytes(), config.nic());
                        return new RawLinkSender(
                                this,
                                socket,
                                queueFrames,
                                destinations,
                                trains(socket, queueFrames));
                    });
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RawTrains trains(final int socket, final int queueFrames) throws LinuxException {
        if (ip == null) {
            return null;
        }
        PacketSocket.enableSuperPackets(socket);
        return new RawTrains(ip, config.index() + " (" + config.nic() + ")", queueFrames);
    }

    @Override
    public long localAddress() {
        return boundNic.mac();
    }

    @Override
    public void learn(final int neighbour, final long address) {
        if (addresses[neighbour] != address) {
            addresses[neighbour] = address;
            destinations.set(neighbour + 1, inMemory(address));
            if (ip != null) {
                ip.learn(neighbour, address);
            }
        }
    }

    @Override
    public long learned(final int neighbour) {
        return addresses[neighbour];
    }

    private static long inMemory(final long mac) {
        return Long.reverseBytes(mac);
    }

    @Override
    public long kernelDrops() {
        if (!isClosed) {
            try {
                drops += PacketSocket.takeDrops(poolSocket) + PacketSocket.takeDrops(ringSocket);
                drops += ip == null ? 0 : ip.takeDrops();
            } catch (final LinuxException e) {
                LOGGER.warn("link {} ({}): {}", config.index(), config.nic(), e.getMessage());
            }
        }
        return drops;
    }

    @Override
    public long poolStarvations() {
        return receiver.starvations() + (ip == null ? 0 : ip.receiver().starvations());
    }

    @Override
    public TrainCounts trains() {
        return ip == null ? TrainCounts.NONE : ip.receiver().counts();
    }

    @Override
    public int heldBuffers() {
        return receiver.heldBuffers() + (ip == null ? 0 : ip.receiver().heldBuffers());
    }

    @Override
    public boolean refresh() {
        if (isClosed) {
            return false;
        }
        final boolean wasUp = isUp;
        final int oldMtu = mtuBytes;
        final int oldRing = ringSocket;
        try {
            follow(NicInfo.read(poolSocket, config.nic()));
        } catch (final IOException e) {
            LOGGER.warn("link {} ({}): {}", config.index(), config.nic(), e.getMessage());
            isUp = false;
        }
        return isUp != wasUp || mtuBytes != oldMtu || ringSocket != oldRing;
    }

    private void follow(final NicInfo now) throws IOException {
        closeRetired();
        if (!now.exists()) {
            takeErrors();
            isUp = false;
            return;
        }
        applyMtu(now);
        if (mtuBytes > ring.frameBytes()) {
            replaceRing(now);
        }
        if (PacketSocket.boundIfindex(poolSocket) != now.ifindex()
                || PacketSocket.boundIfindex(ringSocket) != now.ifindex()) {
            bindSockets(now);
            boundNic = now;
        } else if (!now.equals(boundNic)) {
            if (ip != null && now.mac() != boundNic.mac()) {
                ip.bind(now);
            }
            boundNic = now;
        }
        takeErrors();
        isUp = now.hasCarrier();
        if (ip != null) {
            ip.refresh(now, System.nanoTime());
        }
    }

    // Frames in the old ring that were not received yet are lost, as in the kernel; flows send them
    // again.
    private void replaceRing(final NicInfo now) throws IOException {
        final ReceiveRing oldRing = ring;
        final int oldSocket = ringSocket;
        NetworkNamespace.run(
                config.namespace(),
                () -> {
                    openRing();
                    return null;
                });
        PacketSocket.attachFilter(oldSocket, RawFilter.nothing());
        drops += PacketSocket.takeDrops(oldSocket);
        oldRing.retire();
        retiredSocket = oldSocket;
        bindSockets(now);
    }

    // The mapping keeps the socket alive in the kernel until all its frames have come back, so an
    // epoll would go on reporting it. Its descriptor stays open until callers have had time to
    // remove it.
    private void closeRetired() {
        if (retiredSocket >= 0) {
            Descriptors.close(retiredSocket);
            retiredSocket = -1;
        }
    }

    @Override
    public void stop() {
        if (ip != null) {
            ip.leave();
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
        Descriptors.close(poolSocket);
        Descriptors.close(ringSocket);
        closeRetired();
        receiver.close();
        ring.retire();
        if (ip != null) {
            ip.close();
        }
    }

    /** The NIC that the link is bound to. */
    public NicInfo nic() {
        return boundNic;
    }

    /**
     * The MAC address to which long data frames to a neighbour go by IP; any thread may ask.
     *
     * @return 0 if they do not.
     */
    public long ipAddress(final int neighbour) {
        return ip == null ? 0 : Long.reverseBytes(ip.destination(neighbour));
    }

    RawLinkConfig config() {
        return config;
    }

    void onBindFailure(final LinuxException e) {
        LOGGER.warn("link {} ({}): sender: {}", config.index(), config.nic(), e.getMessage());
    }
}
