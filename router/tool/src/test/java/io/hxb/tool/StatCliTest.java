package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.counter.OpenCounters;
import io.hxb.counter.ResourceUse;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What {@code hxb stat} prints of nodes in every state, and how it ends: both agree. */
@Tag("unit")
class StatCliTest {
    private static final long LONG_AGO_MS = 1000;

    @RegisterExtension private final OpenCounters open = new OpenCounters();

    @TempDir private Path folder;

    private Path node(final int node, final long heartbeatMs, final boolean isStopped) {
        final Path file = folder.resolve("node" + node + ".counters");
        final CounterLabels labels = new CounterLabels("lab", 1, node, node, 1, List.of());
        final Counters counters = open.create(file, labels, 1, warning -> {});
        counters.heartbeat(heartbeatMs);
        counters.publish();
        if (isStopped) {
            counters.close();
        }
        return file;
    }

    private Path running(final int node) {
        return node(node, System.currentTimeMillis(), false);
    }

    private Path stopped(final int node) {
        return node(node, LONG_AGO_MS, true);
    }

    private Path dead(final int node) {
        return node(node, LONG_AGO_MS, false);
    }

    private static void check(
            final int status, final List<String> states, final Object... arguments) {
        final List<String> words = new ArrayList<>(List.of("stat"));
        Stream.of(arguments).map(Object::toString).forEach(words::add);
        final HxbOutput text = HxbOutput.of(words.toArray(String[]::new));
        words.add("--json");
        final HxbOutput json = HxbOutput.of(words.toArray(String[]::new));

        assertEquals(status, text.status(), text::errors);
        assertEquals(status, json.status(), json::errors);
        final String last = json.text().lines().toList().getLast();
        final Map<?, ?> report = Json.parse(last, Map.class, last);
        assertEquals(status == ExitStatus.OK, report.get("ok"), last);
        assertEquals(
                states,
                ((List<?>) report.get("nodes"))
                        .stream().map(node -> ((Map<?, ?>) node).get("state")).toList());
    }

    @Test
    void shouldEndWellWhileNodesRunOrWereStoppedInOrder() {
        check(ExitStatus.OK, List.of("running", "stopped"), running(0), stopped(1));
    }

    @Test
    void shouldCallNodesByTheNamesOfTheirHosts() throws IOException {
        // given
        for (int node = 0; node < 2; node++) {
            final CounterLabels labels = new CounterLabels("lab", 1, node, node, 1, List.of());
            final Counters counters =
                    open.create(
                            folder.resolve("lab-" + node + ".counters"), labels, 1, warning -> {});
            counters.heartbeat(System.currentTimeMillis());
            counters.publish();
        }
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: lab\nshape: 2\nlinks: 1\nhosts: {pc-a: 0, pc-b: 1}\n"
                                + "attach: {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\n");
        // when
        final HxbOutput output =
                HxbOutput.of("stat", "--config", file.toString(), "--node", "PC-B");
        // then
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        assertTrue(output.text().startsWith("cluster lab pc-b (1) running, pid "), output::text);
        assertFalse(output.text().contains("pc-a"), output::text);
        final HxbOutput wrong = HxbOutput.of("stat", "--config", file.toString(), "--node", "pc-z");
        assertEquals(ExitStatus.USAGE, wrong.status());
        assertTrue(wrong.errors().contains("--node: no node of this cluster"), wrong::errors);
    }

    @Test
    void shouldFailWhenANodeIsDead() {
        check(ExitStatus.FAILED, List.of("running", "dead"), running(0), dead(1));
    }

    @Test
    void shouldShowLinksOfANodeThatDoesNotRunAsUnknownWithItsAge() {
        // given
        final long seenMs = System.currentTimeMillis() - 3 * 24 * 3_600_000L;
        final CounterLabels labels =
                new CounterLabels(
                        "lab", 1, 0, 0, 1, List.of(new CounterLabels.LinkLabel(0, 0, "eth1")));
        for (final boolean isStopped : new boolean[] {false, true}) {
            final Path file = folder.resolve("silent-" + isStopped + ".counters");
            final Counters counters = open.create(file, labels, 1, warning -> {});
            counters.ofNode().source(CounterType.LINK_UP_STATE, 0, () -> 1);
            counters.ofNode().source(CounterType.LINK_NEIGHBOURS_NODES, 0, () -> 1);
            counters.ofNode().source(CounterType.LINK_WEIGHT_PERCENT, 0, () -> 100);
            counters.heartbeat(seenMs);
            counters.ofNode().publish();
            counters.publish();
            if (isStopped) {
                counters.close();
            }
            // when
            final String text = HxbOutput.of("stat", file.toString(), "--per-link").text();
            final String json = HxbOutput.of("stat", file.toString(), "--json").text();
            final String top =
                    HxbOutput.of("top", file.toString(), "--count", "1", "--interval", "0.1")
                            .text();
            // then
            final String state = isStopped ? "stopped" : "dead";
            assertTrue(text.contains(" (0) " + state + ", last seen 3 days ago, pid "), text);
            assertTrue(
                    text.lines().anyMatch(line -> line.matches("x\\.0 +eth1 +unknown .*")), text);
            assertTrue(json.contains("\"silent_s\":2592"), json);
            assertTrue(top.contains("unknown"), top);
        }
    }

    @Test
    void shouldNotFailForADeadNodeThatNobodyAskedFor() {
        check(ExitStatus.OK, List.of("running"), running(0), dead(1), "--node", "0");
    }

    @Test
    void shouldFailForTheNodesThatTheLastLookFoundDead() {
        final Path file = dead(0);
        check(ExitStatus.FAILED, List.of("dead"), file, "--interval", "0.01", "--count", "2");
    }

    @Test
    void shouldShowWhatUsersAndTenantsHave() {
        // given
        final Path file = folder.resolve("users.counters");
        final CounterLabels labels = new CounterLabels("lab", 1, 0, 0, 1, List.of());
        try (Counters counters = Counters.create(file, labels, 1, warning -> {})) {
            counters.heartbeat(System.currentTimeMillis());
            counters.shares(
                    List.of(
                            use("user 1000", "physics", 2, 16, 4),
                            use("user 999", "", 1, -1, 0),
                            use("tenant physics", "", 2, 40, 0)));
            counters.publish();
            // when
            final HxbOutput users = HxbOutput.of("stat", file.toString(), "--per-user");
            final HxbOutput all = HxbOutput.of("stat", file.toString());
            final HxbOutput links = HxbOutput.of("stat", file.toString(), "--per-link");
            final HxbOutput json = HxbOutput.of("stat", file.toString(), "--json");
            // then
            assertEquals(ExitStatus.OK, users.status(), users::errors);
            final List<String> rows =
                    users.text().lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
            assertEquals(
                    List.of(
                            "held/limit tenant connections contexts memoryBytes regions heldBuffers"
                                    + " flows messagesPerSecond refused",
                            "tenant physics - 2/40 3MiB/1GiB - - - -/500 -",
                            "user 999 - 1 3MiB/1GiB - - - -/500 -",
                            "user 1000 physics - 2/16 3MiB/1GiB - - - -/500 contexts 4"),
                    rows.subList(1, rows.size() - 1));
            assertTrue(all.text().contains("contexts 4"), all::text);
            assertFalse(links.text().contains("contexts 4"), links::text);
            final Map<?, ?> report = Json.parse(json.text(), Map.class, json.text());
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) report.get("nodes")).getFirst();
            final Map<?, ?> user = (Map<?, ?>) ((List<?>) node.get("shares")).getLast();
            assertEquals("user 1000", user.get("who"));
            assertEquals("physics", user.get("tenant"));
            assertEquals(Map.of("held", 2, "limit", 16, "refused", 4), user.get("contexts"));
            assertNull(((Map<?, ?>) user.get("messagesPerSecond")).get("held"));
            assertEquals(0, node.get("shares_left_out"));
        }
    }

    @Test
    void shouldShowTheVirtualNicWhereThereIsOne() {
        // given
        final Path file = folder.resolve("ip.counters");
        final CounterLabels labels = new CounterLabels("lab", 1, 0, 0, 1, List.of());
        try (Counters counters = Counters.create(file, labels, 1, warning -> {})) {
            counters.heartbeat(System.currentTimeMillis());
            counters.ofLoop(0).add(CounterType.IP_RECEIVED_PACKETS, 7);
            counters.ofLoop(0).add(CounterType.IP_RECEIVED_BYTES, 12_300_000);
            counters.ofLoop(0).add(CounterType.IP_MARKED_PACKETS, 4);
            counters.ofLoop(0).add(CounterType.IP_DROPPED_FULL_PACKETS, 3);
            counters.ofLoop(0).add(CounterType.IP_REFUSED_PACKETS, 2);
            counters.ofLoop(0).publish();
            counters.publish();
            final String path = file.toString();
            // when
            final HxbOutput links = HxbOutput.of("stat", path, "--per-link");
            final HxbOutput rates =
                    HxbOutput.of("stat", path, "--per-link", "--interval", "0.01", "--count", "2");
            final HxbOutput json = HxbOutput.of("stat", path, "--json");
            final HxbOutput top = HxbOutput.of("top", path, "--interval", "0.1", "--count", "1");
            // then
            final String last = links.text().strip().lines().toList().getLast();
            assertEquals("in all 7 12.3 0 0.0 0 4 0 full 3, refused 2", last.replaceAll(" +", " "));
            final String rate = rates.text().strip().lines().toList().getLast();
            assertEquals(
                    "a second 0 0.0 0 0.0 0 4 0 full 3, refused 2", rate.replaceAll(" +", " "));
            assertTrue(
                    top.text()
                            .contains(
                                    "virtual NIC: in 0 packets/s, 0.00 MB/s; out 0 packets/s, 0.00"
                                            + " MB/s; marked 4, gaps 0, dropped full 3, refused 2"),
                    top::text);
            final Map<?, ?> report = Json.parse(json.text(), Map.class, json.text());
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) report.get("nodes")).getFirst();
            final Map<?, ?> ip = (Map<?, ?>) node.get("ip");
            assertEquals(12_300_000, ip.get("in_bytes"));
            assertEquals(Map.of("full", 3, "refused", 2), ip.get("dropped_packets"));
        }
        final HxbOutput none = HxbOutput.of("stat", running(1).toString(), "--per-link");
        assertFalse(none.text().contains("virtual NIC"), none::text);
    }

    @Test
    void shouldShowTheTrafficWithEachNeighbourOfALongLine() {
        // given: node (1) of a line of 4
        final Path file = folder.resolve("line.counters");
        final CounterLabels labels =
                new CounterLabels(
                        "lab",
                        1,
                        1,
                        1,
                        1,
                        List.of(new CounterLabels.LinkLabel(0, 0, "eth1", 4, 1)));
        try (Counters counters = Counters.create(file, labels, 1, warning -> {})) {
            counters.heartbeat(System.currentTimeMillis());
            counters.ofLoop(0)
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_FRAMES,
                            0,
                            (into, at, count) -> into[at + 3] = 12)
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_BYTES,
                            0,
                            (into, at, count) -> into[at + 3] = 4_700_000)
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES,
                            0,
                            (into, at, count) -> into[at] = 5);
            counters.ofLoop(0).publish();
            counters.publish();
            final String path = file.toString();
            // when
            final HxbOutput text = HxbOutput.of("stat", path, "--per-neighbour");
            final HxbOutput json = HxbOutput.of("stat", path, "--json");
            final HxbOutput named =
                    HxbOutput.of("stat", path, "--counter", "hxb_link_neighbour_sent_*");
            final HxbOutput all = HxbOutput.of("stat", path, "--zero");
            // then
            final List<String> rows =
                    text.text().lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
            assertEquals(
                    List.of(
                            "link, in all node in frames in MB out frames out MB",
                            "x.0 0 5 0.0 0 0.0",
                            "x.0 3 0 0.0 12 4.7"),
                    rows.subList(1, 4));
            final Map<?, ?> report = Json.parse(json.text(), Map.class, json.text());
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) report.get("nodes")).getFirst();
            assertEquals(
                    Map.of(
                            "link",
                            "x.0",
                            "node",
                            3,
                            "in_frames",
                            0,
                            "in_bytes",
                            0,
                            "out_frames",
                            12,
                            "out_bytes",
                            4_700_000),
                    ((List<?>) node.get("neighbours")).getLast());
            assertTrue(
                    named.text()
                            .contains("hxb_link_neighbour_sent_frames{link=\"x.0\",peer=\"3\"}"),
                    named::text);
            assertFalse(all.text().contains("hxb_link_neighbour_"), all::text);
        }
    }

    private static ResourceUse use(
            final String who,
            final String tenant,
            final long held,
            final long limit,
            final long refused) {
        final Map<String, ResourceUse.Figures> shares = new LinkedHashMap<>();
        shares.put("contexts", new ResourceUse.Figures(held, limit, refused));
        shares.put("memoryBytes", new ResourceUse.Figures(3 << 20, 1 << 30, 0));
        shares.put("messagesPerSecond", new ResourceUse.Figures(-1, 500, 0));
        return new ResourceUse(who, tenant, shares);
    }

    @Test
    void shouldRefuseOptionsThatContradict() {
        final String file = running(0).toString();
        for (final List<String> words :
                List.of(
                        List.of("--per-link", "--per-user"),
                        List.of("--per-neighbour", "--per-user"),
                        List.of("--per-user", "--counter", "hxb_*"))) {
            final List<String> arguments = new ArrayList<>(List.of("stat", file));
            arguments.addAll(words);
            final HxbOutput output = HxbOutput.of(arguments.toArray(String[]::new));
            assertEquals(ExitStatus.USAGE, output.status(), words.toString());
            assertTrue(output.errors().contains("--per-user"), output::errors);
        }
    }
}
