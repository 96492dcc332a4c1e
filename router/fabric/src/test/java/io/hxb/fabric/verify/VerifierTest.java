package io.hxb.fabric.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.LrTurn;
import io.hxb.fabric.algorithm.Minimal;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.route.EscapeRouting;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class VerifierTest {
    private static Verification verify(final Routing routing) {
        return Verifier.verify(routing, routing.routes(PathSelection.LOW_PORT, 1));
    }

    @Test
    void shouldPrintTheCycleOfARing() {
        // given
        final SwitchGraph ring = Lattice.torus(5).graph(1);
        // when
        final Verification found = verify(Minimal.paths(ring));
        // then
        assertTrue(found.isConnected());
        assertFalse(found.isAcyclic());
        assertEquals(
                "cycle of 5 channels: [s0 -> s1] waits for [s1 -> s2] waits for [s2 -> s3] waits"
                        + " for [s3 -> s4] waits for [s4 -> s0] waits for [s0 -> s1]",
                found.problem());
    }

    @Test
    void shouldSeeTurnsThatAreNotPermitted() {
        // given
        final SwitchGraph graph = SampleGraphs.read("irr16_0");
        final RouteSet minimal = Minimal.paths(graph).routes(PathSelection.LOW_PORT, 1);
        // when
        final Verification found = Verifier.verify(UpDown.bfs(graph, 0), minimal);
        // then
        assertFalse(found.isLegal());
        assertTrue(found.problem().contains("makes a prohibited turn"), found.problem());
    }

    @Test
    void shouldFindCyclesThroughAdaptiveChannels() {
        // given escape paths that are free of cycles, but not minimal, and may be left again
        final SwitchGraph ring = Lattice.torus(5).graph(1);
        final Routing tree = UpDown.bfs(ring, 0);
        final Routing cyclic = new TurnRouting("all", TurnRelation.of(ring, 1, (from, to) -> true));
        // then
        assertTrue(verify(new EscapeRouting("once", tree, 1, false)).isOk());
        assertFalse(verify(new EscapeRouting("cyclic", cyclic, 1, true)).isAcyclic());
    }

    @Test
    void shouldBreakTheCyclesThatPassThroughTheStartSwitch() {
        // given
        final SwitchGraph graph = SampleGraphs.read("counterexample_stop_at_start");
        for (final LrTurn variant : LrTurn.values()) {
            // when
            final Verification found = verify(variant.routing(graph, 0, true));
            // then
            assertTrue(found.isOk(), () -> variant + " " + found.problem());
        }
    }
}
