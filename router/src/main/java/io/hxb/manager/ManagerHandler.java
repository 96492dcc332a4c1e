package io.hxb.manager;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * One connection: requests in, as many replies out. A program that does not read its replies is not
 * read from either. Owned by the manager's thread.
 */
final class ManagerHandler extends ChannelInboundHandlerAdapter {
    private final HostManager manager;
    private final ManagerSession session;
    private final ManagerMessage request = new ManagerMessage();
    private final ManagerMessage reply = new ManagerMessage();
    private ByteBuf rest;

    ManagerHandler(final HostManager manager, final ManagerSession session) {
        this.manager = manager;
        this.session = session;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        rest = context.alloc().buffer(ManagerMessage.LENGTH, ManagerMessage.LENGTH);
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            final int requests =
                    (rest.readableBytes() + in.readableBytes()) / ManagerMessage.LENGTH;
            if (requests > 0) {
                final ByteBuf out = context.alloc().buffer(requests * ManagerMessage.LENGTH);
                answer(in, out);
                context.write(out);
            }
            rest.writeBytes(in);
        } finally {
            in.release();
        }
    }

    private void answer(final ByteBuf in, final ByteBuf out) {
        if (rest.isReadable()) {
            rest.writeBytes(in, ManagerMessage.LENGTH - rest.readableBytes());
            answerOne(rest, 0, out);
            rest.clear();
        }
        while (in.readableBytes() >= ManagerMessage.LENGTH) {
            answerOne(in, in.readerIndex(), out);
            in.skipBytes(ManagerMessage.LENGTH);
        }
    }

    private void answerOne(final ByteBuf in, final int index, final ByteBuf out) {
        request.wrap(in, index);
        reply.wrap(out, out.writerIndex());
        manager.handle(session, request, reply);
        out.writerIndex(out.writerIndex() + ManagerMessage.LENGTH);
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        context.flush();
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        manager.close(session);
        rest.release();
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        context.close();
    }
}
