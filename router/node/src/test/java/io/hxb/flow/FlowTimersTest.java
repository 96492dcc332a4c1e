package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When the sending end wants to be woken, and what it does then. */
@Tag("unit")
class FlowTimersTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldSendAgainAfterTheTimeoutLessAndLessOften() {
        // given
        flows.open(100);
        flows.submit(0, 1_000);
        flows.work(0);
        // when
        flows.workFor(2 * MILLISECOND);
        final long soon = flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES);
        flows.workFor(2_000 * MILLISECOND);
        // then
        assertEquals(1, soon);
        final long resent = flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES);
        assertTrue(resent >= 8 && resent <= 13, "resent " + resent);
    }

    @Test
    void shouldNotWakeForATimeoutThatAcknowledgementsHavePutOff() {
        // given: an exchange that begins again every 100 us, always with one frame in flight
        flows.open(100);
        flows.submit(0, 100);
        flows.work(0);
        for (int sequence = 2; sequence < 60; sequence++) {
            // when
            flows.work(MILLISECOND / 10);
            flows.ack(FIRST + sequence, 100);
            flows.submit(sequence, 100);
            flows.work(0);
            // then
            final long inNs = flows.loop.nextDeadlineNs(flows.nowNs) - flows.nowNs;
            assertTrue(inNs >= MILLISECOND && inNs <= 2 * MILLISECOND, "wakes in " + inNs);
        }
        // when nothing more is acknowledged
        flows.workFor(2 * MILLISECOND);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
    }

    @Test
    void shouldKeepTheTimeoutsOfTwoPeersThatAreNearAtTheSameTime() {
        // given
        flows.submit(0, 100, 1);
        flows.submit(1, 100, 2);
        flows.work(0);
        final long firstNs = flows.loop.nextDeadlineNs(flows.nowNs);
        // when
        flows.work(firstNs - flows.nowNs - 1_000);
        // then
        assertEquals(firstNs, flows.loop.nextDeadlineNs(flows.nowNs));
    }
}
