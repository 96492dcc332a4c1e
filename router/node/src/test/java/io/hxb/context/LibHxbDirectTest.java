package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb.Build;
import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.Seeds;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Programs in C that send to others of their node directly, whatever these are written in. */
@Tag("system")
class LibHxbDirectTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int SEEDS = 5 * Seeds.TIMES;
    private static final int MESSAGES = 4_000;

    /** Messages that scenario_direct.c sends after a header that cannot be, and gets back. */
    private static final int RUDE_ROUND_TRIPS = 200;

    /** What a sender may write in its ring, see scenario_direct.c. */
    private static final int RUDE_HEADERS = 6;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();
    private final LibHxb programs = new LibHxb();
    private ServedSocket socket;
    private String path;

    @BeforeEach
    void build() throws Exception {
        LibHxb.build(Build.CHECKED, "scenario");
        socket = new ServedSocket(directory);
        path = socket.path().toString();
    }

    @AfterEach
    void killPrograms() {
        programs.close();
        socket.close();
    }

    /** {@return messages that went through the node} */
    private static long throughNode(final TestNode node) {
        return node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
    }

    @Tag("search")
    @Test
    void shouldKeepOrderAndBytesHoweverMessagesAreSentAndReleased() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            for (int seed = 0; seed < SEEDS; seed++) {
                final long before = throughNode(node);
                programs.run(Build.CHECKED, "direct", path, Integer.toString(seed));
                final long count = throughNode(node) - before;
                assertTrue(count < MESSAGES, count + " through the node, seed " + seed);
            }
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldTalkFromProcessToProcess() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            final Process one =
                    programs.startReady(Build.CHECKED, "direct-end", path, "1", "2", "3");
            final Process two =
                    programs.startReady(Build.CHECKED, "direct-end", path, "2", "1", "4");
            begin(one);
            begin(two);
            assertEquals(List.of(), LibHxb.lines(one));
            assertEquals(List.of(), LibHxb.lines(two));
            final long count = throughNode(node);
            assertTrue(count < MESSAGES, count + " through the node");
            assertEquals(0, server.refused());
        }
    }

    private static void begin(final Process program) throws IOException {
        program.getOutputStream().write('\n');
        program.getOutputStream().flush();
    }

    @Test
    void shouldTalkFromCToJavaAndBack() throws Exception {
        for (int seed = 0; seed < 3; seed++) {
            try (TestNode node = new TestNode().start();
                    AttachServer server = socket.serve(node)) {
                final DirectEnd java = new DirectEnd(PmDevice.attach(socket.path()), 1, 2, seed);
                final Process program =
                        programs.startReady(
                                Build.CHECKED,
                                "direct-end",
                                path,
                                "2",
                                "1",
                                Integer.toString(seed));
                begin(program);
                while (!java.isDone()) {
                    java.step();
                }
                assertEquals(List.of(), LibHxb.lines(program));
                java.close();
                final long count = throughNode(node);
                assertTrue(count < MESSAGES, count + " through the node, seed " + seed);
                assertEquals(0, server.refused());
            }
        }
    }

    private void pingPong(final PmContext context, final int peer, final int count) {
        for (int i = 0; i < count; i++) {
            assertEquals(
                    PmStatus.OK,
                    context.send(0, peer, new byte[] {(byte) i, 2, 3}, i, 20 * SECOND_NS));
            assertEquals(PmStatus.OK, receive(context, peer));
            assertEquals(i, message.tag());
            assertEquals((byte) i, message.buffer().getByte(0));
            context.release(message);
        }
    }

    /** Exchanges messages until they go directly; returns how many went through the node. */
    private long goDirect(final TestNode node, final PmContext context, final int peer) {
        final long[] before = {-1};
        TestNode.await(
                "messages go directly",
                () -> {
                    final boolean isDirect = before[0] == throughNode(node);
                    before[0] = throughNode(node);
                    pingPong(context, peer, 200);
                    return isDirect;
                });
        return throughNode(node);
    }

    // The event that an earlier context of this number is gone may come at any time.
    private int receive(final PmContext context, final int peer) {
        final PmEvent event = new PmEvent();
        int status = context.receive(message, 20 * SECOND_NS);
        while (status == PmStatus.EVENT) {
            assertEquals(PmStatus.OK, context.pollEvent(event));
            assertEquals(peer, event.context(), event::toString);
            status = context.receive(message, 20 * SECOND_NS);
        }
        return status;
    }

    @Test
    void shouldWakeTheOtherEndWithoutTheNode() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            programs.startReady(Build.CHECKED, "echo", path, "5");
            final long before = goDirect(node, context, 5);
            pingPong(context, 5, 10_000);
            assertEquals(before, throughNode(node));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldWaitForRoomInTheRing() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of(), programs.run(Build.CHECKED, "direct-full", path));
            assertEquals(33, throughNode(node));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldReceiveWhatWasSentBeforeTheSenderWasClosed() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of(), programs.run(Build.CHECKED, "direct-closed", path));
            assertEquals(33, throughNode(node));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldGoOnWhenTheReceiverIsKilled() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            for (int i = 0; i < 3; i++) {
                final Process echo = programs.startReady(Build.CHECKED, "echo", path, "5");
                final long before = goDirect(node, context, 5);
                pingPong(context, 5, 1_000);
                assertEquals(before, throughNode(node));
                echo.destroyForcibly().waitFor();
                TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            }
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldGoOnWhenTheSenderIsKilled() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            programs.startReady(Build.CHECKED, "echo", path, "5");
            for (int own = 10; own < 14; own++) {
                final Process ping =
                        programs.startReady(
                                Build.CHECKED, "direct-ping", path, Integer.toString(own), "5");
                ping.destroyForcibly().waitFor();
                TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            }
            programs.run(Build.CHECKED, "ping", path, "20", "5");
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldGiveUpARingWithHeadersThatCannotBe() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            programs.startReady(Build.CHECKED, "echo", path, "5");
            socket.child("echo", 6);
            for (int i = 0; i < 2 * RUDE_HEADERS; i++) {
                final long before = throughNode(node);
                final String receiver = i < RUDE_HEADERS ? "5" : "6";
                final String header = Integer.toString(i % RUDE_HEADERS);
                programs.run(Build.CHECKED, "direct-rude", path, receiver, header);
                // What comes after the header goes through the node.
                final long count = throughNode(node) - before;
                assertTrue(count >= RUDE_ROUND_TRIPS, count + " through the node");
            }
            programs.run(Build.CHECKED, "ping", path, "20", "5");
            assertEquals(0, server.refused());
        }
    }
}
