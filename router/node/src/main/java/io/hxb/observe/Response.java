package io.hxb.observe;

import io.hxb.http.HttpPipeline;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The answer to one request. Any thread may give it, once. */
public final class Response {
    /** Pages get scripts, styles and data from this server alone, and are in no other page. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'";

    private final ChannelHandlerContext context;
    private final ObserveHandler handler;
    private final ConnectionBounds bounds;
    private final boolean isHead;
    private final Map<String, String> headers = new LinkedHashMap<>();

    Response(
            final ChannelHandlerContext context,
            final ObserveHandler handler,
            final ConnectionBounds bounds,
            final boolean isHead) {
        this.context = context;
        this.handler = handler;
        this.bounds = bounds;
        this.isHead = isHead;
    }

    /** Adds a header to the answer; to be called before it is given. */
    public Response header(final String name, final String value) {
        headers.put(name, value);
        return this;
    }

    /** Answers with text. */
    public void send(final int status, final String type, final String text) {
        send(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers with bytes, which are not copied. */
    public void send(final int status, final String type, final byte[] body) {
        final FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(status),
                        Unpooled.wrappedBuffer(body));
        setHeaders(response.headers(), type);
        HttpUtil.setContentLength(response, body.length);
        context.executor().execute(() -> handler.write(context, response));
    }

    /** Answers, and ends the connection. */
    void sendLast(final int status, final String text) {
        final FullHttpResponse response =
                HttpPipeline.response(status, "text/plain; charset=utf-8", text + "\n");
        setHeaders(response.headers(), "text/plain; charset=utf-8");
        handler.writeLast(context, response);
    }

    /**
     * Begins a stream of server-sent events. Where only the headers are asked for (HEAD), or as
     * many watch as may, it is closed already. To be called by the server's thread.
     */
    public EventStream stream() {
        if (isHead) {
            send(HttpResponseStatus.OK.code(), EventStream.TYPE, "");
            return new EventStream(context, bounds, false);
        }
        final EventStream stream = new EventStream(context, bounds, true);
        if (!bounds.begin(stream)) {
            header("Retry-After", "5").sendLast(503, "as many watch as may: try again later");
            return new EventStream(context, bounds, false);
        }
        final var response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        setHeaders(response.headers(), EventStream.TYPE);
        response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        final var ignored = context.writeAndFlush(response);
        return stream;
    }

    private void setHeaders(final HttpHeaders all, final String type) {
        all.set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
                .set(HttpHeaderNames.X_FRAME_OPTIONS, "DENY")
                .set("X-Content-Type-Options", "nosniff")
                .set("Referrer-Policy", "no-referrer");
        headers.forEach(all::set);
    }
}
