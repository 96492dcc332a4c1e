package io.hxb.tool.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

/** Sentences about what is wrong, on maps that are written by hand. */
@Tag("unit")
class MapFindingsTest {
    @Test
    void shouldFindNothingWrongInARing() {
        final MadeUpMap ring =
                new MadeUpMap(4, "0-1", "1-2", "2-3", "0-3")
                        .nic(0, "x0", LinkCondition.GOOD, 1_500, 1)
                        .nic(0, "x1", LinkCondition.GOOD, 1_500, 3);
        assertEquals(List.of(), ring.findings());
    }

    @Test
    void shouldNameNicsOnWhichNobodyIsHeard() {
        final MadeUpMap map =
                new MadeUpMap(4, "0-1", "1-2", "0-2", "0-3", "1-3")
                        .nic(3, "x0", LinkCondition.GOOD, 1_500, 0)
                        .nic(3, "x1", LinkCondition.ALONE, 1_500)
                        .nic(3, "x2", LinkCondition.DOWN, 1_500);
        assertEquals(
                List.of(
                        "x1 of node 3 hears no other node: plug its cable into a NIC of another"
                                + " node, and start the node there",
                        "x2 of node 3 is down or has no carrier: plug in its cable, or ip link set"
                                + " x2 up"),
                map.findings());
    }

    @Test
    void shouldNameSwitches() {
        final MadeUpMap map =
                new MadeUpMap(3, "0-1", "1-2", "0-2").nic(0, "x0", LinkCondition.GOOD, 1_500, 1, 2);
        assertEquals(
                List.of(
                        "x0 of node 0 hears nodes 1 and 2: a switch or bridge joins them, and they"
                                + " share what the NIC carries"),
                map.findings());
    }

    @Test
    void shouldNameNodesThatAreTheOnlyWay() {
        assertEquals(
                List.of(
                        "nodes 1 and 2 reach each other through node 0 only: one more cable, for"
                                + " example 1-2, would make a ring"),
                new MadeUpMap(3, "0-1", "0-2").findings());
        assertEquals(
                List.of(
                        "nodes 1, 2 and 3 reach one another through node 0 only: one more cable,"
                                + " for example 1-2, would make a ring"),
                new MadeUpMap(4, "0-1", "0-2", "0-3").findings());
        assertEquals(
                List.of(
                        "nodes 3 and 4 reach nodes 0 and 1 through node 2 only: one more cable,"
                                + " for example 0-3, would make a ring"),
                new MadeUpMap(5, "0-1", "0-2", "1-2", "2-3", "2-4", "3-4").findings());
    }

    @Test
    void shouldSuggestNoCableForAFullNode() {
        final MadeUpMap map = new MadeUpMap(3).join("0-1", 8, 1_500, 8).join("0-2", 1, 1_500, 1);
        assertEquals(List.of("nodes 1 and 2 reach each other through node 0 only"), map.findings());
    }

    @Test
    void shouldCountTheRestOfALongChain() {
        final List<String> findings =
                new MadeUpMap(
                                20,
                                IntStream.range(1, 20)
                                        .mapToObj(node -> node - 1 + "-" + node)
                                        .toArray(String[]::new))
                        .findings();
        assertEquals(MapFindings.MAX_CUT_NODES + 1, findings.size());
        assertTrue(
                findings.getFirst()
                        .startsWith(
                                "node 0 reaches nodes 2, 3, 4, 5, 6, 7, 8, 9 and 10 more through"
                                        + " node 1 only"),
                findings::getFirst);
        assertEquals(
                "nodes 9, 10, 11, 12, 13, 14, 15, 16 and 2 more are the only way between others,"
                        + " too",
                findings.getLast());
    }

    @Test
    void shouldNameTheOnlyCableOfTwoNodes() {
        assertEquals(
                List.of(
                        "nodes 0 and 1 have one cable between them: a second one would join them"
                                + " when it fails"),
                new MadeUpMap(2, "0-1").findings());
        assertEquals(List.of(), new MadeUpMap(2).join("0-1", 2, 1_500, 20_000).findings());
    }

    @Test
    void shouldNameDifferentMtusOnceForBothEnds() {
        // given: both nodes are of this machine
        final MadeUpMap map = new MadeUpMap(2).join("0-1", 2, 1_500, 20_000);
        for (final int node : new int[] {0, 1}) {
            map.nic(node, "x0", LinkCondition.GOOD, 9_000, 1 - node);
            map.nic(node, "x1", LinkCondition.GOOD, 1_500, 1 - node);
        }
        // then
        assertEquals(
                List.of(
                        "the two cables between 0 and 1 have different MTUs (1500, 9000): give the"
                                + " NICs at their ends the same one"),
                map.findings());
    }

    @Test
    void shouldNameDifferentMtusAtTheEndsOfACable() {
        final MadeUpMap map =
                new MadeUpMap(3, "0-1", "1-2", "0-2")
                        .nic(0, "x0", LinkCondition.GOOD, 9_000, 1)
                        .nic(0, "x1", LinkCondition.GOOD, 1_500, 2);
        assertEquals(
                List.of(
                        "the cable between 0 and 1 has an MTU of 9000 at node 0 and of 1500 at node"
                                + " 1: give both NICs the same one"),
                map.findings());
    }

    @Test
    void shouldNameNodesThatAreNotReachedUnlessTheyHaveStopped() {
        // given
        final MadeUpMap map = new MadeUpMap(5, "0-1", "1-2", "0-2");
        map.stopped.add(3);
        // then: 10 s when the map was written, 2 s ago
        assertEquals(
                List.of(
                        "node 4 is known, but has not been reached for 12 s: look after the node"
                                + " and its cables"),
                map.findings());
    }

    @Test
    void shouldNameANodeThatDoesNotRun() {
        // given
        final MadeUpMap map =
                new MadeUpMap(3, "0-1", "0-2").nic(0, "x0", LinkCondition.UNKNOWN, 1_500);
        // then: what its NICs hear is not known
        map.state = NodeState.DEAD;
        assertEquals(2, map.findings().size());
        map.state = NodeState.STOPPED;
        assertEquals(
                List.of("node 0 is stopped: this is how its map was 2.0 s ago"), map.findings());
    }
}
