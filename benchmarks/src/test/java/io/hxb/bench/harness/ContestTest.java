package io.hxb.bench.harness;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

@Tag("unit")
class ContestTest {
    private final List<String> turns = new ArrayList<>();

    @Test
    void shouldTurnTheOrderRoundEveryOtherRound() throws Exception {
        // given
        final Contest contest = new Contest().add("a", trial("a")).add("b", trial("b"));

        // when
        contest.run(3, (round, name, figures) -> {});

        // then
        assertEquals(List.of("a", "b", "b", "a", "a", "b"), turns);
    }

    @Test
    void shouldCompareRoundByRound() throws Exception {
        // given
        final Contest contest = new Contest().add("a", trial("a")).add("b", trial("b"));

        // when
        final Contest.Results results = contest.run(2, (round, name, figures) -> {});

        // then: the turns were a 1, b 2, b 3, a 4
        assertArrayEquals(new double[] {1, 4}, results.of("a", "turn").samples());
        assertArrayEquals(new double[] {2, 0.75}, results.ratio("b", "a", "turn").samples());
        assertThrows(IllegalArgumentException.class, () -> results.of("a", "other"));
    }

    private Contest.Trial trial(final String name) {
        return () -> {
            turns.add(name);
            return Map.of("turn", (double) turns.size());
        };
    }
}
