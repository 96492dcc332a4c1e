package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;
import static io.hxb.stream.StreamNodes.SECOND;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.StreamResetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What programs for Netty rely on, whichever transport carries their channels. */
@Tag("system")
class HxbChannelContractTest {
    private static final int LARGE = 1 << 20;
    private static final long BLOCKED_S = 60;

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<Object> served = new LinkedBlockingQueue<>();
    private final BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    private StreamNodes nodes;
    private EventLoopGroup group;
    private HxbTransport serving;
    private HxbTransport asking;
    private HxbStreams servingStreams;
    private HxbStreams askingStreams;
    private HxbStreams plain;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        group = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
        servingStreams = nodes.streams(1);
        askingStreams = nodes.streams(0);
        serving = new HxbTransport(servingStreams);
        asking = new HxbTransport(askingStreams);
        plain = nodes.streams(0);
    }

    @AfterEach
    void close() throws Exception {
        assertTrue(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(30_000));
        nodes.close();
    }

    private Channel serve(final EventLoopGroup loops, final Consumer<ChannelHandlerContext> onRead)
            throws Exception {
        return new ServerBootstrap()
                .group(loops)
                .channelFactory(serving.server())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(final Channel channel) {
                                accepted.add(channel);
                                channel.pipeline().addLast(new Requests(served, onRead));
                            }
                        })
                .bind(new HxbSocketAddress(1, 0))
                .sync()
                .channel();
    }

    private HxbSocketChannel ask(final Channel server) throws Exception {
        return plain.connect((HxbSocketAddress) server.localAddress(), LIMIT);
    }

    private Bootstrap client() {
        return new Bootstrap()
                .group(group)
                .channelFactory(asking.client())
                .handler(new Requests(seen, _ -> {}));
    }

    private static String readAll(final HxbSocketChannel channel) {
        long count = 0;
        try {
            final byte[] piece = new byte[16_384];
            for (int n = channel.input().read(piece); n >= 0; n = channel.input().read(piece)) {
                count += n;
            }
            return count + " bytes and the end";
        } catch (final IOException e) {
            return count + " bytes and " + e;
        }
    }

    private static void answer(final ChannelHandlerContext context, final int count) {
        final var _ = context.writeAndFlush(bytes(count));
    }

    private static void endOutput(final ChannelHandlerContext context) {
        final var _ = ((DuplexChannel) context.channel()).shutdownOutput();
    }

    private static ByteBuf bytes(final int count) {
        return Unpooled.wrappedBuffer(new byte[count]);
    }

    @Test
    void shouldEndInOrderWhenClosedByTheListenerOfAWriteThatWaited() throws Exception {
        // given
        final Channel server =
                serve(
                        group,
                        c ->
                                c.writeAndFlush(bytes(LARGE))
                                        .addListener(ChannelFutureListener.CLOSE));
        try (HxbSocketChannel client = ask(server)) {
            // when
            client.output().write(1);
            StreamNodes.await(
                    "a full window", () -> client.available() == StreamNodes.OPTIONS.windowBytes());
            // then
            assertEquals(LARGE + " bytes and the end", readAll(client));
        }
    }

    @Test
    void shouldEndInOrderWhenClosedByTheListenerOfAWriteOfAnotherThread() throws Exception {
        // given
        final Channel server =
                serve(
                        group,
                        c ->
                                Thread.startVirtualThread(
                                        () ->
                                                c.channel()
                                                        .writeAndFlush(bytes(1000))
                                                        .addListener(ChannelFutureListener.CLOSE)));
        for (int i = 0; i < 200; i++) {
            try (HxbSocketChannel client = ask(server)) {
                // when
                client.output().write(1);
                // then
                assertEquals("1000 bytes and the end", readAll(client), "round " + i);
            }
        }
    }

    @Test
    void shouldEndInOrderWhenTheFirstOfSeveralSentTogetherCloses() throws Exception {
        // given
        final Channel server =
                serve(
                        group,
                        c -> {
                            c.write(bytes(10)).addListener(ChannelFutureListener.CLOSE);
                            final var _ = c.write(bytes(20));
                            final var _ = c.writeAndFlush(bytes(30));
                        });
        try (HxbSocketChannel client = ask(server)) {
            // when
            client.output().write(1);
            // then
            assertEquals("60 bytes and the end", readAll(client));
        }
    }

    @Test
    void shouldEndInOrderWhenClosedWithNothingButEmptyBuffers() throws Exception {
        // given
        final Channel server =
                serve(
                        group,
                        c -> {
                            final var _ = c.write(Unpooled.EMPTY_BUFFER);
                            final var _ = c.close();
                        });
        try (HxbSocketChannel client = ask(server)) {
            // when
            client.output().write(1);
            // then
            assertEquals("0 bytes and the end", readAll(client));
        }
    }

    @Test
    void shouldEndTheOutputAloneByTheListenerOfAWriteThatWaited() throws Exception {
        // given
        final Channel server =
                serve(group, c -> c.writeAndFlush(bytes(LARGE)).addListener(_ -> endOutput(c)));
        try (HxbSocketChannel client = ask(server)) {
            // when
            client.output().write(1);
            StreamNodes.await(
                    "a full window", () -> client.available() == StreamNodes.OPTIONS.windowBytes());
            // then
            assertEquals(LARGE + " bytes and the end", readAll(client));
            client.output().write(2);
            client.shutdownOutput();
            assertTrue(client.awaitDelivery(LIMIT));
        }
    }

    @Test
    void shouldFailToShutDownWhatIsNotConnected() throws Exception {
        // given
        final DuplexChannel channel = (DuplexChannel) client().register().sync().channel();
        // when
        final List<ChannelFuture> ends =
                List.of(channel.shutdownInput(), channel.shutdownOutput(), channel.shutdown());
        // then
        for (final ChannelFuture end : ends) {
            assertTrue(end.await(30_000));
            assertInstanceOf(NotYetConnectedException.class, end.cause());
        }
        assertTrue(channel.isInputShutdown() && channel.isOutputShutdown());
        assertTrue(channel.close().await(30_000));
    }

    @Test
    void shouldRefuseASecondConnectAndCompleteTheFirst() throws Exception {
        // given
        final Channel server = serve(group, _ -> {});
        final Channel channel = client().register().sync().channel();
        final ChannelFuture[] futures = new ChannelFuture[2];
        // when
        channel.eventLoop()
                .submit(
                        () -> {
                            futures[0] = channel.connect(server.localAddress());
                            futures[1] = channel.connect(server.localAddress());
                        })
                .sync();
        // then
        assertTrue(futures[1].await(30_000));
        assertInstanceOf(ConnectionPendingException.class, futures[1].cause());
        assertTrue(futures[0].await(30_000) && futures[0].isSuccess(), futures[0]::toString);
    }

    @Test
    void shouldFailAndCloseWhenTheAddressIsForeign() throws Exception {
        // when
        final ChannelFuture connected =
                client().connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 5000))
                        .await();
        // then
        assertInstanceOf(UnsupportedAddressTypeException.class, connected.cause());
        assertFalse(connected.channel().isOpen());
    }

    @Test
    void shouldWorkOnAnotherLoopAfterDeregistering() throws Exception {
        // given
        final Channel server = serve(group, c -> answer(c, 5));
        final Channel channel = client().connect(server.localAddress()).sync().channel();
        assertTrue(channel.deregister().await(30_000));
        // when
        assertTrue(channel.writeAndFlush(bytes(1)).cause() == null);
        final ChannelFuture moved = group.register(channel).await();
        // then
        assertTrue(moved.isSuccess(), moved::toString);
        assertTrue(channel.writeAndFlush(bytes(1)).await(30_000));
        // Five bytes for each read of the server, which may read both bytes at once.
        final Object answered = seen.poll(30, TimeUnit.SECONDS);
        assertTrue(answered instanceof Integer bytes && bytes % 5 == 0, () -> "read " + answered);
        assertTrue(channel.isActive());
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio", "local"})
    void shouldCloseAllChannelsWithTheirLoops(final String kind) throws Exception {
        // given
        final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(4, factory(kind));
        final Channel server = serve(loops, c -> answer(c, 1));
        final List<HxbSocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final HxbSocketChannel client = ask(server);
            client.output().write(1);
            assertEquals(0, client.input().read());
            clients.add(client);
        }
        // when
        assertTrue(loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(30_000));
        // then
        assertFalse(server.isOpen());
        for (final HxbSocketChannel client : clients) {
            assertEquals("0 bytes and the end", readAll(client));
            client.close();
        }
        for (final Channel channel : accepted) {
            assertFalse(channel.isOpen());
        }
    }

    private static IoHandlerFactory factory(final String kind) {
        return switch (kind) {
            case "epoll" -> EpollIoHandler.newFactory();
            case "nio" -> NioIoHandler.newFactory();
            default -> LocalIoHandler.newFactory();
        };
    }

    @Test
    void shouldReadNothingAfterAutoReadIsSwitchedOff() throws Exception {
        // given
        final Channel server = serve(group, _ -> {});
        try (HxbSocketChannel client = ask(server)) {
            client.output().write(1);
            assertEquals(1, served.poll(30, TimeUnit.SECONDS));
            final Channel channel = accepted.take();
            channel.eventLoop().submit(() -> channel.config().setAutoRead(false)).sync();
            // when
            final long before = servingStreams.counters().bytesReceived();
            client.output().write(2);
            StreamNodes.await("the byte", () -> servingStreams.counters().bytesReceived() > before);
            assertTrue(channel.eventLoop().submit(() -> true).get());
            // then
            assertEquals(null, served.poll());
            channel.read();
            assertEquals(1, served.poll(30, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadAnAnswerThatAResetFollows(final boolean isAutoClose) throws Exception {
        // given: the server answers the first bytes, and closes while others are unread
        final Channel server =
                serve(
                        group,
                        c -> c.writeAndFlush(bytes(1024)).addListener(ChannelFutureListener.CLOSE));
        final Channel channel =
                client().option(ChannelOption.AUTO_READ, false)
                        .option(ChannelOption.AUTO_CLOSE, isAutoClose)
                        .connect(server.localAddress())
                        .sync()
                        .channel();
        // when
        ChannelFuture written = channel.writeAndFlush(bytes(1000));
        while (written.await(30_000) && written.isSuccess()) {
            written = channel.writeAndFlush(bytes(100_000));
        }
        // then
        assertInstanceOf(IOException.class, written.cause());
        assertTrue(channel.isOpen());
        channel.config().setAutoRead(true);
        assertTrue(channel.closeFuture().await(30_000));
        assertTrue(seen.contains(1024), seen::toString);
    }

    @Test
    void shouldKeepReadingAfterItHasShutDownItsOutputForAFailedWrite() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(0);
        final DuplexChannel channel =
                (DuplexChannel)
                        client().option(ChannelOption.AUTO_CLOSE, false)
                                .connect(server.localAddress())
                                .sync()
                                .channel();
        final HxbSocketChannel end = server.accept();
        // when
        assertTrue(channel.writeAndFlush(new BrokenRegion()).await(30_000));
        // then
        assertEquals(ChannelOutputShutdownEvent.INSTANCE, seen.poll(30, TimeUnit.SECONDS));
        assertTrue(channel.isActive() && channel.isOutputShutdown());
        end.output().write(new byte[7]);
        assertEquals(7, seen.poll(30, TimeUnit.SECONDS));
        assertTrue(channel.close().await(30_000));
        assertTrue(readAll(end).contains(StreamResetException.class.getSimpleName()));
    }

    @Test
    void shouldStayOpenWhenItHasShutDownItsInput() throws Exception {
        // given
        final Channel server = serve(group, c -> answer(c, 1));
        final DuplexChannel channel =
                (DuplexChannel) client().connect(server.localAddress()).sync().channel();
        // when
        assertTrue(channel.shutdownInput().await(30_000));
        // then
        assertEquals(ChannelInputShutdownReadComplete.INSTANCE, seen.poll(30, TimeUnit.SECONDS));
        assertTrue(channel.isActive() && channel.isInputShutdown());
        assertFalse(channel.isOutputShutdown());
        final ChannelFuture written = channel.writeAndFlush(bytes(3));
        assertTrue(written.await(30_000) && written.isSuccess());
        assertEquals(3, served.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldCarryOtherChannelsWhileTheLoopThatDrivesThemIsBlocked() throws Exception {
        // given: the first loop with a channel drives the streams
        final Channel server = serve(group, c -> answer(c, 1));
        final CountDownLatch isFree = new CountDownLatch(1);
        final Channel mine = client().connect(server.localAddress()).sync().channel();
        final HxbSocketChannel before = ask(server);
        server.eventLoop().execute(() -> await(isFree));
        mine.eventLoop().execute(() -> await(isFree));
        try {
            // when: streams of the blocked transports and threads of their own
            final HxbServerSocketChannel own = askingStreams.listen(0);
            final long startNs = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                try (HxbSocketChannel one = plain.connect(own.localAddress(), LIMIT);
                        HxbSocketChannel other = own.accept(LIMIT)) {
                    one.output().write(i);
                    assertEquals(i, other.input().read());
                }
            }
            // then
            assertTrue(System.nanoTime() - startNs < BLOCKED_S * SECOND, "while it was blocked");
        } finally {
            isFree.countDown();
            before.close();
        }
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertTrue(latch.await(BLOCKED_S, TimeUnit.SECONDS));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Notes what happens, and calls somebody for each read. */
    private static final class Requests extends ChannelInboundHandlerAdapter {
        private final BlockingQueue<Object> notes;
        private final Consumer<ChannelHandlerContext> onRead;

        Requests(final BlockingQueue<Object> notes, final Consumer<ChannelHandlerContext> onRead) {
            this.notes = notes;
            this.onRead = onRead;
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object message) {
            notes.add(((ByteBuf) message).readableBytes());
            ((ByteBuf) message).release();
            onRead.accept(context);
        }

        @Override
        public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
            notes.add(event);
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            if (!(cause instanceof IOException)) {
                context.fireExceptionCaught(cause);
            }
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    /** A file that ends too early. */
    private static final class BrokenRegion extends io.netty.util.AbstractReferenceCounted
            implements io.netty.channel.FileRegion {
        @Override
        public long position() {
            return 0;
        }

        @Override
        public long transferred() {
            return 0;
        }

        @Override
        @Deprecated
        @SuppressWarnings("InlineMeSuggester")
        public long transfered() {
            return transferred();
        }

        @Override
        public long count() {
            return 100;
        }

        @Override
        public long transferTo(
                final java.nio.channels.WritableByteChannel target, final long position)
                throws IOException {
            throw new IOException("the file has ended");
        }

        @Override
        public BrokenRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public BrokenRegion retain(final int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public BrokenRegion touch() {
            return this;
        }

        @Override
        public BrokenRegion touch(final Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {
            // Nothing is held.
        }
    }
}
