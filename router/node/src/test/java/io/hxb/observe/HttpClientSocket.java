package io.hxb.observe;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A client that can be as wrong as it likes. Used by one thread. */
final class HttpClientSocket implements AutoCloseable {
    private static final int LIMIT_MS = 60_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    final InetSocketAddress server;

    record Answer(int status, Map<String, String> headers, String body) {
        String header(final String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    HttpClientSocket(final InetSocketAddress server) throws IOException {
        this.server = server;
        socket.connect(server, LIMIT_MS);
        socket.setSoTimeout(LIMIT_MS);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    void send(final String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    Answer ask(final String method, final String target, final String... headers)
            throws IOException {
        final StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean hasHost = false;
        for (final String header : headers) {
            text.append(header).append("\r\n");
            hasHost |= header.startsWith("Host:");
        }
        if (!hasHost) {
            text.append("Host: localhost:").append(server.getPort()).append("\r\n");
        }
        send(text.append("\r\n").toString());
        return answer(method);
    }

    Answer answer(final String method) throws IOException {
        final int status = Integer.parseInt(line().split(" ", 3)[1]);
        final Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            final String[] parts = line.split(": ?", 2);
            headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
        }
        final int length =
                method.equals("HEAD")
                        ? 0
                        : Integer.parseInt(headers.getOrDefault("content-length", "0"));
        final byte[] body = in.readNBytes(length);
        return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    /** The next line without its end; throws if the server has closed. */
    String line() throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("closed after '" + line + "'");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    /** True if nothing more comes because the server has closed. */
    boolean isEnded() {
        try {
            return in.read() < 0;
        } catch (final IOException e) {
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
