package io.hxb.tool.stream;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;

/** {@code hxb cat}: a byte stream to or from another node. Picocli makes it. */
@Command(
        name = "cat",
        mixinStandardHelpOptions = true,
        description = {
            "Joins standard input and output by a stream to a port of another node, as netcat"
                    + " does.",
            "The end of the input is told to the peer. Ends when the peer has ended, too; and when"
                    + " only the peer has, unless input is being sent."
        })
public final class CatCommand implements Callable<Integer> {
    private static final int PIECE_BYTES = 1 << 16;
    private static final long NS_PER_MS = 1_000_000L;

    @Mixin private ClusterOptions cluster;

    @Option(
            names = "--listen",
            paramLabel = "PORT",
            description = "wait for one connection to this port (0: any free one, printed)")
    private Integer listenPort;

    @Option(
            names = "--timeout",
            paramLabel = "MS",
            defaultValue = "10000",
            description = "longest wait for the connection, in ms (default ${DEFAULT-VALUE})")
    private long timeoutMs;

    @Option(names = "--verbose", description = "say on standard error what happens")
    private boolean isVerbose;

    @Parameters(
            arity = "0..1",
            index = "0",
            paramLabel = "COORD",
            description = "coordinates of the node to connect to, such as 1,0,0")
    private String target;

    @Parameters(
            arity = "0..1",
            index = "1",
            paramLabel = "PORT",
            description = "port there, 1 to 65535")
    private Integer targetPort;

    private volatile boolean hasInput;
    private volatile IOException inputFailure;

    /** Picocli makes it. */
    CatCommand() {}

    @Override
    public Integer call() throws IOException {
        final boolean isListening = listenPort != null;
        if (isListening ? target != null : targetPort == null) {
            throw new UsageException(
                    "hxb cat COORD PORT connects, hxb cat --listen PORT waits for a connection");
        }
        final ClusterConfig config = cluster.config();
        try (PmDevice device = PmDevice.attach(config.socketPath(cluster.node(config)));
                HxbStreams streams = HxbStreams.open(device);
                HxbSocketChannel channel = isListening ? accept(streams) : connect(streams)) {
            say("connected: " + channel.localAddress() + " to " + channel.remoteAddress());
            join(channel);
            say(
                    "sent "
                            + streams.counters().bytesSent()
                            + " bytes, received "
                            + streams.counters().bytesReceived());
        }
        return 0;
    }

    private HxbSocketChannel connect(final HxbStreams streams) throws IOException {
        final HxbSocketAddress remote =
                HxbSocketAddress.parse(streams.device(), target, targetPort);
        return streams.connect(remote, Math.max(1, timeoutMs) * NS_PER_MS);
    }

    private HxbSocketChannel accept(final HxbStreams streams) throws IOException {
        try (HxbServerSocketChannel server = streams.listen(listenPort)) {
            if (isVerbose || listenPort == 0) {
                System.err.println("listening on " + server.localAddress());
            }
            return server.accept();
        }
    }

    private void say(final String text) {
        if (isVerbose) {
            System.err.println(text);
        }
    }

    private void join(final HxbSocketChannel channel) throws IOException {
        final Thread sender = new Thread(() -> sendInput(channel), "hxb-cat-input");
        sender.setDaemon(true);
        sender.start();
        receive(channel);
        if (hasInput) {
            awaitEnd(sender);
        }
        if (inputFailure != null) {
            throw inputFailure;
        }
    }

    private void sendInput(final HxbSocketChannel channel) {
        final byte[] piece = new byte[PIECE_BYTES];
        final InputStream input = System.in;
        try {
            int length = input.read(piece);
            while (length >= 0) {
                hasInput = true;
                channel.write(ByteBuffer.wrap(piece, 0, length));
                length = input.read(piece);
            }
            channel.shutdownOutput();
        } catch (final IOException e) {
            inputFailure = e;
        }
    }

    private static void receive(final HxbSocketChannel channel) throws IOException {
        final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        final PrintStream output = System.out;
        while (channel.read(piece.clear()) >= 0) {
            output.write(piece.array(), 0, piece.position());
            if (channel.available() == 0) {
                output.flush();
            }
        }
        output.flush();
        if (output.checkError()) {
            throw new IOException("cannot write to standard output");
        }
    }

    private static void awaitEnd(final Thread sender) throws IOException {
        try {
            sender.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while input was being sent", e);
        }
    }
}
