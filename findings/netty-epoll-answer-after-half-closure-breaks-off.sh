#!/usr/bin/env bash
# Guess: with ALLOW_HALF_CLOSURE a server answers after its client has ended its direction, however long the answer is,
#   and does so alike on NIO and on epoll, which are said to differ in speed alone.
# Seen: on epoll the answer breaks off as soon as the client reads slower than the server writes. The end of input leaves the
#   channel interested in nothing, and Netty takes its descriptor out of the epoll set. A write that has to wait later fails
#   (epoll_ctl: ENOENT), and the channel shuts its output down: ChannelOutputShutdownException. An answer that is written in
#   the event of the end itself arrives. On NIO all arrives in both cases.
# Met by: proxies and servers of request-until-end protocols that compute before they answer, such as tunnels of TCP: the
#   same code passes all tests on NIO, and with short answers on epoll, too. hxb forward runs on NIO for that.
# Version: io.netty:netty-transport and netty-transport-native-epoll 4.2.18.Final
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ "$(uname -m)" = x86_64 ] || { echo "needs x86-64" >&2; exit 77; }
version=4.2.18.Final
for artifact in common buffer resolver transport transport-classes-epoll transport-native-unix-common; do
  mvn -q -B dependency:copy -Dartifact="io.netty:netty-$artifact:$version" -DoutputDirectory="$folder"
done
mvn -q -B dependency:copy -Dartifact="io.netty:netty-transport-native-epoll:$version:jar:linux-x86_64" -DoutputDirectory="$folder"
cat >"$folder/HalfClosed.java" <<'JAVA'
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public class HalfClosed {
    static final int LENGTH = 20_000_000;
    static final CountDownLatch BEGUN = new CountDownLatch(1);
    static volatile String error = "no error";

    public static void main(final String[] arguments) throws Exception {
        final boolean isEpoll = arguments[0].equals("epoll");
        final IoHandlerFactory handlers = isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        final Class<? extends ServerChannel> type = isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        final var group = new MultiThreadIoEventLoopGroup(1, handlers);
        final Channel server = new ServerBootstrap().group(group).channel(type)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(final Channel channel) {
                        channel.pipeline().addLast(new Answer());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
        long received = 0;
        try (Socket client = new Socket()) {
            client.setReceiveBufferSize(65_536);
            client.connect(server.localAddress());
            client.setSoTimeout(3_000);
            client.getOutputStream().write(1);
            client.shutdownOutput();
            BEGUN.await();
            final byte[] bytes = new byte[65_536];
            int count = client.getInputStream().read(bytes);
            while (count > 0) {
                received += count;
                count = client.getInputStream().read(bytes);
            }
        } catch (final java.io.IOException e) {
            error += ", client: " + e.getMessage();
        }
        System.out.println((received == LENGTH ? "all" : "part") + " of the answer; " + error);
        group.shutdownGracefully();
    }

    static final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(final ChannelHandlerContext context, final Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                context.executor().schedule(() -> answer(context), 200, TimeUnit.MILLISECONDS);
            }
        }

        private void answer(final ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[LENGTH])).addListener(done -> {
                if (!done.isSuccess()) {
                    error = "server: " + done.cause();
                }
                context.close();
            });
            BEGUN.countDown();
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            error = "server: " + cause;
        }
    }
}
JAVA
seen() { java -cp "$folder/*" "$folder/HalfClosed.java" "$1" 2>"$folder/errors"; }
nio=$(seen nio)
epoll=$(seen epoll)
echo "Netty $version, NIO: $nio"
echo "Netty $version, epoll: $epoll"
[ "$nio" = "all of the answer; no error" ]
[ "$epoll" = "part of the answer; server: io.netty.channel.socket.ChannelOutputShutdownException: Channel output shutdown" ]
