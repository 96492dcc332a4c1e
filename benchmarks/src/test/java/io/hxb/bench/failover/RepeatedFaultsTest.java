package io.hxb.bench.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

@Tag("unit")
class RepeatedFaultsTest {
    @Test
    void shouldDistinguishGapsOfFaultsFromThoseOfQuietTimesBefore() {
        // given: two wires, one of them gone from 2 to 3 s and from 5 to 6 s
        final double[] rates = new double[800];
        Arrays.fill(rates, 250);
        Arrays.fill(rates, 200, 300, 125);
        Arrays.fill(rates, 500, 600, 125);
        final double[] wires = rates.clone();
        Arrays.fill(rates, 120, 122, 200);
        Arrays.fill(rates, 200, 203, 60);
        Arrays.fill(rates, 280, 290, 60);
        Arrays.fill(wires, 500, 501, 60);
        Arrays.fill(rates, 600, 604, 60);
        // when
        final Map<String, Double> figures =
                RepeatedFaults.figures(
                        rates,
                        wires,
                        0.01,
                        List.of(
                                new FailoverRates.Event(2, 2, "pull", 0.5, 0, 1),
                                new FailoverRates.Event(3, 3, "restore", 1, 0, 2),
                                new FailoverRates.Event(5, 5, "pull", 0.5, 0, 3),
                                new FailoverRates.Event(6, 6, "restore", 1, 0, 4)),
                        250,
                        250);
        // then
        assertEquals(List.of(30.0, 0.0), RepeatedFaults.all(figures, "fault", "gap ms"));
        assertEquals(List.of(0.0, 10.0), RepeatedFaults.all(figures, "fault", "wire gap ms"));
        assertEquals(List.of(20.0, 0.0), RepeatedFaults.all(figures, "fault", "quiet gap ms"));
        assertEquals(List.of(0.0, 40.0), RepeatedFaults.all(figures, "repair", "gap ms"));
        assertEquals(List.of(1.0, 3.0), RepeatedFaults.all(figures, "fault", "full ms"));
        assertEquals(100, figures.get("repair 1 of left %"));
    }
}
