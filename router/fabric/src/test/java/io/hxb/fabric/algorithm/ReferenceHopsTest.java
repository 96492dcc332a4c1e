package io.hxb.fabric.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The sums of {@code reference_hops.csv}, which other implementations agree on. */
@Tag("unit")
class ReferenceHopsTest {
    private static Routing routing(final SwitchGraph graph, final String name) {
        if (name.equals("minimal")) {
            return Minimal.paths(graph);
        }
        if (name.equals("updown_bfs_root0")) {
            return UpDown.bfs(graph, 0);
        }
        if (name.startsWith("DL_")) {
            final int layers = name.charAt(name.length() - 1) - '0';
            final DescendingLayers variant =
                    name.startsWith("DL_UD*")
                            ? DescendingLayers.DL_UD
                            : name.startsWith("DL_mutual")
                                    ? DescendingLayers.DL_MUTUAL
                                    : DescendingLayers.DL_UD_DU;
            return variant.routing(graph, 0, layers);
        }
        final boolean hasDetection = name.endsWith("_cycle_detection");
        return turn(name).routing(graph, 0, hasDetection);
    }

    private static LrTurn turn(final String name) {
        final boolean isAlpha = name.contains("/alpha");
        return name.startsWith("L")
                ? isAlpha ? LrTurn.L_TURN_ALPHA : LrTurn.L_TURN_BETA
                : isAlpha ? LrTurn.R_TURN_ALPHA : LrTurn.R_TURN_BETA;
    }

    @Test
    void shouldReproduceTheReferenceSums() {
        final List<String> wrong = new ArrayList<>();
        int rows = 0;
        for (final String line : SampleGraphs.text("reference_hops.csv").lines().skip(1).toList()) {
            // given
            final String[] row = line.split(",", -1);
            final SwitchGraph graph = SampleGraphs.read(row[0]);
            // when
            final Routing routing = routing(graph, row[1]);
            final RouteSet routes = routing.routes(PathSelection.LOW_PORT, 0);
            // then
            final double switches = graph.switchCount();
            final double sum = routes.sumLinks();
            final double uniform = sum * 4 / (switches * (4 * switches - 1));
            String prohibited = "";
            if (!row[7].isEmpty()) {
                prohibited = Integer.toString(routing.relation().prohibitedTurns());
            }
            String extra = "";
            if (!row[8].isEmpty()) {
                extra =
                        "prohibited_after_detection="
                                + turn(row[1]).prohibitedByDetection(graph, 0);
            }
            final String found =
                    String.format(
                            Locale.ROOT,
                            "%s,%s,%d,%d,%d,%.6f,%.6f,%s,%s",
                            row[0],
                            row[1],
                            graph.switchCount(),
                            routes.sumLinks(),
                            routes.maxLinks(),
                            sum / (switches * (switches - 1)),
                            uniform,
                            prohibited,
                            extra);
            if (!found.equals(line)) {
                wrong.add(line + " but was " + found);
            }
            rows++;
        }
        assertEquals(List.of(), wrong);
        assertEquals(96, rows);
    }
}
