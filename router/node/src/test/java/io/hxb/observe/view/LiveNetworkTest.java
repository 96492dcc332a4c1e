package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

@Tag("unit")
class LiveNetworkTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final GeneratedNetwork source = new GeneratedNetwork(Shape.of(2, 2), 2);
    private final LiveNetwork network = new LiveNetwork(source.plan(), source, "run");
    private final Watcher watcher = new Watcher();
    private long nowMs = 1_000_000;

    private static final class Watcher implements EventViewer {
        private final List<byte[]> events = new ArrayList<>();
        private boolean wantsMore = true;

        @Override
        public boolean onEvent(final byte[] event) {
            events.add(event);
            return wantsMore;
        }

        List<String> names() {
            return events.stream()
                    .map(Watcher::name)
                    .filter(name -> !name.equals("alive"))
                    .toList();
        }

        JsonNode last(final String name) {
            return JSON.readTree(field(event(name), "data"));
        }

        String lastId() {
            return field(events.getLast(), "id");
        }

        private byte[] event(final String name) {
            return events.reversed().stream()
                    .filter(event -> name(event).equals(name))
                    .findFirst()
                    .orElseThrow();
        }

        private static String name(final byte[] event) {
            return field(event, "event");
        }

        private static String field(final byte[] event, final String field) {
            return new String(event, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(field + ": "))
                    .map(line -> line.substring(field.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }

    private void tick(final long ms) {
        look(network, ms);
    }

    @Test
    void shouldBeginWithTheWholeNetwork() {
        // given
        tick(0);
        tick(1_000);
        // when
        network.watch(watcher, "");
        // then
        assertEquals(List.of("network"), watcher.names());
        final JsonNode all = watcher.last("network");
        assertEquals("[2,2]", all.get("shape").toString());
        assertEquals("[\"x\",\"y\"]", all.get("dimensions").toString());
        assertEquals(4, all.get("nodes").size());
        assertEquals("[1,0]", all.get("nodes").get(1).get("coordinates").toString());
        assertEquals(16, all.get("links").size());
        assertEquals("y.1", all.get("links").get(7).get("link").asString());
        assertEquals(7, all.get("links").get(7).get("index").asInt());
        assertTrue(all.get("links").get(7).get("in_bytes_per_s").asLong() > 0);
        assertEquals(JSON.readTree(network.network()), all);
    }

    @Test
    void shouldSendOnlyWhatHasChanged() {
        // given
        tick(0);
        network.watch(watcher, "");
        // when
        tick(250);
        // then
        assertEquals(List.of("network"), watcher.names());
        // when
        source.set(2, "x.1", LinkCondition.FAILED);
        tick(250);
        // then
        assertEquals(List.of("network", "states"), watcher.names());
        final JsonNode change = watcher.last("states");
        assertEquals(1, change.get("links").size());
        assertEquals(9, change.get("links").get(0).get("index").asInt());
        assertEquals("failed", change.get("links").get(0).get("state").asString());
        assertEquals(0, change.get("nodes").size());
        assertFalse(change.has("findings"));
        // when
        source.set(3, NodeState.DEAD);
        source.add(new NodeFinding(NodeFinding.Kind.HALF_HEARD, "node 3 is half heard", "look"));
        tick(250);
        // then
        final JsonNode later = watcher.last("states");
        assertEquals("[{\"node\":3,\"state\":\"dead\"}]", later.get("nodes").toString());
        assertEquals(0, later.get("links").size());
        assertEquals("half_heard", later.get("findings").get(0).get("kind").asString());
    }

    @Test
    void shouldSendRatesOnceASecond() {
        // given
        tick(0);
        network.watch(watcher, "");
        // when
        for (int i = 0; i < 8; i++) {
            tick(250);
        }
        // then
        assertEquals(List.of("network", "rates", "rates"), watcher.names());
        final JsonNode rates = watcher.last("rates");
        assertEquals(16, rates.get("links").size());
        assertEquals(1 + Rates.LINK_COUNT, rates.get("links").get(0).size());
        assertEquals(1 + Rates.NODE_COUNT, rates.get("nodes").get(0).size());
    }

    @Test
    void shouldShareTheBytesAmongViewers() {
        // given
        final Watcher other = new Watcher();
        tick(0);
        network.watch(watcher, "");
        network.watch(other, "");
        // when
        source.set(0, "x.0", LinkCondition.WEAK);
        tick(250);
        // then
        assertSame(watcher.events.getLast(), other.events.getLast());
        assertSame(network.network(), network.network());
    }

    @Test
    void shouldHandOverWhatAViewerHasMissed() {
        // given
        tick(0);
        network.watch(watcher, "");
        source.set(0, "x.0", LinkCondition.WEAK);
        tick(250);
        final String last = watcher.lastId();
        network.leave(watcher);
        source.set(0, "x.0", LinkCondition.GOOD);
        tick(250);
        source.set(1, NodeState.STOPPED);
        tick(250);
        // when
        final Watcher back = new Watcher();
        network.watch(back, last);
        // then
        assertEquals(List.of("states", "states"), back.names());
        assertEquals("stopped", back.last("states").get("nodes").get(0).get("state").asString());
        assertEquals(2, watcher.names().size());
        // when
        final Watcher same = new Watcher();
        network.watch(same, back.lastId());
        // then
        assertEquals(List.of(), same.names());
    }

    @Test
    void shouldHandOverEverythingToAViewerOfAnEarlierRunOrLongAgo() {
        // given
        tick(0);
        source.set(0, "x.0", LinkCondition.WEAK);
        tick(250);
        for (final String last : List.of("before-1", "run-x", "run-99", "run-", "\n")) {
            // when
            final Watcher back = new Watcher();
            network.watch(back, last);
            // then
            assertEquals(List.of("network"), back.names(), last);
        }
        // when
        for (int i = 0; i <= EventFeed.MAX_EVENTS; i++) {
            source.set(0, "x.0", i % 2 == 0 ? LinkCondition.GOOD : LinkCondition.WEAK);
            tick(250);
        }
        final Watcher late = new Watcher();
        network.watch(late, "run-1");
        // then
        assertEquals(List.of("network"), late.names());
    }

    @Test
    void shouldForgetViewersWhoWantNoMore() {
        // given
        tick(0);
        network.watch(watcher, "");
        assertEquals(LiveNetwork.STATE_INTERVAL_MS, network.intervalMs());
        // when
        watcher.wantsMore = false;
        tick(1_000);
        tick(1_000);
        // then
        assertEquals(2, watcher.names().size());
        assertEquals(0, network.viewers());
        assertEquals(LiveNetwork.RATE_INTERVAL_MS, network.intervalMs());
    }

    @Test
    void shouldShowThatItIsAliveWhenNothingChanges() {
        // given
        tick(0);
        source.set(0, NodeState.STOPPED);
        source.set(1, NodeState.STOPPED);
        source.set(2, NodeState.STOPPED);
        source.set(3, NodeState.STOPPED);
        tick(1_000);
        tick(1_000);
        network.watch(watcher, "");
        // when
        tick(4_000);
        // then
        assertEquals("alive", Watcher.name(watcher.events.getLast()));
        assertEquals(List.of("network"), watcher.names());
    }

    @Test
    void shouldKeepFaultsAndRepairsAndNoMoreThanThat() {
        // given
        tick(0);
        for (final NodeState state :
                List.of(NodeState.DEAD, NodeState.RUNNING, NodeState.STOPPED)) {
            source.set(1, state);
            tick(250);
        }
        source.set(0, "y.0", LinkCondition.DOWN);
        tick(250);
        source.set(0, "y.0", LinkCondition.GOOD);
        tick(250);
        // when
        final JsonNode timeline = JSON.readTree(network.network()).get("timeline");
        // then
        final List<String> kinds = new ArrayList<>();
        timeline.forEach(entry -> kinds.add(entry.get("kind").asString()));
        assertEquals(List.of("fault", "repair", "change", "fault", "repair"), kinds);
        assertEquals("y.0", timeline.get(3).get("link").asString());
        assertEquals("frames were lost", timeline.get(3).get("reason").asString());
        assertEquals(1_000_250, timeline.get(0).get("time_ms").asLong());
        // when
        for (int i = 0; i <= Timeline.MAX_ENTRIES; i++) {
            source.set(0, "y.0", i % 2 == 0 ? LinkCondition.DOWN : LinkCondition.GOOD);
            tick(250);
        }
        // then
        assertEquals(Timeline.MAX_ENTRIES, JSON.readTree(network.network()).get("timeline").size());
    }

    @Test
    void shouldGoOnWithTheListOfAnEarlierProcess(@TempDir final Path folder) throws IOException {
        // given
        final LiveNetwork first = kept(source, folder, "first");
        look(first, 0);
        source.set(0, "y.0", LinkCondition.DOWN);
        look(first, 1_000);
        // when: the process ends, and a node with it
        source.set(3, NodeState.DEAD);
        final LiveNetwork second = kept(source, folder, "second");
        look(second, 3_000);
        source.set(0, "y.0", LinkCondition.GOOD);
        look(second, 1_000);
        // then
        assertEquals(List.of("1 good down", "2 running dead", "3 down good"), changes(second));
        // and: of a smaller cluster file there are only the nodes that it still has
        final GeneratedNetwork small = new GeneratedNetwork(Shape.of(2), 1);
        final LiveNetwork other = kept(small, folder, "other");
        look(other, 1_000);
        assertEquals(List.of("1 good down", "3 down good"), changes(other));
        // when, then: what is damaged or old is forgotten
        Files.writeString(folder.resolve("timeline"), "{\"timeline\": [{\"kind\": 7}]}");
        final LiveNetwork damaged = kept(source, folder, "damaged");
        look(damaged, 20_000);
        assertEquals(List.of(), changes(damaged));
        source.set(0, "y.0", LinkCondition.WEAK);
        look(damaged, 1_000);
        assertEquals(List.of("1 good weak"), changes(kept(source, folder, "same", 1_000)));
        assertEquals(List.of(), changes(kept(source, folder, "late", 600_000)));
    }

    private static LiveNetwork kept(
            final GeneratedNetwork source, final Path folder, final String run) {
        return new LiveNetwork(
                source.plan(),
                source,
                run,
                Optional.of(new HistoryFile(folder.resolve("history"))),
                Optional.of(new TimelineFile(folder.resolve("timeline"))));
    }

    private LiveNetwork kept(
            final GeneratedNetwork network, final Path folder, final String run, final long ms) {
        final LiveNetwork made = kept(network, folder, run);
        look(made, ms);
        return made;
    }

    private void look(final LiveNetwork at, final long ms) {
        nowMs += ms;
        at.tick(TimeUnit.MILLISECONDS.toNanos(nowMs), nowMs);
    }

    private static List<String> changes(final LiveNetwork network) {
        final List<String> changes = new ArrayList<>();
        for (final JsonNode each : JSON.readTree(network.network()).get("timeline")) {
            changes.add(
                    each.get("id").asLong()
                            + " "
                            + each.get("from").asString()
                            + " "
                            + each.get("to").asString());
        }
        return changes;
    }

    @Test
    void shouldKeepTenMinutesOfALink() {
        // given
        tick(0);
        for (int i = 0; i < History.SECONDS + 5; i++) {
            source.set(1, "x.0", i < History.SECONDS ? LinkCondition.GOOD : LinkCondition.DOWN);
            tick(1_000);
        }
        // when
        final JsonNode link = JSON.readTree(network.history(1, "x.0").orElseThrow());
        final JsonNode node = JSON.readTree(network.history(1, "").orElseThrow());
        // then
        assertEquals(History.SECONDS, link.get("in_bytes_per_s").size());
        assertEquals(0, link.get("in_bytes_per_s").get(History.SECONDS - 1).asLong());
        assertTrue(link.get("in_bytes_per_s").get(0).asLong() > 0);
        assertEquals("good", link.get("states").get(0).asString());
        assertEquals("down", link.get("states").get(History.SECONDS - 1).asString());
        assertEquals(9_000, link.get("counters").get("hxb_link_mtu_bytes").asInt());
        assertEquals("running", node.get("states").get(0).asString());
        assertEquals(History.SECONDS, node.get("sent_messages_per_s").size());
        assertTrue(network.history(1, "z.0").isEmpty());
        assertTrue(network.history(4, "").isEmpty());
    }

    @Test
    void shouldGiveRatesThreeDigits() {
        assertArrayEquals(
                new long[] {0, 999, 1_000, 1_230, 1_240, 123_000_000},
                LongStream.of(0, 999, 1_000, 1_234, 1_235, 123_456_789)
                        .map(Rates::rounded)
                        .toArray());
    }

    @Test
    void shouldHaveItsKeysDescribed() throws Exception {
        // given
        tick(0);
        network.watch(watcher, "");
        source.set(2, "x.1", LinkCondition.FAILED);
        source.set(3, NodeState.DEAD);
        source.add(new NodeFinding(NodeFinding.Kind.OTHER, "text", "fix"));
        tick(1_000);
        final String page =
                Files.readString(
                        Path.of(System.getProperty("hxb.root", "../.."), "docs/reference/json.md"));
        final String described = page.substring(page.indexOf("## The live page"));
        // when
        final Set<String> missing = new TreeSet<>();
        for (final byte[] json :
                List.of(
                        network.network(),
                        JSON.writeValueAsBytes(watcher.last("states")),
                        JSON.writeValueAsBytes(watcher.last("rates")),
                        network.history(0, "x.0").orElseThrow(),
                        network.history(0, "").orElseThrow(),
                        NetworkJson.error("text"))) {
            addMissing("", JSON.readTree(json), described, missing);
        }
        // then
        assertEquals(new TreeSet<String>(), missing);
    }

    private static void addMissing(
            final String prefix,
            final JsonNode json,
            final String described,
            final Set<String> missing) {
        if (json.isArray() && !json.isEmpty()) {
            addMissing(prefix, json.get(0), described, missing);
        }
        if (json.isObject() && !prefix.equals("counters.")) {
            for (final Map.Entry<String, JsonNode> entry : json.properties()) {
                if (!described.contains("`" + prefix + entry.getKey() + "`")) {
                    missing.add(prefix + entry.getKey());
                }
                addMissing(prefix + entry.getKey() + ".", entry.getValue(), described, missing);
            }
        }
    }
}
