package io.hxb.manager;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An HTTP request. Immutable.
 *
 * @param method such as GET, which HEAD becomes.
 * @param path its parts, decoded.
 * @param query names and values, decoded; the first of each name.
 * @param host the Host header; empty if there is none.
 * @param body of the request; empty if it has none.
 */
record HttpRequest(
        String method, List<String> path, Map<String, String> query, String host, String body) {
    /**
     * A request that is not valid: it is answered with a status of HTTP, and the connection ends.
     */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private final int status;

        Malformed(final int status, final String message) {
            super(message);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** Reads what Netty has decoded. */
    static HttpRequest of(final FullHttpRequest http) throws Malformed {
        if (http.decoderResult().isFailure()) {
            throw malformed(http.decoderResult().cause());
        }
        final HttpVersion version = http.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw new Malformed(505, version + " is not supported: use HTTP/1.1");
        }
        if (!http.uri().startsWith("/")) {
            throw new Malformed(400, "the address does not begin with /");
        }
        final HttpMethod method = http.method();
        try {
            final QueryStringDecoder decoder = new QueryStringDecoder(http.uri());
            final Map<String, String> query = new HashMap<>();
            decoder.parameters().forEach((name, values) -> query.put(name, values.getFirst()));
            return new HttpRequest(
                    method.equals(HttpMethod.HEAD) ? "GET" : method.name(),
                    path(decoder.rawPath()),
                    query,
                    http.headers().get(HttpHeaderNames.HOST, ""),
                    http.content().toString(StandardCharsets.UTF_8));
        } catch (final IllegalArgumentException e) {
            throw new Malformed(400, "the address has a % without two digits");
        }
    }

    private static Malformed malformed(final Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return new Malformed(431, "the headers are longer than 8 KiB");
        }
        if (cause instanceof TooLongHttpLineException) {
            return new Malformed(414, "the first line is longer than 8 KiB");
        }
        return new Malformed(400, "this is not an HTTP/1.1 request: " + cause.getMessage());
    }

    private static List<String> path(final String raw) {
        return Stream.of(raw.substring(1).split("/", -1))
                .map(part -> QueryStringDecoder.decodeComponent(part.replace("+", "%2B")))
                .toList();
    }
}
