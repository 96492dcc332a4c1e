package io.hxb.manager;

import io.netty.buffer.ByteBuf;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One HTTP request. Immutable. Source: RFC 9112; without chunked bodies, which no client needs
 * here.
 *
 * @param method such as GET.
 * @param path its parts, decoded.
 * @param query names and values, decoded.
 * @param host what the client calls this server; empty if it does not say.
 * @param body of the request; empty if it has none.
 * @param isLast true if the client wants the connection to end after it.
 */
record HttpRequest(
        String method,
        List<String> path,
        Map<String, String> query,
        String host,
        String body,
        boolean isLast) {
    /** Maximum bytes of the first line and the headers. */
    static final int MAX_HEAD_BYTES = 8 << 10;

    /** Bytes that a body may have: batches of more than some 20,000 changes are for programs. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final byte[] BLANK_LINE = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** A request that cannot be answered as it was meant; the connection ends. */
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

    /**
     * Takes the next request out of what has arrived.
     *
     * @return null if it has not arrived whole.
     */
    static HttpRequest take(final ByteBuf in) throws Malformed {
        final int head = headBytes(in);
        if (head < 0) {
            if (in.readableBytes() >= MAX_HEAD_BYTES) {
                throw new Malformed(431, "the headers are longer than 8 KiB");
            }
            return null;
        }
        final String text = in.toString(in.readerIndex(), head, StandardCharsets.ISO_8859_1);
        final List<String> lines = Arrays.asList(text.split("\r\n", -1));
        final String[] first = lines.getFirst().split(" ", -1);
        if (first.length != 3
                || !first[0].matches("[A-Z]{1,16}")
                || !first[1].startsWith("/")
                || !first[2].matches("HTTP/1\\.[01]")) {
            throw new Malformed(400, "the first line is not that of an HTTP/1.1 request");
        }
        final Map<String, String> headers = headers(lines.subList(1, lines.size()));
        final int body = bodyBytes(headers);
        final int all = head + BLANK_LINE.length + body;
        if (in.readableBytes() < all) {
            return null;
        }
        final String content =
                in.toString(
                        in.readerIndex() + head + BLANK_LINE.length, body, StandardCharsets.UTF_8);
        in.skipBytes(all);
        final String connection = headers.getOrDefault("connection", "");
        return new HttpRequest(
                first[0],
                path(first[1]),
                query(first[1]),
                headers.getOrDefault("host", ""),
                content,
                connection.equalsIgnoreCase("close")
                        || (first[2].endsWith("0") && !connection.equalsIgnoreCase("keep-alive")));
    }

    /** Bytes before the blank line; -1 if it has not arrived. */
    private static int headBytes(final ByteBuf in) {
        final int end = Math.min(in.readableBytes(), MAX_HEAD_BYTES) - BLANK_LINE.length;
        for (int i = 0; i <= end; i++) {
            int equal = 0;
            while (equal < BLANK_LINE.length
                    && in.getByte(in.readerIndex() + i + equal) == BLANK_LINE[equal]) {
                equal++;
            }
            if (equal == BLANK_LINE.length) {
                return i;
            }
        }
        return -1;
    }

    private static Map<String, String> headers(final List<String> lines) throws Malformed {
        final Map<String, String> headers = new HashMap<>();
        for (final String line : lines) {
            final int colon = line.indexOf(':');
            if (colon < 1 || !line.substring(0, colon).matches("[!-9;-~]+")) {
                throw new Malformed(400, "a header has no name");
            }
            final String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            // Two of them allow requests to be smuggled past a proxy.
            if (headers.put(name, line.substring(colon + 1).strip()) != null
                    && name.equals("content-length")) {
                throw new Malformed(400, "two headers say how long the body is");
            }
        }
        if (headers.containsKey("transfer-encoding")) {
            throw new Malformed(501, "send the body with Content-Length");
        }
        return headers;
    }

    private static int bodyBytes(final Map<String, String> headers) throws Malformed {
        final String length = headers.getOrDefault("content-length", "0");
        if (!length.matches("\\d{1,9}")) {
            throw new Malformed(400, "the length of the body is no number");
        }
        final int bytes = Integer.parseInt(length);
        if (bytes > MAX_BODY_BYTES) {
            throw new Malformed(413, "the body is longer than 1 MiB");
        }
        return bytes;
    }

    private static List<String> path(final String target) throws Malformed {
        final String[] parts = target.split("\\?", 2)[0].substring(1).split("/", -1);
        final String[] decoded = new String[parts.length];
        for (int i = 0; i < parts.length; i++) {
            decoded[i] = decode(parts[i].replace("+", "%2B"));
        }
        return List.of(decoded);
    }

    private static Map<String, String> query(final String target) throws Malformed {
        final Map<String, String> query = new HashMap<>();
        final int start = target.indexOf('?');
        if (start >= 0) {
            for (final String pair : target.substring(start + 1).split("&", -1)) {
                final String[] sides = pair.split("=", 2);
                query.put(decode(sides[0]), sides.length == 1 ? "" : decode(sides[1]));
            }
        }
        return query;
    }

    private static String decode(final String text) throws Malformed {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (final IllegalArgumentException e) {
            throw new Malformed(400, "the address has a % without two digits");
        }
    }
}
