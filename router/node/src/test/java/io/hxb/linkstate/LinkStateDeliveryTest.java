package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.testing.Allocations;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What node 0 of eight sends, and when; the others are made up. */
@Tag("unit")
class LinkStateDeliveryTest extends MadeUpNeighbours {
    @Test
    void shouldPassRecordsOnToAllNeighboursButTheSender() {
        // given
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        // when
        write(5, 9, 1, 3).ageMs(50_000);
        hear(1);
        // then
        assertEquals(List.of("ack 5 9/1"), sent(1));
        nowNs += 5 * MS;
        assertEquals(List.of("record 5 9/1"), sent(2));
        assertEquals(50_006, entry.ageMs());
        // when: the other one has it, too
        write(5, 9, 1, 3);
        hear(2);
        // then: both frames have crossed, so each acknowledges the other
        assertEquals(List.of(), sent(2));
        nowNs += 10_000 * MS;
        assertEquals(List.of(), sent(2));
        // when: the neighbour repeats it, as this node's frame was lost
        write(5, 9, 1, 3);
        hear(2);
        // then
        assertEquals(List.of("ack 5 9/1"), sent(2));
    }

    @Test
    void shouldSendAgainEverLaterUntilItIsAcknowledged() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        final List<Long> waits = new ArrayList<>();
        // when
        for (int i = 0; i < 7; i++) {
            assertEquals(1, states.nextDue(nowNs));
            assertEquals(List.of("record 0 50/1"), sent(1));
            assertEquals(-1, states.nextDue(nowNs));
            final long dueNs = states.nextDueNs(nowNs);
            waits.add((dueNs - nowNs) / MS);
            nowNs = dueNs;
        }
        // then
        assertEquals(List.of(10L, 20L, 40L, 80L, 160L, 200L, 200L), waits);
        assertEquals(1, count(LinkStateCount.SENT));
        assertEquals(6, count(LinkStateCount.SENT_AGAIN));
        // when
        acknowledge(1, 0, 50, 1);
        // then: only the refresh is due
        assertEquals(-1, states.nextDue(nowNs));
        assertTrue(states.nextDueNs(nowNs) - nowNs > 20_000 * MS);
    }

    @Test
    void shouldSendNothingMoreToANeighbourThatIsGoneAndEverythingWhenItComesBack() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        states.neighbourUp(1, nowNs);
        settle(1);
        write(5, 9, 1, 3);
        hear(1);
        // when
        states.neighbourDown(1);
        states.neighbourDown(1);
        // then
        assertEquals(-1, states.nextDue(nowNs));
        assertEquals(List.of(), sent(1));
        // when
        states.neighbourUp(1, nowNs);
        // then
        assertEquals(Set.of("record 0 50/1", "record 5 9/1"), Set.copyOf(sent(1)));
    }

    @Test
    void shouldSendOneFrameEvery200MsToANeighbourThatDoesNotAnswer() {
        // given: more than three frames of records
        states = make(0, 255);
        states.neighbourUp(1, nowNs);
        for (int node = 2; node < 100; node++) {
            write(node, 9, 1, 0);
            hear(1);
        }
        states.neighbourUp(2, nowNs);
        // when
        int frames = 0;
        for (int ms = 0; ms < 10_000; ms++, nowNs += MS) {
            frames += sent(2).isEmpty() || ms < 1_500 ? 0 : 1;
        }
        // then
        assertTrue(frames >= 41 && frames <= 43, frames + " frames");
    }

    @Test
    void shouldBoundFramesInBothDirections() {
        // given
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        int frames = 0;
        // when: a neighbour sends 4,000 newer records within a second
        for (int i = 1; i <= 4_000; i++) {
            write(5, 9, i, 3);
            hear(1);
            frames += sent(2).isEmpty() ? 0 : 1;
            nowNs += 1_000 * MS / 4_000;
        }
        // then
        final long tooMany = count(LinkStateCount.TOO_MANY);
        assertTrue(Math.abs(tooMany - (4_000 - 1_128)) <= 2, tooMany + " are too many");
        assertTrue(Math.abs(frames - (64 + 500)) <= 2, frames + " frames");
    }

    @Test
    void shouldTellEverythingAgainToANeighbourThatStartedAgain() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        write(1, 9, 1, 0);
        hear(1);
        settle(1);
        assertEquals(List.of(), sent(1));
        // when
        write(1, 10, 1, 0).origin(1, IDENTITY + 1, 10, 1, 8);
        hear(1);
        // then
        assertEquals(List.of("ack 1 10/1", "record 0 50/1"), sent(1));
    }

    @Test
    void shouldAnswerAcknowledgementsThatShowThatSomethingWasMissed() {
        // given
        states.neighbourUp(1, nowNs);
        acknowledge(1, 1, 9, 1);
        sent(1);
        // when: the neighbour has a record that is not known here
        acknowledge(1, 5, 9, 1);
        // then
        assertEquals(List.of("ack 5 0/0"), sent(1));
        // when: it has none, and now an older one
        write(5, 9, 2, 3);
        hear(1);
        sent(1);
        entry.wrap(memory.address()).acknowledgement().ofNone(5);
        hear(1);
        // then
        assertEquals(List.of("record 5 9/2"), sent(1));
        acknowledge(1, 5, 9, 2);
        acknowledge(1, 5, 9, 1);
        assertEquals(List.of("record 5 9/2"), sent(1));
        // when: neither has any
        entry.wrap(memory.address()).acknowledgement().ofNone(6);
        hear(1);
        // then
        assertEquals(List.of(), sent(1));
    }

    @Test
    void shouldTellItsFirstChangeAtOnceAndLaterOnesTogether() {
        // given
        states.neighbourUp(1, nowNs);
        states.own(List.of(to(1)), nowNs);
        assertEquals(List.of("record 0 50/1"), sent(1));
        // when
        nowNs += MS;
        acknowledge(1, 0, 50, 1);
        states.own(List.of(to(1), to(2)), nowNs);
        states.own(List.of(to(1), to(2), to(3)), nowNs);
        // then
        assertEquals(List.of(), sent(1));
        assertEquals(4 * MS, states.nextDueNs(nowNs) - nowNs);
        nowNs += 4 * MS;
        assertEquals(1, states.nextDue(nowNs));
        assertEquals(List.of("record 0 50/2"), sent(1));
        assertEquals(3, entry.adjacencies());
        // when: it is as before in time
        acknowledge(1, 0, 50, 2);
        states.own(List.of(), nowNs);
        states.own(List.of(to(3), to(1), to(2)), nowNs);
        nowNs += 1_000 * MS;
        // then
        assertEquals(List.of(), sent(1));
        assertEquals(2, count(LinkStateCount.PUBLISHED));
    }

    @Test
    void shouldNotTellSmallDifferencesOfCapacityByThemselves() {
        // given
        states.neighbourUp(1, nowNs);
        states.own(List.of(to(1)), nowNs);
        settle(1);
        nowNs += 5_000 * MS;
        // when
        states.own(List.of(new Adjacency(1, 1, 1_500, 900)), nowNs);
        assertEquals(List.of(), sent(1));
        // then
        states.own(List.of(new Adjacency(1, 1, 1_500, 875)), nowNs);
        assertEquals(List.of("record 0 50/2"), sent(1));
        assertEquals(875, entry.capacityMbps(0));
    }

    @Test
    void shouldKeepRecordsThatDoNotFitIntoAFrame() {
        // given
        states.own(List.of(to(1), to(2)), nowNs);
        states.neighbourUp(1, nowNs);
        final int needed = LinkStateFlyweight.length(2, 4) + 24;
        // when
        assertEquals(0, states.fill(1, memory.address(), needed - 1, nowNs));
        // then
        assertEquals(1, count(LinkStateCount.TOO_LONG));
        assertEquals(-1, states.nextDue(nowNs));
        states.neighbourDown(1);
        states.neighbourUp(1, nowNs);
        assertEquals(needed, states.fill(1, memory.address(), needed, nowNs));
        assertEquals(24 + 576, LinkStates.MIN_BODY_BYTES);
    }

    @Test
    void shouldAllocateNothingWhileFramesComeAndGo() {
        // given
        states.own(List.of(to(1), to(2)), nowNs);
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        write(5, 9, 1, 3);
        final int length = entry.length();
        final MemorySegment record = Arena.ofAuto().allocate(length, 8);
        record.copyFrom(memory.asSlice(0, length));
        final int[] sequence = {0};
        // when
        final int rounds =
                Allocations.awaitNone(
                        () -> {
                            for (int i = 0; i < 1_000; i++) {
                                sequence[0]++;
                                nowNs += 3 * MS;
                                entry.wrap(record.address()).origin(5, IDENTITY, 9, sequence[0], 7);
                                states.onFrame(1, record.address(), length, nowNs);
                                int to = states.nextDue(nowNs);
                                while (to >= 0) {
                                    states.fill(to, memory.address(), BODY_BYTES, nowNs);
                                    to = states.nextDue(nowNs);
                                }
                                states.nextDueNs(nowNs);
                            }
                        });
        // then
        assertTrue(rounds > 0);
        assertTrue(count(LinkStateCount.TAKEN) >= 1_000);
    }
}
