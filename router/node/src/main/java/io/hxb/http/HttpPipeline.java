package io.hxb.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.IdleStateHandler;

import java.nio.charset.StandardCharsets;

/**
 * The handlers of an HTTP/1.1 connection. Whole requests arrive one after the other, each when the
 * last handler has asked for it by {@code read()}, so a client that sends many at once holds up
 * itself only. Stateless.
 */
public final class HttpPipeline {
    /** Maximum bytes of the first line, and of the headers. */
    public static final int MAX_HEAD_BYTES = 8 << 10;

    /** Maximum bytes of a body. */
    public static final int MAX_BODY_BYTES = 1 << 20;

    private static final int FIRST_READ_BYTES = 2 << 10;
    private static final int MAX_READ_BYTES = 4 << 10;

    /** As many of the shortest requests, of 18 bytes, as one read can take. */
    private static final int MAX_WAITING = MAX_READ_BYTES / 16;

    private static final HttpDecoderConfig LIMITS =
            new HttpDecoderConfig()
                    .setMaxInitialLineLength(MAX_HEAD_BYTES)
                    .setMaxHeaderSize(MAX_HEAD_BYTES)
                    .setMaxChunkSize(MAX_HEAD_BYTES);

    private HttpPipeline() {}

    /**
     * To be called when a connection begins, before anything is read: bounds what is read at once.
     * What a client sends beyond that stays in its socket. Without it, Netty's codec takes all
     * requests that a read brings, and by default closes connections on which more than 128 wait
     * for their answers (4.2.18, {@code maxPipelineDepth}).
     */
    public static void limitReads(final Channel channel) {
        channel.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(64, FIRST_READ_BYTES, MAX_READ_BYTES));
    }

    /**
     * Adds the handlers, of which {@code last} gets a {@code FullHttpRequest} for each request, and
     * an idle event after {@code idleSeconds} without requests and answers.
     */
    public static void add(
            final ChannelPipeline pipeline,
            final int idleSeconds,
            final ChannelInboundHandler last) {
        pipeline.channel().config().setAutoRead(false);
        pipeline.addLast(
                new HttpServerCodec(LIMITS, MAX_WAITING),
                new HttpServerKeepAliveHandler(),
                new Aggregator(),
                new FlowControlHandler(),
                new IdleStateHandler(0, 0, idleSeconds),
                last);
    }

    /** An answer; the body is left out by Netty where HEAD was asked. */
    public static FullHttpResponse response(
            final int status, final String type, final String text) {
        final FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(status),
                        Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        HttpUtil.setContentLength(response, response.content().readableBytes());
        return response;
    }

    /** Announces in an answer that the connection ends with it. */
    public static FullHttpResponse closing(final FullHttpResponse response) {
        HttpUtil.setKeepAlive(response, false);
        return response;
    }

    private static final class Aggregator extends HttpObjectAggregator {
        Aggregator() {
            super(MAX_BODY_BYTES, true);
        }

        @Override
        protected void handleOversizedMessage(
                final ChannelHandlerContext context, final HttpMessage oversized) {
            final FullHttpResponse answer =
                    response(
                            HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE.code(),
                            "application/json",
                            "{\"ok\":false,\"error\":\"the body is longer than 1 MiB\"}\n");
            final var written = context.writeAndFlush(closing(answer));
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }
}
