package io.hxb.tool.tunnel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Connects an accepted stream to its service, says so to the peer, and joins both. Owned by the
 * event loop.
 */
final class ServiceDial extends ChannelInboundHandlerAdapter {
    private final Tunnel tunnel;
    private final DuplexChannel stream;
    private final List<InetSocketAddress> targets;

    ServiceDial(
            final Tunnel tunnel,
            final DuplexChannel stream,
            final List<InetSocketAddress> targets) {
        this.tunnel = tunnel;
        this.stream = stream;
        this.targets = targets;
    }

    void begin() {
        stream.pipeline().addLast(this);
        connect(0);
    }

    private void connect(final int index) {
        final ChannelFuture connect = tunnel.connect(stream, targets.get(index));
        connect.addListener(
                done -> {
                    if (done.isSuccess()) {
                        onConnected((DuplexChannel) connect.channel());
                    } else if (index + 1 < targets.size()) {
                        connect(index + 1);
                    } else {
                        onFailure(targets.get(0), done.cause());
                    }
                });
    }

    private void onConnected(final DuplexChannel service) {
        if (!stream.isActive()) {
            Relay.reset(service);
            return;
        }
        final var _ = stream.writeAndFlush(Answer.CONNECTED.bytes());
        stream.pipeline().remove(this);
        Relay.join(stream, service);
    }

    private void onFailure(final InetSocketAddress target, final Throwable reason) {
        tunnel.warn(
                "service " + target,
                "no connection to the service at "
                        + Tunnel.text(target)
                        + " for "
                        + stream.remoteAddress()
                        + ": "
                        + reason.getMessage());
        refuse(reason instanceof ConnectException ? Answer.REFUSED : Answer.UNREACHABLE);
    }

    /** Gives a reason and closes the stream. */
    void refuse(final Answer answer) {
        stream.writeAndFlush(answer.bytes()).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable reason) {
        final Channel channel = context.channel();
        Relay.reset((DuplexChannel) channel);
    }
}
