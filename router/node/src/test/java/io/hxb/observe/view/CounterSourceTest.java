package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.counter.NeighbourCounts;
import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

@Tag("unit")
class CounterSourceTest {
    private static final CounterLabels LABELS =
            new CounterLabels(
                    "lab",
                    77,
                    2,
                    2,
                    1,
                    List.of(
                            new CounterLabels.LinkLabel(0, 0, "eth0"),
                            new CounterLabels.LinkLabel(0, 1, "eth1")));

    @TempDir private Path folder;

    private Path path(final int node) {
        return folder.resolve("lab-" + node + ".counters");
    }

    @Test
    void shouldReadTheNodesOfThisMachine() throws IOException {
        // given
        final CounterSource source = new CounterSource(4, this::path);
        final long nowMs = System.currentTimeMillis();
        assertEquals(List.of(), source.read(nowMs));
        Files.writeString(path(1), "not a counter file");
        final Counters counters = Counters.create(path(2), LABELS, 1, text -> {});
        counters.ofLoop(0).add(CounterType.LINK_RECEIVED_BYTES, 1, 4_711);
        counters.ofLoop(0).add(CounterType.LINK_SEND_ERROR_FRAMES, 1, 2);
        counters.ofLoop(0).add(CounterType.FLOW_SENT_MESSAGES, 5);
        counters.ofNode().source(CounterType.LINK_UP_STATE, 1, () -> 1);
        counters.ofNode().source(CounterType.LINK_MTU_BYTES, 1, () -> 8_988);
        counters.ofNode().source(CounterType.LINK_NEIGHBOURS_NODES, 1, () -> 3);
        counters.ofNode().source(CounterType.LINK_WEIGHT_PERCENT, 1, () -> 100);
        counters.findings(List.of(NodeFinding.of(NodeFinding.Kind.LINK_DOWN, "x.0: plug it in")));
        counters.heartbeat(nowMs);
        counters.ofNode().publish();
        counters.ofLoop(0).publish();
        // when
        counters.publish();
        final List<NodeReading> nodes = source.read(nowMs);
        // then
        assertEquals(1, nodes.size());
        final NodeReading node = nodes.getFirst();
        assertEquals(2, node.node());
        assertEquals(NodeState.RUNNING, node.state());
        assertEquals(5, node.counts().sentMessages());
        assertEquals("plug it in", node.findings().getFirst().fix());
        assertEquals("x.1", node.links().get(1).place().label());
        assertEquals(LinkCondition.DOWN, node.links().get(0).health().condition());
        assertEquals(LinkCondition.GOOD, node.links().get(1).health().condition());
        assertEquals(8_988, node.links().get(1).health().mtuBytes());
        assertEquals(4_711, node.links().get(1).counts().inBytes());
        assertEquals(2, node.links().get(1).counts().droppedFrames());
        assertEquals(4_711L, source.counters(2, 1).get("hxb_link_received_bytes"));
        assertEquals(5L, source.counters(2, -1).get("hxb_flow_sent_messages"));
        assertEquals(Map.of(), source.counters(3, 0));
        assertEquals(Map.of(), source.counters(-1, 0));
        // when
        counters.close();
        final NodeReading stopped = source.read(nowMs + 250).getFirst();
        // then
        assertEquals(NodeState.STOPPED, stopped.state());
        for (final LinkReading link : stopped.links()) {
            assertEquals(LinkCondition.UNKNOWN, link.health().condition());
        }
        assertTrue(stopped.findings().isEmpty());
    }

    @Test
    void shouldLeaveOutNeighboursThatTheClusterHasNotAnyMore() {
        // given: node 2 was started as one of a line of 8
        final CounterLabels labels =
                new CounterLabels(
                        "lab", 77, 2, 2, 1, List.of(new CounterLabels.LinkLabel(0, 0, "e", 8, 1)));
        try (Counters counters = Counters.create(path(2), labels, 1, text -> {})) {
            counters.ofLoop(0)
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_FRAMES,
                            0,
                            (into, at, count) -> Arrays.fill(into, at, at + count, 5))
                    .publish();
            counters.publish();
            // when
            final NodeReading node = new CounterSource(4, this::path).read(0).getFirst();
            // then
            assertEquals(
                    List.of(0, 1, 2, 3),
                    node.links().getFirst().neighbours().stream()
                            .map(NeighbourCounts::node)
                            .toList());
        }
    }
}
