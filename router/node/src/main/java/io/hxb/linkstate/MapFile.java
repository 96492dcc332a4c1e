package io.hxb.linkstate;

import io.hxb.counter.PublishedCopy;
import io.hxb.frame.LinkStateFlyweight;
import io.hxb.os.SharedFile;
import io.hxb.pm.attach.RunFolders;
import io.hxb.time.Deadline;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * The file with the map that a node has, which is written and never mapped, and outlives the
 * process. Any thread may call it; calls take turns.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 {@code HXBMAP01}: the last two are the version of the layout
 *      8      4 node that wrote it
 *     12      4 nodes that the cluster may have
 *     16      8 when it was written, ms since 1970
 *     24      4 bytes that count, these included; the file may be longer
 *     28      4 CRC-32C of these bytes, with 0 here
 *     32      4 nodes that are known
 *     36      4 edges
 *     40      4 links of the node that wrote it
 *     44     20 0
 *     64        a node each, 64 bytes, with growing numbers:
 *                  0  4 number
 *                  4  4 age of its record, ms
 *                  8  4 time since edges led to it, ms; 0 if they do
 *                 12  4 incarnation
 *                 16  8 identity
 *                 24  1 flags: 1 = it has stopped in order
 *                 25  1 bytes of the host name, 0 to 32
 *                 26 32 host name, UTF-8
 *                 58  6 0
 *               an edge each, 12 bytes, in the order of their ends:
 *                  0  1 end with the lower number
 *                  1  1 the other end
 *                  2  1 links, 1 or more
 *                  3  1 0
 *                  4  4 MTU, bytes
 *                  8  4 what they carry together, Mbit/s
 *               a link each, 40 bytes, in the order of their index:
 *                  0  4 MTU, bytes
 *                  4  4 what it claims to carry, Mbit/s; 0 if that is not known
 *                  8 32 a bit for each node number: frames are exchanged with it; the lowest first
 * </pre>
 */
public final class MapFile implements PublishedCopy, AutoCloseable {
    /** The first bytes of the file, without the version. */
    static final String MAGIC = "HXBMAP";

    /** Version of the layout. */
    static final String VERSION = "01";

    /** Most links of a node. */
    static final int MAX_LINKS = 255;

    static final int HEADER_BYTES = 64;
    static final int HERE_OFFSET = 8;
    static final int NODES_OFFSET = 12;
    static final int WRITTEN_OFFSET = 16;
    static final int LENGTH_OFFSET = 24;
    static final int CRC_OFFSET = 28;
    static final int KNOWN_OFFSET = 32;
    static final int EDGES_OFFSET = 36;
    static final int LINKS_OFFSET = 40;

    static final int NODE_BYTES = 64;
    static final int AGE_OFFSET = 4;
    static final int UNREACHED_OFFSET = 8;
    static final int INCARNATION_OFFSET = 12;
    static final int IDENTITY_OFFSET = 16;
    static final int FLAGS_OFFSET = 24;
    static final int NAME_LENGTH_OFFSET = 25;
    static final int NAME_OFFSET = 26;

    static final int EDGE_BYTES = 12;
    static final int EDGE_OTHER_OFFSET = 1;
    static final int EDGE_LINKS_OFFSET = 2;
    static final int EDGE_MTU_OFFSET = 4;
    static final int EDGE_CAPACITY_OFFSET = 8;

    static final int LINK_BYTES = 40;
    static final int LINK_CAPACITY_OFFSET = 4;
    static final int LINK_PARTNERS_OFFSET = 8;

    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long MIN_INTERVAL_NS = 100_000_000L;
    private static final long NS_PER_MS = 1_000_000L;

    private final LinkStates states;
    private final Supplier<List<NodeLink>> links;
    private final LongSupplier clockNs;
    private final LongSupplier clockMs;
    private final MemorySegment image;
    private final long[] lostNs;
    private SharedFile file;
    private int written;
    private long writtenNs;
    private boolean isClosed;

    private MapFile(
            final LinkStates states,
            final Supplier<List<NodeLink>> links,
            final LongSupplier clockNs,
            final LongSupplier clockMs) {
        this.states = states;
        this.links = links;
        this.clockNs = clockNs;
        this.clockMs = clockMs;
        image = Arena.ofAuto().allocate(maxBytes(states.nodes()), Long.BYTES);
        final byte[] start = (MAGIC + VERSION).getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(start, 0, image, BYTE, 0, start.length);
        image.set(INT, HERE_OFFSET, states.here());
        image.set(INT, NODES_OFFSET, states.nodes());
        lostNs = new long[states.nodes()];
        Arrays.fill(lostNs, Deadline.NEVER);
    }

    /** Bytes of the longest file of a cluster with that many nodes. */
    static int maxBytes(final int nodes) {
        final int edges = nodes * Math.min(LinkStateFlyweight.MAX_ADJACENCIES, nodes - 1) / 2;
        return HEADER_BYTES + nodes * NODE_BYTES + edges * EDGE_BYTES + MAX_LINKS * LINK_BYTES;
    }

    /**
     * Makes the file in place of an older one; it gets its name once all of it is written.
     *
     * @param links gives those of this node, at most {@link #MAX_LINKS}; any thread may ask it.
     * @param clockNs of the loops.
     * @param clockMs ms since 1970.
     */
    public static MapFile create(
            final Path path,
            final LinkStates states,
            final Supplier<List<NodeLink>> links,
            final LongSupplier clockNs,
            final LongSupplier clockMs)
            throws IOException {
        RunFolders.ofThisProcess().prepare(path.toAbsolutePath().getParent());
        final MapFile made = new MapFile(states, links, clockNs, clockMs);
        made.fill();
        made.file = SharedFile.create(path, made.image);
        return made;
    }

    @Override
    public synchronized void publish() {
        if (states.recordsVersion() != written
                && clockNs.getAsLong() - writtenNs >= MIN_INTERVAL_NS) {
            publishAll();
        }
    }

    @Override
    public synchronized void publishAll() {
        if (isClosed) {
            return;
        }
        final int bytes = fill();
        try {
            if (file.isGone()) {
                RunFolders.ofThisProcess().prepare(file.path().getParent());
                file.makeAgain();
            } else {
                file.write(0, bytes);
            }
        } catch (final IOException e) {
            // A full disk, or no folder: the file of counters lies beside it, and its writer warns
            // of that.
            writtenNs = clockNs.getAsLong();
        }
    }

    private int fill() {
        written = states.recordsVersion();
        writtenNs = clockNs.getAsLong();
        final NodeGraph graph = states.graph();
        final List<NodeLink> own = links.get();
        int at = writeNodes(graph);
        image.set(INT, KNOWN_OFFSET, (at - HEADER_BYTES) / NODE_BYTES);
        image.set(INT, EDGES_OFFSET, graph.edges());
        image.set(INT, LINKS_OFFSET, own.size());
        for (int i = 0; i < graph.edges(); i++, at += EDGE_BYTES) {
            write(graph.edge(i), image.asSlice(at, EDGE_BYTES));
        }
        for (final NodeLink link : own) {
            write(link, image.asSlice(at, LINK_BYTES));
            at += LINK_BYTES;
        }
        image.set(LONG, WRITTEN_OFFSET, clockMs.getAsLong());
        image.set(INT, LENGTH_OFFSET, at);
        image.set(INT, CRC_OFFSET, 0);
        image.set(INT, CRC_OFFSET, crc(image.asSlice(0, at)));
        return at;
    }

    private int writeNodes(final NodeGraph graph) {
        final boolean[] isReached = reached(graph, states.here());
        int at = HEADER_BYTES;
        for (int node = 0; node < graph.nodes(); node++) {
            if (isReached[node] || !graph.isKnown(node)) {
                lostNs[node] = Deadline.NEVER;
            } else if (lostNs[node] == Deadline.NEVER) {
                lostNs[node] = writtenNs;
            }
            if (graph.isKnown(node)) {
                write(graph, node, image.asSlice(at, NODE_BYTES).fill((byte) 0));
                at += NODE_BYTES;
            }
        }
        return at;
    }

    // Which nodes edges lead to.
    private static boolean[] reached(final NodeGraph graph, final int here) {
        final boolean[] isReached = new boolean[graph.nodes()];
        isReached[here] = true;
        boolean isNew = true;
        while (isNew) {
            isNew = false;
            for (int i = 0; i < graph.edges(); i++) {
                final NodeGraph.Edge edge = graph.edge(i);
                if (isReached[edge.one()] != isReached[edge.other()]) {
                    isReached[edge.one()] = true;
                    isReached[edge.other()] = true;
                    isNew = true;
                }
            }
        }
        return isReached;
    }

    private void write(final NodeGraph graph, final int node, final MemorySegment to) {
        final NodeGraph.Node known = graph.node(node);
        final byte[] name = known.hostName().getBytes(StandardCharsets.UTF_8);
        // What is no UTF-8 is longer once it is replaced.
        final int nameBytes = Math.min(name.length, LinkStateFlyweight.MAX_NAME_BYTES);
        to.set(INT, 0, node);
        to.set(INT, AGE_OFFSET, graph.ageMs(node, writtenNs));
        to.set(INT, UNREACHED_OFFSET, unreachedMs(node));
        to.set(INT, INCARNATION_OFFSET, known.incarnation());
        to.set(LONG, IDENTITY_OFFSET, known.identity());
        to.set(BYTE, FLAGS_OFFSET, (byte) (known.isStopped() ? 1 : 0));
        to.set(BYTE, NAME_LENGTH_OFFSET, (byte) nameBytes);
        MemorySegment.copy(name, 0, to, BYTE, NAME_OFFSET, nameBytes);
    }

    private int unreachedMs(final int node) {
        return lostNs[node] == Deadline.NEVER
                ? 0
                : Math.clamp((writtenNs - lostNs[node]) / NS_PER_MS, 1, Integer.MAX_VALUE);
    }

    private static void write(final NodeGraph.Edge edge, final MemorySegment to) {
        to.set(BYTE, 0, (byte) edge.one());
        to.set(BYTE, EDGE_OTHER_OFFSET, (byte) edge.other());
        to.set(BYTE, EDGE_LINKS_OFFSET, (byte) edge.links());
        to.set(BYTE, EDGE_LINKS_OFFSET + 1, (byte) 0);
        to.set(INT, EDGE_MTU_OFFSET, edge.mtuBytes());
        to.set(INT, EDGE_CAPACITY_OFFSET, edge.capacityMbps());
    }

    private static void write(final NodeLink link, final MemorySegment to) {
        to.fill((byte) 0);
        to.set(INT, 0, link.mtuBytes());
        to.set(INT, LINK_CAPACITY_OFFSET, link.capacityMbps());
        for (final int partner : link.partners()) {
            final int at = LINK_PARTNERS_OFFSET + partner / Byte.SIZE;
            to.set(BYTE, at, (byte) (to.get(BYTE, at) | 1 << partner % Byte.SIZE));
        }
    }

    /** The check code of an image in which it is 0. */
    static int crc(final MemorySegment image) {
        final CRC32C crc = new CRC32C();
        crc.update(image.asByteBuffer());
        return (int) crc.getValue();
    }

    /** Writes it once more; it stays, so that it can be read later. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            publishAll();
            isClosed = true;
            file.close();
        }
    }
}
