package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.netty.HxbTransport;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.StreamOptions;
import io.hxb.pm.stream.StreamResetException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Netty channels that are shut down and closed while what was written waits for the peer. */
@Tag("system")
class HxbChannelEndTest {
    private static final int WINDOW = 4096;
    private static final int LENGTH = 5 * WINDOW;
    private static final StreamOptions OPTIONS = StreamNodes.OPTIONS.withWindowBytes(WINDOW);

    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    private StreamNodes nodes;
    private EventLoopGroup group;
    private DuplexChannel channel;
    private HxbSocketChannel peer;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        final HxbServerSocketChannel server = nodes.streams(1, OPTIONS).listen(0);
        channel =
                (DuplexChannel)
                        new Bootstrap()
                                .group(group)
                                .channelFactory(
                                        new HxbTransport(nodes.streams(0, OPTIONS)).client())
                                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                                .handler(new Failures())
                                .connect(server.localAddress())
                                .sync()
                                .channel();
        peer = server.accept();
    }

    @AfterEach
    void close() throws Exception {
        assertTrue(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(30_000));
        nodes.close();
    }

    private ChannelFuture blockedWrite() throws Exception {
        final ChannelFuture written =
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[LENGTH]));
        StreamNodes.await("a full window", () -> peer.available() == WINDOW);
        return written;
    }

    @Test
    void shouldEndTheOutputAfterWhatWasWritten() throws Exception {
        // given
        final ChannelFuture written = blockedWrite();
        final ChannelFuture unflushed = channel.write(Unpooled.wrappedBuffer(new byte[10]));
        // when
        final ChannelFuture ended = channel.shutdownOutput();
        final ChannelFuture endedAgain = channel.shutdownOutput();
        // then
        assertTrue(channel.eventLoop().submit(() -> true).get());
        assertFalse(ended.isDone());
        final ChannelFuture late = channel.write(Unpooled.wrappedBuffer(new byte[10]));
        assertTrue(late.await(30_000));
        assertInstanceOf(ChannelOutputShutdownException.class, late.cause());
        assertEquals(LENGTH + 10, peer.input().readAllBytes().length);
        for (final ChannelFuture each : new ChannelFuture[] {written, unflushed, ended}) {
            assertTrue(each.await(30_000) && each.isSuccess(), each::toString);
        }
        assertTrue(endedAgain.await(30_000));
        assertTrue(channel.isOutputShutdown());
        assertTrue(channel.isActive());
    }

    @Test
    void shouldResetThePeerWhenClosedBeforeAllIsSent() throws Exception {
        // given
        final ChannelFuture written = blockedWrite();
        // when
        final ChannelFuture closed = channel.close();
        // then
        assertTrue(closed.await(30_000) && closed.isSuccess());
        assertFalse(written.isSuccess());
        assertThrows(StreamResetException.class, () -> peer.input().readAllBytes());
    }

    @Test
    void shouldCloseInOrderWhenAllIsSent() throws Exception {
        // given
        final ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
        assertTrue(written.await(30_000));
        // when
        assertTrue(channel.close().await(30_000));
        // then
        assertEquals(10, peer.input().readAllBytes().length);
    }

    @Test
    void shouldCloseAHalfClosedChannelWhosePeerIsLost() throws Exception {
        // given
        peer.shutdownOutput();
        StreamNodes.await("the end of the input", channel::isInputShutdown);
        assertTrue(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[10])).await(30_000));
        assertEquals(10, peer.read(ByteBuffer.allocate(20)));
        assertTrue(channel.isActive());
        // when
        peer.reset();
        // then
        assertTrue(channel.closeFuture().await(LIMIT / 1_000_000));
        assertInstanceOf(StreamResetException.class, failures.poll(30, TimeUnit.SECONDS));
    }

    private final class Failures extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            failures.add(cause);
        }
    }
}
