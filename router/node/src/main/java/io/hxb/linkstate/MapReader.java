package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.log.Printable;
import io.hxb.routing.GraphRoutes;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Reads the map that a node has, whether it runs or is dead. Stateless. The file is read, not
 * mapped: one that is cut short while it is read causes an exception, not a signal.
 */
public final class MapReader {
    private static final String COUNTERS = ".counters";
    private static final int TRIES = 5;
    private static final int MAX_SHOWN = 16;
    private static final int MAX_MTU = 0xFFFF;
    private static final int NODE_WORD_BYTES = 32;

    private MapReader() {}

    /** The file of the node whose counters are in {@code counters}. */
    public static Path fileBeside(final Path counters) {
        final String name = counters.getFileName().toString();
        final String start =
                name.endsWith(COUNTERS)
                        ? name.substring(0, name.length() - COUNTERS.length())
                        : name;
        return counters.resolveSibling(start + ".map");
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read, is no such file, is of another build, is damaged,
     *     or was written all the time; the message tells which.
     */
    public static PublishedMap read(final Path file) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            final Optional<PublishedMap> map = read(file, load(file));
            if (map.isPresent()) {
                return map.get();
            }
        }
        throw new IOException(file + " is damaged or cut short; a running node writes it again");
    }

    /**
     * Reads the content of a file; its check code is overwritten.
     *
     * @return empty if it is not whole: it may have been written meanwhile.
     */
    static Optional<PublishedMap> read(final Path file, final MemorySegment image)
            throws IOException {
        checkStart(file, image);
        if (!isWhole(image)) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(image));
        } catch (final IllegalArgumentException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
    }

    private static MemorySegment load(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final int most = MapFile.maxBytes(LinkStates.MAX_NODES);
            final ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(channel.size(), most));
            while (buffer.hasRemaining() && channel.read(buffer, buffer.position()) > 0) {
                // Reads on until the buffer is full or the file ends.
            }
            return MemorySegment.ofArray(Arrays.copyOf(buffer.array(), buffer.position()));
        }
    }

    private static void checkStart(final Path file, final MemorySegment image) throws IOException {
        final int bytes = MapFile.MAGIC.length() + MapFile.VERSION.length();
        final String start =
                new String(
                        image.asSlice(0, Math.min(bytes, image.byteSize()))
                                .toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.ISO_8859_1);
        if (start.length() < bytes || !start.startsWith(MapFile.MAGIC)) {
            throw new IOException(file + " is not a map of a node");
        }
        final String version = start.substring(MapFile.MAGIC.length());
        if (!version.equals(MapFile.VERSION)) {
            throw new IOException(
                    file
                            + " was written by another build of HXB: its layout is version "
                            + Printable.of(version, MAX_SHOWN)
                            + ", this one reads "
                            + MapFile.VERSION
                            + "; use the hxb of that build");
        }
    }

    private static boolean isWhole(final MemorySegment image) {
        if (image.byteSize() < MapFile.HEADER_BYTES) {
            return false;
        }
        final int length = image.get(MapFile.INT, MapFile.LENGTH_OFFSET);
        if (length < MapFile.HEADER_BYTES || length > image.byteSize()) {
            return false;
        }
        final int crc = image.get(MapFile.INT, MapFile.CRC_OFFSET);
        image.set(MapFile.INT, MapFile.CRC_OFFSET, 0);
        return MapFile.crc(image.asSlice(0, length)) == crc;
    }

    private static PublishedMap parse(final MemorySegment image) {
        final int maxNodes = image.get(MapFile.INT, MapFile.NODES_OFFSET);
        require(maxNodes >= 1 && maxNodes <= LinkStates.MAX_NODES, "nodes", maxNodes);
        final int here = image.get(MapFile.INT, MapFile.HERE_OFFSET);
        require(here >= 0 && here < maxNodes, "node", here);
        final int known = image.get(MapFile.INT, MapFile.KNOWN_OFFSET);
        final int edges = image.get(MapFile.INT, MapFile.EDGES_OFFSET);
        final int links = image.get(MapFile.INT, MapFile.LINKS_OFFSET);
        require(known >= 0 && known <= maxNodes, "known nodes", known);
        require(edges >= 0 && edges <= maxNodes * (maxNodes - 1) / 2, "edges", edges);
        require(links >= 0 && links <= MapFile.MAX_LINKS, "links", links);
        final int edgesAt = MapFile.HEADER_BYTES + known * MapFile.NODE_BYTES;
        final int linksAt = edgesAt + edges * MapFile.EDGE_BYTES;
        final int length = image.get(MapFile.INT, MapFile.LENGTH_OFFSET);
        require(length == linksAt + links * MapFile.LINK_BYTES, "length", length);
        final List<PublishedMap.KnownNode> nodes =
                nodes(image.asSlice(MapFile.HEADER_BYTES), known, maxNodes);
        final BitSet numbers = new BitSet();
        nodes.forEach(node -> numbers.set(node.number()));
        return new PublishedMap(
                here,
                maxNodes,
                image.get(MapFile.LONG, MapFile.WRITTEN_OFFSET),
                nodes,
                edges(image.asSlice(edgesAt), edges, numbers),
                links(image.asSlice(linksAt), links, here, maxNodes));
    }

    private static void require(final boolean isValid, final String what, final long value) {
        if (!isValid) {
            throw new IllegalArgumentException(what + " out of range: " + value);
        }
    }

    private static List<PublishedMap.KnownNode> nodes(
            final MemorySegment at, final int count, final int maxNodes) {
        final List<PublishedMap.KnownNode> nodes = new ArrayList<>();
        int last = -1;
        for (int i = 0; i < count; i++) {
            final MemorySegment one = at.asSlice((long) i * MapFile.NODE_BYTES, MapFile.NODE_BYTES);
            final int number = one.get(MapFile.INT, 0);
            require(number > last && number < maxNodes, "number of a node", number);
            last = number;
            final int age = one.get(MapFile.INT, MapFile.AGE_OFFSET);
            final int unreached = one.get(MapFile.INT, MapFile.UNREACHED_OFFSET);
            require(age >= 0 && unreached >= 0, "age of a node", Math.min(age, unreached));
            final int flags = unsigned(one, MapFile.FLAGS_OFFSET);
            require(flags <= 1, "flags of a node", flags);
            final int name = unsigned(one, MapFile.NAME_LENGTH_OFFSET);
            require(name <= LinkStateFlyweight.MAX_NAME_BYTES, "bytes of a host name", name);
            final String host =
                    new String(
                            one.asSlice(MapFile.NAME_OFFSET, name).toArray(MapFile.BYTE),
                            StandardCharsets.UTF_8);
            nodes.add(
                    new PublishedMap.KnownNode(
                            number,
                            age,
                            unreached,
                            new NodeGraph.Node(
                                    one.get(MapFile.LONG, MapFile.IDENTITY_OFFSET),
                                    one.get(MapFile.INT, MapFile.INCARNATION_OFFSET),
                                    flags == 1,
                                    host)));
        }
        return nodes;
    }

    private static int unsigned(final MemorySegment segment, final int at) {
        return Byte.toUnsignedInt(segment.get(MapFile.BYTE, at));
    }

    private static List<NodeGraph.Edge> edges(
            final MemorySegment at, final int count, final BitSet known) {
        final List<NodeGraph.Edge> edges = new ArrayList<>();
        int last = -1;
        for (int i = 0; i < count; i++) {
            final MemorySegment each =
                    at.asSlice((long) i * MapFile.EDGE_BYTES, MapFile.EDGE_BYTES);
            final int one = unsigned(each, 0);
            final int other = unsigned(each, MapFile.EDGE_OTHER_OFFSET);
            require(known.get(one) && known.get(other), "end of an edge", one << 8 | other);
            final int order = one << Byte.SIZE | other;
            require(one < other && order > last, "order of edges", order);
            last = order;
            final int links = unsigned(each, MapFile.EDGE_LINKS_OFFSET);
            final int mtu = each.get(MapFile.INT, MapFile.EDGE_MTU_OFFSET);
            final int capacity = each.get(MapFile.INT, MapFile.EDGE_CAPACITY_OFFSET);
            require(links >= 1, "links of an edge", links);
            require(mtu >= 0 && mtu <= MAX_MTU, "MTU of an edge", mtu);
            require(
                    capacity >= 1 && capacity <= GraphRoutes.MAX_CAPACITY_MBPS,
                    "capacity of an edge",
                    capacity);
            edges.add(new NodeGraph.Edge(one, other, links, mtu, capacity));
        }
        return edges;
    }

    private static List<NodeLink> links(
            final MemorySegment at, final int count, final int here, final int maxNodes) {
        final List<NodeLink> links = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final MemorySegment one = at.asSlice((long) i * MapFile.LINK_BYTES, MapFile.LINK_BYTES);
            final int mtu = one.get(MapFile.INT, 0);
            final int capacity = one.get(MapFile.INT, MapFile.LINK_CAPACITY_OFFSET);
            require(
                    mtu >= 0 && capacity >= 0,
                    "MTU or capacity of a link",
                    Math.min(mtu, capacity));
            final BitSet partners =
                    BitSet.valueOf(
                            one.asSlice(MapFile.LINK_PARTNERS_OFFSET, NODE_WORD_BYTES)
                                    .toArray(MapFile.BYTE));
            require(
                    partners.length() <= maxNodes && !partners.get(here),
                    "partner of a link",
                    partners.length() - 1L);
            links.add(new NodeLink(mtu, capacity, partners.stream().boxed().toList()));
        }
        return links;
    }
}
