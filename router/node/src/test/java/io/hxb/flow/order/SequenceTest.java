package io.hxb.flow.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("property")
class SequenceTest {
    @Test
    void shouldPutASequenceBeforeAllThatFollowWithinHalfTheRange() {
        qt().forAll(integers().all(), integers().between(1, Integer.MAX_VALUE))
                .check(
                        (from, steps) ->
                                Sequence.isBefore(from, from + steps)
                                        && !Sequence.isBefore(from + steps, from)
                                        && Sequence.distance(from, from + steps) == steps
                                        && Sequence.later(from, from + steps) == from + steps
                                        && Sequence.later(from + steps, from) == from + steps);
    }

    @Test
    void shouldCountEpochsInSixteenBits() {
        qt().forAll(integers().between(0, 0xFFFF), integers().between(1, 0x7FFF))
                .check(
                        (from, steps) ->
                                Sequence.epochDistance(from, (from + steps) & 0xFFFF) == steps);
    }

    @Test
    void shouldGoOnAfterTheLargestNumber() {
        assertTrue(Sequence.isBefore(Integer.MAX_VALUE, Integer.MIN_VALUE));
        assertTrue(Sequence.isBefore(-1, 0));
        assertFalse(Sequence.isBefore(0, 0));
        assertEquals(1, Sequence.epochDistance(0xFFFF, 0));
        assertEquals(-1, Sequence.epochDistance(0, 0xFFFF));
    }
}
