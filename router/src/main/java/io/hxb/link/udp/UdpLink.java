package io.hxb.link.udp;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.socket.SocketBuffers;
import io.hxb.link.socket.SocketReceiver;
import io.hxb.link.socket.SocketSender;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SocketOptions;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A UDP socket as a link. Owned by one loop; senders by theirs. Its segment is the list of its
 * neighbours' addresses.
 */
public final class UdpLink implements Link {
    private static final Logger LOGGER = LoggerFactory.getLogger(UdpLink.class);
    private static final int NEIGHBOURS = 256;
    private static final int SO_MEMINFO = 55;
    private static final int SK_MEMINFO_DROPS = 8;

    private final UdpLinkConfig config;
    private final long[] neighbours;
    private final BufferPool pool;
    private final int descriptor;
    private final long localAddress;
    private final String name;
    private final int mtuBytes;
    private final SocketReceiver receiver;
    // Read by senders of other loops; each element is written at once.
    private final long[] addresses;
    private int kernelDrops;
    private long drops;
    private boolean closed;

    private UdpLink(
            final UdpLinkConfig config,
            final long[] neighbours,
            final BufferPool pool,
            final BufferPool.Share share,
            final int descriptor,
            final long localAddress) {
        this.config = config;
        this.pool = pool;
        this.descriptor = descriptor;
        this.localAddress = localAddress;
        name = UdpAddress.format(localAddress);
        this.neighbours = neighbours.clone();
        addresses = neighbours.clone();
        mtuBytes = Math.min(config.socket().udpMtuBytes(), pool.frameBytes());
        receiver = new SocketReceiver(pool, share, 0, Sockets.SOCKADDR_IN_LENGTH, 0);
    }

    /**
     * Opens a link.
     *
     * @param neighbours address of each neighbour as from {@link UdpAddress#parse}, by its
     *     coordinate; 0 for none. 256 elements.
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException if the address is in use or not of this machine; the message says so.
     */
    public static UdpLink open(
            final UdpLinkConfig config,
            final long[] neighbours,
            final BufferPool pool,
            final BufferPool.Share share)
            throws IOException {
        if (neighbours.length != NEIGHBOURS) {
            throw new IllegalArgumentException(
                    "neighbours must have 256 elements: " + neighbours.length);
        }
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            final long address = bind(fd, config);
            SocketBuffers.setReceive(fd, config.socket().receiveBufferBytes(), config.address());
            SocketBuffers.setSend(fd, config.socket().sendBufferBytes(), config.address());
            return new UdpLink(config, neighbours, pool, share, fd, address);
        } catch (final IOException | RuntimeException e) {
            Descriptors.close(fd);
            throw e;
        }
    }

    private static long bind(final int fd, final UdpLinkConfig config) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long sockaddr = arena.allocate(Sockets.SOCKADDR_IN_LENGTH, 8).address();
            UdpAddress.write(sockaddr, UdpAddress.parse(config.address()));
            Sockets.bind(
                    fd,
                    sockaddr,
                    Sockets.SOCKADDR_IN_LENGTH,
                    "link " + config.index() + ", UDP " + config.address());
            Sockets.localAddress(fd, sockaddr, Sockets.SOCKADDR_IN_LENGTH);
            return UdpAddress.read(sockaddr);
        }
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
    public boolean isUp() {
        return !closed;
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
        final SocketReceiver frames = receiver;
        final int count = frames.receive(descriptor, limitFrames);
        if (count < 0) {
            return onError(-count);
        }
        final MessageVector messages = frames.messages();
        for (int i = 0; i < count; i++) {
            final int index = frames.take();
            final int id = frames.bufferId(index);
            sink.onFrame(
                    this,
                    pool,
                    id,
                    pool.headerAddress(id),
                    frames.receivedBytes(index),
                    UdpAddress.read(messages.nameAddress(index)),
                    -1);
        }
        return count;
    }

    private int onError(final int error) {
        LOGGER.warn("link {} ({}): {}", config.index(), name, Errno.describe(error));
        return DOWN;
    }

    @Override
    public LinkSender newSender(final int queueFrames) {
        SocketSender.checkQueue(queueFrames);
        int frames = queueFrames;
        while (frames < addresses.length && frames < neighbourCount()) {
            frames *= 2;
        }
        try {
            return new UdpLinkSender(
                    Descriptors.duplicate(descriptor),
                    frames,
                    Sockets.SOCKADDR_IN_LENGTH,
                    addresses,
                    localAddress);
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int neighbourCount() {
        int count = 0;
        for (final long address : addresses) {
            count += address != 0 ? 1 : 0;
        }
        return count;
    }

    @Override
    public long localAddress() {
        return localAddress;
    }

    /** As in {@link Link}; forgetting an address goes back to the configured one. */
    @Override
    public void learn(final int neighbour, final long address) {
        addresses[neighbour] = address != 0 ? address : neighbours[neighbour];
    }

    @Override
    public long learned(final int neighbour) {
        return addresses[neighbour];
    }

    @Override
    public long kernelDrops() {
        if (closed) {
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
    public int heldBuffers() {
        return receiver.heldBuffers();
    }

    @Override
    public boolean refresh() {
        return false;
    }

    @Override
    public void close() {
        if (!closed) {
            kernelDrops();
            closed = true;
            Descriptors.close(descriptor);
            receiver.close();
        }
    }
}
