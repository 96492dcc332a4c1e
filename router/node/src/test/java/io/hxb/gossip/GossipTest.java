package io.hxb.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.RateCode;
import io.hxb.frame.SummaryFlyweight;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What a node believes, and what it keeps in its file. */
@Tag("unit")
class GossipTest {
    private static final Shape SHAPE = Shape.of(4, 4);
    private static final long MS = 1_000_000L;

    private final GossipNetwork network = new GossipNetwork(SHAPE, 1);
    private final Gossip gossip = network.members.getFirst().gossip;
    private final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    private final SummaryFlyweight record = new SummaryFlyweight().wrap(memory.address());
    @TempDir private Path folder;

    private byte[] whole(
            final int node, final int links, final int generation, final int sequence) {
        record.all(links, 0, new byte[] {'p', 'c'})
                .origin(node, generation, sequence, 50)
                .startS(99)
                .toldSequence(sequence);
        return bytes(record.length());
    }

    private byte[] alive(final int node, final int generation, final int sequence) {
        record.alive().origin(node, generation, sequence, 0);
        return bytes(record.length());
    }

    private byte[] bytes(final int count) {
        return memory.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldTakeNothingFromStrangersOrAboutThem() {
        // when: of a node that is no neighbour, of itself, and of nobody
        for (final int source : new int[] {5, 0, -1, 16}) {
            network.deliver(0, source, whole(1, 2, 1, 1));
        }
        // when: about nodes that are not in the cluster file, and one with too many links
        network.deliver(0, 1, whole(16, 2, 1, 1));
        network.deliver(0, 1, whole(-1, 2, 1, 1));
        network.deliver(0, 1, whole(1, GossipNetwork.LINKS + 1, 1, 1));
        // then
        assertEquals(7, gossip.refused());
        assertEquals(0, gossip.version());
        assertNull(network.seen(0, 1));
    }

    @Test
    void shouldBelieveTheNewestWhateverTheOrder() {
        // when
        network.deliver(0, 1, whole(6, 2, 5, 7));
        network.deliver(0, 1, whole(6, 3, 5, 6));
        network.deliver(0, 4, whole(6, 4, 4, 99));
        network.deliver(0, 4, whole(6, 4, Integer.MIN_VALUE + 6, 99));
        // then
        assertEquals(2, network.seen(0, 6).links().size());
        // when: numbers that pass 2^31
        network.deliver(0, 1, whole(6, 1, 5, Integer.MAX_VALUE));
        network.deliver(0, 1, whole(6, 3, 5, Integer.MIN_VALUE));
        // then
        assertEquals(3, network.seen(0, 6).links().size());
    }

    @Test
    void shouldKeepWhatANodeToldWhenItOnlySaysThatItLives() {
        // given
        network.deliver(0, 1, whole(6, 2, 5, 1));
        network.nowNs += 9_000 * MS;
        // when: one says it by a shorter way than the record that belongs to it
        network.deliver(0, 1, alive(6, 5, 3));
        network.deliver(0, 1, alive(7, 5, 3));
        network.deliver(0, 4, whole(6, 3, 5, 2));
        // then
        assertEquals(3, network.seen(0, 6).links().size());
        assertEquals(network.nowNs / MS, network.seen(0, 6).heardMs());
        assertNull(network.seen(0, 7));
    }

    @Test
    void shouldOutdoWhatOthersBelieveOfIt() {
        // given
        network.run(3_000);
        // when: somebody says that it has started again and has one link
        network.deliver(1, 3, whole(0, 1, 5_000, 1));
        assertEquals(1, network.seen(1, 0).links().size());
        // then
        network.run(5_000);
        for (int by = 0; by < 16; by++) {
            assertEquals(GossipNetwork.LINKS, network.seen(by, 0).links().size());
        }
    }

    @Test
    void shouldOutdoWhoeverClaimsThatItHasStopped() {
        // given
        network.run(3_000);
        whole(0, GossipNetwork.LINKS, 1_000, 50);
        record.stopped();
        // when
        network.deliver(1, 3, bytes(record.length()));
        assertTrue(network.seen(1, 0).isStopped());
        // then
        network.run(5_000);
        for (int by = 0; by < 16; by++) {
            assertFalse(network.seen(by, 0).isStopped());
        }
    }

    @Test
    void shouldBelieveOfAStoppedNodeOnlyWhatItToldAtItsEnd() {
        // given
        whole(6, 2, 5, 8);
        record.stopped();
        network.deliver(0, 1, bytes(record.length()));
        // when: what it told before comes later
        network.deliver(0, 4, whole(6, 3, 5, 7));
        network.deliver(0, 4, alive(6, 5, 7));
        // then
        assertTrue(network.seen(0, 6).isStopped());
        assertEquals(2, network.seen(0, 6).links().size());
        // when: it lives again
        network.deliver(0, 4, whole(6, 3, 6, 1));
        // then
        assertFalse(network.seen(0, 6).isStopped());
    }

    @Test
    void shouldTakeAtMostTwentyFiveFramesASecondFromANeighbour() {
        // when
        int taken = 0;
        for (int i = 1; i <= 100_000; i++) {
            network.nowNs += 100_000;
            final int before = gossip.version();
            network.deliver(0, 1, whole(1, 2, 1, i));
            taken += gossip.version() != before ? 1 : 0;
        }
        // then: in ten seconds, and the burst
        assertTrue(taken <= 25 * 10 + Gossip.BURST_FRAMES + 1, taken + " frames");
        // and: others are heard
        network.deliver(0, 2, whole(2, 2, 1, 1));
        assertNotNull(network.seen(0, 2));
    }

    @Test
    void shouldComeToNoHarmByChangedBytes() {
        // given
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int valid = 0;
        for (int i = 0; i < 20_000; i++) {
            network.nowNs += 50 * MS;
            final byte[] body = whole(random.nextInt(16), 1 + random.nextInt(6), 1, i);
            for (int change = random.nextInt(4); change > 0; change--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt();
            }
            // when
            valid += network.deliver(0, 1 + random.nextInt(3), body) ? 1 : 0;
        }
        // then
        assertTrue(valid > 1_000 && valid < 20_000, valid + " valid, seed " + seed);
        for (int node = 1; node < 16; node++) {
            final HeardNode seen = network.seen(0, node);
            assertTrue(seen == null || seen.links().size() <= 6, "seed " + seed);
        }
    }

    @Test
    void shouldKeepAFileThatSaysHowOldItsContentsAre() throws IOException {
        // given
        final Path path = SummaryReader.fileBeside(folder.resolve("net-0.counters"));
        network.deliver(0, 1, whole(1, 2, 1, 1));
        final long[] nowMs = {1_000_000};
        try (SummaryFile file =
                SummaryFile.create(path, gossip, () -> network.nowNs, () -> nowMs[0])) {
            // when
            network.nowNs += 200 * MS;
            network.deliver(0, 1, whole(2, 2, 1, 1));
            file.publish();
            // then
            final List<HeardNode> nodes = SummaryReader.read(path, 16, nowMs[0]);
            assertEquals(List.of(1, 2), nodes.stream().map(HeardNode::node).toList());
            assertEquals(nowMs[0] - 250, nodes.getFirst().heardMs());
            assertEquals("pc", nodes.getFirst().hostName());
            assertEquals(99, nodes.getFirst().startS());
            // when: the clock is set back by an hour
            nowMs[0] -= 3_600_000;
            file.publishAll();
            // then
            assertTrue(SummaryReader.read(path, 16, nowMs[0]).getFirst().isHeard());
        }
        // when: nobody writes it any more
        final List<HeardNode> old = SummaryReader.read(path, 16, nowMs[0] + 11_000);
        // then
        assertFalse(old.getFirst().isHeard());
    }

    @Test
    void shouldRefuseAFileThatIsCutOrDamagedOrOfAnotherCluster() throws IOException {
        // given
        final Path path = folder.resolve("net-0.seen");
        network.deliver(0, 1, whole(1, 2, 1, 1));
        SummaryFile.create(path, gossip, () -> network.nowNs, () -> 1).close();
        final byte[] whole = Files.readAllBytes(path);
        assertEquals(1, SummaryReader.read(path, 16, 1).size());
        // when, then
        assertThrows(IOException.class, () -> SummaryReader.read(path, 15, 1));
        final byte[] changed = whole.clone();
        changed[100] ^= 1;
        Files.write(path, changed);
        assertThrows(IOException.class, () -> SummaryReader.read(path, 16, 1));
        for (final int bytes : new int[] {0, 8, 63, 64, whole.length - 1}) {
            Files.write(path, Arrays.copyOf(whole, bytes));
            assertThrows(IOException.class, () -> SummaryReader.read(path, 16, 1));
        }
    }

    @Test
    void shouldKeepThreeDigitsOfRates() {
        final Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            final long rate = random.nextLong() >>> (22 + random.nextInt(41));
            final long kept = RateCode.rate(RateCode.of(rate));
            assertTrue(kept <= rate && rate - kept <= rate / 1_000, rate + " became " + kept);
            assertTrue(RateCode.of(rate) <= RateCode.of(rate + random.nextInt(1_000)));
        }
        assertEquals(0, RateCode.of(-1));
        assertEquals(65_535, RateCode.of(Long.MAX_VALUE));
        assertFalse(RateCode.differ(RateCode.of(1_000), RateCode.of(1_100)));
        assertTrue(RateCode.differ(RateCode.of(1_000), RateCode.of(1_200)));
        assertTrue(RateCode.differ(0, RateCode.of(20)));
    }
}
