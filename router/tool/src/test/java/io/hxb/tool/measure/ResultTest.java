package io.hxb.tool.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.Json;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

@Tag("unit")
class ResultTest {
    @Test
    void shouldReportEveryFieldThatProgramsRelyOn() {
        // given
        final RoundTripHistogram histogram = new RoundTripHistogram(3);
        histogram.record(12_340);
        final Result result =
                new Result(8, 56, 2_000_000, 100, 0, 0, 0, 0, 77, 2.0, RoundTrips.of(histogram));

        // when
        final String line = Json.line(result.fields());
        final Map<?, ?> read = Json.parse(line, Map.class, "line");

        // then
        for (final String field :
                List.of(
                        "ok",
                        "nodes",
                        "pairs",
                        "bytes",
                        "lost",
                        "duplicated",
                        "reordered",
                        "relays",
                        "bandwidth_MBps",
                        "messages_per_s",
                        "rtt_us")) {
            assertTrue(read.containsKey(field), field + " is missing in " + line);
        }
        assertEquals(
                List.of("min", "median", "p99", "p999", "max", "mean", "deviation"),
                List.copyOf(((Map<?, ?>) read.get("rtt_us")).keySet()));
        assertEquals(1.0, read.get("bandwidth_MBps"));
        assertEquals(50, read.get("messages_per_s"));
        assertEquals(true, read.get("ok"));
    }

    @Test
    void shouldNotBeOkWhenTheWarmUpLostAMessage() {
        // given
        final Result warmUp = new Result(2, 1, 9, 9, 1, 0, 0, 0, 0, 1, RoundTrips.NONE);
        final Result measured = new Result(2, 1, 100, 10, 0, 0, 0, 0, 0, 1, RoundTrips.NONE);

        // when
        final Result both = measured.withFaultsOf(warmUp);

        // then
        assertFalse(both.isOk());
        assertEquals(1, both.lost());
        assertEquals(10, both.messages());
    }

    @Test
    void shouldNotBeOkWhenAnythingWentWrongOrNothingArrived() {
        assertFalse(new Result(2, 1, 1, 1, 1, 0, 0, 0, 0, 1, RoundTrips.NONE).isOk());
        assertFalse(new Result(2, 1, 1, 1, 0, 1, 0, 0, 0, 1, RoundTrips.NONE).isOk());
        assertFalse(new Result(2, 1, 1, 1, 0, 0, 1, 0, 0, 1, RoundTrips.NONE).isOk());
        assertFalse(new Result(2, 1, 1, 1, 0, 0, 0, 1, 0, 1, RoundTrips.NONE).isOk());
        assertFalse(new Result(2, 1, 0, 0, 0, 0, 0, 0, 0, 1, RoundTrips.NONE).isOk());
    }

    @Test
    void shouldTakeOneNodeAtEachDistance() {
        final Shape shape = Shape.of(3, 1, 2);

        final List<Pair> pairs = Pair.oneOfEachDistance(shape, 0);

        assertEquals(List.of(new Pair(0, 1), new Pair(0, 4)), pairs);
        assertEquals(30, Pair.all(shape).size());
    }

    @Test
    void shouldTakeTheFirstNodeAtEachDistanceWithoutAShape() {
        assertEquals(
                List.of(new Pair(1, 0), new Pair(1, 3), new Pair(1, 5)),
                Pair.oneOfEachDistance(new int[] {1, 0, 1, 2, 2, 3}, 1));
    }
}
