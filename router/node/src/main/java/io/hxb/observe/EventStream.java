package io.hxb.observe;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;

import java.nio.charset.StandardCharsets;

/**
 * Events for one viewer, who reads as long as they like. One who does not read is closed when
 * {@value #MAX_WAITING_BYTES} bytes wait for them, and so is the one for whom most wait when too
 * many wait for all. Any thread may send. Source: HTML Standard, 9.2, Server-sent events.
 */
public final class EventStream {
    /** Bytes that may wait besides those in the kernel. */
    public static final int MAX_WAITING_BYTES = 1 << 20;

    static final String TYPE = "text/event-stream";

    private final ChannelHandlerContext context;
    private final ConnectionBounds bounds;
    private final boolean isMade;
    // These two are locked.
    private long waitingBytes;
    private boolean isClosed;
    // Written by whoever sends; a comment too many or too few does no harm.
    private volatile boolean hasSent;

    EventStream(
            final ChannelHandlerContext context,
            final ConnectionBounds bounds,
            final boolean isMade) {
        this.context = context;
        this.bounds = bounds;
        this.isMade = isMade;
    }

    /**
     * Sends a comment if nothing was sent since the last call, so that both ends see whether the
     * other is there.
     */
    void beat() {
        if (!hasSent) {
            write(":\n\n");
        }
        hasSent = false;
    }

    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /**
     * Sends an event.
     *
     * @param event its kind, without line ends.
     * @param data one or more lines.
     * @return false if the viewer has gone, or is closed because it does not read.
     */
    public boolean send(final String event, final String data) {
        final StringBuilder text = new StringBuilder("event: ").append(event).append('\n');
        data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
        return write(text.append('\n').toString());
    }

    private boolean write(final String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Sends whole events as they are. One that is longer than {@value #MAX_WAITING_BYTES} bytes is
     * sent, too, if not that many wait.
     *
     * @param bytes nobody may change them any more; several streams may share them.
     * @return false if the viewer has gone, or is closed because it does not read.
     */
    public boolean send(final byte[] bytes) {
        if (!isOpen()) {
            return false;
        }
        if (!take(bytes.length)) {
            close();
            return false;
        }
        hasSent = true;
        context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)))
                .addListener(written -> bounds.add(-release(bytes.length)));
        bounds.add(bytes.length);
        return isOpen();
    }

    private synchronized boolean take(final long bytes) {
        if (isClosed || waitingBytes > MAX_WAITING_BYTES) {
            return false;
        }
        waitingBytes += bytes;
        return true;
    }

    // What is closed has been released as a whole.
    private synchronized long release(final long bytes) {
        final long released = Math.min(bytes, waitingBytes);
        waitingBytes -= released;
        return released;
    }

    private synchronized long releaseAll() {
        isClosed = true;
        return release(waitingBytes);
    }

    /** True while the viewer is there. */
    public synchronized boolean isOpen() {
        return isMade && !isClosed && context.channel().isActive();
    }

    /** Has {@code action} run by the server's thread when the viewer has gone. */
    public void onClose(final Runnable action) {
        context.channel().closeFuture().addListener(closed -> action.run());
    }

    private void end() {
        final var ignored = context.close();
    }

    /** Ends the stream and its connection. */
    public void close() {
        if (isMade && isOpen()) {
            bounds.add(-releaseAll());
            // Not at once: whoever sends to all viewers may be among them.
            context.executor().execute(this::end);
        }
    }
}
