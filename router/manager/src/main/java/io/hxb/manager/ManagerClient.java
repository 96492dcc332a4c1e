package io.hxb.manager;

import io.hxb.session.ClusterKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/**
 * A program's end of a session with a manager. Owned by one thread; calls block. A request is begun
 * by {@link #request}, and sent and answered by {@link #exchange}, or ended by {@link #post} and
 * answered later, in order, by {@link #receive}.
 */
public final class ManagerClient implements ManagerConnection {
    /** Maximum number of requests without an answer. */
    public static final int MAX_UNANSWERED = 256;

    private static final int BUFFER_BYTES = MAX_UNANSWERED * MessageSeal.SEALED_LENGTH;
    private static final int CONNECT_LIMIT_MS = 5_000;
    private static final long ANSWER_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer outBytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer inBytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuf outBuffer = Unpooled.wrappedBuffer(outBytes.duplicate());
    private final ByteBuf inBuffer = Unpooled.wrappedBuffer(inBytes.duplicate());
    private final ManagerMessage request = new ManagerMessage();
    private final ManagerMessage reply = new ManagerMessage();
    private MessageSeal sealOut;
    private MessageSeal sealIn;
    private long spinForNs;
    private long answerLimitNs = ANSWER_LIMIT_NS;
    private int tag;
    private int answered;
    private int inStart;
    private int inEnd;
    private boolean hasNews;
    private long news;

    private ManagerClient(final String name, final SocketChannel channel) throws IOException {
        this.name = name;
        this.channel = channel;
        selector = Selector.open();
        try {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        } catch (final IOException | RuntimeException e) {
            selector.close();
            throw e;
        }
    }

    /** Begins a session by a connection, which is closed if there cannot be one. */
    private static ManagerClient begin(
            final String name, final SocketChannel channel, final ClusterKey key)
            throws IOException {
        ManagerClient client = null;
        try {
            client = new ManagerClient(name, channel);
            if (key != null) {
                client.authenticate(key);
            }
            return client;
        } catch (final IOException | RuntimeException e) {
            if (client == null) {
                channel.close();
            } else {
                client.close();
            }
            throw e;
        }
    }

    /**
     * Begins a session with a manager of this machine.
     *
     * @throws IOException if nobody listens there, with what to do.
     */
    public static ManagerClient connect(final Path socket) throws IOException {
        try {
            return begin(
                    socket.toString(),
                    SocketChannel.open(UnixDomainSocketAddress.of(socket)),
                    null);
        } catch (final IOException e) {
            throw new IOException(
                    "no manager answers at "
                            + socket
                            + " ("
                            + e.getMessage()
                            + "): start one with hxb manager",
                    e);
        }
    }

    /**
     * Begins a session with a manager over TCP.
     *
     * @param key of the cluster; null where none is needed, to read on this machine.
     * @throws IOException if nobody listens there, or has another key.
     */
    public static ManagerClient connect(final InetSocketAddress address, final ClusterKey key)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IOException("cannot resolve the host name " + address.getHostString());
        }
        final SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.socket().connect(address, CONNECT_LIMIT_MS);
            return begin(address.toString(), channel, key);
        } catch (final IOException e) {
            channel.close();
            throw new IOException("the manager at " + address + ": " + e.getMessage(), e);
        }
    }

    private void authenticate(final ClusterKey key) throws IOException {
        final byte[] nonce = new byte[ManagerMessage.PEER_LENGTH];
        new SecureRandom().nextBytes(nonce);
        request(ManagerOperation.AUTHENTICATE).index(key.id()).nonce(nonce);
        final ManagerMessage answer = exchange();
        if (answer.status() != Status.OK.code()) {
            throw new IOException(Status.of(answer.status()).text());
        }
        final MessageSeal[] seals = MessageSeal.of(key, nonce, answer.peerBytes());
        sealOut = seals[0];
        sealIn = seals[1];
    }

    /** How long to look for an answer before the thread sleeps, in ns; at first 0. */
    public void spinFor(final long ns) {
        spinForNs = ns;
    }

    /** How long an answer may take before the session is given up, in ns; at first 10 s. */
    public void answerWithin(final long ns) {
        answerLimitNs = ns;
    }

    private int length() {
        return sealOut == null ? ManagerMessage.LENGTH : MessageSeal.SEALED_LENGTH;
    }

    /**
     * The next request, empty but for its operation; valid until it is ended.
     *
     * @throws IllegalStateException if {@link #MAX_UNANSWERED} are without an answer.
     */
    @Override
    public ManagerMessage request(final ManagerOperation operation) {
        if (unanswered() == MAX_UNANSWERED) {
            throw new IllegalStateException("too many requests without an answer");
        }
        return request.wrap(outBuffer, outBytes.position()).clear(operation.code()).tag(tag + 1);
    }

    /** Requests that have no answer yet. */
    @Override
    public int unanswered() {
        return tag - answered;
    }

    /** Ends the request; it is sent when an answer is waited for. */
    @Override
    public void post() {
        final int start = outBytes.position();
        if (sealOut != null) {
            sealOut.write(request, outBuffer, start + ManagerMessage.LENGTH);
        }
        outBytes.position(start + length());
        tag++;
    }

    /**
     * Ends the request, sends it and waits for its answer, at most 10 s.
     *
     * @return the reply, valid until the next one.
     * @throws IOException if the manager has gone, or sends something that is not a reply.
     */
    @Override
    public ManagerMessage exchange() throws IOException {
        post();
        return receive();
    }

    /** Waits for the next answer to what was posted; as {@link #exchange}. */
    @Override
    public ManagerMessage receive() throws IOException {
        flush();
        while (true) {
            take(answerLimitNs);
            if (reply.tag() == answered + 1) {
                answered++;
                return reply;
            }
            if (reply.operation() != (ManagerOperation.WATCH.code() | ManagerMessage.REPLY)) {
                throw new IOException("what came from " + name + " is no reply to this request");
            }
            hasNews = true;
            news = reply.number();
        }
    }

    /**
     * Waits for a change, after WATCH was answered.
     *
     * @param limitNs how long at most.
     * @return the number of changes; 0 if there was none in that time.
     */
    public long awaitChange(final long limitNs) throws IOException {
        flush();
        if (!hasNews) {
            if (!isReachable(limitNs)) {
                return 0;
            }
            take(answerLimitNs);
            news = reply.number();
        }
        hasNews = false;
        return news;
    }

    private void flush() throws IOException {
        if (outBytes.position() == 0) {
            return;
        }
        outBytes.flip();
        final long startNs = System.nanoTime();
        while (outBytes.hasRemaining()) {
            if (channel.write(outBytes) == 0) {
                awaitRoom(System.nanoTime() - startNs);
            }
        }
        outBytes.clear();
    }

    /** The socket's buffer is full of requests that the manager has not read. */
    private void awaitRoom(final long waitedNs) throws IOException {
        if (waitedNs > answerLimitNs) {
            throw new IOException(
                    "the manager at "
                            + name
                            + " has read nothing for "
                            + TimeUnit.NANOSECONDS.toMillis(waitedNs)
                            + " ms: check with ps whether it is stopped");
        }
        final SelectionKey key = channel.keyFor(selector);
        key.interestOps(SelectionKey.OP_WRITE);
        try {
            selector.select(1 + TimeUnit.NANOSECONDS.toMillis(answerLimitNs - waitedNs));
            selector.selectedKeys().clear();
        } finally {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /** Lays the reply over the next message. */
    private void take(final long limitNs) throws IOException {
        if (!isReachable(limitNs)) {
            throw new IOException(
                    "the manager at "
                            + name
                            + " has not answered for "
                            + TimeUnit.NANOSECONDS.toMillis(limitNs)
                            + " ms: check with ps whether it is stopped");
        }
        reply.wrap(inBuffer, inStart);
        if (sealIn != null && !sealIn.isValid(reply, inBuffer, inStart + ManagerMessage.LENGTH)) {
            throw new IOException("what came from " + name + " was changed on its way");
        }
        if (reply.version() != ManagerMessage.VERSION
                || (reply.operation() & ManagerMessage.REPLY) == 0) {
            throw new IOException("what came from " + name + " is no reply of a manager");
        }
        inStart += length();
    }

    /** Whether the next message is there, or comes within a time. */
    private boolean isReachable(final long limitNs) throws IOException {
        if (inEnd - inStart >= length()) {
            return true;
        }
        if (BUFFER_BYTES - inStart < length() || inStart == inEnd) {
            inBytes.limit(inEnd).position(inStart);
            inBytes.compact();
            inEnd -= inStart;
            inStart = 0;
        }
        final long start = System.nanoTime();
        while (inEnd - inStart < length()) {
            inBytes.limit(BUFFER_BYTES).position(inEnd);
            final int read = channel.read(inBytes);
            if (read < 0) {
                throw new EOFException("the manager at " + name + " has ended the session");
            }
            inEnd += read;
            if (read == 0) {
                final long waitedNs = System.nanoTime() - start;
                if (waitedNs > limitNs) {
                    return false;
                }
                await(waitedNs, limitNs);
            }
        }
        return true;
    }

    private void await(final long waitedNs, final long limitNs) throws IOException {
        if (waitedNs < spinForNs) {
            Thread.onSpinWait();
        } else {
            selector.select(1 + TimeUnit.NANOSECONDS.toMillis(limitNs - waitedNs));
            selector.selectedKeys().clear();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            selector.close();
        } finally {
            channel.close();
        }
    }
}
