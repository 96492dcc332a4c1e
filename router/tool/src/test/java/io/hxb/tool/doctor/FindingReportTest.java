package io.hxb.tool.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.trunk.LinkReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class FindingReportTest {
    private static final Finding FINE = Finding.ok("node", "runs, pid 7");
    private static final Finding SMALL = Finding.warn("pool", "lies in small pages", "get large");
    private static final Finding DOWN = Finding.fail("nic eth1", "is down", "set it up");

    private static FindingGroup node(final int node, final Finding... findings) {
        return new FindingGroup("node " + node + " (" + node + ")", node, List.of(findings));
    }

    @Test
    void shouldPrintTheWorstFirstAndTheSameOfSeveralNodesOnce() {
        // given
        final List<FindingGroup> groups = new ArrayList<>();
        groups.add(FindingGroup.of("machine", List.of(Finding.warn("huge pages", "none", "get"))));
        for (int node = 0; node < 8; node++) {
            groups.add(node == 5 ? node(node, FINE, SMALL, DOWN) : node(node, FINE, SMALL));
        }
        final FindingReport report = new FindingReport(groups);

        // when, then
        assertEquals(
                """
                node 5 (5)
                  FAIL  nic eth1: is down
                        -> set it up
                machine
                  WARN  huge pages: none
                        -> get
                nodes 0..7
                  WARN  pool: lies in small pages
                        -> get large
                8 fine, 9 warnings, 1 failure
                """,
                report.text(false));
        assertTrue(report.text(true).contains("OK    node: runs, pid 7"), () -> report.text(true));
        assertFalse(report.isOk());
    }

    @Test
    void shouldNameNodesByRangesAndPartsTogether() {
        final Finding other = Finding.fail("nic eth2", "is down", "set it up");
        final FindingReport report =
                new FindingReport(
                        List.of(
                                node(0, DOWN, other),
                                node(2, DOWN, other),
                                node(3, DOWN, other),
                                node(6, DOWN, other)));

        assertEquals(
                """
                nodes 0, 2, 3, 6
                  FAIL  nic eth1, nic eth2: is down
                        -> set it up
                0 fine, 0 warnings, 8 failures
                """,
                report.text(false));
    }

    @Test
    void shouldNotFailForWarnings() {
        final FindingReport report = new FindingReport(List.of(node(0, FINE, SMALL)));

        assertTrue(report.isOk());
        assertEquals(true, report.report().get("ok"));
        assertEquals(1L, report.report().get("fine"));
        assertEquals(1L, report.report().get("warnings"));
        assertEquals(0L, report.report().get("failures"));
        assertEquals(2, ((List<?>) report.report().get("findings")).size());
    }

    @Test
    void shouldFailForWhatANodeFoundMismatched() {
        for (final NodeFinding.Kind kind : NodeFinding.Kind.values()) {
            final Finding finding =
                    Finding.ofNode("node", NodeFinding.of(kind, "x.0 is wrong: replug it"));

            assertEquals("x.0 is wrong", finding.text());
            assertEquals("replug it", finding.fix());
            assertEquals(
                    kind.isFailure() ? Finding.Level.FAIL : Finding.Level.WARN, finding.level());
        }
        assertTrue(NodeFinding.Kind.MISMATCH.isFailure());
        assertFalse(NodeFinding.Kind.NOT_HEARD.isFailure());
        assertFalse(
                Finding.ofNode("node", NodeFinding.of(NodeFinding.Kind.OTHER, "odd"))
                        .fix()
                        .isEmpty());
    }

    @Test
    void shouldFindLinksThatAreRefusedTrains() {
        assertEquals(List.of(), LinkCheck.trains(link(LinkCondition.GOOD, 0, ""), 0));
        final Finding refused = LinkCheck.trains(link(LinkCondition.GOOD, 0, ""), 1).getFirst();
        assertEquals(Finding.Level.WARN, refused.level());
        assertTrue(refused.fix().contains("socket.mtu"), refused::fix);
    }

    @Test
    void shouldFindLinksThatFailAgainAndAgain() {
        assertEquals(List.of(), LinkCheck.of(link(LinkCondition.GOOD, 2, ""), 9000));
        final Finding often = LinkCheck.of(link(LinkCondition.GOOD, 3, ""), 9000).getFirst();
        assertEquals(Finding.Level.WARN, often.level());
        assertTrue(often.fix().contains("jumbo frames"), often::fix);
        final Finding usual = LinkCheck.of(link(LinkCondition.GOOD, 3, ""), 1500).getFirst();
        assertFalse(usual.fix().contains("jumbo frames"), usual::fix);
        final Finding failed =
                LinkCheck.of(link(LinkCondition.FAILED, 1, LinkReason.LOSSY.text()), 1500)
                        .getFirst();
        assertEquals(Finding.Level.FAIL, failed.level());
        // A neighbour that was switched off is the business of the node's own findings.
        assertEquals(
                List.of(),
                LinkCheck.of(link(LinkCondition.FAILED, 1, LinkReason.MISSED_HELLOS.text()), 1500));
    }

    @Test
    void shouldBlameTheMtuForALinkThatPassesShortFramesOnly() {
        final Finding found =
                LinkCheck.of(link(LinkCondition.FAILED, 1, LinkReason.LONG_LOST.text()), 1500)
                        .getFirst();
        assertEquals(Finding.Level.FAIL, found.level());
        assertTrue(found.text().contains("long ones do not"), found::text);
        assertTrue(found.fix().contains("one MTU"), found::fix);
    }

    @Test
    void shouldFindRoutesThatFallSilent() {
        assertEquals(List.of(), LinkCheck.routes(new NodeSample.Routes(2, 0, 0), 9000));
        assertEquals(
                Finding.Level.WARN,
                LinkCheck.routes(new NodeSample.Routes(3, 0, 0), 9000).getFirst().level());
    }

    private static LinkSample link(
            final LinkCondition condition, final long failures, final String reason) {
        final LinkSample.Traffic none = new LinkSample.Traffic(0, 0);
        return new LinkSample("x.0", "eth1", condition, 1, 100, none, none, failures, 2, reason);
    }
}
