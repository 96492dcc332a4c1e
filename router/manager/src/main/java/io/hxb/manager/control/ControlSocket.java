package io.hxb.manager.control;

import io.hxb.http.HttpPipeline;
import io.hxb.http.HttpRequestHandler;
import io.hxb.os.StaleSocket;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.concurrent.DefaultThreadFactory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Answers HTTP requests on a Unix socket that only its user and root can open: one after the other,
 * on a thread of its own. A connection on which nothing is asked ends after {@value #IDLE_SECONDS}
 * s.
 */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlSocket.class);
    private static final int IDLE_SECONDS = 2;
    private static final int BACKLOG = 64;
    private static final int CLOSE_SECONDS = 5;

    private final Path path;
    private final Function<Request, Answer> answers;
    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(
                    1,
                    new DefaultThreadFactory("hxb-optimise-socket", true),
                    EpollIoHandler.newFactory());

    /**
     * What is asked.
     *
     * @param method such as GET, which HEAD becomes.
     * @param target such as {@code /v1/status}.
     * @param accept the kinds of text that are accepted; empty for all.
     */
    public record Request(String method, String target, String accept) {}

    /**
     * What is answered.
     *
     * @param status of HTTP.
     * @param type of the text.
     * @param text itself.
     */
    public record Answer(int status, String type, String text) {
        /** JSON. */
        public static Answer json(final int status, final String text) {
            return new Answer(status, "application/json", text + "\n");
        }
    }

    /**
     * Listens; a socket that a dead server has left is replaced.
     *
     * @param answers called by the socket's thread; may block.
     * @throws IOException if another server listens there, or it cannot be made.
     */
    public ControlSocket(final Path path, final Function<Request, Answer> answers)
            throws IOException {
        this.path = path;
        this.answers = answers;
        if (!StaleSocket.remove(path)) {
            throw new IOException(
                    "a management server listens on "
                            + path
                            + " already: stop it, or give --socket");
        }
        final var bound =
                new ServerBootstrap()
                        .group(loop)
                        .channel(EpollServerDomainSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(final Channel channel) {
                                        HttpPipeline.limitReads(channel);
                                        HttpPipeline.add(
                                                channel.pipeline(), IDLE_SECONDS, new Handler());
                                    }
                                })
                        .bind(new DomainSocketAddress(path.toString()))
                        .awaitUninterruptibly();
        try {
            if (!bound.isSuccess()) {
                throw new IOException(bound.cause().getMessage(), bound.cause());
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (final IOException e) {
            end();
            throw new IOException("the socket " + path + " cannot be made: " + e.getMessage(), e);
        }
    }

    private final class Handler extends HttpRequestHandler {
        @Override
        public void channelActive(final ChannelHandlerContext context) {
            askNext(context);
        }

        @Override
        protected void onRequest(final ChannelHandlerContext context, final FullHttpRequest http) {
            final Answer answer = answer(http);
            final var response =
                    HttpPipeline.response(answer.status(), answer.type(), answer.text());
            final boolean isLast = http.decoderResult().isFailure();
            final var ignored =
                    context.writeAndFlush(isLast ? HttpPipeline.closing(response) : response);
            if (!isLast) {
                askNext(context);
            }
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            LOGGER.debug("a connection has failed", cause);
            final var ignored = context.close();
        }
    }

    private Answer answer(final FullHttpRequest http) {
        if (http.decoderResult().isFailure()) {
            return Answer.json(400, "{\"ok\":false,\"error\":\"this is no HTTP request\"}");
        }
        final HttpMethod method = http.method();
        try {
            return answers.apply(
                    new Request(
                            method.equals(HttpMethod.HEAD) ? "GET" : method.name(),
                            http.uri(),
                            String.join(", ", http.headers().getAll(HttpHeaderNames.ACCEPT))));
        } catch (final RuntimeException e) {
            LOGGER.warn("the request {} {} failed", method, http.uri(), e);
            return Answer.json(500, "{\"ok\":false,\"error\":\"the server failed: see its log\"}");
        }
    }

    /** Where it listens. */
    public Path path() {
        return path;
    }

    private void end() {
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Listens no longer, and removes the socket. */
    @Override
    public void close() throws IOException {
        end();
        Files.deleteIfExists(path);
    }
}
