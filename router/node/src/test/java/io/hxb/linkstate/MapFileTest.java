package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** The file with the map of node 0 of eight, and its reader. */
@Tag("unit")
class MapFileTest extends MadeUpNeighbours {
    private static final long WRITTEN_MS = 1_700_000_000_000L;
    private static final int FUZZED = 20_000;

    @TempDir private Path folder;
    private List<NodeLink> links =
            List.of(
                    new NodeLink(1_500, 10_000, List.of(1)),
                    new NodeLink(9_000, 0, List.of(1, 2, 7)),
                    new NodeLink(1_500, 1_000, List.of()));

    private Path path() {
        return folder.resolve("room-0.map");
    }

    private MapFile create() throws IOException {
        return MapFile.create(path(), states, () -> links, () -> nowNs, () -> WRITTEN_MS);
    }

    private PublishedMap read() throws IOException {
        return MapReader.read(path());
    }

    private void chainOfThree() {
        states.own(List.of(new Adjacency(1, 2, 1_500, 20_000)), nowNs);
        states.neighbourUp(1, nowNs);
        write(1, 1, 1, 0, 2).ageMs(2_000);
        hear(1);
        write(2, 1, 1, 1).ageMs(3_000);
        hear(1);
    }

    @Test
    void shouldHoldTheWholeMap() throws IOException {
        // given
        chainOfThree();
        nowNs += 500 * MS;
        // when
        try (MapFile file = create()) {
            // then
            final PublishedMap map = read();
            assertEquals(0, map.here());
            assertEquals(NODES, map.maxNodes());
            assertEquals(WRITTEN_MS, map.writtenMs());
            assertEquals(links, map.links());
            assertEquals(
                    List.of(
                            new NodeGraph.Edge(0, 1, 1, 1_500, 1_000),
                            new NodeGraph.Edge(1, 2, 1, 1_500, 1_000)),
                    map.edges());
            assertEquals(3, map.nodes().size());
            assertEquals(
                    new PublishedMap.KnownNode(
                            0, 500, 0, new NodeGraph.Node(IDENTITY, 7, false, "pc-0")),
                    map.nodes().getFirst());
            assertEquals(
                    new PublishedMap.KnownNode(
                            2, 3_500, 0, new NodeGraph.Node(IDENTITY + 2, 7, false, "pc")),
                    map.node(2).orElseThrow());
            assertTrue(map.node(3).isEmpty());
            file.publishAll();
            assertEquals(map, read());
        }
        // and: it stays
        assertEquals(3, read().nodes().size());
    }

    @Test
    void shouldBeWrittenWhenSomethingHasChangedOnly() throws IOException {
        // given
        try (MapFile file = create()) {
            final byte[] first = Files.readAllBytes(path());
            chainOfThree();
            // when: too soon after the last time
            nowNs += 50 * MS;
            file.publish();
            assertTrue(Arrays.equals(first, Files.readAllBytes(path())));
            // then
            nowNs += 50 * MS;
            file.publish();
            assertEquals(2, read().edges().size());
            // when: nothing but the links of this node, which are looked at once a second
            links = List.of();
            nowNs += 500 * MS;
            file.publish();
            assertEquals(3, read().links().size());
            file.publishAll();
            assertEquals(List.of(), read().links());
        }
    }

    @Test
    void shouldCountHowLongANodeIsNotReached() throws IOException {
        chainOfThree();
        try (MapFile file = create()) {
            assertTrue(read().node(2).orElseThrow().isReached());
            // when
            write(1, 1, 2, 0);
            hear(1);
            nowNs += 100 * MS;
            file.publish();
            // then
            assertEquals(1, read().node(2).orElseThrow().unreachedMs());
            nowNs += 12_000 * MS;
            file.publishAll();
            assertEquals(12_000, read().node(2).orElseThrow().unreachedMs());
            assertEquals(0, read().node(1).orElseThrow().unreachedMs());
            // when: it is reached again, and lost again
            write(1, 1, 3, 0, 2);
            hear(1);
            file.publishAll();
            assertTrue(read().node(2).orElseThrow().isReached());
            write(1, 1, 4, 0);
            hear(1);
            file.publishAll();
            // then
            assertEquals(1, read().node(2).orElseThrow().unreachedMs());
        }
    }

    @Test
    void shouldShowWhatHasStopped() throws IOException {
        chainOfThree();
        write(1, 1, 2).stopped();
        hear(1);
        try (MapFile file = create()) {
            assertTrue(read().node(1).orElseThrow().node().isStopped());
            assertFalse(read().node(2).orElseThrow().node().isStopped());
            assertEquals(List.of(), read().edges());
            file.publish();
        }
    }

    @Test
    void shouldHoldTheLargestMap() throws IOException {
        // given: each of 255 nodes reports 64 neighbours, the next 32 on either side
        final int nodes = LinkStates.MAX_NODES;
        states = make(0, nodes);
        states.neighbourUp(1, nowNs);
        states.own(Arrays.stream(around(0, nodes)).mapToObj(MadeUpNeighbours::to).toList(), nowNs);
        for (int node = 1; node < nodes; node++) {
            nowNs += 5 * MS;
            write(node, 1, 1, around(node, nodes));
            hear(1);
        }
        links =
                IntStream.range(0, MapFile.MAX_LINKS)
                        .mapToObj(i -> new NodeLink(9_000, 1, List.of(1, nodes - 1)))
                        .toList();
        // when
        try (MapFile file = create()) {
            // then
            assertEquals(nodes, read().nodes().size());
            assertEquals(nodes * 32, read().edges().size());
            assertEquals(links, read().links());
            assertEquals(MapFile.maxBytes(nodes), Files.size(path()));
            file.publish();
        }
    }

    private static int[] around(final int node, final int nodes) {
        return IntStream.rangeClosed(-32, 32)
                .filter(step -> step != 0)
                .map(step -> Math.floorMod(node + step, nodes))
                .sorted()
                .toArray();
    }

    @Test
    void shouldCutNamesThatAreNoText() throws IOException {
        // given: 32 bytes that are no UTF-8 become 96
        states.neighbourUp(1, nowNs);
        final byte[] name = new byte[LinkStateFlyweight.MAX_NAME_BYTES];
        Arrays.fill(name, (byte) 0xFF);
        entry.wrap(memory.address()).record(0, name).origin(1, IDENTITY + 1, 1, 1, 7);
        hear(1);
        // when
        try (MapFile file = create()) {
            // then
            assertTrue(read().node(1).orElseThrow().node().hostName().startsWith("\uFFFD"));
            file.publish();
        }
    }

    @Test
    void shouldMakeItAgainAfterItWasRemoved() throws IOException {
        chainOfThree();
        try (MapFile file = create()) {
            Files.delete(path());
            assertThrows(NoSuchFileException.class, this::read);
            file.publishAll();
            assertEquals(3, read().nodes().size());
        }
    }

    @Test
    void shouldLieBesideTheCounters() {
        final Path counters = Path.of("/run/hxb/room-3.counters");
        assertEquals(Path.of("/run/hxb/room-3.map"), MapReader.fileBeside(counters));
        assertEquals(Path.of("x.map"), MapReader.fileBeside(Path.of("x")));
    }

    private String complaint(final byte... content) throws IOException {
        Files.write(path(), content);
        return assertThrows(IOException.class, this::read).getMessage();
    }

    private byte[] whole() throws IOException {
        chainOfThree();
        try (MapFile file = create()) {
            file.publishAll();
        }
        return Files.readAllBytes(path());
    }

    @Test
    void shouldRefuseOtherFilesWithTheReason() throws IOException {
        final byte[] whole = whole();
        final int length = MemorySegment.ofArray(whole).get(MapFile.INT, MapFile.LENGTH_OFFSET);

        assertEquals(path() + " is not a map of a node", complaint());
        assertEquals(
                path() + " is not a map of a node",
                complaint("HXBSEEN1".getBytes(StandardCharsets.US_ASCII)));
        final byte[] other = whole.clone();
        other[7] = '2';
        assertEquals(
                path()
                        + " was written by another build of HXB: its layout is version 02, this one"
                        + " reads 01; use the hxb of that build",
                complaint(other));
        // What follows the length does not count; nothing else may be missing.
        Files.write(path(), Arrays.copyOf(whole, length));
        assertEquals(3, read().nodes().size());
        for (int bytes = 8; bytes < length; bytes++) {
            final String text = complaint(Arrays.copyOf(whole, bytes));
            assertTrue(text.contains(" is damaged or cut short; a running node"), text);
        }
    }

    @Test
    void shouldNoticeEachDamagedByteThatCounts() throws IOException {
        final byte[] whole = whole();
        final int length = MemorySegment.ofArray(whole).get(MapFile.INT, MapFile.LENGTH_OFFSET);
        for (int at = 0; at < length; at++) {
            final byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            final String text = complaint(damaged);
            assertTrue(text.startsWith(path().toString()), text);
        }
    }

    @Test
    void shouldOnlyTakeValidContentWhateverTheCheckCode() throws IOException {
        // given
        final byte[] whole = whole();
        final int length = MemorySegment.ofArray(whole).get(MapFile.INT, MapFile.LENGTH_OFFSET);
        final long seed = Long.getLong("hxb.test.mapSeed", System.nanoTime());
        final Random random = new Random(seed);
        int taken = 0;
        int refused = 0;
        for (int i = 0; i < FUZZED; i++) {
            // when: some bytes are made up, and the check code fits
            final byte[] bytes = Arrays.copyOf(whole, length);
            for (int j = random.nextInt(3); j >= 0; j--) {
                final int at = 8 + random.nextInt(length - 8);
                bytes[at] =
                        (byte) (random.nextBoolean() ? random.nextInt() : bytes[at] + 1 - 2 * j);
            }
            final MemorySegment image = MemorySegment.ofArray(bytes);
            final int claimed = image.get(MapFile.INT, MapFile.LENGTH_OFFSET);
            if (claimed >= MapFile.HEADER_BYTES && claimed <= length) {
                image.set(MapFile.INT, MapFile.CRC_OFFSET, 0);
                image.set(MapFile.INT, MapFile.CRC_OFFSET, MapFile.crc(image.asSlice(0, claimed)));
            }
            // then
            try {
                final Optional<PublishedMap> map = MapReader.read(path(), image);
                map.ifPresent(MapFileTest::check);
                taken += map.isPresent() ? 1 : 0;
                refused += map.isPresent() ? 0 : 1;
            } catch (final IOException e) {
                refused++;
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("replay with -Dhxb.test.mapSeed=" + seed, e);
            }
        }
        assertTrue(taken > 100 && refused > 100, taken + " taken, " + refused + " refused");
    }

    private static void check(final PublishedMap map) {
        assertTrue(map.maxNodes() >= 1 && map.maxNodes() <= LinkStates.MAX_NODES);
        assertTrue(map.here() >= 0 && map.here() < map.maxNodes());
        int last = -1;
        for (final PublishedMap.KnownNode node : map.nodes()) {
            assertTrue(node.number() > last && node.number() < map.maxNodes());
            assertTrue(node.ageMs() >= 0 && node.unreachedMs() >= 0);
            last = node.number();
        }
        for (final NodeGraph.Edge edge : map.edges()) {
            assertTrue(map.node(edge.one()).isPresent() && map.node(edge.other()).isPresent());
            assertTrue(edge.one() < edge.other() && edge.links() > 0 && edge.capacityMbps() > 0);
        }
        for (final NodeLink link : map.links()) {
            link.partners().forEach(node -> assertNotEquals(map.here(), node));
            assertTrue(link.partners().stream().allMatch(node -> node < map.maxNodes()));
        }
    }
}
