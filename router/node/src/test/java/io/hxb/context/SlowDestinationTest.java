package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDestination;
import io.hxb.pm.PmDestinationOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One receiver of several takes nothing: what becomes of messages to it, and to the others. */
@Tag("simulation")
class SlowDestinationTest {
    private static final int SLEEPER = 2;
    private static final int FIRST_READER = 3;
    private static final int READERS = 7;
    private static final int LENGTH_BYTES = 1_000;

    private final byte[] payload = new byte[LENGTH_BYTES];
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();
    private final PmContext[] readers = new PmContext[READERS];
    private FlowNode node;
    private PmDevice others;
    private PmContext sender;
    private PmContext sleeper;

    @BeforeEach
    void start() throws Exception {
        node = new FlowNode(1, 0);
        others = node.newDevice();
        sender = node.device.openContext(1);
        sleeper = others.openContext(SLEEPER);
        for (int i = 0; i < READERS; i++) {
            readers[i] = others.openContext(FIRST_READER + i);
        }
    }

    @AfterEach
    void stop() {
        others.close();
        node.close();
    }

    private int sendTo(final int context, final long timeoutNs) {
        return sender.send(0, context, payload, 0, timeoutNs);
    }

    /** Sends to the sleeper until that finds no buffer for a while; returns how many were sent. */
    private int fill(final int context) {
        int sent = 0;
        for (int refused = 0; refused < 100; ) {
            final int slot = sender.claim(0, context, LENGTH_BYTES);
            if (slot >= 0) {
                sent++;
                refused = 0;
                sender.send(slot, LENGTH_BYTES, 0);
            } else {
                refused++;
            }
            node.turns(2);
        }
        return sent;
    }

    private void readAll() {
        for (final PmContext reader : readers) {
            while (reader.receive(message) == PmStatus.OK) {
                reader.release(message);
            }
        }
    }

    @Test
    void shouldSendToOthersWhileOneTakesNothing() {
        // given
        final PmDestination slow = sender.destination(0, SLEEPER);
        slow.options(PmDestinationOptions.FAIL);
        int unsent = 0;
        // when
        for (int round = 0; round < 3_000; round++) {
            unsent += sendTo(SLEEPER, 1) == PmStatus.OK ? 0 : 1;
            for (int i = 0; i < READERS; i++) {
                assertEquals(PmStatus.OK, sendTo(FIRST_READER + i, 0), "round " + round);
            }
            node.turns(4);
            readAll();
        }
        // then
        assertTrue(unsent > 2_000, "the sleeper is full: " + unsent);
        assertTrue(slow.isFull());
        assertFalse(sender.destination(0, FIRST_READER).isFull());
        assertTrue(slow.unfinishedMessages() <= 128, slow.unfinishedMessages() + " held");
        assertEquals(slow.unfinishedMessages() * (long) LENGTH_BYTES, slow.unfinishedBytes());
        assertEquals(0, slow.droppedMessages());
    }

    @Test
    void shouldLeaveBuffersWhenSeveralWereFilledOneAfterTheOther() {
        // given
        for (int i = 0; i < READERS - 1; i++) {
            fill(FIRST_READER + i);
        }
        // when
        final int last = FIRST_READER + READERS - 1;
        // then
        for (int i = 0; i < 500; i++) {
            assertEquals(PmStatus.OK, sendTo(last, 1_000_000_000L));
            node.turns(1);
            while (readers[READERS - 1].receive(message) == PmStatus.OK) {
                readers[READERS - 1].release(message);
            }
        }
    }

    /** A client asks as fast as it can and never takes an answer; two others wait for theirs. */
    @Test
    void shouldAnswerOthersWhileOneClientTakesNoAnswers() {
        // given
        final int[] answered = new int[2];
        final boolean[] isAsking = new boolean[2];
        int unanswered = 0;
        sender.destination(0, SLEEPER).options(PmDestinationOptions.FAIL);
        // when
        for (int turn = 0; turn < 20_000; turn++) {
            sleeper.send(0, 1, payload, 0, 0);
            for (int i = 0; i < 2; i++) {
                if (!isAsking[i]) {
                    isAsking[i] = readers[i].send(0, 1, payload, 0, 0) == PmStatus.OK;
                }
                if (readers[i].receive(message) == PmStatus.OK) {
                    readers[i].release(message);
                    answered[i]++;
                    isAsking[i] = false;
                }
            }
            while (sender.receive(message) == PmStatus.OK) {
                final int client = message.sourceContext();
                sender.release(message);
                final int status = sendTo(client, 1_000_000_000L);
                unanswered += status == PmStatus.OK ? 0 : 1;
                assertTrue(status == PmStatus.OK || client == SLEEPER, PmStatus.name(status));
            }
            node.turn();
        }
        // then
        assertTrue(unanswered > 1_000, "the slow one has all that it may have: " + unanswered);
        assertTrue(answered[0] > 2_000 && answered[1] > 2_000, answered[0] + ", " + answered[1]);
    }

    @Test
    void shouldFailOrDropAsTheOptionsSet() {
        // given
        final int full = fill(SLEEPER);
        assertTrue(full >= 200, full + " sent");
        final PmDestination slow = sender.destination(0, SLEEPER);
        assertEquals(200, slow.unfinishedMessages());
        // then
        assertEquals(PmStatus.TIMED_OUT, sendTo(SLEEPER, 0));
        slow.options(PmDestinationOptions.FAIL);
        assertEquals(PmStatus.NO_BUFFERS, sendTo(SLEEPER, Long.MAX_VALUE));
        slow.options(PmDestinationOptions.DROP);
        assertEquals(PmStatus.DROPPED, sendTo(SLEEPER, Long.MAX_VALUE));
        assertEquals(PmStatus.DROPPED, sender.claim(0, SLEEPER, 1));
        slow.options(PmDestinationOptions.DROP.withMaxWaitNs(1_000_000));
        assertEquals(PmStatus.DROPPED, sendTo(SLEEPER, Long.MAX_VALUE));
        assertEquals(3, slow.droppedMessages());
        slow.options(PmDestinationOptions.DEFAULT.withMaxWaitNs(1_000_000));
        assertEquals(PmStatus.TIMED_OUT, sendTo(SLEEPER, Long.MAX_VALUE));
        // when: it wakes up
        slow.options(PmDestinationOptions.DEFAULT);
        int received = 0;
        for (int turn = 0; turn < 100_000 && received < full; turn++) {
            while (sleeper.receive(message) == PmStatus.OK) {
                sleeper.release(message);
                received++;
            }
            node.turn();
        }
        // then
        assertEquals(full, received, "nothing of what was sent is lost");
        assertEquals(PmStatus.OK, sendTo(SLEEPER, 0));
    }

    @Test
    void shouldBoundTheMessagesOfADestination() {
        // given
        sender.destination(0, SLEEPER).options(PmDestinationOptions.FAIL.withMaxMessages(3));
        // when
        final int first = sender.claim(0, SLEEPER, 1);
        final int second = sender.claim(0, SLEEPER, 1);
        final int third = sender.claim(0, SLEEPER, 1);
        // then
        assertEquals(PmStatus.NO_BUFFERS, sender.claim(0, SLEEPER, 1));
        assertEquals(3, sender.destination(0, SLEEPER).unfinishedMessages());
        assertEquals(0, sender.destination(0, SLEEPER).unfinishedBytes());
        sender.abandon(third);
        assertTrue(sender.claim(0, SLEEPER, 1) >= 0);
        sender.abandon(first);
        sender.abandon(second);
        assertThrows(IllegalArgumentException.class, () -> sender.destination(2, 1));
        assertThrows(
                IllegalArgumentException.class, () -> PmDestinationOptions.FAIL.withMaxMessages(0));
        assertThrows(
                IllegalArgumentException.class, () -> PmDestinationOptions.FAIL.withMaxWaitNs(-1));
    }

    @Test
    void shouldHaveItsBuffersBackWithinASecondOfTheSleepersEnd() {
        // given: a flow that has stood still for long, so that it is asked seldom
        fill(SLEEPER);
        final PmDestination slow = sender.destination(0, SLEEPER);
        node.turns(200_000);
        assertEquals(200, slow.unfinishedMessages());
        // when
        sleeper.close();
        int turns = 0;
        while (slow.unfinishedMessages() > 0 && turns < 100_000) {
            node.turn();
            turns++;
        }
        // then: turns of 20 us
        assertTrue(turns < 50_000, turns + " turns");
        int events = 0;
        while (sender.pollEvent(event) == PmStatus.OK) {
            assertEquals(PmStatus.NO_SUCH_CONTEXT, event.status());
            events += event.slot() == PmEvent.NO_SLOT ? 0 : 1;
        }
        assertEquals(200, events);
        assertEquals(PmStatus.OK, sendTo(FIRST_READER, 0));
    }

    @Test
    void shouldSendLargeMessagesToOthersWhileOneTakesNothing() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final PmLargeMessages out =
                    new PmLargeMessages(sender, new Ignoring(), PmLargeMessages.Limits.DEFAULT);
            final PmLargeMessages in =
                    new PmLargeMessages(readers[0], new Ignoring(), PmLargeMessages.Limits.DEFAULT);
            final MemorySegment data = arena.allocate(1_000_000, 8);
            final long stuck = out.send(0, SLEEPER, data, 0);
            for (int i = 0; i < 20_000; i++) {
                out.poll();
                node.turn();
            }
            assertTrue(sender.destination(0, SLEEPER).isFull());
            // when
            final long sent = out.send(0, FIRST_READER, data, 0);
            for (int i = 0; i < 100_000 && !out.isSent(sent); i++) {
                out.poll();
                in.poll();
                node.turn();
            }
            // then
            assertTrue(out.isSent(sent));
            assertFalse(out.isSent(stuck));
        }
    }

    /** Takes messages of any length in fragments, and forgets them. */
    private static final class Ignoring implements PmLargeHandler {
        @Override
        public MemorySegment onStart(
                final int node, final int context, final long lengthBytes, final int tag) {
            return null;
        }

        @Override
        public void onEnd(
                final int node,
                final int context,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int status) {
            // Nothing is kept.
        }
    }
}
