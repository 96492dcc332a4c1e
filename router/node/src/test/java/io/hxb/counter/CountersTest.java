package io.hxb.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.DropReason;
import io.hxb.recorder.RecorderReader;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

@Tag("unit")
class CountersTest {
    private static final CounterLabels LABELS =
            new CounterLabels(
                    "lab",
                    77,
                    5,
                    0x010001L,
                    3,
                    List.of(
                            new CounterLabels.LinkLabel(0, 0, "eth0"),
                            new CounterLabels.LinkLabel(2, 1, "10.0.0.1:20000")));

    private final List<String> warnings = new ArrayList<>();

    @RegisterExtension private final OpenCounters open = new OpenCounters();

    private Counters create(final Path file) {
        return open.create(file, LABELS, 2, warnings::add);
    }

    @Test
    void shouldShowReadersTheSumOfWhatAllLoopsCount(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("sub/lab-5.counters");
        final Counters counters = create(file);
        try (CounterReader reader = CounterReader.open(file)) {
            // when
            counters.ofLoop(0).increment(CounterType.LINK_SENT_FRAMES, 1);
            counters.ofLoop(1).add(CounterType.LINK_SENT_FRAMES, 1, 41);
            counters.ofNode().source(CounterType.POOL_FREE_BUFFERS, () -> 9);
            publish(counters);
            reader.refresh();
            // then
            assertEquals(42, reader.value(CounterType.LINK_SENT_FRAMES, 1));
            assertEquals(0, reader.value(CounterType.LINK_SENT_FRAMES, 0));
            assertEquals(42, counters.sum(CounterType.LINK_SENT_FRAMES));
            assertEquals(9, reader.sum(CounterType.POOL_FREE_BUFFERS));
            assertEquals(LABELS, reader.labels());
            assertEquals(ProcessHandle.current().pid(), reader.pid());
            assertTrue(warnings.isEmpty(), warnings.toString());
        }
    }

    private static void publish(final Counters counters) {
        counters.ofLoop(0).publish();
        counters.ofLoop(counters.loops() - 1).publish();
        counters.ofNode().publish();
        counters.publish();
    }

    @Test
    void shouldKeepEveryCounterApart() {
        // given
        final Counters counters = Counters.inMemory(LABELS, 2);
        final List<CounterBlock> blocks =
                List.of(
                        counters.ofLoop(0),
                        counters.ofLoop(1),
                        counters.ofKernel(),
                        counters.ofNode());
        // when
        long value = 0;
        for (final CounterType type : CounterType.values()) {
            final int instances =
                    switch (type.scope()) {
                        case NODE -> 1;
                        case LINK -> 2;
                        case DIMENSION -> 3;
                        case BUCKET -> TimeBuckets.COUNT;
                        case NEIGHBOUR -> 0;
                    };
            for (int instance = 0; instance < instances; instance++) {
                for (final CounterBlock block : blocks) {
                    final long now = ++value;
                    block.source(type, instance, () -> now).publish();
                    assertEquals(now, block.value(type, instance));
                }
                // then
                assertEquals(4 * value - 6, counters.sum(type, instance));
            }
        }
    }

    @Test
    void shouldCountNeighboursOneByOneWhereALineHasMoreThanTwoNodes(@TempDir final Path folder)
            throws IOException {
        // given: node (1,2) of 2 by 4
        final CounterLabels labels =
                new CounterLabels(
                        "lab",
                        77,
                        5,
                        0x0201L,
                        2,
                        List.of(
                                new CounterLabels.LinkLabel(0, 0, "eth0", 2, 1),
                                new CounterLabels.LinkLabel(1, 0, "eth1", 4, 2),
                                new CounterLabels.LinkLabel(1, 1, "eth2", 4, 2)));
        final Path file = folder.resolve("lab-5.counters");
        final long[] sent = {0, 40, 0, 3};
        try (Counters counters = Counters.create(file, labels, 2, warnings::add)) {
            for (int link = 0; link < 3; link++) {
                counters.ofLoop(0)
                        .neighbours(
                                CounterType.LINK_NEIGHBOUR_SENT_FRAMES,
                                link,
                                (into, at, count) -> System.arraycopy(sent, 0, into, at, count));
            }
            counters.ofLoop(1)
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_FRAMES,
                            2,
                            (into, at, count) -> Arrays.fill(into, at, at + 1, 7));
            // when
            publish(counters);
            try (CounterReader reader = CounterReader.open(file)) {
                // then
                assertEquals(
                        List.of(
                                new NeighbourCounts(1, 3, 0, 0, 40, 0),
                                new NeighbourCounts(1, 7, 0, 0, 3, 0),
                                new NeighbourCounts(2, 1, 0, 0, 7, 0),
                                new NeighbourCounts(2, 3, 0, 0, 40, 0),
                                new NeighbourCounts(2, 7, 0, 0, 3, 0)),
                        NeighbourCounts.of(reader.labels(), reader.samples()));
                assertEquals(0, reader.labels().links().getFirst().lineNodes());
                assertEquals(93, reader.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES));
                assertEquals(93, counters.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES));
            }
        }
    }

    @Test
    void shouldRefuseAFileWhoseLinksCannotBe(@TempDir final Path folder) throws IOException {
        // given
        final CounterLabels labels =
                new CounterLabels(
                        "lab", 77, 2, 2, 1, List.of(new CounterLabels.LinkLabel(0, 0, "e", 4, 1)));
        final Path file = folder.resolve("lab-2.counters");
        Counters.create(file, labels, 1, warnings::add).close();
        final byte[] valid = Files.readAllBytes(file);
        final int at =
                ByteBuffer.wrap(valid)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getInt(CounterLayout.LINKS_AT_OFFSET);
        // when there is no step from a node to the next, and when the dimension is none
        for (final int damaged : List.of(at + CounterLayout.LINK_STEP_OFFSET, at)) {
            final byte[] bytes = valid.clone();
            bytes[damaged] = (byte) (damaged == at ? 8 : 0);
            Files.write(file, bytes);
            // then
            final IOException refused =
                    assertThrows(IOException.class, () -> CounterReader.open(file).close());
            assertTrue(
                    refused.getMessage().contains("the description of link 0 is damaged"),
                    refused::getMessage);
        }
    }

    @Test
    void shouldHaveNoPlacesBeyondTheirBound() {
        // given
        final NeighbourPlaces places = NeighbourPlaces.of(2, 256, 256, 256, 255, 8, 1, 256);
        // then
        assertEquals(3 * 256 + 255, places.count());
        assertEquals(0, places.nodes(0));
        assertEquals(255, places.nodes(4));
        assertEquals(0, places.nodes(5));
        assertEquals(0, places.nodes(7));
        assertEquals(1, places.link(0));
        assertEquals(4, places.link(places.count() - 1));
        // and when those of a file are read, the same links have places
        final NeighbourPlaces read = NeighbourPlaces.of(0, 256, 256, 256, 255, 0, 0, 0);
        assertEquals(places.count(), read.count());
        assertEquals(places.first(4), read.first(4));
    }

    @Test
    void shouldDistinguishLivingFromSilentFromStoppedNodes(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("a");
        final Counters counters = create(file);
        counters.heartbeat(1_000_000);
        counters.publish();
        try (CounterReader reader = CounterReader.open(file)) {
            // when / then
            assertTrue(reader.isAlive(1_001_000));
            assertFalse(reader.isAlive(1_000_000 + CounterReader.SILENT_MS));
            counters.close();
            reader.refresh();
            assertTrue(reader.isClosed());
            assertFalse(reader.isAlive(1_000_000));
        }
    }

    @Test
    void shouldCarryFindingsInWordsAndLeaveOutWhatDoesNotFit(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("a");
        final Counters counters = create(file);
        try (CounterReader reader = CounterReader.open(file)) {
            // when
            final List<NodeFinding> two =
                    List.of(
                            NodeFinding.of(
                                    NodeFinding.Kind.MISMATCH,
                                    "x.0 of 1,0 and y.1 of 2,0 are on one switch: replug one"),
                            new NodeFinding(NodeFinding.Kind.FOREIGN_TRAFFIC, "zwei – ü", ""));
            counters.findings(two);
            counters.publish();
            reader.refresh();
            // then
            assertEquals(two, reader.findings());
            assertEquals("replug one", reader.findings().getFirst().fix());
            assertEquals(
                    "x.0 of 1,0 and y.1 of 2,0 are on one switch: replug one",
                    reader.findings().getFirst().sentence());
            // when
            counters.findings(
                    Collections.nCopies(
                            1000,
                            new NodeFinding(
                                    NodeFinding.Kind.OTHER, "a finding of", "thirty letters")));
            counters.publish();
            reader.refresh();
            // then: 33 bytes and a newline each, 16 KiB less the header
            assertEquals(481, reader.findings().size());
            // when
            counters.findings(List.of());
            counters.publish();
            reader.refresh();
            // then
            assertEquals(List.of(), reader.findings());
        }
    }

    @Test
    void shouldCarryWhatUsersHaveAndReportHowManyThereIsNoRoom(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("a");
        final Counters counters = create(file);
        try (CounterReader reader = CounterReader.open(file)) {
            assertEquals(ResourceUses.NONE, reader.shares());
            // when
            final List<ResourceUse> two =
                    List.of(
                            use("tenant physics", ""),
                            new ResourceUse("user 1000", "physics", Map.of()));
            counters.shares(two);
            counters.publish();
            reader.refresh();
            // then: a user without figures is no row
            assertEquals(new ResourceUses(two.subList(0, 1), 0), reader.shares());
            // when
            final List<ResourceUse> many =
                    IntStream.range(0, 1_000)
                            .mapToObj(i -> use("user " + (1_000 + i), "physics"))
                            .toList();
            counters.shares(many);
            counters.publish();
            reader.refresh();
            // then
            final ResourceUses read = reader.shares();
            assertTrue(read.uses().size() > 100, "room for " + read.uses().size());
            assertEquals(many.subList(0, read.uses().size()), read.uses());
            assertEquals(1_000, read.uses().size() + read.leftOut());
        }
    }

    private static ResourceUse use(final String who, final String tenant) {
        final Map<String, ResourceUse.Figures> shares = new LinkedHashMap<>();
        shares.put("contexts", new ResourceUse.Figures(3, 16, 7));
        shares.put("messagesPerSecond", new ResourceUse.Figures(-1, -1, Long.MAX_VALUE));
        return new ResourceUse(who, tenant, shares);
    }

    @Test
    void shouldReplaceTheFileOfADeadNodeWithoutDisturbingItsReaders(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("a");
        final Counters dead = create(file);
        dead.ofLoop(0).add(CounterType.FLOW_SENT_FRAMES, 7);
        publish(dead);
        try (CounterReader old = CounterReader.open(file)) {
            // when
            final Counters fresh = create(file);
            old.refresh();
            // then
            assertEquals(7, old.sum(CounterType.FLOW_SENT_FRAMES));
            assertEquals(0, fresh.sum(CounterType.FLOW_SENT_FRAMES));
            try (var files = Files.list(folder)) {
                assertEquals(
                        Set.of(file, RecorderReader.fileBeside(file)), Set.copyOf(files.toList()));
            }
        }
    }

    @Test
    void shouldCarryOnInMemoryAndWarnWhenTheFileCannotBeWritten(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = Files.createFile(folder.resolve("plain"));
        // when
        final Counters counters = create(file.resolve("under-a-file"));
        counters.ofLoop(0).increment(CounterType.FLOW_SENT_FRAMES);
        publish(counters);
        // then
        assertEquals(1, counters.sum(CounterType.FLOW_SENT_FRAMES));
        assertNull(counters.file());
        assertEquals(1, warnings.size());
        assertTrue(warnings.get(0).contains("attach.countersDirectory"), warnings.get(0));
    }

    @Test
    void shouldRefuseFilesThatAreNoCounterFilesOrDamaged(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("a");
        create(file).close();
        final byte[] good = Files.readAllBytes(file);
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < 500; round++) {
            // when
            final byte[] bad = good.clone();
            bad[random.nextInt(1000)] = (byte) random.nextInt();
            final int length = random.nextInt(4) == 0 ? random.nextInt(bad.length) : bad.length;
            Files.write(file, java.util.Arrays.copyOf(bad, length));
            // then
            try (CounterReader reader = CounterReader.open(file)) {
                assertNotNull(reader.samples(), "seed " + seed);
                assertNotNull(reader.labels(), "seed " + seed);
                assertNotNull(reader.findings(), "seed " + seed);
                assertNotNull(reader.shares(), "seed " + seed);
            } catch (final IOException e) {
                refused++;
            }
        }
        assertTrue(refused > 100, "refused " + refused);
    }

    @Test
    void shouldGiveEachDropReasonItsCounter() {
        // given
        final Counters counters = Counters.inMemory(LABELS, 1);
        // when
        final CounterBlock block = counters.ofLoop(0);
        for (int reason = 1; reason <= DropReason.COUNT; reason++) {
            block.add(CounterType.ofReason(-reason), reason);
        }
        publish(counters);
        // then
        assertEquals(DropReason.COUNT * (DropReason.COUNT + 1L) / 2, block.droppedFrames());
        assertEquals(-DropReason.CRC, counters.sum(CounterType.FORWARD_DROPPED_CRC_FRAMES));
        assertEquals(
                -DropReason.OWN_SOURCE,
                counters.sum(CounterType.FORWARD_DROPPED_OWN_SOURCE_FRAMES));
    }

    @Test
    void shouldRefuseCountersThatAreNotThere() {
        // given
        final Counters counters = Counters.inMemory(LABELS, 1);
        // when / then
        assertThrows(
                IllegalArgumentException.class,
                () -> counters.ofLoop(0).value(CounterType.LINK_SENT_FRAMES, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> counters.ofLoop(1));
    }
}
