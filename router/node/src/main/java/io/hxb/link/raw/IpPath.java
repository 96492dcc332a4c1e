package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameSink;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.socket.TrainReceiver;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The path of a raw link's frames as UDP over IPv4, beside that as Ethernet frames of an EtherType:
 * the socket that receives them, and which neighbours can be reached so. Owned by the loop that
 * owns the link; senders of other loops read the destinations.
 *
 * <p>Probes are sent about once a second to all neighbours: trains of two datagrams, so that they
 * pass only where trains pass. Each lists the neighbours from whom probes arrive, so a neighbour
 * whose probes show that ours arrive can be sent to. Without probes for five seconds it is sent
 * Ethernet frames again. Probes also show switches where the MAC address is.
 *
 * <pre>
 * offset length meaning of a probe (little-endian)
 *      0      8 {@value #MAGIC}
 *      8      8 coordinates of the sender
 *     16      8 0
 *     24     32 neighbours from whom probes arrive, a bit each
 *     56      8 0
 * </pre>
 */
final class IpPath {
    private static final Logger LOGGER = LoggerFactory.getLogger(IpPath.class);

    /** "HXB ip 1"; no frame begins so, because its first byte is no version of the layout. */
    private static final long MAGIC = 0x3120_7069_2042_5848L;

    /** Buffers for frames by IP: one train of 1,500 bytes of MTU, six of 9,000. */
    static final int HELD_BUFFERS = 48;

    private static final int PROBE_BYTES = 64;
    private static final int SOURCE_OFFSET = 8;
    private static final int HEARD_OFFSET = 24;
    private static final long PATIENCE_NS = 5_000_000_000L;
    private static final long BROADCAST_IN_MEMORY = -1L << 16;
    private static final int NEIGHBOURS = 256;
    private static final int MAX_ANSWERS = 16;

    private final RawLinkConfig config;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final IpSocket socket;
    private final TrainReceiver receiver;
    private final Handler handler = new Handler();
    private final MemorySegment probe =
            Arena.ofAuto().allocate(IpHeaders.LENGTH + 2 * PROBE_BYTES, 8);
    // By neighbour: the address that its probes came from, 0 for none; when; whether it hears us.
    private final long[] probedBy = new long[NEIGHBOURS];
    private final long[] probedNs = new long[NEIGHBOURS];
    private final boolean[] hearsUs = new boolean[NEIGHBOURS];
    // Read by senders of other loops.
    private final NeighbourAddresses destinations = new NeighbourAddresses(NEIGHBOURS);
    private final GroTimeout timer;
    private final JoiningNic joining;
    private RawLink link;
    private long localInMemory;
    private long nowNs;
    private boolean isRefused;
    private int answers;

    private IpPath(final RawLinkConfig config, final BufferPool.Share share) throws LinuxException {
        this.config = config;
        this.share = share;
        pool = share.pool();
        socket = IpSocket.open(config);
        timer = socket.timer();
        joining = new JoiningNic(config, socket.descriptor());
        receiver = TrainReceiver.ofPackets(share, HELD_BUFFERS, IpHeaders.LENGTH);
    }

    /** Opens it; it receives nothing before {@link #bind}. */
    static IpPath open(final RawLinkConfig config, final BufferPool.Share share)
            throws LinuxException {
        return new IpPath(config, share);
    }

    /** Receives from a NIC, or from another one of the same name, from now on. */
    void bind(final NicInfo nic) throws LinuxException {
        final long mac = IpHeaders.other(nic.mac());
        localInMemory = Long.reverseBytes(nic.mac());
        socket.bind(nic, RawFilter.ofIp(mac, port()));
        joining.join(nic);
    }

    /** Puts the settings of the NIC back. */
    void leave() {
        socket.leave();
        joining.leave();
    }

    int descriptor() {
        return socket.descriptor();
    }

    TrainReceiver receiver() {
        return receiver;
    }

    /** UDP port. */
    int port() {
        return config.frame().etherType();
    }

    /**
     * Where frames to a neighbour go by IP: two bytes 0, then the MAC address, as in memory.
     *
     * @return 0 if they cannot.
     */
    long destination(final int neighbour) {
        return destinations.get(neighbour);
    }

    /**
     * As {@link RawLink#receive}.
     *
     * @return frames received, or a negative errno.
     */
    int receive(final RawLink itsLink, final FrameSink sink, final int limitFrames) {
        link = itsLink;
        return receiver.receive(socket.descriptor(), limitFrames, sink, handler);
    }

    /** Counts what arrives, and passes on what is no probe. */
    private final class Handler implements TrainReceiver.Handler {
        @Override
        public void onReceive() {
            timer.onReceive();
        }

        @Override
        public void onFrame(final FrameSink sink, final int bufferId, final int lengthBytes) {
            timer.onFrame();
            pass(sink, bufferId, lengthBytes);
        }
    }

    private void pass(final FrameSink sink, final int id, final int lengthBytes) {
        final long header = pool.headerAddress(id);
        final long source = IpHeaders.other(IpHeaders.source(receiver.prefixAddress()));
        if (lengthBytes == PROBE_BYTES && Memory.getLong(header) == MAGIC) {
            if (!isProbe(header, source)) {
                receiver.counts().onStrangeProbe();
            }
            share.release(id);
            return;
        }
        if (lengthBytes >= FrameHeaderFlyweight.LENGTH) {
            Memory.putByte(
                    header + FrameHeaderFlyweight.HOP_LIMIT_OFFSET,
                    IpHeaders.timeToLive(receiver.prefixAddress()));
        }
        // As if it had come as an Ethernet frame, for captures.
        Memory.putLong(header - 16, localInMemory);
        Memory.putLong(header - 8, Long.reverseBytes(source << 16 | config.frame().etherType()));
        sink.onBuffer(link, share, id, lengthBytes, source, -1);
    }

    // Takes a probe; false if it is none of a neighbour.
    private boolean isProbe(final long body, final long source) {
        final long coordinates = Memory.getLong(body + SOURCE_OFFSET);
        final int dimension = config.dimension();
        final int neighbour = Shape.coordinate(coordinates, dimension);
        if (coordinates == config.coordinates()
                || coordinates
                        != Shape.withCoordinate(config.coordinates(), dimension, neighbour)) {
            return false;
        }
        final long known = link.learned(neighbour);
        if (known != 0 && known != source) {
            return false;
        }
        final boolean isNew = probedBy[neighbour] != source;
        final int self = Shape.coordinate(config.coordinates(), dimension);
        probedBy[neighbour] = source;
        probedNs[neighbour] = nowNs;
        hearsUs[neighbour] =
                (Memory.getUnsignedByte(body + HEARD_OFFSET + self / Byte.SIZE) >>> self % Byte.SIZE
                                & 1)
                        != 0;
        decide(neighbour, known);
        // A sender of forged probes cannot draw more than a few answers.
        if (isNew && answers < MAX_ANSWERS) {
            answers++;
            sendProbe(link.nic());
        }
        return true;
    }

    /** A neighbour has this link address, 0 for none. */
    void learn(final int neighbour, final long address) {
        decide(neighbour, address);
    }

    private void decide(final int neighbour, final long address) {
        final boolean isByIp = address != 0 && hearsUs[neighbour] && probedBy[neighbour] == address;
        destinations.set(neighbour, isByIp ? Long.reverseBytes(IpHeaders.other(address)) : 0);
    }

    /** Gives up silent neighbours, and sends a probe. Called about once a second. */
    void refresh(final NicInfo nic, final long timeNs) {
        nowNs = timeNs;
        answers = 0;
        for (int i = 0; i < NEIGHBOURS; i++) {
            if (probedBy[i] != 0 && nowNs - probedNs[i] >= PATIENCE_NS) {
                probedBy[i] = 0;
                hearsUs[i] = false;
                destinations.set(i, 0);
            }
        }
        sendProbe(nic);
        timer.look();
    }

    private void sendProbe(final NicInfo nic) {
        if (!nic.hasCarrier() || isRefused) {
            return;
        }
        final long address = probe.address();
        IpHeaders.write(
                address,
                BROADCAST_IN_MEMORY,
                Long.reverseBytes(IpHeaders.other(nic.mac()) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(config.coordinates()),
                IpHeaders.PROBE_ADDRESS,
                IpHeaders.ports(port(), DimensionOrder.DEFAULT),
                1,
                2 * PROBE_BYTES,
                PROBE_BYTES);
        writeProbe(address + IpHeaders.LENGTH);
        writeProbe(address + IpHeaders.LENGTH + PROBE_BYTES);
        final int result =
                Sockets.send(socket.descriptor(), address, IpHeaders.LENGTH + 2 * PROBE_BYTES);
        if (result == -Errno.EINVAL || result == -Errno.EIO || result == -Errno.EOPNOTSUPP) {
            refuse(-result);
        }
    }

    private void writeProbe(final long body) {
        for (int offset = 0; offset < PROBE_BYTES; offset += Long.BYTES) {
            Memory.putLong(body + offset, 0);
        }
        Memory.putLong(body, MAGIC);
        Memory.putLong(body + SOURCE_OFFSET, config.coordinates());
        for (int i = 0; i < NEIGHBOURS; i++) {
            if (probedBy[i] != 0) {
                final long at = body + HEARD_OFFSET + i / Byte.SIZE;
                Memory.putByte(at, Memory.getUnsignedByte(at) | 1 << i % Byte.SIZE);
            }
        }
    }

    private void refuse(final int error) {
        isRefused = true;
        LOGGER.warn(
                "link {} ({}): frames do not go by IP, since the kernel does not cut what packet"
                        + " sockets send ({}): Linux 6.2 or later does; or set frame.encapsulation:"
                        + " ethernet",
                config.index(),
                config.nic(),
                Errno.describe(error));
    }

    long takeDrops() throws LinuxException {
        return socket.takeDrops();
    }

    /** Closes the socket and gives all buffers back. */
    void close() {
        leave();
        socket.close();
        receiver.close();
    }
}
