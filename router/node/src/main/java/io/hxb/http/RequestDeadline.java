package io.hxb.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;

import java.util.concurrent.TimeUnit;

/**
 * Closes a connection whose client takes too long for one request: it would never be idle if it
 * sent a byte now and then. The first handler of an {@link HttpPipeline} that has a deadline. Owned
 * by its channel's loop.
 */
public final class RequestDeadline extends ChannelInboundHandlerAdapter {
    private final long limitNs;
    private Future<?> running;

    /** One with {@code limitNs} from the first byte of a request to its last. */
    public RequestDeadline(final long limitNs) {
        this.limitNs = limitNs;
    }

    /** To be called when a request is complete: time starts again with the next byte. */
    public void complete() {
        if (running != null) {
            running.cancel(false);
            running = null;
        }
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        if (running == null) {
            running =
                    context.executor()
                            .schedule(() -> close(context), limitNs, TimeUnit.NANOSECONDS);
        }
        context.fireChannelRead(message);
    }

    private static void close(final ChannelHandlerContext context) {
        final var ignored = context.close();
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        complete();
        context.fireChannelInactive();
    }
}
