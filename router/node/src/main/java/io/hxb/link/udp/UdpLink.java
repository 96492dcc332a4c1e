package io.hxb.link.udp;

import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.TrainCounts;
import io.hxb.link.socket.SocketBuffers;
import io.hxb.link.socket.SocketSender;
import io.hxb.link.socket.TrainReceiver;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SocketOptions;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;
import io.hxb.topology.Shape;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * A UDP socket as a link. Owned by one loop; senders by theirs. Its segment is the list of its
 * neighbours' addresses: the kernel drops what comes from any other.
 */
public final class UdpLink implements Link {
    private static final Logger LOGGER = LoggerFactory.getLogger(UdpLink.class);
    private static final int SO_MEMINFO = 55;
    private static final int SK_MEMINFO_DROPS = 8;

    private final UdpLinkConfig config;
    private final BufferPool.Share share;
    private final int descriptor;
    private final long localAddress;
    private final String name;
    private final UdpMtu routes;
    private final boolean hasTrains;
    private final TrainReceiver receiver;
    private final TrainReceiver.Handler handler = this::pass;
    // Read by senders of other loops.
    private final NeighbourAddresses addresses = new NeighbourAddresses(Shape.MAX_EXTENT);
    private final boolean[] isLearned = new boolean[Shape.MAX_EXTENT];
    private UdpPeers peers = UdpPeers.NONE;
    // Volatile because senders of other loops read it; written by the owner alone once it is open.
    private volatile int mtuBytes;
    // Volatile because senders of other loops read it, a few times a second.
    private volatile long[] audience = {};
    private int kernelDrops;
    private long drops;
    private boolean isClosed;

    private UdpLink(
            final UdpLinkConfig config,
            final BufferPool.Share share,
            final int descriptor,
            final long localAddress)
            throws LinuxException {
        this.config = config;
        this.share = share;
        this.descriptor = descriptor;
        this.localAddress = localAddress;
        name = UdpAddress.format(localAddress);
        routes = new UdpMtu(localAddress);
        mtuBytes = mtuNow();
        hasTrains = hasTrains(descriptor, config);
        receiver = TrainReceiver.ofUdp(share);
    }

    /**
     * Opens a link.
     *
     * @param peers the addresses that are heard.
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException if the address is in use or not of this machine; the message tells which.
     */
    public static UdpLink open(
            final UdpLinkConfig config, final UdpPeers peers, final BufferPool.Share share)
            throws IOException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            // Before the socket has an address, so that nothing arrives unfiltered.
            filter(fd, config, peers);
            final long address = bind(fd, config);
            SocketBuffers.setReceive(fd, config.socket().receiveBufferBytes(), config.address());
            SocketBuffers.setSend(fd, config.socket().sendBufferBytes(), config.address());
            final UdpLink link = new UdpLink(config, share, fd, address);
            link.expect(peers);
            return link;
        } catch (final IOException | RuntimeException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private int mtuNow() {
        final int wanted = config.socket().mtuBytes();
        return Math.min(wanted > 0 ? wanted : routes.frameBytes(), share.pool().frameBytes());
    }

    private static long bind(final int fd, final UdpLinkConfig config) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long sockaddr = arena.allocate(Sockets.SOCKADDR_IN_LENGTH, 8).address();
            UdpAddress.write(sockaddr, UdpAddress.parse(config.address()));
            bind(fd, sockaddr, config);
            Sockets.localAddress(fd, sockaddr, Sockets.SOCKADDR_IN_LENGTH);
            return UdpAddress.read(sockaddr);
        }
    }

    private static void bind(final int fd, final long sockaddr, final UdpLinkConfig config)
            throws LinuxException {
        final String what = "link " + config.index() + ", UDP " + config.address();
        try {
            Sockets.bind(fd, sockaddr, Sockets.SOCKADDR_IN_LENGTH, what);
        } catch (final LinuxException e) {
            final String owner =
                    e.errno() == Errno.EADDRINUSE
                            ? UdpAddress.owner(UdpAddress.parse(config.address()))
                            : "";
            throw owner.isEmpty()
                    ? e
                    : new LinuxException("bind(" + what + "), which " + owner + " has", e.errno());
        }
    }

    // Senders and receivers need not agree: the kernel cuts and joins at either end.
    private static boolean hasTrains(final int fd, final UdpLinkConfig config) {
        if (config.socket().segmentation() == SocketConfig.Segmentation.OFF) {
            return false;
        }
        try {
            SocketOptions.set(fd, TrainVector.SOL_UDP, TrainVector.UDP_GRO, 1);
            SocketOptions.get(fd, TrainVector.SOL_UDP, TrainVector.UDP_SEGMENT);
            return true;
        } catch (final LinuxException e) {
            LOGGER.info(
                    "link {}, UDP {}: frames pass one by one, since the kernel has no segmentation"
                            + " of UDP: {}",
                    config.index(),
                    config.address(),
                    e.getMessage());
            return false;
        }
    }

    private static void filter(final int fd, final UdpLinkConfig config, final UdpPeers peers)
            throws IOException {
        try {
            PacketSocket.attachFilter(fd, UdpFilter.of(peers.all()));
        } catch (final LinuxException e) {
            throw new IOException(
                    "link "
                            + config.index()
                            + ", UDP "
                            + config.address()
                            + ": the kernel takes no filter for its neighbours' addresses: "
                            + e.getMessage()
                            + "; see that seccomp allows setsockopt(SO_ATTACH_FILTER), and that"
                            + " net.core.optmem_max is 20480 or more",
                    e);
        }
    }

    /**
     * Receives from these addresses from now on, and no others: names of hosts have other addresses
     * now.
     *
     * @throws IOException if the kernel refuses; it then still receives from the previous ones.
     */
    public synchronized void hear(final UdpPeers others) throws IOException {
        if (!isClosed) {
            filter(descriptor, config, others);
            expect(others);
        }
    }

    /** The addresses that are heard. */
    public synchronized UdpPeers peers() {
        return peers;
    }

    private synchronized void expect(final UdpPeers others) {
        peers = others;
        if (config.socket().mtuBytes() == 0) {
            routes.expect(others.all());
            mtuBytes = mtuNow();
        }
        for (int i = 0; i < addresses.count(); i++) {
            if (!others.mayHave(i, addresses.get(i))) {
                addresses.set(i, others.first(i));
                isLearned[i] = false;
            }
        }
        listAudience();
    }

    // Neighbours that have been heard get a broadcast once, others at each address that they may
    // have; first addresses come first, so that they are dropped last.
    private void listAudience() {
        final LongStream.Builder all = LongStream.builder();
        for (int i = 0; i < addresses.count(); i++) {
            all.add(addresses.get(i));
        }
        for (int i = 0; i < addresses.count(); i++) {
            if (!isLearned[i]) {
                Arrays.stream(peers.of(i)).forEach(all);
            }
        }
        audience =
                all.build()
                        .filter(address -> address != 0 && address != localAddress)
                        .distinct()
                        .toArray();
    }

    @Override
    public int index() {
        return config.index();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public int maxFrameBytes() {
        return SocketSender.maxFrameBytes(mtuBytes, share.pool().frameBytes());
    }

    @Override
    public boolean isUp() {
        return !isClosed;
    }

    @Override
    public int descriptorCount() {
        return 1;
    }

    @Override
    public int descriptor(final int source) {
        return descriptor;
    }

    @Override
    public int receive(final int source, final FrameSink sink, final int limitFrames) {
        final int result = receiver.receive(descriptor, limitFrames, sink, handler);
        return result < 0 ? onError(-result) : result;
    }

    private void pass(final FrameSink sink, final int bufferId, final int lengthBytes) {
        final long source = UdpAddress.read(receiver.nameAddress());
        sink.onBuffer(this, share, bufferId, lengthBytes, source, -1);
    }

    private int onError(final int error) {
        LOGGER.warn("link {} ({}): {}", config.index(), name, Errno.describe(error));
        return DOWN;
    }

    @Override
    public LinkSender newSender(final int queueFrames) {
        int frames = SocketSender.queueFrames(queueFrames, this);
        while (frames < audience.length) {
            frames *= 2;
        }
        try {
            return new UdpLinkSender(
                    Descriptors.duplicate(descriptor),
                    frames,
                    this::mtuBytes,
                    config.socket().sendBufferBytes(),
                    hasTrains ? new UdpTrains(config.index() + " (" + name + ")", frames) : null,
                    addresses,
                    () -> audience);
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long localAddress() {
        return localAddress;
    }

    /** As in {@link Link}; an address that the neighbour may not have is not learned. */
    @Override
    public synchronized void learn(final int neighbour, final long address) {
        if (peers.mayHave(neighbour, address)) {
            addresses.set(neighbour, address);
            isLearned[neighbour] = true;
            listAudience();
        }
    }

    @Override
    public synchronized boolean mayHave(final int neighbour, final long address) {
        return peers.mayHave(neighbour, address);
    }

    @Override
    public synchronized void onSilent(final int neighbour) {
        isLearned[neighbour] = false;
        listAudience();
    }

    @Override
    public String format(final long address) {
        return UdpAddress.format(address);
    }

    @Override
    public long learned(final int neighbour) {
        return addresses.get(neighbour);
    }

    @Override
    public long kernelDrops() {
        if (isClosed) {
            return drops;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(64, 4);
            SocketOptions.get(
                    descriptor, SocketOptions.SOL_SOCKET, SO_MEMINFO, memory.address(), 64);
            final int now = memory.getAtIndex(ValueLayout.JAVA_INT, SK_MEMINFO_DROPS);
            drops += now - kernelDrops & 0xFFFF_FFFFL;
            kernelDrops = now;
        } catch (final LinuxException e) {
            LOGGER.warn("link {} ({}): {}", config.index(), name, e.getMessage());
        }
        return drops;
    }

    @Override
    public long poolStarvations() {
        return receiver.starvations();
    }

    @Override
    public TrainCounts trains() {
        return hasTrains ? receiver.counts() : TrainCounts.NONE;
    }

    @Override
    public int heldBuffers() {
        return receiver.heldBuffers();
    }

    // Names may get other addresses meanwhile.
    @Override
    public synchronized boolean refresh() {
        if (isClosed || config.socket().mtuBytes() > 0) {
            return false;
        }
        final int before = mtuBytes;
        routes.refresh();
        mtuBytes = mtuNow();
        return mtuBytes != before;
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            kernelDrops();
            isClosed = true;
            Descriptors.close(descriptor);
            receiver.close();
        }
    }
}
