package io.hxb.manager;

import io.hxb.session.ClusterKey;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * One connection of a program: each request is answered by one reply, in order. A program that does
 * not read its replies is not read from either. Owned by the manager's thread.
 */
final class ManagerHandler extends ChannelInboundHandlerAdapter {
    private final ConnectionResources connectionResources;
    private final ManagerMessage request = new ManagerMessage();
    private final ManagerMessage reply = new ManagerMessage();
    private Access access;
    private ManagerSession session;
    private MessageSeal sealIn;
    private MessageSeal sealOut;
    private ByteBuf rest;
    private boolean isClosing;
    private boolean isNewsWaiting;
    private int watchTag;

    ManagerHandler(final ConnectionResources connectionResources, final Access access) {
        this.connectionResources = connectionResources;
        this.access = access;
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        rest = context.alloc().buffer(MessageSeal.SEALED_LENGTH, MessageSeal.SEALED_LENGTH);
    }

    private int length() {
        return sealIn == null ? ManagerMessage.LENGTH : MessageSeal.SEALED_LENGTH;
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        ByteBuf out = null;
        try {
            while (!isClosing && rest.readableBytes() + in.readableBytes() >= length()) {
                if (out == null) {
                    out = context.alloc().buffer(in.readableBytes() + MessageSeal.SEALED_LENGTH);
                }
                answerNext(context, in, out);
            }
            if (!isClosing) {
                rest.writeBytes(in);
            }
        } finally {
            in.release();
        }
        if (out != null) {
            final var ignored = context.write(out);
        }
        if (isClosing) {
            context.flush();
            final var ignored = context.close();
        }
    }

    private void answerNext(
            final ChannelHandlerContext context, final ByteBuf in, final ByteBuf out) {
        final int length = length();
        if (rest.isReadable()) {
            rest.writeBytes(in, length - rest.readableBytes());
            answerOne(context, rest, 0, out);
            rest.clear();
        } else {
            answerOne(context, in, in.readerIndex(), out);
            in.skipBytes(length);
        }
    }

    private void answerOne(
            final ChannelHandlerContext context,
            final ByteBuf in,
            final int index,
            final ByteBuf out) {
        request.wrap(in, index);
        if (sealIn != null) {
            if (!sealIn.isValid(request, in, index + ManagerMessage.LENGTH)) {
                connectionResources.count(ManagerCount.BROKEN_SEALS);
                isClosing = true;
                return;
            }
            access = Access.CHANGE;
        }
        out.ensureWritable(MessageSeal.SEALED_LENGTH);
        reply.wrap(out, out.writerIndex());
        final boolean isFirst = session == null && sealIn == null;
        if (isFirst && request.operation() == ManagerOperation.AUTHENTICATE.code()) {
            authenticate(out);
            return;
        }
        handle(context);
        finish(out);
    }

    private void finish(final ByteBuf out) {
        final int end = out.writerIndex() + ManagerMessage.LENGTH;
        if (sealOut != null) {
            sealOut.write(reply, out, end);
        }
        out.writerIndex(sealOut == null ? end : end + MessageSeal.LENGTH);
    }

    private void handle(final ChannelHandlerContext context) {
        if (access == Access.KEY) {
            connectionResources.count(ManagerCount.WITHOUT_KEY);
            refuse(Status.KEY_NEEDED);
            return;
        }
        if (session == null) {
            session = connectionResources.open(context.channel(), access == Access.CHANGE);
            if (session == null) {
                refuse(Status.LIMIT);
                return;
            }
        }
        if (request.operation() == ManagerOperation.WATCH.code()) {
            watchTag = request.tag();
            session.onChange(() -> onChange(context));
        }
        connectionResources.manager().handle(session, request, reply);
    }

    private void refuse(final Status status) {
        reply.reply(request).status(status);
        isClosing = true;
    }

    private void authenticate(final ByteBuf out) {
        final ClusterKey key = connectionResources.key(request.index());
        if (key == null || request.version() != ManagerMessage.VERSION) {
            connectionResources.count(ManagerCount.WITHOUT_KEY);
            refuse(key == null ? Status.OTHER_KEY : Status.VERSION);
        } else {
            final byte[] nonce = connectionResources.nonce();
            final MessageSeal[] seals = MessageSeal.of(key, request.peerBytes(), nonce);
            reply.reply(request).index(key.id()).nonce(nonce);
            sealIn = seals[0];
            sealOut = seals[1];
        }
        out.writerIndex(out.writerIndex() + ManagerMessage.LENGTH);
    }

    /** Called in the middle of a change; several changes in one turn are reported once. */
    private void onChange(final ChannelHandlerContext context) {
        if (!isNewsWaiting) {
            isNewsWaiting = true;
            context.executor().execute(() -> reply(context));
        }
    }

    private void reply(final ChannelHandlerContext context) {
        if (!context.channel().isActive()) {
            return;
        }
        if (context.channel().isWritable()) {
            isNewsWaiting = false;
            final ByteBuf out = context.alloc().buffer(MessageSeal.SEALED_LENGTH);
            reply.wrap(out, 0)
                    .clear(ManagerOperation.WATCH.code() | ManagerMessage.REPLY)
                    .tag(watchTag)
                    .number(connectionResources.manager().changes());
            finish(out);
            final var ignored = context.writeAndFlush(out);
        }
        // Otherwise it is notified when the program has read the earlier replies.
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        context.flush();
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
        if (isNewsWaiting && context.channel().isWritable()) {
            context.executor().execute(() -> reply(context));
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (session != null) {
            connectionResources.manager().close(session);
            session = null;
        }
        connectionResources.unknownSenders().remove(context.channel());
        rest.release();
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        connectionResources.onError(context.channel(), cause);
    }
}
