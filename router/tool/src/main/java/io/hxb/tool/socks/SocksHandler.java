package io.hxb.tool.socks;

import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.tunnel.DialFailure;
import io.hxb.tool.tunnel.Relay;
import io.hxb.tool.tunnel.StreamDial;
import io.hxb.tool.tunnel.Tunnel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.socksx.SocksMessage;
import io.netty.handler.codec.socksx.SocksPortUnificationServerHandler;
import io.netty.handler.codec.socksx.v4.DefaultSocks4CommandResponse;
import io.netty.handler.codec.socksx.v4.Socks4CommandRequest;
import io.netty.handler.codec.socksx.v4.Socks4CommandStatus;
import io.netty.handler.codec.socksx.v4.Socks4CommandType;
import io.netty.handler.codec.socksx.v5.DefaultSocks5CommandResponse;
import io.netty.handler.codec.socksx.v5.DefaultSocks5InitialResponse;
import io.netty.handler.codec.socksx.v5.Socks5AddressType;
import io.netty.handler.codec.socksx.v5.Socks5AuthMethod;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequest;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5CommandStatus;
import io.netty.handler.codec.socksx.v5.Socks5CommandType;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequest;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a client of the proxy asks for, from its first bytes until its connection is joined to a
 * stream. Owned by the event loop.
 */
final class SocksHandler extends ChannelInboundHandlerAdapter implements StreamDial.Listener {
    private final Tunnel tunnel;
    private final NodeNames names;
    private final DuplexChannel connection;

    /** What the client sent after its request; reading has stopped by then. */
    private final List<ByteBuf> early = new ArrayList<>();

    private ScheduledFuture<?> limit;
    private SocksMessage request;
    private boolean isInputEnded;

    private SocksHandler(
            final Tunnel tunnel, final NodeNames names, final DuplexChannel connection) {
        this.tunnel = tunnel;
        this.names = names;
        this.connection = connection;
    }

    /**
     * Takes a connection.
     *
     * @param requestMs time that the client has for its request.
     */
    static void begin(
            final Tunnel tunnel,
            final NodeNames names,
            final DuplexChannel connection,
            final long requestMs) {
        final SocksHandler handler = new SocksHandler(tunnel, names, connection);
        connection.pipeline().addLast(new SocksPortUnificationServerHandler()).addLast(handler);
        handler.limit =
                connection
                        .eventLoop()
                        .schedule(
                                () ->
                                        handler.drop(
                                                "a client of the proxy made no complete request"
                                                        + " within "
                                                        + requestMs
                                                        + " ms"),
                                requestMs,
                                TimeUnit.MILLISECONDS);
        connection.config().setAutoRead(true);
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        if (message instanceof final ByteBuf bytes && request != null) {
            early.add(bytes);
            return;
        }
        try {
            if (!(message instanceof final SocksMessage ask) || ask.decoderResult().isFailure()) {
                drop("a client of the proxy sent something that is not SOCKS");
            } else {
                onMessage(context, ask);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onMessage(final ChannelHandlerContext context, final SocksMessage message) {
        switch (message) {
            case final Socks5InitialRequest first -> onFirst(context, first);
            case final Socks5CommandRequest ask when request == null -> {
                begin(ask);
                onRequest(ask);
            }
            case final Socks4CommandRequest ask when request == null -> {
                begin(ask);
                onRequest(ask);
            }
            default -> drop("a client of the proxy sent a message out of turn");
        }
    }

    private void begin(final SocksMessage ask) {
        request = ask;
        limit.cancel(false);
        connection.config().setAutoRead(false);
    }

    private void onFirst(final ChannelHandlerContext context, final Socks5InitialRequest first) {
        if (first.authMethods().contains(Socks5AuthMethod.NO_AUTH)) {
            context.pipeline().addBefore(context.name(), null, new Socks5CommandRequestDecoder());
            final var _ =
                    connection.writeAndFlush(
                            new DefaultSocks5InitialResponse(Socks5AuthMethod.NO_AUTH));
        } else {
            limit.cancel(false);
            tunnel.warn("drop", "a client of the proxy wants to log in, which the proxy has not");
            connection
                    .writeAndFlush(new DefaultSocks5InitialResponse(Socks5AuthMethod.UNACCEPTED))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void onRequest(final Socks5CommandRequest ask) {
        if (!ask.type().equals(Socks5CommandType.CONNECT)) {
            refuse(Socks5CommandStatus.COMMAND_UNSUPPORTED, "the proxy only connects");
        } else if (!ask.dstAddrType().equals(Socks5AddressType.DOMAIN)) {
            refuse(Socks5CommandStatus.ADDRESS_UNSUPPORTED, noName(ask.dstAddr()));
        } else {
            dial(ask.dstAddr(), ask.dstPort());
        }
    }

    private void onRequest(final Socks4CommandRequest ask) {
        // The library tells an address from a name of 4a by itself.
        if (!ask.type().equals(Socks4CommandType.CONNECT)) {
            refuse(Socks5CommandStatus.COMMAND_UNSUPPORTED, "the proxy only connects");
        } else if (ask.dstAddr().matches("[0-9.]+")) {
            refuse(Socks5CommandStatus.ADDRESS_UNSUPPORTED, noName(ask.dstAddr()));
        } else {
            dial(ask.dstAddr(), ask.dstPort());
        }
    }

    private static String noName(final String address) {
        return "a client asked for the IP address "
                + address
                + ": the proxy knows nodes by name; let the client pass names on, as with"
                + " socks5h:// of curl";
    }

    private void dial(final String name, final int port) {
        if (port < 1) {
            refuse(Socks5CommandStatus.FAILURE, "a client asked for port 0");
            return;
        }
        final int node;
        try {
            node = names.node(name);
        } catch (final IllegalArgumentException e) {
            refuse(Socks5CommandStatus.HOST_UNREACHABLE, e.getMessage());
            return;
        }
        tunnel.dial().dial(connection.eventLoop(), new HxbSocketAddress(node, port), this);
    }

    @Override
    public void onOpen(final DuplexChannel stream) {
        if (!connection.isActive()) {
            Relay.reset(stream);
            return;
        }
        final var _ = connection.writeAndFlush(response(Socks5CommandStatus.SUCCESS));
        for (final ByteBuf bytes : early) {
            final var _ = stream.write(bytes);
        }
        early.clear();
        stream.flush();
        final List<ChannelHandler> codecs = new ArrayList<>();
        connection.pipeline().forEach(entry -> codecs.add(entry.getValue()));
        Relay.join(connection, stream, isInputEnded);
        // From the last on, so that what they hold passes to the relay in order.
        codecs.reversed().forEach(connection.pipeline()::remove);
        if (isInputEnded) {
            connection.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
    }

    @Override
    public void onFailure(final DialFailure failure) {
        refuse(
                switch (failure.kind()) {
                    case REFUSED -> Socks5CommandStatus.CONNECTION_REFUSED;
                    case UNREACHABLE -> Socks5CommandStatus.HOST_UNREACHABLE;
                    case NOT_ALLOWED -> Socks5CommandStatus.FORBIDDEN;
                },
                failure.text());
    }

    private void refuse(final Socks5CommandStatus status, final String reason) {
        tunnel.warn("refuse", reason);
        if (connection.isActive()) {
            connection.writeAndFlush(response(status)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private SocksMessage response(final Socks5CommandStatus status) {
        return request instanceof Socks4CommandRequest
                ? new DefaultSocks4CommandResponse(
                        status.equals(Socks5CommandStatus.SUCCESS)
                                ? Socks4CommandStatus.SUCCESS
                                : Socks4CommandStatus.REJECTED_OR_FAILED)
                : new DefaultSocks5CommandResponse(status, Socks5AddressType.IPv4);
    }

    private void drop(final String reason) {
        limit.cancel(false);
        tunnel.warn("drop", reason);
        final var _ = connection.close();
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
        if (event.equals(ChannelInputShutdownEvent.INSTANCE)) {
            if (request == null) {
                drop("a client of the proxy left before its request was complete");
            }
            isInputEnded = true;
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable reason) {
        limit.cancel(false);
        Relay.reset(connection);
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        if (request == null && limit.cancel(false)) {
            tunnel.warn("drop", "a client of the proxy sent something that is not SOCKS, or left");
        }
        early.forEach(ByteBuf::release);
        early.clear();
    }
}
