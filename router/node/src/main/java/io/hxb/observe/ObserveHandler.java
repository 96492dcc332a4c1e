package io.hxb.observe;

import io.hxb.http.HttpPipeline;
import io.hxb.http.HttpRequestHandler;
import io.hxb.http.RequestDeadline;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** One connection: requests are answered one after the other. Owned by the server's thread. */
final class ObserveHandler extends HttpRequestHandler {
    private static final Logger LOGGER = LoggerFactory.getLogger(ObserveHandler.class);
    private static final int MAX_PARAMETERS = 32;

    private final Map<String, Resource> routes;
    private final AccessCheck access;
    private final ConnectionBounds bounds;
    private final RequestDeadline deadline;
    // The next request is asked for once the client has read some answers.
    private boolean isBehind;

    ObserveHandler(
            final Map<String, Resource> routes,
            final AccessCheck access,
            final ConnectionBounds bounds,
            final RequestDeadline deadline) {
        this.routes = routes;
        this.access = access;
        this.bounds = bounds;
        this.deadline = deadline;
    }

    @Override
    public void channelActive(final ChannelHandlerContext context) {
        askNext(context);
    }

    @Override
    protected void onRequest(final ChannelHandlerContext context, final FullHttpRequest http) {
        deadline.complete();
        final boolean isHead = http.method().equals(HttpMethod.HEAD);
        final Response response = new Response(context, this, bounds, isHead);
        if (http.decoderResult().isFailure()) {
            response.sendLast(status(http.decoderResult().cause()), "this is no HTTP request");
            return;
        }
        if (!isHead && !http.method().equals(HttpMethod.GET)) {
            response.header("Allow", "GET, HEAD").sendLast(405, "only GET and HEAD are answered");
            return;
        }
        final AccessCheck.Verdict verdict = access.check(context.channel(), http.headers());
        if (!verdict.isAllowed()) {
            if (verdict.status() == HttpResponseStatus.UNAUTHORIZED.code()) {
                response.header("WWW-Authenticate", "Bearer");
            }
            response.sendLast(verdict.status(), verdict.words());
            return;
        }
        try {
            answer(request(http, verdict.viewer()), response);
        } catch (final IllegalArgumentException e) {
            response.sendLast(400, "the query is malformed");
        }
    }

    private static int status(final Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return HttpResponseStatus.REQUEST_URI_TOO_LONG.code();
        }
        return cause instanceof TooLongHttpHeaderException
                ? HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.code()
                : HttpResponseStatus.BAD_REQUEST.code();
    }

    private static ResourceRequest request(final FullHttpRequest http, final Viewer viewer) {
        final QueryStringDecoder uri =
                new QueryStringDecoder(http.uri(), StandardCharsets.UTF_8, true, MAX_PARAMETERS);
        final Map<String, String> query = new HashMap<>();
        uri.parameters().forEach((name, values) -> query.put(name, values.getFirst()));
        return new ResourceRequest(
                http.method().name(),
                uri.path(),
                query,
                String.join(", ", http.headers().getAll(HttpHeaderNames.ACCEPT)),
                viewer);
    }

    private void answer(final ResourceRequest request, final Response response) {
        final Resource resource = routes.get(request.path());
        if (resource == null) {
            response.send(
                    HttpResponseStatus.NOT_FOUND.code(),
                    "text/plain; charset=utf-8",
                    "there is nothing here\n");
            return;
        }
        try {
            resource.answer(request, response);
        } catch (final RuntimeException e) {
            LOGGER.warn("the answer for {} failed", request.path(), e);
            response.send(
                    HttpResponseStatus.INTERNAL_SERVER_ERROR.code(),
                    "text/plain; charset=utf-8",
                    "the server failed: see its log\n");
        }
    }

    /** Writes a whole answer, then asks for the next request. */
    void write(final ChannelHandlerContext context, final FullHttpResponse response) {
        final var ignored = context.writeAndFlush(response);
        isBehind = !context.channel().isWritable();
        if (!isBehind) {
            askNext(context);
        }
    }

    /** Writes a whole answer, and ends the connection. */
    void writeLast(final ChannelHandlerContext context, final FullHttpResponse response) {
        final var written = context.writeAndFlush(HttpPipeline.closing(response));
        written.addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext context) {
        if (isBehind && context.channel().isWritable()) {
            isBehind = false;
            askNext(context);
        }
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        LOGGER.debug("a connection has failed", cause);
        final var ignored = context.close();
    }
}
