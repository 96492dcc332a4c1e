package io.hxb.observe;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Events for one viewer, who reads as long as he likes. One who does not read is closed when
 * {@value #MAX_WAITING_BYTES} bytes wait for him. Any thread may send. Source: HTML Standard, 9.2,
 * Server-sent events.
 */
public final class EventStream {
    /** Bytes that may wait besides those in the kernel. */
    public static final int MAX_WAITING_BYTES = 1 << 20;

    static final String TYPE = "text/event-stream";

    /** Shorter than the time after which a connection without traffic ends. */
    private static final int BEAT_SECONDS = 5;

    private final ChannelHandlerContext context;
    private final boolean isMade;
    private final AtomicLong waitingBytes = new AtomicLong();

    EventStream(final ChannelHandlerContext context, final boolean isMade) {
        this.context = context;
        this.isMade = isMade;
    }

    /** Sends a comment now and then, so that both ends see whether the other is there. */
    void begin() {
        final var beat =
                context.executor()
                        .scheduleWithFixedDelay(
                                () -> write(":\n\n"), BEAT_SECONDS, BEAT_SECONDS, TimeUnit.SECONDS);
        onClose(() -> beat.cancel(false));
    }

    /**
     * Sends an event.
     *
     * @param event its kind, without line ends.
     * @param data one or more lines.
     * @return false if the viewer has gone, or is closed because he does not read.
     */
    public boolean send(final String event, final String data) {
        final StringBuilder text = new StringBuilder("event: ").append(event).append('\n');
        data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
        return write(text.append('\n').toString());
    }

    private boolean write(final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!isOpen()) {
            return false;
        }
        if (waitingBytes.addAndGet(bytes.length) > MAX_WAITING_BYTES) {
            close();
            return false;
        }
        context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)))
                .addListener(written -> waitingBytes.addAndGet(-bytes.length));
        return true;
    }

    /** True while the viewer is there. */
    public boolean isOpen() {
        return isMade && context.channel().isActive();
    }

    /** Has {@code action} run by the server's thread when the viewer has gone. */
    public void onClose(final Runnable action) {
        context.channel().closeFuture().addListener(closed -> action.run());
    }

    /** Ends the stream and its connection. */
    public void close() {
        if (isMade) {
            final var ignored = context.close();
        }
    }
}
