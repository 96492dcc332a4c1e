package io.hxb.tool.tunnel;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * One half of a joined pair of channels: passes what its channel receives to the other one. An end
 * of the input ends the other's output, after everything before it; an end out of order resets the
 * other. While the own channel cannot take more, the other is not read. Owned by the event loop,
 * which both channels share.
 */
public final class Relay extends ChannelInboundHandlerAdapter {
    private final DuplexChannel own;
    private final DuplexChannel other;
    private Relay peer;

    private boolean isInputEnded;

    /** The own channel has received everything, and the other has sent it. */
    private boolean isPassed;

    private Relay(final DuplexChannel own, final DuplexChannel other) {
        this.own = own;
        this.other = other;
    }

    /**
     * Joins two open channels, whose options allow half closure, and begins to read them.
     *
     * @param one of the same event loop as the other; its automatic reading is off.
     * @param two likewise.
     */
    public static void join(final DuplexChannel one, final DuplexChannel two) {
        join(one, two, false);
    }

    /**
     * As the other one.
     *
     * @param isEnded whether the input of the first channel has ended: its pipeline gets the event
     *     of it once more when all that was read before has been passed on.
     */
    public static void join(
            final DuplexChannel one, final DuplexChannel two, final boolean isEnded) {
        final Relay first = new Relay(one, two);
        final Relay second = new Relay(two, one);
        first.peer = second;
        second.peer = first;
        first.isInputEnded = isEnded;
        one.pipeline().addLast(first);
        two.pipeline().addLast(second);
        if (!one.isActive() || !two.isActive()) {
            reset(one);
            reset(two);
            return;
        }
        second.readAsWritable();
        first.readAsWritable();
    }

    /** Reads the other channel as long as the own one can take more. */
    private void readAsWritable() {
        if (other.isActive() && !peer.isInputEnded) {
            other.config().setAutoRead(own.isWritable());
        }
    }

    /** Closes a channel so that its peer sees that the connection did not end in order. */
    public static void reset(final DuplexChannel channel) {
        if (channel.isOpen()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            final var _ = channel.close();
        }
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        if (other.isActive()) {
            // One that fails is followed by the end of its channel.
            final var _ = other.write(message);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        other.flush();
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        readAsWritable();
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event.equals(ChannelInputShutdownEvent.INSTANCE)) {
            isInputEnded = true;
            // Channels of TCP drop what is not written when their output is shut down.
            other.writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(written -> endOther(written.isSuccess()));
        }
    }

    private void endOther(final boolean isWritten) {
        if (!isWritten) {
            reset(own);
            reset(other);
            return;
        }
        other.shutdownOutput().addListener(ended -> onPassed(ended.isSuccess()));
    }

    private void onPassed(final boolean isEnded) {
        isPassed = isEnded;
        if (!isEnded) {
            reset(own);
            reset(other);
        } else if (peer.isPassed) {
            final var _ = own.close();
            final var _ = other.close();
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable reason) {
        reset(own);
        reset(other);
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (!isPassed || !peer.isPassed) {
            reset(other);
        }
    }
}
