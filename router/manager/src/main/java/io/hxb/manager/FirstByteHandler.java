package io.hxb.manager;

import io.hxb.http.HttpPipeline;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Distinguishes programs and people by the first byte of a connection: a request begins with its
 * version, HTTP with a letter. Owned by the manager's thread.
 */
final class FirstByteHandler extends ChannelInboundHandlerAdapter {
    private final ConnectionResources connectionResources;
    private final Access access;
    private final boolean isNetwork;

    /**
     * A connection that has sent nothing yet.
     *
     * @param isNetwork true for TCP, where a browser can be made to call.
     */
    FirstByteHandler(
            final ConnectionResources connectionResources,
            final Access access,
            final boolean isNetwork) {
        this.connectionResources = connectionResources;
        this.access = access;
        this.isNetwork = isNetwork;
    }

    @Override
    public void channelActive(final ChannelHandlerContext context) {
        connectionResources.unknownSenders().add(context.channel());
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        if (in.getUnsignedByte(in.readerIndex()) < 'A') {
            context.pipeline().addLast(new ManagerHandler(connectionResources, access));
        } else {
            HttpPipeline.add(
                    context.pipeline(),
                    HttpHandler.IDLE_SECONDS,
                    new HttpHandler(connectionResources, access, isNetwork));
        }
        context.fireChannelRead(message);
        context.pipeline().remove(this);
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        connectionResources.unknownSenders().remove(context.channel());
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        connectionResources.onError(context.channel(), cause);
    }
}
