package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.Counters;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What {@code hxb stat} says of nodes in every state, and how it ends: both tell the same. */
@Tag("unit")
class StatCliTest {
    private static final long LONG_AGO_MS = 1000;

    @TempDir private Path folder;

    private Path node(final int node, final long heartbeatMs, final boolean isStopped) {
        final Path file = folder.resolve("node" + node + ".counters");
        final CounterLabels labels = new CounterLabels("lab", 1, node, node, 1, List.of());
        final Counters counters = Counters.create(file, labels, 1, warning -> {});
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
    void shouldFailWhenANodeIsDead() {
        check(ExitStatus.FAILED, List.of("running", "dead"), running(0), dead(1));
    }

    @Test
    void shouldNotFailForADeadNodeThatNobodyAskedFor() {
        check(ExitStatus.OK, List.of("running"), running(0), dead(1), "--node", "0");
    }

    @Test
    void shouldFailForTheNodesThatTheLastLookFoundDead() {
        final Path file = dead(0);
        check(ExitStatus.FAILED, List.of("dead"), file, "--watch", "0.01", "--times", "2");
    }
}
