package io.hxb.tool.sim.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.Monitor;
import io.hxb.sim.run.Sweep;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Tables whose runs are stopped and gone on with. */
@Tag("simulation")
class InterruptedPaperTest {
    private static final String TABLE = "8x8 torus uniform";

    /** Counts the cycles of all runs, and stops them when a store has a number of curves. */
    private static final class Stopper implements Monitor {
        private final AtomicLong cycles = new AtomicLong();
        private final CurveStore store;
        private final int most;
        private long announced;

        Stopper(final CurveStore store, final int most) {
            this.store = store;
            this.most = most;
        }

        @Override
        public boolean onProgress(final long done, final long total) {
            cycles.addAndGet(done);
            return store.size() < most;
        }

        @Override
        public void begin(final String what, final long runs) {
            assertEquals(TABLE, what);
            announced = runs;
        }
    }

    private static PaperReport run(final CurveStore store, final Stopper stopper)
            throws IOException {
        try (Sweep sweep = new Sweep(2, stopper)) {
            return ThesisThree.run(
                    new PaperSettings(sweep, stopper, true, 1, 0, TABLE, null, store));
        }
    }

    @Test
    void shouldKeepWhatItHasAndGoOnFromThere(@TempDir final Path folder) throws IOException {
        // given a run that is stopped after the second of six curves of four runs
        final Path file = folder.resolve("thesis-3.curves");
        final CurveStore store = CurveStore.in(file);
        final PaperReport part = run(store, new Stopper(store, 2));
        assertTrue(part.isInterrupted());
        final int curves = store.size();
        assertTrue(curves >= 2 && curves <= 3, "curves " + curves);
        assertTrue(part.toString().contains("has " + curves + " of 6 parts"), part.toString());
        assertFalse(part.toString().contains("FAILS"), part.toString());
        // when it is run again from the file, whose last line was cut off
        Files.writeString(file, Files.readString(file) + "{\"curve\": \"half");
        final CurveStore again = CurveStore.in(file);
        final Stopper patient = new Stopper(again, 100);
        final PaperReport whole = run(again, patient);
        // then only the rest is simulated
        assertFalse(whole.isInterrupted());
        assertEquals((6 - curves) * 4L, patient.announced);
        assertTrue(patient.cycles.get() <= (6 - curves) * 4L * 30_000, "too many cycles");
        assertEquals(6, CurveStore.in(file).size());
        // and the table is that of a third run, which simulates nothing
        final CurveStore full = CurveStore.in(file);
        final Stopper idle = new Stopper(full, 100);
        assertEquals(whole.toString(), run(full, idle).toString());
        assertEquals(0, idle.cycles.get());
    }

    @Test
    void shouldRefuseFilesOfSomethingElse(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("other.curves");
        Files.writeString(file, "{\"load\": 1}\n");
        // when
        final ToolException problem = assertThrows(ToolException.class, () -> CurveStore.in(file));
        // then
        assertTrue(problem.getMessage().contains("other.curves:1"), problem.getMessage());
    }

    @Test
    void shouldHalveTheGapAroundTheSaturation() {
        // given a row of the torus in full
        final Experiment experiment =
                Experiment.of(
                                "torus",
                                NetworkSet.torus().getFirst(),
                                RoutingAlgorithm.UPDOWN_BFS,
                                NetworkConfig.DEFAULTS.withQueue(5),
                                TrafficConfig.of("uniform", 128))
                        .withCycles(20_000, 5_000);
        // when
        final List<CurvePoint> points = Throughputs.curve(experiment, false, Monitor.NONE);
        // then the loads on both sides of it are close to each other
        assertEquals(8, points.size());
        int first = 0;
        while (!points.get(first).isSaturated()) {
            first++;
        }
        assertTrue(first > 0, points.toString());
        final double gap = points.get(first).load() - points.get(first - 1).load();
        assertTrue(gap < 0.1 * points.get(first).load(), points.toString());
    }
}
