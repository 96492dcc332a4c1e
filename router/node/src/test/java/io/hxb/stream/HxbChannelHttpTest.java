package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.net.ConnectException;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Netty's own HTTP handlers, unchanged, over streams. */
@Tag("system")
class HxbChannelHttpTest {
    private static final int PORT = 8080;
    private static final int MAX_BODY = 16 << 20;
    private static final HxbSocketAddress SERVER = new HxbSocketAddress(1, PORT);

    private StreamNodes nodes;
    private EventLoopGroup group;
    private HxbTransport serving;
    private HxbTransport asking;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        serving = new HxbTransport(nodes.streams(1));
        asking = new HxbTransport(nodes.streams(0));
        group = new MultiThreadIoEventLoopGroup(3, EpollIoHandler.newFactory());
    }

    @AfterEach
    void close() throws Exception {
        assertTrue(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(30_000));
        nodes.close();
    }

    private Channel serve() throws Exception {
        return new ServerBootstrap()
                .group(group)
                .channelFactory(serving.server())
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(final Channel channel) {
                                channel.pipeline()
                                        .addLast(new HttpServerCodec())
                                        .addLast(new HttpObjectAggregator(MAX_BODY))
                                        .addLast(new Hello());
                            }
                        })
                .bind(SERVER)
                .sync()
                .channel();
    }

    private Channel ask() throws Exception {
        return new Bootstrap()
                .group(group)
                .channelFactory(asking.client())
                .handler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(final Channel channel) {
                                channel.pipeline()
                                        .addLast(new HttpClientCodec())
                                        .addLast(new HttpObjectAggregator(MAX_BODY))
                                        .addLast(new ChunkedWriteHandler())
                                        .addLast(new Answers());
                            }
                        })
                .connect(SERVER)
                .sync()
                .channel();
    }

    private String answer() throws InterruptedException {
        final String answer = answers.poll(30, TimeUnit.SECONDS);
        assertTrue(answer != null, "no answer");
        return answer;
    }

    private static FullHttpRequest get(final String path) {
        return new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
    }

    @Test
    void shouldKeepAConnectionAliveAndAnswerInOrder() throws Exception {
        // given
        serve();
        final Channel client = ask();
        // when
        assertTrue(client.writeAndFlush(get("/first")).await(30_000));
        final String first = answer();
        for (int i = 0; i < 20; i++) {
            final var _ = client.write(get("/" + i));
        }
        client.flush();
        // then
        assertEquals("200 GET /first 0", first);
        for (int i = 0; i < 20; i++) {
            assertEquals("200 GET /" + i + " 0", answer());
        }
        assertTrue(client.isActive());
        final FullHttpRequest last = get("/last");
        HttpUtil.setKeepAlive(last, false);
        final var _ = client.writeAndFlush(last);
        assertEquals("200 GET /last 0", answer());
        assertTrue(client.closeFuture().await(30_000), "the server closes it");
    }

    @Test
    void shouldCarryLargeBodiesInChunks() throws Exception {
        // given
        serve();
        final Channel client = ask();
        final byte[] body = new byte[10_000_000];
        new Random(5).nextBytes(body);
        final HttpRequest request =
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/large");
        request.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        // when
        final var _ = client.write(request);
        assertTrue(
                client.writeAndFlush(
                                new HttpChunkedInput(
                                        new ChunkedStream(new ByteArrayInputStream(body))))
                        .await(30_000));
        // then
        assertEquals("200 POST /large " + java.util.Arrays.hashCode(body), answer());
    }

    @Test
    void shouldFailToConnectWhereNobodyListens() {
        final Throwable failure = assertThrows(Exception.class, this::ask);
        assertInstanceOf(ConnectException.class, failure);
    }

    @Test
    void shouldBecomeUnwritableWhileThePeerDoesNotRead() throws Exception {
        // given
        final HxbStreams plain = nodes.streams(1);
        final var server = plain.listen(PORT);
        final Channel client =
                new Bootstrap()
                        .group(group)
                        .channelFactory(asking.client())
                        .option(
                                ChannelOption.WRITE_BUFFER_WATER_MARK,
                                new WriteBufferWaterMark(10_000, 20_000))
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(SERVER)
                        .sync()
                        .channel();
        final HxbSocketChannel end = server.accept();
        final int piece = 8192;
        // when
        int sent = 0;
        while (client.isWritable()) {
            final var _ = client.writeAndFlush(Unpooled.wrappedBuffer(new byte[piece]));
            sent += piece;
            assertTrue(client.eventLoop().submit(() -> true).get());
        }
        // then
        assertTrue(sent > StreamNodes.OPTIONS.windowBytes(), "sent " + sent);
        assertEquals(sent, end.input().readNBytes(sent).length);
        StreamNodes.await("writability", client::isWritable);
    }

    @Test
    void shouldKeepReadingAfterThePeerHasEndedIfConfigured() throws Exception {
        // given
        final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        final Channel server =
                new ServerBootstrap()
                        .group(group)
                        .channelFactory(serving.server())
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childHandler(new Late(seen))
                        .bind(SERVER)
                        .sync()
                        .channel();
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, StreamNodes.LIMIT);
        // when
        client.output().write("ask".getBytes(UTF_8));
        client.shutdownOutput();
        // then
        assertEquals("ask then the end", new String(client.input().readAllBytes(), UTF_8));
        assertEquals(ChannelInputShutdownEvent.INSTANCE, seen.poll(30, TimeUnit.SECONDS));
        assertTrue(server.isActive());
        assertTrue(server.close().await(30_000));
        assertFalse(server.isOpen());
    }

    /** Answers with method, path and a hash of the body. */
    private static final class Hello extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(
                final ChannelHandlerContext context, final FullHttpRequest request) {
            final byte[] body = new byte[request.content().readableBytes()];
            request.content().readBytes(body);
            final int hash = body.length == 0 ? 0 : java.util.Arrays.hashCode(body);
            final String text = request.method() + " " + request.uri() + " " + hash;
            final FullHttpResponse response =
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.OK,
                            Unpooled.copiedBuffer(text, UTF_8));
            HttpUtil.setContentLength(response, response.content().readableBytes());
            final boolean isKept = HttpUtil.isKeepAlive(request);
            HttpUtil.setKeepAlive(response, isKept);
            final var written = context.writeAndFlush(response);
            if (!isKept) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    private final class Answers extends SimpleChannelInboundHandler<FullHttpResponse> {
        @Override
        protected void channelRead0(
                final ChannelHandlerContext context, final FullHttpResponse response) {
            answers.add(response.status().code() + " " + response.content().toString(UTF_8));
        }
    }

    /** Echoes, and sends something more when the peer has ended. */
    private static final class Late extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> seen;

        Late(final BlockingQueue<Object> seen) {
            this.seen = seen;
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            final var _ = context.writeAndFlush((ByteBuf) message);
        }

        @Override
        public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
            seen.add(event);
            if (event.equals(ChannelInputShutdownEvent.INSTANCE)) {
                context.writeAndFlush(Unpooled.copiedBuffer(" then the end", UTF_8))
                        .addListener(
                                done -> {
                                    final var _ =
                                            ((DuplexChannel) context.channel()).shutdownOutput();
                                });
            }
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }
}
