package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.link.FrameSink;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.NeighbourAddresses;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The way of a raw link's long frames as segments of TCP over IPv4: the socket that receives them,
 * and which neighbours have answered. Owned by the loop that owns the link; senders of other loops
 * read the answers.
 *
 * <p>Each sender finds out whether a way is proven ({@link PathProof}); this end answers probes.
 * Only segments of neighbours are joined, where the node joins fragments, too: what is lost of a
 * frame arrives as these; see {@link LongFrameJoin}.
 */
final class SegmentPath {
    private static final Logger LOGGER = LoggerFactory.getLogger(SegmentPath.class);

    /** Packets of one system call: so many buffers are held. */
    static final int BATCH_PACKETS = 32;

    /** Between two answers to one neighbour. */
    private static final long ANSWER_NS = 1_000_000;

    private static final int NEIGHBOURS = 256;
    private static final int NOBODY = -1;

    private static final long PATTERN = 0x9E37_79B9_7F4A_7C15L;

    private final RawLinkConfig config;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final IpSocket socket;
    private final SegmentReceiver receiver;
    private final LongFrameCounts counts = new LongFrameCounts();
    private final GroTimeout timer;
    private final MemorySegment answer = Arena.ofAuto().allocate(SegmentHeaders.LENGTH, 8);
    private final long[] answeredNs = new long[NEIGHBOURS];
    // Read by senders of other loops.
    private final AtomicIntegerArray answers = new AtomicIntegerArray(NEIGHBOURS);
    private final AtomicIntegerArray restarts = new AtomicIntegerArray(NEIGHBOURS);
    private final NeighbourAddresses destinations = new NeighbourAddresses(NEIGHBOURS);
    private final AtomicInteger version = new AtomicInteger();
    // Volatile because any sender sets it, and only the first fallback is to be logged.
    private volatile boolean isNamed;
    private RawLink link;
    private long localInMemory;
    private long localMac;
    private long lastSource;
    private int lastNeighbour = NOBODY;
    private int next;
    private int received;
    private long nowNs;

    private SegmentPath(final RawLinkConfig config, final BufferPool.Share share)
            throws LinuxException {
        this.config = config;
        this.share = share;
        pool = share.pool();
        socket = IpSocket.open(config);
        timer = socket.timer();
        receiver = new SegmentReceiver(share, BATCH_PACKETS);
    }

    /** Opens it; it receives nothing before {@link #bind}. */
    static SegmentPath open(final RawLinkConfig config, final BufferPool.Share share)
            throws LinuxException {
        return new SegmentPath(config, share);
    }

    /** Receives from a NIC, or from another one of the same name, from now on. */
    void bind(final NicInfo nic) throws LinuxException {
        localMac = nic.mac();
        localInMemory = Long.reverseBytes(nic.mac());
        final long mac = IpHeaders.other(nic.mac());
        socket.bind(nic, RawFilter.ofSegments(mac, config.frame().etherType()));
    }

    /** Puts the settings of the NIC back. */
    void leave() {
        socket.leave();
    }

    int descriptor() {
        return socket.descriptor();
    }

    /** Bytes of a frame at most. */
    int maxFrameBytes() {
        return Math.min(pool.frameBytes(), SegmentHeaders.MAX_FRAME_BYTES);
    }

    /** Acknowledgements of a neighbour since start; any thread. */
    int answers(final int neighbour) {
        return answers.getOpaque(neighbour);
    }

    /**
     * The MAC address to which long frames of others may go to a neighbour, as in memory; any
     * thread.
     *
     * @return 0 if they do not arrive.
     */
    long destination(final int neighbour) {
        return destinations.get(neighbour);
    }

    /** Long frames to a neighbour do not arrive any more, as a sender has found; any thread. */
    void onLost(final int neighbour) {
        learn(neighbour, 0);
    }

    /** The path to a neighbour has to be proven again by all senders; any thread. */
    void restart(final int neighbour) {
        restarts.incrementAndGet(neighbour);
        learn(neighbour, 0);
    }

    /** How often the path to a neighbour had to be proven again; any thread. */
    int restarts(final int neighbour) {
        return restarts.getOpaque(neighbour);
    }

    private void learn(final int neighbour, final long destination) {
        if (destinations.get(neighbour) != destination) {
            destinations.set(neighbour, destination);
            version.incrementAndGet();
        }
    }

    /** Changes whenever a {@link #destination} does; any thread. */
    int version() {
        return version.getOpaque();
    }

    /** A neighbour does not answer the probes of a sender; any thread. */
    void onProbesInVain(final int neighbour) {
        if (!isNamed) {
            isNamed = true;
            LOGGER.warn(
                    "link {} ({}): short frames arrive at neighbour {}, but not what NICs cut and"
                            + " join as TCP, so long frames are cut here, which takes more CPU"
                            + " time: the neighbour's encapsulation may be another; or a NIC,"
                            + " switch or firewall drops them (ethtool -K NIC tso off; docs:"
                            + " frame.encapsulation)",
                    config.index(),
                    config.nic(),
                    neighbour);
        }
    }

    /** The kernel does not take long frames; any thread. */
    void onRefused(final int error) {
        if (!isNamed) {
            isNamed = true;
            LOGGER.warn(
                    "link {} ({}): long frames are cut here, which takes more CPU time, since the"
                            + " kernel does not cut them as TCP ({}): let the NIC compute checksums"
                            + " (ethtool -K NIC tx on), or set frame.encapsulation: ethernet",
                    config.index(),
                    config.nic(),
                    Errno.describe(error));
        }
    }

    /**
     * As {@link RawLink#receive}.
     *
     * @return packets received, of which not all complete a frame; or a negative errno.
     */
    int receive(final RawLink itsLink, final FrameSink sink, final int limitPackets) {
        link = itsLink;
        int count = 0;
        boolean isDrained = false;
        while (count < limitPackets) {
            if (next < received) {
                take(next++, sink);
                count++;
            } else if (isDrained) {
                break;
            } else {
                next = 0;
                received = 0;
                final int result = receiver.receive(socket.descriptor());
                if (result < 0) {
                    return count > 0 ? count : result;
                }
                received = result;
                isDrained = !receiver.isFull();
                nowNs = System.nanoTime();
                if (result > 0) {
                    timer.onReceive();
                }
            }
        }
        return count;
    }

    private void take(final int index, final FrameSink sink) {
        final long prefix = receiver.prefix(index);
        final int lengthBytes = SegmentHeaders.lengthBytes(prefix);
        if (receiver.payloadBytes(index) < lengthBytes || lengthBytes < 0) {
            counts.onDropped();
            return;
        }
        final long source = IpHeaders.other(SegmentHeaders.source(prefix));
        final int neighbour = neighbour(source);
        if (neighbour == NOBODY) {
            counts.onUnknownSender();
            return;
        }
        if ((SegmentHeaders.marks(prefix) & SegmentHeaders.ANSWER) != 0) {
            answers.setOpaque(neighbour, answers.getOpaque(neighbour) + 1);
            learn(neighbour, Long.reverseBytes(IpHeaders.other(source)));
            return;
        }
        counts.onPiece();
        final int frameBytes = SegmentHeaders.frameBytes(prefix);
        final int offset = SegmentHeaders.offset(prefix);
        final boolean isFrame = (SegmentHeaders.marks(prefix) & SegmentHeaders.PROBE) == 0;
        if (offset == 0 && lengthBytes >= FrameHeaderFlyweight.LENGTH && isFrame) {
            Memory.putByte(
                    pool.headerAddress(receiver.buffer(index))
                            + FrameHeaderFlyweight.HOP_LIMIT_OFFSET,
                    SegmentHeaders.timeToLive(prefix));
        }
        if (offset == 0 && lengthBytes == frameBytes && frameBytes > 0) {
            pass(sink, prefix, neighbour, source, receiver.take(index), true);
            return;
        }
        // Only what could be joined is worth to be waited for.
        timer.onFrame();
        final LongFrameJoin joined = sink.longFrames();
        if (joined == null) {
            counts.onDropped();
            return;
        }
        final int id = join(joined, index, prefix, source, lengthBytes);
        if (joined.reassembler().answer() != FrameReassembler.TAKEN) {
            counts.onDropped();
        } else if (offset == 0 && isFrame) {
            sink.onFirstSegment(link, source);
        }
        if (id != BufferPool.NONE) {
            pass(sink, prefix, neighbour, source, id, false);
        }
    }

    private int join(
            final LongFrameJoin joined,
            final int index,
            final long prefix,
            final long source,
            final int lengthBytes) {
        final int offset = SegmentHeaders.offset(prefix);
        return offset == 0
                ? joined.onSegmentBuffer(
                        config.index(),
                        source,
                        SegmentHeaders.origin(prefix),
                        SegmentHeaders.number(prefix),
                        SegmentHeaders.frameBytes(prefix),
                        offset,
                        receiver.take(index),
                        lengthBytes,
                        nowNs)
                : joined.onSegment(
                        config.index(),
                        source,
                        SegmentHeaders.origin(prefix),
                        SegmentHeaders.number(prefix),
                        SegmentHeaders.frameBytes(prefix),
                        offset,
                        pool.headerAddress(receiver.buffer(index)),
                        lengthBytes,
                        nowNs);
    }

    private void pass(
            final FrameSink sink,
            final long prefix,
            final int neighbour,
            final long source,
            final int id,
            final boolean isOnePiece) {
        final int marks = SegmentHeaders.marks(prefix);
        final int frameBytes = SegmentHeaders.frameBytes(prefix);
        final long header = pool.headerAddress(id);
        if ((marks & SegmentHeaders.PROBE) != 0) {
            if (hasPattern(header, frameBytes)) {
                counts.onProbe();
                answer(neighbour, source, SegmentHeaders.number(prefix));
            } else {
                counts.onDropped();
            }
            share.release(id);
            return;
        }
        counts.onFrame();
        if ((marks & SegmentHeaders.ASKING) != 0) {
            answer(neighbour, source, SegmentHeaders.number(prefix));
        }
        // As if it had come as an Ethernet frame, for captures.
        Memory.putLong(header - 16, localInMemory);
        Memory.putLong(header - 8, Long.reverseBytes(source << 16 | config.frame().etherType()));
        if (isOnePiece) {
            sink.onBuffer(link, share, id, frameBytes, source, -1);
        } else {
            sink.onJoined(link, share, id, frameBytes, source, -1);
        }
    }

    private int neighbour(final long source) {
        if (lastNeighbour != NOBODY
                && source == lastSource
                && link.learned(lastNeighbour) == source) {
            return lastNeighbour;
        }
        for (int i = 0; i < NEIGHBOURS; i++) {
            if (link.learned(i) == source) {
                lastSource = source;
                lastNeighbour = i;
                return i;
            }
        }
        return NOBODY;
    }

    // Limits the acknowledgements to a neighbour that requests too many.
    private void answer(final int neighbour, final long source, final int number) {
        if (answeredNs[neighbour] != 0 && nowNs - answeredNs[neighbour] < ANSWER_NS) {
            return;
        }
        answeredNs[neighbour] = nowNs;
        final long address = answer.address();
        final long self = config.coordinates();
        SegmentHeaders.writeAddresses(
                address,
                Long.reverseBytes(IpHeaders.other(source)),
                Long.reverseBytes(IpHeaders.other(localMac) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(self),
                IpHeaders.address(Shape.withCoordinate(self, config.dimension(), neighbour)),
                IpHeaders.ports(config.frame().etherType(), DimensionOrder.DEFAULT),
                1);
        SegmentHeaders.writeRange(address, number, 0, SegmentHeaders.ANSWER, 0, 0, 1);
        Sockets.send(socket.descriptor(), address, SegmentHeaders.LENGTH);
    }

    /** Fills memory with what probes consist of. */
    static void writePattern(final long address, final int lengthBytes) {
        for (int offset = 0; offset < lengthBytes; offset += Byte.BYTES) {
            Memory.putByte(address + offset, pattern(offset));
        }
    }

    // The same eight bytes never lie at two places of a segment's size.
    private static int pattern(final int offset) {
        return (int) (((offset / Long.BYTES + 1) * PATTERN) >>> (32 + offset % Long.BYTES));
    }

    private static boolean hasPattern(final long address, final int lengthBytes) {
        for (int offset = 0; offset < lengthBytes; offset++) {
            if (Memory.getUnsignedByte(address + offset) != (pattern(offset) & 0xFF)) {
                return false;
            }
        }
        return true;
    }

    /** Looks whether bulk data arrives. Called about once a second. */
    void refresh() {
        timer.look();
    }

    LongFrameCounts counts() {
        return counts;
    }

    long starvations() {
        return receiver.starvations();
    }

    int heldBuffers() {
        return receiver.heldBuffers();
    }

    long takeDrops() throws LinuxException {
        return socket.takeDrops();
    }

    /** Closes the socket and gives all buffers back. */
    void close() {
        socket.close();
        receiver.close();
    }
}
