package io.hxb.tool.cat;

import io.hxb.config.ClusterConfig;
import io.hxb.os.Terminals;
import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.ResetReason;
import io.hxb.pm.stream.StreamResetException;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb cat}: a byte stream to or from another node. Picocli makes it. */
@Command(
        name = "cat",
        mixinStandardHelpOptions = true,
        header = "Join standard input and output to a port of a node.",
        description = {
            "Join standard input and output to a port of another node by a stream, "
                    + "as netcat does.",
            "The end of the input is passed on to the peer, and receiving goes on. "
                    + "The exit status is 0 when both directions have ended and the peer has "
                    + "read everything; it is 1 when anything may be missing on either side.",
            "A port on which nobody listens is tried again for 3 s.",
            "A listener whose input is a terminal ends when the peer has ended and "
                    + "its last line is sent."
        })
public final class CatCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final long CONNECT_NS = 10_000_000_000L;
    private static final long MAX_TIMEOUT_NS = 600_000_000_000L;
    private static final long LISTENER_NS = 3_000_000_000L;
    private static final long RETRY_NS = 50_000_000;

    @Mixin private ClusterOptions cluster;

    @Option(
            names = "--listen",
            paramLabel = "PORT",
            description =
                    "wait for one connection to this port; 0 takes a free port and prints " + "it")
    private Integer listenPort;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description =
                    "wait at most this long for the connection (default: 10s; with "
                            + "--listen no limit)")
    private String timeout;

    @Option(names = "--receive-only", description = "send nothing: leave standard input unread")
    private boolean isReceiving;

    @Option(
            names = "--verbose",
            description = "report on standard error when the connection opens and ends")
    private boolean isVerbose;

    @Parameters(
            arity = "0..1",
            index = "0",
            paramLabel = "NODE",
            description =
                    "connect to this node: a host name of the cluster file, coordinates such as "
                            + "1,0,0, or an id")
    private String target;

    @Parameters(
            arity = "0..1",
            index = "1",
            paramLabel = "PORT",
            description = "connect to this port, 1 to 65535")
    private Integer targetPort;

    private int node;

    /** Picocli makes it. */
    CatCommand() {}

    @Override
    public Integer call() throws IOException {
        final boolean isListening = listenPort != null;
        if (isListening ? target != null : targetPort == null) {
            throw new UsageException(
                    "hxb cat NODE PORT connects, hxb cat --listen PORT waits for a connection");
        }
        final long timeoutNs = timeoutNs(isListening);
        final ClusterConfig config = cluster.config();
        requirePlaces(config);
        try (PmDevice device = PmDevice.attach(config.socketPath(cluster.runningNode(config)));
                HxbStreams streams = HxbStreams.open(device);
                HxbSocketChannel channel =
                        isListening ? accept(streams, timeoutNs) : connect(streams, timeoutNs)) {
            report("connected: " + channel.localAddress() + " to " + channel.remoteAddress());
            join(channel);
            report(
                    "sent "
                            + streams.counters().bytesSent()
                            + " bytes, received "
                            + streams.counters().bytesReceived());
        }
        return 0;
    }

    /** Looks at the node and ports before anything is opened. */
    private void requirePlaces(final ClusterConfig config) {
        if (listenPort != null) {
            requirePort("--listen", listenPort, 0);
        } else {
            node = new NodeNames(config).node(target);
            requirePort("PORT", targetPort, 1);
        }
    }

    private static void requirePort(final String name, final int port, final int min) {
        if (port < min || port > MAX_PORT) {
            throw new UsageException(name + " must be " + min + ".." + MAX_PORT + ": " + port);
        }
    }

    private HxbSocketChannel connect(final HxbStreams streams, final long timeoutNs)
            throws IOException {
        final HxbSocketAddress remote = new HxbSocketAddress(node, targetPort);
        final long startNs = System.nanoTime();
        while (true) {
            try {
                return streams.connect(remote, timeoutNs);
            } catch (final ConnectException e) {
                // Its listener may have been started at the same time as this program.
                final boolean isAlone =
                        e.getCause() instanceof final StreamResetException reset
                                && reset.reason() == ResetReason.NO_LISTENER;
                final long waitedNs = System.nanoTime() - startNs;
                if (!isAlone || waitedNs > Math.min(timeoutNs, LISTENER_NS)) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    private HxbSocketChannel accept(final HxbStreams streams, final long timeoutNs)
            throws IOException {
        try (HxbServerSocketChannel server = streams.listen(listenPort)) {
            if (isVerbose || listenPort == 0) {
                System.err.println("listening on " + server.localAddress());
            }
            return server.accept(timeoutNs);
        }
    }

    /** A listener waits as long as it takes unless set otherwise, for which the streams have 0. */
    private long timeoutNs(final boolean isListening) {
        if (timeout == null) {
            return isListening ? 0 : CONNECT_NS;
        }
        return TimeOption.parseNs("--timeout", timeout, 1_000_000, MAX_TIMEOUT_NS);
    }

    private void report(final String text) {
        if (isVerbose) {
            System.err.println(text);
        }
    }

    // What is written to a PrintStream may be lost without a word; the end of the process closes
    // it.
    @SuppressWarnings("resource")
    private void join(final HxbSocketChannel channel) throws IOException {
        final OutputStream output = new FileOutputStream(FileDescriptor.out);
        final boolean isTyped = !isReceiving && listenPort != null && Terminals.isTerminal(0);
        new StandardStreams(channel, isReceiving ? null : System.in, output).join(isTyped);
    }
}
