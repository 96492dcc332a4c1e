package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LinkConfig;
import io.hxb.frame.RateCode;
import io.hxb.frame.SummaryFlyweight;
import io.hxb.gossip.Gossip;
import io.hxb.gossip.SummaryFile;
import io.hxb.gossip.SummaryReader;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

@Tag("unit")
class ClusterSourceTest {
    private static final Shape SHAPE = Shape.of(3);
    private static final NodeReading HERE =
            new NodeReading(
                    1, NodeState.RUNNING, new NodeReading.Counts(1, 2, 3, 4), List.of(), List.of());
    private static final ReadingSource LOCAL =
            new ReadingSource() {
                @Override
                public List<NodeReading> read(final long nowMs) {
                    return List.of(HERE);
                }

                @Override
                public Map<String, Long> counters(final int node, final int link) {
                    return Map.of();
                }
            };

    @TempDir private Path folder;
    private long nowNs = 1;
    private final MemorySegment memory = Arena.ofAuto().allocate(512, 8);
    private final Gossip gossip = new Gossip(SHAPE, 1, 2, 1);

    private Path path(final int node) {
        return folder.resolve("net-" + node + ".counters");
    }

    private void hear(final int node, final int sequence, final int dimension) {
        hear(node, sequence, dimension, false);
    }

    private void hear(
            final int node, final int sequence, final int dimension, final boolean isStopped) {
        final long address = memory.address();
        final SummaryFlyweight record =
                new SummaryFlyweight()
                        .wrap(address)
                        .all(2, 1, new byte[] {'p', 'c'})
                        .origin(node, 1, sequence, 0)
                        .toldSequence(sequence)
                        .rate(0, RateCode.of(4_321))
                        .place(1, dimension, 1)
                        .capacity(0, false, 0, 1_500)
                        .capacity(1, true, 100, 9_000)
                        .neighbours(1, 2, 1)
                        .events(1, 3, 2, LinkReason.LOSSY.code())
                        .linkRate(1, 1, RateCode.of(1_000_000))
                        .exclusion(0, 1, 0, LinkReason.LOSSY.code());
        if (isStopped) {
            record.stopped();
        }
        gossip.onFrame(node, address, record.length(), nowNs);
    }

    private ClusterSource source() {
        return new ClusterSource(
                SHAPE,
                LOCAL,
                this::path,
                node ->
                        List.of(
                                new LinkConfig(0, 0, 0, "eth0", "", 0),
                                new LinkConfig(1, 0, 1, "", "pc" + node, 99)));
    }

    @Test
    void shouldShowNodesOfOtherMachinesAsTheyAreHeard() throws IOException {
        // given
        hear(2, 1, 0);
        hear(0, 1, 5);
        final Path file = SummaryReader.fileBeside(path(1));
        SummaryFile.create(file, gossip, () -> nowNs, () -> 50_000).close();
        // when
        final List<NodeReading> nodes = source().read(51_000);
        // then: one whose links are not those of the cluster file is left out
        assertEquals(List.of(1, 2), nodes.stream().map(NodeReading::node).toList());
        assertEquals(HERE, nodes.getFirst());
        final NodeReading far = nodes.getLast();
        assertEquals("running", far.stateWord());
        assertEquals("x.1", far.links().get(1).place().label());
        assertEquals("pc2:99", far.links().get(1).place().nic());
        assertEquals(LinkCondition.DOWN, far.links().get(0).health().condition());
        assertEquals(LinkCondition.FAILED, far.links().get(1).health().condition());
        assertEquals(LinkReason.LOSSY.text(), far.links().get(1).health().lastReason());
        assertEquals(50_000, far.heard().orElseThrow().heardMs());
        // when, then
        final NodeReading unheard = source().read(61_000).getLast();
        assertEquals("unheard", unheard.stateWord());
        assertEquals(LinkCondition.UNKNOWN, unheard.links().get(1).health().condition());
        // when: a damaged file
        Files.writeString(file, "nonsense");
        // then
        assertEquals(List.of(HERE), source().read(51_000));
    }

    @Test
    void shouldShowANodeOfAnotherMachineThatHasStoppedInOrderWithoutAFault() throws IOException {
        // given
        hear(2, 1, 0);
        final Path file = SummaryReader.fileBeside(path(1));
        SummaryFile.create(file, gossip, () -> nowNs, () -> 50_000).close();
        final LiveNetwork network =
                new LiveNetwork(
                        new NetworkPlan("net", SHAPE, List.of("", "", "")), source(), "run");
        network.tick(1, 50_000);
        // when
        hear(2, 2, 0, true);
        SummaryFile.create(file, gossip, () -> nowNs, () -> 51_000).close();
        network.tick(TimeUnit.SECONDS.toNanos(1), 51_000);
        network.tick(TimeUnit.SECONDS.toNanos(30), 81_000);
        // then
        final JsonNode all = JsonMapper.builder().build().readTree(network.network());
        assertEquals("stopped", all.get("nodes").get(1).get("state").asString());
        assertEquals(0, all.get("links").get(1).get("out_bytes_per_s").asLong());
        assertEquals(1, all.get("timeline").size());
        assertEquals("change", all.get("timeline").get(0).get("kind").asString());
        assertEquals("stopped", all.get("timeline").get(0).get("to").asString());
    }

    @Test
    void shouldGiveRatesAndTheRestAsJson() throws IOException {
        // given
        hear(2, 1, 0);
        SummaryFile.create(SummaryReader.fileBeside(path(1)), gossip, () -> nowNs, () -> 50_000)
                .close();
        final LiveNetwork network =
                new LiveNetwork(
                        new NetworkPlan("net", SHAPE, List.of("", "", "")), source(), "run");
        // when
        network.tick(1, 51_000);
        network.tick(TimeUnit.SECONDS.toNanos(1), 52_000);
        final JsonNode all = JsonMapper.builder().build().readTree(network.network());
        // then
        final JsonNode here = all.get("nodes").get(0);
        assertTrue(here.get("local").asBoolean());
        assertFalse(here.has("heard_ms"));
        final JsonNode far = all.get("nodes").get(1);
        assertFalse(far.get("local").asBoolean());
        assertEquals("pc", far.get("name").asString());
        assertEquals(50_000, far.get("heard_ms").asLong());
        assertEquals(4_320, far.get("sent_messages_per_s").asLong());
        assertEquals(1_000_000, all.get("links").get(1).get("out_bytes_per_s").asLong());
        final JsonNode excluded = far.get("excluded").get(0);
        assertEquals("x.1", excluded.get("link").asString());
        assertEquals(0, excluded.get("neighbour").asInt());
        assertEquals(LinkReason.LOSSY.text(), excluded.get("reason").asString());
        // when: nobody hears of it any more
        network.tick(TimeUnit.SECONDS.toNanos(12), 63_000);
        final JsonNode later = JsonMapper.builder().build().readTree(network.network());
        // then
        assertEquals("unheard", later.get("nodes").get(1).get("state").asString());
        assertEquals(0, later.get("links").get(1).get("out_bytes_per_s").asLong());
        assertEquals("fault", later.get("timeline").get(0).get("kind").asString());
        assertEquals("unheard", later.get("timeline").get(0).get("to").asString());
    }
}
