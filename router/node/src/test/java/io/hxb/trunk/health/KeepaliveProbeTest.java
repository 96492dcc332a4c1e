package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class KeepaliveProbeTest {
    private static final long SILENCE_NS = 30_000_000;
    private static final long INTERVAL_NS = 20_000_000;

    private long awayNs;
    private final KeepaliveProbe keepaliveProbe =
            new KeepaliveProbe(SILENCE_NS, INTERVAL_NS, -3_000_000_000L);

    @Test
    void shouldNotWaitForANeighbourThatIsSentNothing() {
        // when
        keepaliveProbe.look(false, 0, 1);
        // then
        assertFalse(keepaliveProbe.isWaiting());
    }

    @Test
    void shouldAskThreeTimesAndGiveUp() {
        // given
        keepaliveProbe.look(false, 1, 0);
        assertEquals(SILENCE_NS, keepaliveProbe.dueNs());
        // when
        long nowNs = SILENCE_NS;
        for (int i = 0; i < 3; i++) {
            assertFalse(keepaliveProbe.isExhausted(false, awayNs, 0, nowNs));
            keepaliveProbe.send(nowNs);
            assertTrue(keepaliveProbe.isReplyRequested());
            nowNs += INTERVAL_NS;
            assertEquals(nowNs, keepaliveProbe.dueNs());
        }
        // then
        assertTrue(keepaliveProbe.isExhausted(false, awayNs, 0, nowNs));
    }

    @Test
    void shouldWaitAnewAfterAnAnswer() {
        // given
        keepaliveProbe.look(false, 1, 0);
        keepaliveProbe.send(SILENCE_NS);
        // when
        keepaliveProbe.look(true, 2, SILENCE_NS + 1);
        assertFalse(keepaliveProbe.isWaiting());
        keepaliveProbe.look(false, 3, SILENCE_NS + 2);
        // then
        assertTrue(keepaliveProbe.isWaiting());
        assertEquals(2 * SILENCE_NS + 2, keepaliveProbe.dueNs());
    }

    @Test
    void shouldWaitLongerForANeighbourThatAnsweredLate() {
        // given it was silent for 45 ms after the first probe
        final long lateNs = 45_000_000;
        assertEquals(SILENCE_NS + 3 * INTERVAL_NS, givenUpNs(0), "nothing known: after 3 probes");
        keepaliveProbe.look(true, 2, SILENCE_NS + lateNs);
        // when
        final long startNs = 1_000_000_000;
        keepaliveProbe.look(false, 3, startNs);
        final long givenUpNs = givenUpNs(startNs);
        // then
        assertTrue(givenUpNs - startNs - SILENCE_NS >= 4 * lateNs, () -> "after " + givenUpNs);
        assertTrue(
                givenUpNs - startNs - SILENCE_NS <= 4 * lateNs + 2 * INTERVAL_NS,
                () -> "after " + givenUpNs);
    }

    @Test
    void shouldWaitLongerForANeighbourThatHasJustStarted() {
        // given
        keepaliveProbe.restart(0);
        // when
        final long givenUpNs = givenUpNs(1_000_000_000);
        // then
        assertEquals(1_000_000_000 + SILENCE_NS + 200_000_000, givenUpNs);
    }

    @Test
    void shouldWaitLongerWhereEitherEndHasWaitedForItsCpu() {
        awayNs = 5_000_000;
        final long givenUpNs = givenUpNs(0);
        assertTrue(givenUpNs >= SILENCE_NS + 750_000_000, () -> "after " + givenUpNs);
        assertTrue(givenUpNs <= 800_000_000, () -> "after " + givenUpNs);
    }

    @Test
    void shouldNotWaitLongerForWaitsThatEveryMachineHas() {
        awayNs = 4_000_000;
        assertEquals(SILENCE_NS + 3 * INTERVAL_NS, givenUpNs(0));
    }

    @Test
    void shouldForgetThatItAnsweredLate() {
        // given
        givenUpNs(0);
        keepaliveProbe.look(true, 2, SILENCE_NS + 45_000_000);
        // when
        long nowNs = 0;
        for (int i = 0; i < 10; i++) {
            nowNs += 10_000_000_001L;
            keepaliveProbe.look(true, 2, nowNs);
        }
        keepaliveProbe.look(false, 3, nowNs);
        // then
        assertEquals(nowNs + SILENCE_NS + 3 * INTERVAL_NS, givenUpNs(nowNs));
    }

    @Test
    void shouldNotTakeALongAbsenceForASlowAnswer() {
        // given
        givenUpNs(0);
        keepaliveProbe.look(true, 2, 3_000_000_000L);
        // when
        keepaliveProbe.look(false, 3, 3_000_000_001L);
        // then
        assertEquals(3_000_000_001L + SILENCE_NS + 3 * INTERVAL_NS, givenUpNs(3_000_000_001L));
    }

    // Probes whenever a probe is due, until the neighbour is given up.
    private long givenUpNs(final long startNs) {
        keepaliveProbe.look(false, 1, startNs);
        while (!keepaliveProbe.isExhausted(false, awayNs, 0, keepaliveProbe.dueNs())) {
            keepaliveProbe.send(keepaliveProbe.dueNs());
        }
        return keepaliveProbe.dueNs();
    }
}
