package io.hxb.tool.tunnel;

import io.hxb.tool.tunnel.DialFailure.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the answer of {@code hxb expose} on a stream, leaves the pipeline and hands the stream
 * over. Owned by the event loop.
 */
final class AnswerReader extends ByteToMessageDecoder {
    private final String place;
    private final long limitNs;
    private final StreamDial.Listener listener;
    private ScheduledFuture<?> limit;
    private boolean isDone;

    /**
     * Makes the reader of one stream.
     *
     * @param place of the peer, for messages.
     * @param limitNs longest time until the answer.
     * @param listener told once.
     */
    AnswerReader(final String place, final long limitNs, final StreamDial.Listener listener) {
        this.place = place;
        this.limitNs = limitNs;
        this.listener = listener;
    }

    @Override
    public void channelActive(final ChannelHandlerContext context) {
        limit =
                context.executor()
                        .schedule(
                                () -> fail(context, Kind.UNREACHABLE, "no answer from hxb expose"),
                                limitNs,
                                TimeUnit.NANOSECONDS);
        context.fireChannelActive();
    }

    @Override
    protected void decode(
            final ChannelHandlerContext context, final ByteBuf in, final List<Object> out) {
        if (isDone || in.readableBytes() < Answer.LENGTH) {
            return;
        }
        final Answer answer = Answer.read(in);
        if (answer == null) {
            fail(context, Kind.REFUSED, "what listens there is not hxb expose");
        } else if (answer != Answer.CONNECTED) {
            fail(
                    context,
                    answer == Answer.UNREACHABLE ? Kind.UNREACHABLE : Kind.REFUSED,
                    answer.text());
        } else {
            isDone = true;
            limit.cancel(false);
            final DuplexChannel channel = (DuplexChannel) context.channel();
            channel.config().setAutoRead(false);
            listener.onOpen(channel);
            // What came with the answer passes to the handler that the listener has added.
            context.pipeline().remove(this);
        }
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (!isDone && event.equals(ChannelInputShutdownEvent.INSTANCE)) {
            fail(context, Kind.REFUSED, "the peer has ended the stream without an answer");
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable reason) {
        fail(
                context,
                Kind.UNREACHABLE,
                reason instanceof IOException ? reason.getMessage() : reason.toString());
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        fail(context, Kind.UNREACHABLE, "the stream was closed");
        context.fireChannelInactive();
    }

    private void fail(final ChannelHandlerContext context, final Kind kind, final String reason) {
        if (limit == null) {
            // It has not been connected, of which the connect gives the reason.
            return;
        }
        Relay.reset((DuplexChannel) context.channel());
        end(new DialFailure(kind, place + ": " + reason));
    }

    /** The stream was not connected. */
    void onNoConnection(final DialFailure failure) {
        end(failure);
    }

    private void end(final DialFailure failure) {
        if (isDone) {
            return;
        }
        isDone = true;
        if (limit != null) {
            limit.cancel(false);
        }
        listener.onFailure(failure);
    }
}
