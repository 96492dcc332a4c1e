package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

@Tag("unit")
class ContextMessagesTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LIMIT_NS = 20 * SECOND_NS;

    private final PmMessage message = new PmMessage();

    private static void send(final PmContext from, final int context, final String text) {
        final int slot = from.claim(0, context, text.length());
        assertTrue(slot >= 0, () -> "claim: " + PmStatus.name(slot));
        from.sendBuffer(slot).putStringWithoutLengthAscii(0, text);
        assertEquals(PmStatus.OK, from.send(slot, text.length(), text.length() * 7));
    }

    private String take(final PmContext context) {
        assertEquals(PmStatus.OK, context.await(LIMIT_NS));
        assertEquals(PmStatus.OK, context.receive(message));
        final String text = text();
        assertEquals(
                text,
                new String(
                        message.segment().toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.US_ASCII));
        return text;
    }

    private String text() {
        return message.buffer().getStringWithoutLengthAscii(0, message.lengthBytes());
    }

    @Test
    void shouldDeliverWhatWasSentWithTagAndSource() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmContext two = device.openContext(2)) {
            // when
            send(one, 2, "hello");
            // then
            assertEquals("hello", take(two));
            assertEquals(35, message.tag());
            assertEquals(0, message.sourceNode());
            assertEquals(1, message.sourceContext());
            two.release(message);
            device.poll();
            assertEquals(0, one.unfinishedSends());
            assertEquals(0, node.pool.outstanding());
        }
    }

    @RepeatedTest(20)
    void shouldKeepOrderWhateverIsSentHowever(final RepetitionInfo info) throws Exception {
        final long seed = info.getCurrentRepetition();
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            new MixedTraffic(seed).run(device, device::poll);
            assertEquals(
                    0,
                    node.loop.counters().value(CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS),
                    () -> "seed " + seed);
        }
    }

    @Test
    void shouldReportWhatTheDeviceIs() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            assertEquals(2, device.nodeCount());
            assertEquals(0, device.nodeId());
            assertEquals("2", device.shape());
            assertEquals(1, device.coordinates(1)[0]);
            assertEquals(1, device.nodeId(1));
            assertThrows(IllegalArgumentException.class, () -> device.nodeId(2));
            assertThrows(IllegalArgumentException.class, () -> device.nodeId(0, 0));
            assertEquals(TestNode.MTU_BYTES, device.mtuBytes());
            assertTrue(device.isInvoker());
            assertTrue(device.isNodeAlive());
        }
    }

    @Test
    void shouldHoldManyMessagesAndReleaseThemInAnyOrder() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // given
            final long[] handles = new long[100];
            for (int i = 0; i < handles.length; i++) {
                send(one, 1, "message " + i);
                assertEquals("message " + i, take(one));
                handles[i] = message.handle();
            }
            assertEquals(100, node.pool.outstanding());
            // when
            for (int i = 0; i < handles.length; i++) {
                one.release(handles[(i * 37) % handles.length]);
            }
            device.poll();
            // then
            assertEquals(0, one.messagesHeld());
            assertEquals(0, node.pool.outstanding());
            assertThrows(IllegalStateException.class, () -> one.release(handles[5]));
        }
    }

    @Test
    void shouldReleaseNoOtherMessageByAHandleThatWasReleased() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmContext two = device.openContext(2)) {
            // given a message released, and others that lie in its buffer after it
            send(one, 1, "first");
            assertEquals("first", take(one));
            final long first = message.handle();
            one.release(message);
            for (int i = 0; i < 100; i++) {
                send(one, 1, "message " + i);
                send(one, 2, "message " + i);
                assertEquals("message " + i, take(two));
                final long other = message.handle();
                assertEquals("message " + i, take(one));
                // when it is released again, or that of another context
                assertThrows(IllegalStateException.class, () -> one.release(first));
                assertThrows(IllegalStateException.class, () -> one.release(other));
                // then the one there is held and read as before
                assertEquals(1, one.messagesHeld());
                assertEquals("message " + i, text());
                one.release(message);
                two.release(other);
            }
        }
    }

    @Test
    void shouldStopTheSenderOnlyWhenAReceiverHoldsItsQuota() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmContext slow = device.openContext(2);
                PmContext fast = device.openContext(3)) {
            // given a context that takes nothing
            for (int i = 0; i < TestNode.QUOTA_FRAMES + 50; i++) {
                send(one, 2, "x" + i);
                device.poll();
            }
            assertEquals(50, one.unfinishedSends());
            // when
            send(one, 3, "other");
            // then
            assertEquals("other", take(fast));
            fast.release(message);
            for (int i = 0; i < TestNode.QUOTA_FRAMES + 50; i++) {
                assertEquals("x" + i, take(slow));
                slow.release(message);
            }
            device.poll();
            assertEquals(0, one.unfinishedSends());
            assertEquals(0, node.pool.outstanding());
        }
    }

    @Test
    void shouldReportNoBuffersWhenAllAreUnderWay() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one =
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(4))) {
            for (int i = 0; i < 4; i++) {
                send(one, 1, "x");
            }
            assertEquals(PmStatus.NO_BUFFERS, one.claim(0, 1, 1));
            assertEquals(PmStatus.OK, one.awaitSends(LIMIT_NS));
            final int slot = one.claim(0, 1, 1);
            assertTrue(slot >= 0);
            one.abandon(slot);
            assertTrue(one.isSendDone(slot));
            assertEquals(4, node.pool.outstanding());
        }
    }

    @Test
    void shouldReportSendsThatFail() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1)) {
            // when
            send(one, 9, "nobody there");
            device.poll();
            // then
            final PmEvent event = new PmEvent();
            assertEquals(PmStatus.OK, one.pollEvent(event));
            assertEquals(PmStatus.NO_SUCH_CONTEXT, event.status());
            assertEquals(9, event.context());
            assertTrue(event.slot() >= 0);
            assertEquals(PmStatus.OK, one.pollEvent(event));
            assertEquals(PmEvent.NO_SLOT, event.slot());
            assertEquals(PmStatus.EMPTY, one.pollEvent(event));
            assertEquals(0, one.unfinishedSends());
        }
    }

    @Test
    void shouldSendFromARegionWithoutTouchingTheSlot() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmRegion region = device.openRegion(100_000)) {
            // given
            region.segment().setString(70_000, "from the region", StandardCharsets.US_ASCII);
            // when
            final int slot = one.claim(0, 1, 0);
            assertEquals(PmStatus.OK, one.sendFrom(slot, region, 70_000, 15, 1));
            // then
            assertEquals("from the region", take(one));
            final int other = one.claim(0, 1, 0);
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> one.sendFrom(other, region, 99_990, 11, 1));
        }
    }

    @Test
    void shouldThrowWhenUsedWrongly() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            final PmContext one = device.openContext(1);
            assertThrows(IllegalArgumentException.class, () -> one.claim(2, 1, 1));
            assertThrows(IllegalArgumentException.class, () -> one.claim(-1, 1, 1));
            assertThrows(IllegalArgumentException.class, () -> one.claim(0, 64, 1));
            assertThrows(
                    IllegalArgumentException.class, () -> one.claim(0, 1, TestNode.MTU_BYTES + 1));
            assertThrows(IllegalStateException.class, () -> one.send(0, 1, 1));
            final int slot = one.claim(0, 1, 4);
            assertThrows(IllegalArgumentException.class, () -> one.send(slot, 5, 1));
            assertEquals(PmStatus.OK, one.send(slot, 4, 1));
            assertThrows(IllegalStateException.class, () -> one.send(slot, 4, 1));
            assertThrows(java.io.IOException.class, () -> device.openContext(1));
            one.close();
            assertThrows(IllegalStateException.class, () -> one.sendAddress(slot));
            assertEquals(PmStatus.CONTEXT_CLOSED, one.receive(message));
            assertEquals(PmStatus.CONTEXT_CLOSED, one.claim(0, 1, 1));
        }
    }

    @Test
    void shouldOpenAContextAgainAfterItWasClosed() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            for (int i = 0; i < 10; i++) {
                try (PmContext one = device.openContext(1)) {
                    send(one, 1, "left lying " + i);
                    device.poll();
                }
            }
            device.openContext(1).close();
            node.loop.doWork(0);
            node.loop.doWork(0);
            assertEquals(0, node.pool.outstanding());
            assertEquals(0, node.manager.openContexts());
            assertEquals(
                    11, node.loop.counters().value(CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS));
        }
    }

    @Test
    void shouldWakeTheNodeAndTheApplicationFromSleep() throws Exception {
        final PmContextOptions sleepy = PmContextOptions.DEFAULT.withSpinNs(0);
        try (TestNode node = new TestNode().start();
                PmDevice device = node.attached();
                PmContext one = device.openContext(1, sleepy);
                PmContext two = device.openContext(2, sleepy)) {
            for (int i = 0; i < 2000; i++) {
                send(one, 2, "ping " + i);
                assertEquals("ping " + i, take(two));
                two.release(message);
                send(two, 1, "pong " + i);
                assertEquals("pong " + i, take(one));
                one.release(message);
            }
            assertEquals(PmStatus.TIMED_OUT, one.await(1_000_000));
            assertFalse(device.isInvoker());
        }
    }

    @Test
    void shouldReportThatTheNodeIsGone() throws Exception {
        final TestNode node = new TestNode();
        final PmDevice device = node.invoked();
        final PmContext one = device.openContext(1);
        // when
        node.loop.close();
        node.manager.close();
        // then
        assertEquals(PmStatus.NODE_GONE, one.await(LIMIT_NS));
        assertEquals(PmStatus.NODE_GONE, one.receive(message));
        assertEquals(PmStatus.NODE_GONE, one.send(one.claim(0, 1, 1), 1, 0));
        one.close();
        device.close();
        node.receiveMemory.close();
    }

    @Test
    void shouldNotWaitForASendThatEndedWhileEventsWereLookedFor() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked();
                PmContext one = device.openContext(1);
                PmContext two = device.openContext(2)) {
            // given
            send(one, 2, "hello");
            node.loop.doWork(0);
            assertEquals(PmStatus.EMPTY, one.pollEvent(new PmEvent()));
            // when
            final int first = one.awaitSends(SECOND_NS);
            final int second = one.awaitSends(1_000);
            // then
            assertEquals(PmStatus.OK, first);
            assertEquals(PmStatus.TIMED_OUT, second);
            send(one, 2, "again");
            node.loop.doWork(0);
            assertEquals(PmStatus.EMPTY, one.pollEvent(new PmEvent()));
            assertFalse(one.arm(true), "one has ended");
            assertTrue(one.arm(true), "and was notified");
            one.disarm();
            assertEquals("hello", take(two));
            two.release(message);
        }
    }

    @Test
    void shouldNotGiveTheSuccessorOfAContextWhatWasMeantForIt() throws Exception {
        try (TestNode node = new TestNode();
                PmDevice device = node.invoked()) {
            // given
            device.openContext(1).close();
            final int before = node.port.incarnation(1);
            final PmContext successor = device.openContext(1);
            // when
            final int late = deliver(node, 1, before);
            // then
            assertEquals(FlowListener.FULL, late);
            assertEquals(PmStatus.EMPTY, successor.receive(message));
            assertEquals(FlowListener.DELIVERED, deliver(node, 1, node.port.incarnation(1)));
            assertEquals(PmStatus.OK, successor.receive(message));
            successor.close();
        }
    }

    private static int deliver(final TestNode node, final int contextId, final int incarnation) {
        final int id = node.share.acquire();
        final long body = node.pool.address(id) + 128;
        Memory.putInt(body, 0);
        return node.manager
                .delivery()
                .onFrame(new FlowEndpoints(contextId, incarnation, 0, 2, 0), id, body, 8, 1);
    }
}
