package io.hxb.tool.sim.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.sim.run.Monitor;
import io.hxb.sim.run.Sweep;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The shapes of the papers' figures, with fewer networks and cycles than for the record. */
@Tag("simulation")
class PapersTest {
    private interface Paper {
        PaperReport run(PaperSettings settings) throws IOException;
    }

    private static PaperReport report(final Paper paper, final String only) throws IOException {
        try (Sweep sweep = new Sweep(2, Monitor.NONE)) {
            return paper.run(PaperSettings.brief(sweep, only));
        }
    }

    @Test
    void shouldGainByTurnsOnTheTorus() throws IOException {
        // when
        final PaperReport report = report(ThesisThree::run, "8x8 torus uniform");
        // then
        assertTrue(report.hasAllShapes(), report.toString());
        final String table = "8x8 torus uniform, throughput";
        assertTrue(
                report.ours(table, "l-turn-alpha") > 1.2 * report.ours(table, "updown-bfs"),
                report.toString());
    }

    @Test
    void shouldGainByLayers() throws IOException {
        // when
        final PaperReport report = report(ThesisFive::run, "16 switches uniform");
        // then
        assertTrue(report.hasAllShapes(), report.toString());
        assertEquals(1.89, report.ours("16 switches uniform, links passed", "dl-ud sancho"), 0.12);
    }

    @Test
    void shouldLockUpExactlyOnPausedCycles() {
        // when
        final PaperReport report = SwitchTagged.run(PaperSettings.brief(null, ""));
        // then
        assertTrue(report.hasAllShapes(), report.toString());
    }

    @Test
    void shouldSlowDownByFloodingAndGainByChosenVlans() {
        // when
        final PaperReport report = VfrecNet.run(PaperSettings.brief(null, ""));
        // then
        assertTrue(report.hasAllShapes(), report.toString());
    }
}
