package io.hxb.tool.forward;

import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.tool.tunnel.DialFailure;
import io.hxb.tool.tunnel.Relay;
import io.hxb.tool.tunnel.StreamDial;
import io.hxb.tool.tunnel.Tunnel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;

/** Joins an accepted connection to a stream. Owned by the event loop. */
final class ForwardHandler extends ChannelInboundHandlerAdapter implements StreamDial.Listener {
    private final Tunnel tunnel;
    private final DuplexChannel connection;

    private ForwardHandler(final Tunnel tunnel, final DuplexChannel connection) {
        this.tunnel = tunnel;
        this.connection = connection;
    }

    static void begin(
            final Tunnel tunnel, final DuplexChannel connection, final HxbSocketAddress target) {
        final ForwardHandler handler = new ForwardHandler(tunnel, connection);
        connection.pipeline().addLast(handler);
        tunnel.dial().dial(connection.eventLoop(), target, handler);
    }

    @Override
    public void onOpen(final DuplexChannel stream) {
        if (connection.isActive()) {
            connection.pipeline().remove(this);
            Relay.join(connection, stream);
        } else {
            Relay.reset(stream);
        }
    }

    @Override
    public void onFailure(final DialFailure failure) {
        tunnel.warn("dial", failure.text());
        Relay.reset(connection);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable reason) {
        Relay.reset(connection);
    }
}
