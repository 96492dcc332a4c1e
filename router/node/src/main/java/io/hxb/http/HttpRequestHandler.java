package io.hxb.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.timeout.IdleStateEvent;

/**
 * The last handler of an {@link HttpPipeline}: takes requests one by one, and closes a connection
 * that is idle. Owned by its channel's loop.
 */
public abstract class HttpRequestHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private boolean isAsking;

    /** A handler that has asked for nothing. */
    protected HttpRequestHandler() {}

    /** Asks for the next request. */
    protected final void askNext(final ChannelHandlerContext context) {
        isAsking = true;
        // Not at once: the next request may be there, and would be answered below this one.
        context.executor().execute(context::read);
    }

    @Override
    protected final void channelRead0(
            final ChannelHandlerContext context, final FullHttpRequest request) {
        isAsking = false;
        onRequest(context, request);
    }

    /** The request that was asked for. */
    protected abstract void onRequest(ChannelHandlerContext context, FullHttpRequest request);

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        if (isAsking) {
            // A part of a request has come. Netty's FlowControlHandler forgets by this event that
            // it
            // was asked for one (4.2.18), and would keep a request that comes in three parts.
            context.read();
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event instanceof IdleStateEvent) {
            final var ignored = context.close();
        }
    }
}
