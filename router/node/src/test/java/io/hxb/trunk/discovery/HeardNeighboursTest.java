package io.hxb.trunk.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.BufferPool;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.testing.TestFrames;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** When a neighbour that is not heard is missed, and on which links. */
@Tag("unit")
class HeardNeighboursTest {
    private static final long MS = 1_000_000;
    private static final long LIMIT_NS = 1_000 * MS;
    private static final long START_NS = Long.MAX_VALUE - 500 * MS;
    private static final int NEIGHBOUR = 1;
    private static final Shape SHAPE = Shape.of(2);

    private final SimNetwork network = new SimNetwork(new SimClock(START_NS), 1);
    private final Port[] ports = {port(0), port(1)};
    private final HeardNeighbours heard =
            new HeardNeighbours(new NodeIdentity(SHAPE, 0, 7, 5, 1, "host"), ports);

    private Port port(final int number) {
        final BufferPool pool = new TestFrames().pool(64, 4_096);
        final SimLink link =
                network.newLink(
                        network.newSegment(SimFaults.NONE), number, 0, 2_000, pool.newShare());
        return new Port(link, 0, number);
    }

    private SimLink link(final int number) {
        return (SimLink) ports[number].link();
    }

    private List<MissingNeighbours> silences(final long afterNs) {
        heard.look(START_NS + afterNs);
        return heard.silences(LIMIT_NS, START_NS + afterNs);
    }

    private void expire(final long afterNs) {
        heard.expire(ports[0], LIMIT_NS, START_NS + afterNs);
    }

    private void hello(final int link, final long afterNs) {
        heard.onHello(link, NEIGHBOUR, 1, START_NS + afterNs);
    }

    @Test
    void shouldMissNobodyOnALinkThatHasJustComeUp() {
        // given
        assertEquals(List.of(), silences(0));
        // when: one link hears the neighbour first
        hello(0, 10 * MS);
        // then
        assertEquals(List.of(), silences(10 * MS));
        assertEquals(List.of(), silences(LIMIT_NS));
        // and if the other one does not hear it for as long as it takes to forget one
        hello(0, LIMIT_NS);
        final List<MissingNeighbours> silences = silences(LIMIT_NS + 10 * MS);
        assertEquals(1, silences.size());
        assertTrue(silences.getFirst().isPartial());
        assertTrue(
                silences.getFirst().text().startsWith("x.1 of (0) does not hear (1)"),
                silences.getFirst().text());
        // when it is heard there at last
        hello(1, LIMIT_NS + 20 * MS);
        assertEquals(List.of(), silences(LIMIT_NS + 20 * MS));
    }

    @Test
    void shouldWaitForANeighbourThatComesBackOnOneLinkAfterTheOther() {
        // given: it has been missing for long on both
        silences(0);
        final List<MissingNeighbours> gone = silences(10_000 * MS);
        assertEquals(1, gone.size());
        assertFalse(gone.getFirst().isPartial());
        // when
        hello(1, 10_010 * MS);
        // then
        assertEquals(List.of(), silences(10_010 * MS));
        assertEquals(List.of(), silences(11_009 * MS));
        assertTrue(silences(11_010 * MS).getFirst().isPartial());
    }

    @Test
    void shouldWaitForALinkThatComesUpLaterThanTheOthers() {
        // given
        link(1).up(false);
        silences(0);
        hello(0, 10 * MS);
        assertTrue(silences(5_000 * MS).getFirst().isPartial());
        // when
        link(1).up(true);
        // then
        assertEquals(List.of(), silences(5_100 * MS));
        assertEquals(List.of(), silences(6_099 * MS));
        assertTrue(silences(6_100 * MS).getFirst().isPartial());
    }

    @Test
    void shouldCountEveryChangeOfWhoIsHeard() {
        final int before = heard.changes();
        hello(0, 0);
        hello(0, 10 * MS);
        assertEquals(before + 1, heard.changes());
        expire(2 * LIMIT_NS);
        assertEquals(before + 2, heard.changes());
        assertEquals(0, heard.count());
    }
}
