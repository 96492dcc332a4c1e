package io.hxb.tool.ping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.PingPlan;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.util.List;

@Tag("unit")
class PingOptionsTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final boolean WATCHED = true;

    private static PingOptions options(final String... arguments) {
        final PingOptions options = new PingOptions();
        new CommandLine(options).parseArgs(arguments);
        return options;
    }

    @Test
    void shouldAskFiveTimesASecondApartWhenPeopleWatch() {
        assertEquals(new PingPlan(64, 5, SECOND_NS, 2 * SECOND_NS), options().plan(WATCHED, 1));
    }

    @Test
    void shouldAskBackToBackInMeasurementsAndFloods() {
        final PingPlan expected = new PingPlan(64, 1000, 0, 2 * SECOND_NS);

        assertEquals(expected, options().plan(!WATCHED, 3));
        assertEquals(expected, options("--flood").plan(WATCHED, 1));
        assertEquals(expected, options("--interval", "0").plan(WATCHED, 1));
        assertEquals(100, options("--all").plan(WATCHED, 7).count());
        assertEquals(20, options("--all-pairs").plan(WATCHED, 56).count());
    }

    @Test
    void shouldLetAnIntervalPaceMeasurementsToo() {
        assertEquals(
                new PingPlan(32, 0, 100_000, 20_000_000),
                options("--interval", "100us", "--count", "0", "--timeout", "20ms", "--size", "32")
                        .plan(!WATCHED, 3));
    }

    @Test
    void shouldRefuseWhatWouldNeverComeToTheSecondNode() {
        final PingOptions options = options("--flood", "--count", "0");

        assertEquals(0, options.plan(WATCHED, 1).count());
        assertThrows(UsageException.class, () -> options.plan(WATCHED, 2));
    }

    @Test
    void shouldGoFromOneNodeOrFromAll() {
        final Shape shape = Shape.of(3);

        assertEquals(List.of(new Pair(1, 0), new Pair(1, 2)), options("--all").allPairs(shape, 1));
        assertEquals(6, options("--all-pairs").allPairs(shape, 1).size());
    }
}
