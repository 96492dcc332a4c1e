package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.attach.DirectOffer;
import io.hxb.pm.shm.NodePage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** What an application does about a node that stands still: it waits a while and reports it. */
@Tag("unit")
class SilentNodeTest {
    private static final long LIMIT_MS = 100;
    private static final int MORE_THAN_MAY_WAIT = 1_100;
    private static final int MANY = 1_000;

    @TempDir private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable socket : opened.reversed()) {
            socket.close();
        }
    }

    private Path socket() {
        return directory.resolve("node.sock");
    }

    private UnixSocket listen() throws IOException {
        final UnixSocket listener = UnixSocket.listen(socket());
        opened.add(listener);
        return listener;
    }

    @Test
    void shouldNotWaitForeverForANodeThatDoesNotAnswer() throws Exception {
        // given
        listen();
        // when
        final IOException silent =
                assertThrows(IOException.class, () -> SocketAttachment.connect(socket(), LIMIT_MS));
        // then
        assertTrue(
                silent.getMessage().contains("has not answered within 100 ms"), silent::getMessage);
    }

    @Test
    void shouldNotWaitForeverForANodeThatDoesNotAccept() throws Exception {
        // given a full queue of connections
        listen();
        LinuxException full = null;
        for (int i = 0; i < MORE_THAN_MAY_WAIT && full == null; i++) {
            try {
                opened.add(UnixSocket.connect(socket(), LIMIT_MS));
            } catch (final LinuxException e) {
                full = e;
            }
        }
        assertEquals(Errno.EAGAIN, full.errno());
        // when
        final IOException silent =
                assertThrows(IOException.class, () -> SocketAttachment.connect(socket(), LIMIT_MS));
        // then
        assertTrue(silent.getMessage().contains("accepts no connections"), silent::getMessage);
        assertTrue(silent.getMessage().contains("stopped or overloaded"), silent::getMessage);
    }

    @Test
    void shouldReportThatAProcessIsStopped() throws Exception {
        final Process process = new ProcessBuilder("sleep", "60").start();
        try {
            final UnixSocket.Peer peer = new UnixSocket.Peer((int) process.pid(), 0, 0, List.of());
            assertTrue(StoppedNode.describe(peer).contains("hangs"));
            // when
            new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
            // then
            final String stopped = awaitStopped(peer);
            assertTrue(stopped.contains("kill -CONT " + process.pid()), stopped);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static String awaitStopped(final UnixSocket.Peer peer) {
        final long startNs = System.nanoTime();
        String text = StoppedNode.describe(peer);
        while (!text.contains("is stopped")
                && System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(5)) {
            text = StoppedNode.describe(peer);
        }
        return text;
    }

    @Test
    void shouldGoOnWithANodeThatAnswersLate() throws Exception {
        try (LateNode node = new LateNode(listen(), socket())) {
            final Attachment attachment = node.attach();
            // when it is silent, and then answers all that it was asked for
            final ContextRequest request = new ContextRequest(4, 64, 64, 0);
            assertThrows(IOException.class, () -> attachment.openContext(1, request));
            assertThrows(IOException.class, () -> attachment.openRegion(4096, false));
            node.answerAll();
            // then old answers are not taken for the new one, and nothing is lent already
            final Thread late = new Thread(node::answerSoon);
            late.start();
            final Attachment.RegionMemory region = attachment.openRegion(4096, false);
            assertEquals(4096, region.lengthBytes());
            late.join();
            attachment.close();
        }
    }

    @Test
    void shouldNotWaitForANodeThatReportsNoRings() throws Exception {
        try (LateNode node = new LateNode(listen(), socket())) {
            final Attachment attachment = node.attach();
            final long startNs = System.nanoTime();
            // when
            final DirectOffer offer = attachment.offerDirect(1, 2, 3, 4);
            for (int i = 0; i < MANY; i++) {
                assertEquals(DirectOffer.State.OPEN, offer.state());
                assertNull(attachment.nextDirectChange(1));
            }
            // then
            assertTrue(System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(LIMIT_MS * 50));
            // and the answers are taken when they are there
            node.answerAll();
            DirectChange change = attachment.nextDirectChange(1);
            for (int i = 0; i < MANY && change == null; i++) {
                change = attachment.nextDirectChange(1);
            }
            assertEquals(DirectChange.NONE, change.kind());
            // which has no signal
            assertEquals(DirectOffer.State.REFUSED, offer.state());
            offer.memory().close();
            attachment.close();
        }
    }

    @Test
    void shouldCloseWhileAnotherThreadWaitsForAnAnswer() throws Exception {
        try (LateNode node = new LateNode(listen(), socket())) {
            final Attachment attachment = node.attach(TimeUnit.MINUTES.toMillis(1));
            final FutureTask<String> asking =
                    new FutureTask<>(
                            () ->
                                    assertThrows(
                                                    IOException.class,
                                                    () -> attachment.openRegion(4096, false))
                                            .getMessage());
            new Thread(asking).start();
            // when the node has the request
            assertEquals(AttachMessage.LEND, node.awaitRequest());
            attachment.close();
            // then
            assertTrue(asking.get(10, TimeUnit.SECONDS).contains("is gone"));
        }
    }

    /** A node that answers when the test asks for it; of memory it keeps count as a real one. */
    private static final class LateNode implements AutoCloseable {
        private final UnixSocket listener;
        private final Path path;
        private final AttachMessage message = new AttachMessage();
        private final SharedMemory page;
        private final BitSet lent = new BitSet();
        private UnixSocket end;

        private LateNode(final UnixSocket listener, final Path path) throws IOException {
            this.listener = listener;
            this.path = path;
            page = SharedMemory.create("page", NodePage.LENGTH_BYTES);
            new NodePage(page.address())
                    .initialize(new NodePage.Facts(0, 2, "2", 8000, 8, 16, 9216, 1, 1));
        }

        private Attachment attach() throws Exception {
            return attach(LIMIT_MS);
        }

        private Attachment attach(final long limitMs) throws Exception {
            final Thread greeter = new Thread(this::greet);
            greeter.start();
            final Attachment attachment = SocketAttachment.connect(path, limitMs);
            greeter.join();
            return attachment;
        }

        private void greet() {
            try {
                end = listener.accept();
                end.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
                message.reply(AttachMessage.HELLO)
                        .argument(0, NodePage.LENGTH_BYTES)
                        .argument(1, 64)
                        .argument(3, 1 << 20);
                end.send(
                        message.address(),
                        AttachMessage.LENGTH_BYTES,
                        page.descriptor(),
                        page.descriptor());
            } catch (final LinuxException e) {
                throw new IllegalStateException(e);
            }
        }

        private int awaitRequest() throws LinuxException {
            end.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
            end.closeReceivedDescriptors();
            return message.type();
        }

        private int answerAll() throws LinuxException {
            int answers = 0;
            while (end.receive(message.address(), AttachMessage.LENGTH_BYTES, false) > 0) {
                end.closeReceivedDescriptors();
                answers += answer();
            }
            return answers;
        }

        private int answer() throws LinuxException {
            final int type = message.type();
            final int id = (int) message.argument(0);
            switch (type) {
                case AttachMessage.TAKE_BACK -> {
                    lent.clear(id);
                    return 0;
                }
                case AttachMessage.CLOSE_CONTEXT -> {
                    return 0;
                }
                case AttachMessage.LEND -> {
                    if (lent.get(id)) {
                        message.refusal(type, "the memory with id " + id + " is lent already");
                    } else {
                        lent.set(id);
                        message.reply(type);
                    }
                }
                default -> message.reply(type);
            }
            end.send(message.address(), AttachMessage.LENGTH_BYTES);
            return 1;
        }

        private void answerSoon() {
            try {
                // Memory is announced, and then passed.
                int answers = 0;
                while (answers < 2) {
                    answers += answerAll();
                }
            } catch (final LinuxException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            end.close();
            page.close();
        }
    }
}
