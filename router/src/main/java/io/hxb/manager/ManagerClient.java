package io.hxb.manager;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A program's end of a session with a manager. Owned by one thread; calls block. */
public final class ManagerClient implements AutoCloseable {
    private final SocketChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(2 * ManagerMessage.LENGTH);
    private final ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    private final ManagerMessage request = new ManagerMessage().wrap(buffer, 0);
    private final ManagerMessage reply = new ManagerMessage().wrap(buffer, ManagerMessage.LENGTH);
    private int tag;

    private ManagerClient(final SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Begins a session with a manager of this machine.
     *
     * @throws IOException if nobody listens there, with what to do.
     */
    public static ManagerClient connect(final Path socket) throws IOException {
        try {
            return new ManagerClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
        } catch (final IOException e) {
            throw new IOException(
                    "no manager answers at " + socket + " (" + e.getMessage() + "): start one",
                    e);
        }
    }

    /** The next request, empty but for its operation; valid until it is sent. */
    public ManagerMessage request(final Operation operation) {
        return request.clear(operation.code()).tag(++tag);
    }

    /**
     * Sends the request and waits for its reply.
     *
     * @return the reply, valid until the next one.
     * @throws IOException if the manager has gone, or says what is no reply.
     */
    public ManagerMessage exchange() throws IOException {
        transfer(0, true);
        transfer(ManagerMessage.LENGTH, false);
        if (reply.version() != ManagerMessage.VERSION
                || reply.operation() != (request.operation() | ManagerMessage.REPLY)
                || reply.tag() != request.tag()) {
            throw new IOException("what came is no reply of a manager to this request");
        }
        return reply;
    }

    private void transfer(final int start, final boolean isOut) throws IOException {
        bytes.limit(start + ManagerMessage.LENGTH).position(start);
        while (bytes.hasRemaining()) {
            if ((isOut ? channel.write(bytes) : channel.read(bytes)) < 0) {
                throw new EOFException("the manager has ended the session");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
