package io.hxb.tool.lab.switches;

import io.hxb.os.NetworkNamespace;
import io.hxb.tool.lab.LabNames;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One host of a lab sends to another by TCP as much as it can, until this is closed; a thread for
 * each end.
 */
public final class HostStream implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int CONNECT_MS = 10_000;

    private final Socket near;
    private final Socket far;
    private final AtomicLong received = new AtomicLong();

    private HostStream(final Socket near, final Socket far) {
        this.near = near;
        this.far = far;
        Thread.ofPlatform().daemon().name("hxb-lab-send").start(this::send);
        Thread.ofPlatform().daemon().name("hxb-lab-receive").start(this::receive);
    }

    /** Connects two hosts and begins. */
    public static HostStream between(final String lab, final HostPair pair) throws IOException {
        final String address = HostPlace.address(pair.to());
        try (ServerSocket server =
                NetworkNamespace.run(
                        LabNames.namespace(lab, pair.to()),
                        () -> new ServerSocket(0, 1, InetAddress.getByName(address)))) {
            final Socket near = new Socket();
            try {
                NetworkNamespace.run(
                        LabNames.namespace(lab, pair.from()),
                        () -> {
                            near.connect(
                                    new InetSocketAddress(address, server.getLocalPort()),
                                    CONNECT_MS);
                            return null;
                        });
                return new HostStream(near, server.accept());
            } catch (final IOException e) {
                near.close();
                throw e;
            }
        }
    }

    private void send() {
        final byte[] chunk = new byte[CHUNK_BYTES];
        try {
            while (true) {
                near.getOutputStream().write(chunk);
            }
        } catch (final IOException e) {
            // Closed.
        }
    }

    private void receive() {
        final byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int count = 0; count >= 0; count = far.getInputStream().read(chunk)) {
                received.addAndGet(count);
            }
        } catch (final IOException e) {
            // Closed.
        }
    }

    /** Bytes that have arrived so far. */
    public long receivedBytes() {
        return received.get();
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
