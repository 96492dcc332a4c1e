package io.hxb.tool.sim.paper;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.measure.RunResult;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.Monitor;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.run.SingleRun;
import io.hxb.sim.run.Sweep;
import io.hxb.sim.traffic.TrafficConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The hops of table 3.5 of Koibuchi 2002 are those of packets that arrive in networks with more
 * traffic than they carry: at one load above the saturation of most routings, the means over ten
 * random networks are all within 3 %. Means over pairs cannot be: there, L-turn and R-turn have the
 * same.
 */
@Tag("simulation")
class ThesisLinksTest {
    private static final List<String> ROWS =
            List.of(
                    "updown-bfs",
                    "updown-dfs",
                    "r-turn-alpha",
                    "r-turn-beta",
                    "l-turn-alpha",
                    "l-turn-beta");

    @Test
    void shouldPassAsManyLinksAsTheThesisBeyondSaturation() {
        compare(16, "bit-reversal", 0.22, "2.01 2.01 2.05 2.07 2.00 2.02");
    }

    @Tag("outside")
    @ParameterizedTest
    @CsvSource({
        "uniform,      0.055, 3.82 3.53 3.87 3.86 3.67 3.67",
        "bit-reversal, 0.06,  3.68 3.45 3.73 3.76 3.61 3.65"
    })
    void shouldPassAsManyLinksAsTheThesisAmongManySwitches(
            final String pattern, final double load, final String published) {
        compare(64, pattern, load, published);
    }

    private static void compare(
            final int switches, final String pattern, final double load, final String published) {
        // given
        final List<SwitchGraph> graphs = NetworkSet.random(switches, 10);
        final List<Supplier<RunResult>> runs = new ArrayList<>();
        for (final String row : ROWS) {
            for (final SwitchGraph graph : graphs) {
                runs.add(() -> run(row, graph, pattern, load));
            }
        }
        // when
        final List<RunResult> results;
        try (Sweep sweep = new Sweep(2, Monitor.NONE)) {
            results = sweep.all(runs);
        }
        // then
        final String[] expected = published.split(" ", -1);
        for (int row = 0; row < ROWS.size(); row++) {
            final double hops =
                    results.subList(10 * row, 10 * row + 10).stream()
                            .mapToDouble(RunResult::hops)
                            .average()
                            .orElseThrow();
            final double thesis = Double.parseDouble(expected[row]);
            assertEquals(thesis, hops, 0.03 * thesis, ROWS.get(row));
        }
    }

    private static RunResult run(
            final String row, final SwitchGraph graph, final String pattern, final double load) {
        final Experiment experiment =
                Experiment.of(
                                "random",
                                graph,
                                RoutingAlgorithm.of(row),
                                NetworkConfig.DEFAULTS.withQueue(5),
                                TrafficConfig.of(pattern, 128))
                        .withCycles(30_000, 10_000);
        return new SingleRun(experiment, PreparedRoutes.of(experiment), load, Monitor.NONE).run();
    }
}
