package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

@Tag("unit")
class LabHealthTest {
    private static final LinkSample.Traffic NONE = new LinkSample.Traffic(0, 0);

    private static LinkSample link(
            final String label, final LinkCondition condition, final String reason) {
        final long failed = condition == LinkCondition.FAILED ? 1 : 0;
        return new LinkSample(label, "eth0", condition, failed, 100, NONE, NONE, 0, 0, reason);
    }

    private static NodeSample node(
            final int node, final NodeState state, final long silentMs, final LinkSample... links) {
        return new NodeSample(
                "lab",
                node,
                node + ",0",
                state,
                silentMs,
                new NodeSample.Messages(0, 0),
                new NodeSample.Frames(0, 0, 0),
                new NodeSample.Routes(0, 0, node == 0 ? 2 : 0),
                List.of(links),
                Optional.empty());
    }

    @Test
    void shouldNameWhatIsWrongTheMostSevereFirstWithTheCommandThatShowsMore() {
        // given
        final LinkSample good = link("x.0", LinkCondition.GOOD, "");
        final LinkSample unknown = link("x.0", LinkCondition.UNKNOWN, "");
        final List<NodeSample> samples =
                List.of(
                        node(0, NodeState.RUNNING, 0, good, link("x.1", LinkCondition.WEAK, "")),
                        node(
                                1,
                                NodeState.RUNNING,
                                0,
                                good,
                                link("x.1", LinkCondition.FAILED, "it loses frames")),
                        node(2, NodeState.STOPPED, 200_000, unknown),
                        node(3, NodeState.DEAD, 12_900, unknown));
        // when
        final LabHealth health = LabHealth.of(5, samples);
        // then
        assertEquals(2, health.running());
        assertEquals(5, health.nodes());
        assertEquals(2, health.goodLinks());
        assertEquals(6, health.links());
        assertEquals(
                """
                x: node (3,0) is dead, last seen 12 s ago: hxb events --node 3,0 --name x
                x: link (1,0) x.1 failed to 1 (it loses frames): hxb doctor --name x
                x: link (0,0) x.1 weak: hxb stat --per-link --node 0,0 --name x
                x: node (0,0) has trouble on routes to 2 nodes: hxb doctor --name x
                x: 1 node has not started yet: hxb doctor --name x
                x: node (2,0) is stopped, last seen 3 min ago: hxb events --node 2,0 --name x
                """,
                String.join(
                        "",
                        health.problems().stream()
                                .map(problem -> problem.line("hxb", "x") + "\n")
                                .toList()));
        assertEquals(
                "lab: link (1,0) x.1 failed to 1 (it loses frames): deploy/hxb doctor",
                health.problems().get(1).line("deploy/hxb", "lab"));
    }

    @Test
    void shouldFindNothingWrongWithALabThatWorks() {
        final LinkSample good = link("x.0", LinkCondition.GOOD, "");
        final LabHealth health =
                LabHealth.of(
                        2,
                        List.of(
                                node(1, NodeState.RUNNING, 0, good),
                                node(2, NodeState.RUNNING, 0, good)));
        assertEquals(new LabHealth(2, 2, 2, 2, List.of()), health);
    }
}
