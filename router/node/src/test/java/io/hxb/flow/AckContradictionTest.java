package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameType;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What a sender does when acknowledgements contradict those that it has believed. */
@Tag("unit")
class AckContradictionTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final long STEP_NS = 60 * FlowFixture.MILLISECOND;
    private static final int WINDOW = 8;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    /** Three messages, of which a forged acknowledgement says that two have arrived. */
    private void believeAForgedAcknowledgement() {
        flows.open(WINDOW);
        for (int slot = 1; slot <= 3; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        flows.ack(FIRST + 3, WINDOW);
        flows.work(0);
        assertEquals(List.of("1:0", "2:0"), flows.done);
    }

    private long contradicted() {
        return flows.loop.counters().value(CounterType.FLOW_CONTRADICTED_EVENTS);
    }

    // Less than was acknowledged, and more than was sent.
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void shouldBeginAgainWhenTheReceiverContradictsForLong(final int acknowledged) {
        // given
        believeAForgedAcknowledgement();
        final int epoch = flows.last(FrameType.DATA).epoch;
        for (int i = 0; i < 4; i++) {
            flows.ack(FIRST + acknowledged, WINDOW);
            flows.workFor(STEP_NS);
        }
        assertEquals(0, contradicted(), "for 180 ms only");
        // when
        flows.ack(FIRST + acknowledged, WINDOW);
        flows.work(0);
        // then
        assertEquals(1, contradicted());
        assertEquals(List.of("1:0", "2:0", "3:" + PmStatus.PEER_UNREACHABLE), flows.done);
        flows.submit(4, 1_000);
        flows.work(0);
        assertNotEquals(epoch, flows.last(FrameType.OPEN).epoch);
    }

    @Test
    void shouldBeginAgainWhenTheReceiverMissesWhatHasArrived() {
        // given
        flows.open(WINDOW);
        for (int slot = 1; slot <= 3; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        flows.ack(FIRST + 1, WINDOW, 0, 1);
        flows.work(0);
        assertEquals(List.of("1:0", "2:0"), flows.done);
        // when
        for (int i = 0; i < 5; i++) {
            flows.ack(FIRST + 1, WINDOW, 1);
            flows.workFor(STEP_NS);
        }
        // then
        assertEquals(1, contradicted());
        assertEquals("3:" + PmStatus.PEER_UNREACHABLE, flows.done.getLast());
    }

    @Test
    void shouldGoOnWhenAllHasArrivedThatWaitsForTheReceiversContext() {
        // given
        flows.open(WINDOW);
        for (int slot = 1; slot <= 3; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        // when
        for (int i = 0; i < 20; i++) {
            flows.ack(FIRST + 1, WINDOW, 0, 1);
            flows.workFor(STEP_NS);
        }
        // then
        assertEquals(0, contradicted());
        assertEquals(List.of("1:0", "2:0"), flows.done);
    }

    @Test
    void shouldGoOnWhenTheReceiverAgreesMeanwhile() {
        // given
        believeAForgedAcknowledgement();
        // when
        for (int i = 0; i < 20; i++) {
            flows.ack(FIRST + 1 + (i % 4 == 3 ? 2 : 0), WINDOW);
            flows.workFor(STEP_NS);
        }
        // then
        assertEquals(0, contradicted());
        assertEquals(List.of("1:0", "2:0"), flows.done);
    }

    @Test
    void shouldTakeManyLateAcknowledgementsAtOnceForWhatTheyAre() {
        // given
        believeAForgedAcknowledgement();
        // when
        for (int i = 0; i < 100; i++) {
            flows.ack(FIRST + 1, WINDOW);
            flows.work(1_000);
        }
        // then
        assertEquals(0, contradicted());
    }

    @Test
    void shouldNotMindWhileNothingWaits() {
        // given
        believeAForgedAcknowledgement();
        flows.ack(FIRST + 4, WINDOW);
        flows.work(0);
        // when
        for (int i = 0; i < 20; i++) {
            flows.ack(FIRST + 1, WINDOW);
            flows.workFor(STEP_NS);
        }
        // then
        assertEquals(0, contradicted());
    }
}
