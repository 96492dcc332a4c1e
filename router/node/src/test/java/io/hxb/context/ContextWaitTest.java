package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hxb.linux.Descriptors;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What ends a wait, and with which status. */
@Tag("unit")
class ContextWaitTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LIMIT_NS = 20 * SECOND_NS;
    private static final int NOBODY = 9;

    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();

    private static void send(final PmContext from, final int context, final String text) {
        assertEquals(PmStatus.OK, from.send(0, context, text.getBytes(US_ASCII), 1, LIMIT_NS));
    }

    private void assertReceives(final PmContext context, final String text) {
        assertEquals(PmStatus.OK, context.receive(message, LIMIT_NS));
        assertEquals(text, message.buffer().getStringWithoutLengthAscii(0, message.lengthBytes()));
        context.release(message);
    }

    private void assertTellsOf(final PmContext context, final int status, final int peerContext) {
        assertEquals(PmStatus.OK, context.pollEvent(event));
        assertEquals(PmStatus.name(status), PmStatus.name(event.status()));
        assertEquals(peerContext, event.context());
    }

    @Test
    void shouldEndEveryWaitWithTheEventUntilItIsTaken() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // when
            send(one, NOBODY, "nobody there");
            // then
            assertEquals(PmStatus.EVENT, one.await(LIMIT_NS));
            assertEquals(PmStatus.EVENT, one.await(0));
            assertEquals(PmStatus.EVENT, one.receive(message, LIMIT_NS));
            assertEquals(0, one.unfinishedSends());
            assertEquals(PmStatus.EVENT, one.awaitAny(LIMIT_NS));
            assertEquals(PmStatus.EVENT, one.awaitSends(LIMIT_NS));
            assertFalse(one.arm(false));
            // and: the message's own event, then that of the flow
            assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
            assertTrue(event.slot() >= 0);
            assertEquals(PmStatus.EVENT, one.await(LIMIT_NS));
            assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
            assertEquals(PmEvent.NO_SLOT, event.slot());
            assertEquals(PmStatus.TIMED_OUT, one.receive(message, 1_000));
        }
    }

    @Test
    void shouldGiveMessagesBeforeTheEventThatCameEarlier() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // given
            send(one, NOBODY, "nobody there");
            assertEquals(PmStatus.EVENT, one.await(LIMIT_NS));
            // when
            send(one, 1, "first");
            send(one, 1, "second");
            device.poll();
            // then
            assertEquals(PmStatus.OK, one.await(LIMIT_NS));
            assertReceives(one, "first");
            assertReceives(one, "second");
            assertEquals(PmStatus.EVENT, one.receive(message, LIMIT_NS));
        }
    }

    @Test
    void shouldGiveMessagesBeforeTheEventThatCameLater() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // when
            send(one, 1, "first");
            send(one, NOBODY, "nobody there");
            device.poll();
            // then
            assertReceives(one, "first");
            assertEquals(PmStatus.EVENT, one.receive(message, LIMIT_NS));
            assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
        }
    }

    @Test
    void shouldNotifyWhoWaitsForMessagesOfASendThatFailedWithoutItsFlow() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmContext two = device.openContext(2)) {
            // given a send that is held up
            for (int i = 0; i <= TestNode.QUOTA_FRAMES; i++) {
                send(one, 2, "x");
                device.poll();
            }
            assertEquals(1, one.unfinishedSends());
            assertEquals(PmStatus.TIMED_OUT, one.receive(message, 1_000));
            assertTrue(one.arm(false));
            // when
            final int slot = node.port.takeWaiting(2);
            node.manager.delivery().onSendDone(1, slot, PmStatus.NO_BUFFERS);
            device.poll();
            // then: woken, and notified
            assertTrue(Descriptors.poll(one.descriptor(), Descriptors.POLLIN, 0) != 0);
            one.disarm();
            assertEquals(PmStatus.EVENT, one.receive(message, LIMIT_NS));
            assertTellsOf(one, PmStatus.NO_BUFFERS, 2);
            assertEquals(slot, event.slot());
            assertEquals(PmStatus.TIMED_OUT, one.receive(message, 1_000));
            assertEquals(PmStatus.OK, two.await(LIMIT_NS));
        }
    }

    @Test
    void shouldWakeASleepingReceiverForAMessageAndForAnEvent() throws Exception {
        final PmContextOptions sleepy = PmContextOptions.DEFAULT.withSpinNs(0);
        try (TestNode node = new TestNode().start();
                PmDevice device = node.attached();
                PmContext one = device.openContext(1, sleepy)) {
            for (int i = 0; i < 200; i++) {
                // when, then
                send(one, 1, "to myself");
                assertReceives(one, "to myself");
                send(one, NOBODY, "nobody there");
                assertEquals(PmStatus.EVENT, one.receive(message, 10 * SECOND_NS));
                assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
                assertEquals(PmStatus.EVENT, one.receive(message, 10 * SECOND_NS));
                assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
            }
        }
    }

    @Test
    void shouldLoseNoEventOfAnApplicationThatTakesAllWhileTheNodeStillWorks() throws Exception {
        final int count = 500;
        final int[] taken = new int[1];
        final int[] sent = new int[1];
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // given an application that is faster than a turn of the node, and changes destinations
            node.port.afterReport(
                    () -> {
                        while (one.pollEvent(event) == PmStatus.OK) {
                            taken[0]++;
                        }
                        if (taken[0] < count) {
                            send(one, NOBODY + sent[0]++ % 2, "nobody there either");
                        }
                    });
            // when
            send(one, NOBODY, "nobody there");
            send(one, NOBODY + 1, "nobody there");
            TestNode.await(
                    "all events are taken",
                    () -> {
                        device.poll();
                        return taken[0] >= count;
                    });
            // then
            assertEquals(0, node.manager.eventsLost());
        }
    }

    @Test
    void shouldTimeOutAndRefuseTimesThatAreNone() throws Exception {
        try (TestNode node = new TestNode().start();
                PmDevice device = node.attached();
                PmContext one = device.openContext(1)) {
            assertEquals(PmStatus.TIMED_OUT, one.receive(message, 1_000_000));
            assertEquals(PmStatus.TIMED_OUT, one.receive(message, 0));
            assertEquals(PmStatus.OK, one.awaitAllSends(0));
            assertThrows(IllegalArgumentException.class, () -> one.receive(message, -1));
        }
    }

    @Test
    void shouldWaitForABufferAndForAllThatWasSent() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one =
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(4))) {
            // given
            for (int i = 0; i < 4; i++) {
                send(one, 1, "x" + i);
            }
            assertEquals(PmStatus.NO_BUFFERS, one.claim(0, 1, 1));
            // when, then
            final int slot = one.claim(0, 1, 2, SECOND_NS);
            assertTrue(slot >= 0);
            one.sendBuffer(slot).putStringWithoutLengthAscii(0, "x4");
            assertEquals(PmStatus.OK, one.send(slot, 2, 1));
            send(one, 1, "x5");
            assertEquals(PmStatus.OK, one.awaitAllSends(LIMIT_NS));
            assertEquals(0, one.unfinishedSends());
            for (int i = 0; i < 6; i++) {
                assertReceives(one, "x" + i);
            }
        }
    }

    @Test
    void shouldNotWaitForABufferWithoutSuccess() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(1));
                PmContext two = device.openContext(2)) {
            // given
            for (int i = 0; i <= TestNode.QUOTA_FRAMES; i++) {
                send(one, 2, "x");
                device.poll();
            }
            // when, then
            assertEquals(PmStatus.TIMED_OUT, one.claim(0, 2, 1, 1_000));
            assertEquals(PmStatus.TIMED_OUT, one.awaitAllSends(1_000));
            assertEquals(PmStatus.OK, two.await(LIMIT_NS));
        }
    }

    @Test
    void shouldReportWhenNotAllHasArrived() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            send(one, 1, "fine");
            send(one, NOBODY, "nobody there");
            // when, then
            assertEquals(PmStatus.EVENT, one.awaitAllSends(LIMIT_NS));
            assertTellsOf(one, PmStatus.NO_SUCH_CONTEXT, NOBODY);
            assertEquals(PmStatus.OK, one.awaitAllSends(LIMIT_NS));
        }
    }

    @Test
    void shouldReportThatTheNodeIsGoneWhateverIsWaitedFor() throws Exception {
        final TestNode node = new TestNode();
        final PmDevice device = node.invoked();
        final PmContext one = device.openContext(1);
        send(one, 1, "too late");
        // when
        node.loop.close();
        node.manager.close();
        // then
        assertEquals(PmStatus.NODE_GONE, one.receive(message, LIMIT_NS));
        assertEquals(PmStatus.NODE_GONE, one.awaitAllSends(LIMIT_NS));
        assertEquals(PmStatus.NODE_GONE, one.send(0, 1, new byte[1], 0, LIMIT_NS));
        one.close();
        assertEquals(PmStatus.CONTEXT_CLOSED, one.receive(message, LIMIT_NS));
        device.close();
        node.receiveMemory.close();
    }
}
