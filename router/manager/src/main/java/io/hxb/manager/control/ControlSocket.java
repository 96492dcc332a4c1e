package io.hxb.manager.control;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Answers HTTP requests on a Unix socket that only its user and root can open: one after the other,
 * each within two seconds, on a thread of its own.
 */
public final class ControlSocket implements AutoCloseable {
    private static final int MAX_HEAD_BYTES = 8_192;
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlSocket.class);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private final Path path;
    private final ServerSocketChannel listener;
    private final Function<Request, Answer> answers;

    /**
     * What is asked.
     *
     * @param method such as GET.
     * @param target such as {@code /v1/status}.
     */
    public record Request(String method, String target) {}

    /**
     * What is answered.
     *
     * @param status of HTTP.
     * @param type of the text.
     * @param text itself.
     */
    public record Answer(int status, String type, String text) {
        /** JSON. */
        public static Answer json(final int status, final String text) {
            return new Answer(status, "application/json", text + "\n");
        }
    }

    /**
     * Listens; a socket that a dead server has left is replaced.
     *
     * @param answers called by the socket's thread; may block.
     * @throws IOException if another server listens there, or it cannot be made.
     */
    public ControlSocket(final Path path, final Function<Request, Answer> answers)
            throws IOException {
        this.path = path;
        this.answers = answers;
        removeStale(path);
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (final IOException e) {
            listener.close();
            throw new IOException("the socket " + path + " cannot be made: " + e.getMessage(), e);
        }
        Thread.ofPlatform().daemon().name("hxb-optimise-socket").start(this::serve);
    }

    private static void removeStale(final Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        final int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & FILE_TYPE) != SOCKET_TYPE) {
            throw new IOException(path + " exists and is no socket: remove it");
        }
        boolean isLive = true;
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
        } catch (final IOException e) {
            isLive = false;
        }
        if (isLive) {
            throw new IOException(
                    "a management server listens on "
                            + path
                            + " already: stop it, or give --socket");
        }
        Files.delete(path);
    }

    private void serve() {
        while (listener.isOpen()) {
            try (SocketChannel channel = listener.accept()) {
                serve(channel);
            } catch (final IOException e) {
                // The socket is closed, or there are no descriptors: then it is no use to hurry.
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void serve(final SocketChannel channel) {
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            final long endNs = System.nanoTime() + LIMIT_NS;
            final String head = read(channel, selector, endNs);
            final Answer answer = head == null ? malformed() : answer(head);
            key.interestOps(SelectionKey.OP_WRITE);
            write(channel, selector, answer, System.nanoTime() + LIMIT_NS);
        } catch (final IOException e) {
            LOGGER.debug("whoever asked has gone", e);
        } catch (final RuntimeException e) {
            LOGGER.warn("an answer failed, the next one is given", e);
        }
    }

    private static Answer malformed() {
        return Answer.json(400, "{\"ok\":false,\"error\":\"this is no HTTP request\"}");
    }

    /** The first line of a request; null if none comes in time. */
    private static String read(
            final SocketChannel channel, final Selector selector, final long endNs)
            throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(MAX_HEAD_BYTES);
        while (true) {
            final int count = channel.read(bytes);
            final String text =
                    new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
            if (text.contains("\r\n\r\n")) {
                return text.substring(0, text.indexOf("\r\n"));
            }
            final long leftNs = endNs - System.nanoTime();
            if (count < 0 || !bytes.hasRemaining() || leftNs <= 0) {
                return null;
            }
            await(selector, leftNs);
        }
    }

    private static void await(final Selector selector, final long leftNs) throws IOException {
        // 0 would be for ever.
        selector.select(Math.max(1, 1 + TimeUnit.NANOSECONDS.toMillis(leftNs)));
        selector.selectedKeys().clear();
    }

    private Answer answer(final String line) {
        final String[] words = line.split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
            return malformed();
        }
        try {
            return answers.apply(new Request(words[0], words[1]));
        } catch (final RuntimeException e) {
            LOGGER.warn("the request {} {} failed", words[0], words[1], e);
            return Answer.json(500, "{\"ok\":false,\"error\":\"the server failed: see its log\"}");
        }
    }

    private static void write(
            final SocketChannel channel,
            final Selector selector,
            final Answer answer,
            final long endNs)
            throws IOException {
        final byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
        final String head =
                "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                        .formatted(
                                answer.status(),
                                answer.status() == 200 ? "OK" : "Failed",
                                answer.type(),
                                text.length);
        final ByteBuffer bytes =
                ByteBuffer.allocate(head.length() + text.length)
                        .put(head.getBytes(StandardCharsets.US_ASCII))
                        .put(text)
                        .flip();
        while (bytes.hasRemaining() && endNs - System.nanoTime() > 0) {
            if (channel.write(bytes) == 0) {
                await(selector, endNs - System.nanoTime());
            }
        }
    }

    /** Where it listens. */
    public Path path() {
        return path;
    }

    /** Listens no longer, and removes the socket. */
    @Override
    public void close() throws IOException {
        listener.close();
        Files.deleteIfExists(path);
    }
}
