package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LimitConfig;
import io.hxb.config.ResourceShare;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessageHandler;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Messages between attached contexts of one node, most of which do not go through it. */
@Tag("unit")
@Timeout(60)
class DirectMessagesTest {
    private static final long LIMIT_NS = 20_000_000_000L;
    private static final int SEEDS = 40;

    @TempDir private Path directory;

    @Test
    void shouldKeepOrderAndBytesHoweverMessagesAreSentAndReleased() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            try (TestNode node = new TestNode();
                    ServedSocket socket = new ServedSocket(directory);
                    AttachServer server = socket.serve(node.start())) {
                final DirectEnd one = new DirectEnd(PmDevice.attach(socket.path()), 1, 2, seed);
                final DirectEnd two = new DirectEnd(PmDevice.attach(socket.path()), 2, 1, ~seed);
                // when
                while (!one.isDone() || !two.isDone()) {
                    one.step();
                    two.step();
                }
                // then
                assertEquals(0, one.context.messagesHeld(), "seed " + seed);
                assertEquals(0, server.refused());
                assertEquals(PmStatus.OK, one.context.awaitAllSends(LIMIT_NS));
                assertEquals(PmStatus.OK, two.context.awaitAllSends(LIMIT_NS));
                final long throughNode =
                        node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                assertTrue(
                        throughNode < DirectEnd.MESSAGES,
                        throughNode + " through the node, seed " + seed);
                one.close();
                two.close();
            }
        }
    }

    @Test
    void shouldSendDirectlyAfterTheFirstMessages() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            for (int i = 0; i < 10_000; i++) {
                TwoPrograms.exchange(one, two);
                TwoPrograms.exchange(two, one);
            }
            assertTrue(
                    programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES) < 200);
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldReceiveSeveralMessagesByOneCall() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            final List<Integer> tags = new ArrayList<>();
            final PmMessageHandler handler =
                    received -> {
                        assertEquals(1, two.messagesHeld());
                        assertThrows(IllegalStateException.class, two::close);
                        assertThrows(IllegalStateException.class, () -> two.receive(_ -> {}, 1));
                        tags.add(received.tag());
                        if (received.tag() % 3 == 0) {
                            two.release(received);
                        }
                        if (received.tag() % 5 == 0) {
                            throw new IllegalArgumentException("a handler that fails");
                        }
                    };
            // when: at first they come through the node, then through a ring
            int sent = 0;
            while (sent < 3_000) {
                for (int i = 0; i < 30; i++) {
                    assertEquals(PmStatus.OK, one.send(0, 2, new byte[200], sent++, LIMIT_NS));
                }
                while (tags.size() < sent) {
                    final int before = tags.size();
                    try {
                        final int count = two.receive(handler, 7);
                        assertTrue(count <= 7);
                        assertEquals(before + count, tags.size());
                    } catch (final IllegalArgumentException e) {
                        assertEquals(0, tags.getLast() % 5);
                    }
                }
            }
            // then
            for (int i = 0; i < sent; i++) {
                assertEquals(i, tags.get(i));
            }
            assertEquals(0, two.messagesHeld());
            assertEquals(0, two.receive(handler, 7));
            assertTrue(
                    programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES)
                            < sent / 2);
            assertThrows(IllegalArgumentException.class, () -> two.receive(handler, 0));
            assertEquals(PmStatus.OK, one.awaitAllSends(LIMIT_NS));
            TestNode.await("buffers back", () -> programs.node.pool.outstanding() == 0);
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldSendThroughTheNodeWhereMessagesAreCounted() throws Exception {
        final LimitConfig limits = LimitConfig.of(Map.of(ResourceShare.MESSAGES, 1_000_000L));
        try (TwoPrograms programs =
                new TwoPrograms(directory, new TestNode(limits), PmContextOptions.DEFAULT)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            for (int i = 0; i < 500; i++) {
                TwoPrograms.exchange(one, two);
            }
            assertEquals(
                    500, programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
            assertEquals(0, programs.server.refused());
        }
    }
}
