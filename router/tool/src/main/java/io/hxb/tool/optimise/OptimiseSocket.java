package io.hxb.tool.optimise;

import io.hxb.pm.attach.RunFolders;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Option;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The socket of the management server of this machine, and requests to it. Picocli fills it. */
final class OptimiseSocket {
    private static final String SOCKET = "optimise.sock";

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description =
                    "use this Unix socket of the server (default: optimise.sock in HXB_RUN "
                            + "or /run/hxb)")
    private Path path;

    /** Picocli makes it. */
    OptimiseSocket() {}

    /** The socket that a server of this user makes. */
    Path own() {
        return path == null
                ? RunFolders.ofThisProcess().own().resolve(SOCKET)
                : path.toAbsolutePath();
    }

    private Path found() {
        if (path != null) {
            return path;
        }
        return RunFolders.ofThisProcess().searched().stream()
                .map(folder -> folder.resolve(SOCKET))
                .filter(Files::exists)
                .findFirst()
                .orElseGet(this::own);
    }

    /**
     * Asks the server.
     *
     * @param method such as GET.
     * @param target such as {@code /v1/status}.
     * @return the text of its answer.
     * @throws ToolException if nobody answers, or in the server's words.
     */
    String ask(final String method, final String target) {
        final Path socket = found();
        final String answer;
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(
                    ByteBuffer.wrap(
                            "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                    .formatted(method, target)
                                    .getBytes(StandardCharsets.US_ASCII)));
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            Channels.newInputStream(channel).transferTo(bytes);
            answer = bytes.toString(StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new ToolException(
                    "no management server answers at "
                            + socket
                            + " ("
                            + e.getMessage()
                            + "): start one with hxb optimise --plan FILE",
                    e);
        }
        final int body = answer.indexOf("\r\n\r\n");
        if (body < 0) {
            throw new ToolException("what came from " + socket + " is no answer");
        }
        final String text = answer.substring(body + 4);
        if (!answer.startsWith("HTTP/1.1 200 ")) {
            throw new ToolException(
                    "the management server at " + socket + " refuses: " + text.strip());
        }
        return text;
    }
}
