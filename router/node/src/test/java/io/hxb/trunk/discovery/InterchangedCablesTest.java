package io.hxb.trunk.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.testing.RecordingLink;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.InterchangedCables.Pair;
import io.hxb.trunk.discovery.InterchangedCables.Place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class InterchangedCablesTest {
    private static final long ONE = 1;
    private static final long TWO = 2;

    private final Port first = new Port(new RecordingLink(0), 0, 0);
    private final Port second = new Port(new RecordingLink(1), 0, 1);
    private final InterchangedCables cables = new InterchangedCables();

    @Test
    void shouldFindThemWhereTwoPortsHearEachOthersCounterpart() {
        // when
        assertNull(cables.onMisplaced(first, ONE, "x.1"));
        // then
        assertEquals(new Pair(first, Place.EITHER), cables.onMisplaced(second, ONE, "x.0"));
        assertEquals(new Pair(second, Place.EITHER), cables.onMisplaced(first, ONE, "x.1"));
    }

    @Test
    void shouldBlameThisNodeIfSeveralOthersAreHeardSo() {
        // given
        for (final long source : new long[] {ONE, TWO}) {
            cables.onMisplaced(first, source, "x.1");
            cables.onMisplaced(second, source, "x.0");
        }
        // when, then
        assertEquals(new Pair(second, Place.HERE), cables.onMisplaced(first, TWO, "x.1"));
    }

    @Test
    void shouldBlameTheOtherNodeIfAThirdOneIsHeardInItsPlace() {
        // given
        cables.onInPlace(first, TWO);
        cables.onInPlace(second, TWO);
        cables.onMisplaced(first, ONE, "x.1");
        // when, then
        assertEquals(new Pair(first, Place.THERE), cables.onMisplaced(second, ONE, "x.0"));
        // and: put right
        cables.onInPlace(first, ONE);
        assertNull(cables.onMisplaced(second, ONE, "x.0"));
    }

    @Test
    void shouldNotFindThemWhereOneCableIsMisplaced() {
        // when, then: a port of another dimension, and one that hears it only one way
        assertNull(cables.onMisplaced(first, ONE, "y.0"));
        assertNull(cables.onMisplaced(second, TWO, "x.0"));
        assertNull(cables.onMisplaced(first, ONE, "x.1"));
    }
}
