package io.hxb.pm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.shm.NodePage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What an application does about a node that stands still: it waits a while and says so. */
@Tag("unit")
class SilentNodeTest {
    private static final long LIMIT_MS = 100;
    private static final int MORE_THAN_MAY_WAIT = 100;

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
    void shouldSayThatAProcessIsStopped() throws Exception {
        final Process process = new ProcessBuilder("sleep", "60").start();
        try {
            final UnixSocket.Peer peer = new UnixSocket.Peer((int) process.pid(), 0, 0, List.of());
            assertTrue(StandingNode.describe(peer).contains("hangs"));
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
        String text = StandingNode.describe(peer);
        while (!text.contains("is stopped")
                && System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(5)) {
            text = StandingNode.describe(peer);
        }
        return text;
    }

    @Test
    void shouldGoOnWithANodeThatAnswersLate() throws Exception {
        // given a node that answers once, and is attached to
        final UnixSocket listener = listen();
        final AttachMessage message = new AttachMessage();
        try (UnixSocket client = UnixSocket.connect(socket());
                SharedMemory page = SharedMemory.create("page", NodePage.LENGTH_BYTES)) {
            assertTrue(client.descriptor() >= 0);
            listener.accept().close();
            new NodePage(page.address())
                    .initialize(new NodePage.Facts(0, 2, "2", 8000, 8, 16, 9216, 1, 1));
            final List<UnixSocket> ends = new ArrayList<>();
            final Thread node = new Thread(() -> greet(listener, message, page, ends));
            node.start();
            final Attachment attachment = SocketAttachment.connect(socket(), LIMIT_MS);
            node.join();
            opened.add(ends.getFirst());
            // when it is silent, and then answers all that it was asked for
            final ContextRequest request = new ContextRequest(4, 64, 64, 0);
            assertThrows(IOException.class, () -> attachment.openContext(1, request));
            assertThrows(IOException.class, () -> attachment.openRegion(4096, false));
            answerAll(ends.getFirst(), message);
            // then old answers are not taken for the new one
            final Thread late = new Thread(() -> answerSoon(ends.getFirst(), message));
            late.start();
            final Attachment.RegionMemory region = attachment.openRegion(4096, false);
            assertEquals(4096, region.lengthBytes());
            late.join();
            attachment.close();
        }
    }

    private static void greet(
            final UnixSocket listener,
            final AttachMessage message,
            final SharedMemory page,
            final List<UnixSocket> ends) {
        try {
            final UnixSocket end = listener.accept();
            ends.add(end);
            end.receive(message.address(), AttachMessage.LENGTH_BYTES, true);
            message.reply(AttachMessage.HELLO).argument(0, NodePage.LENGTH_BYTES).argument(1, 64);
            end.send(
                    message.address(),
                    AttachMessage.LENGTH_BYTES,
                    page.descriptor(),
                    page.descriptor());
        } catch (final LinuxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int answerAll(final UnixSocket end, final AttachMessage message)
            throws LinuxException {
        int answers = 0;
        while (end.receive(message.address(), AttachMessage.LENGTH_BYTES, false) > 0) {
            end.closeReceivedDescriptors();
            final int type = message.type();
            if (type != AttachMessage.TAKE_BACK && type != AttachMessage.CLOSE_CONTEXT) {
                end.send(message.reply(type).address(), AttachMessage.LENGTH_BYTES);
                answers++;
            }
        }
        return answers;
    }

    private static void answerSoon(final UnixSocket end, final AttachMessage message) {
        try {
            // Memory is announced, and then passed.
            int answers = 0;
            while (answers < 2) {
                answers += answerAll(end, message);
            }
        } catch (final LinuxException e) {
            throw new IllegalStateException(e);
        }
    }
}
