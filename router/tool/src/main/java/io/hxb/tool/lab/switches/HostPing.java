package io.hxb.tool.lab.switches;

import io.hxb.os.NetworkNamespace;
import io.hxb.tool.lab.LabNames;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/**
 * Round trips of UDP datagrams between two hosts of a lab, by IP. Owned by one thread; another one
 * answers.
 */
public final class HostPing implements AutoCloseable {
    /** What {@link #roundTripNs} returns if no answer came. */
    public static final long LOST = -1;

    private static final int LENGTH = 64;
    private static final int TIMEOUT_MS = 1_000;

    private final DatagramSocket near;
    private final DatagramSocket far;
    private final Thread answering;
    private long number;

    private HostPing(final DatagramSocket near, final DatagramSocket far) throws IOException {
        this.near = near;
        this.far = far;
        near.setSoTimeout(TIMEOUT_MS);
        answering = Thread.ofPlatform().daemon().name("hxb-lab-echo").start(this::answer);
    }

    /** Opens a socket on each host. */
    public static HostPing between(final String lab, final HostPair pair) throws IOException {
        final DatagramSocket far = open(lab, pair.to());
        try {
            final DatagramSocket near = open(lab, pair.from());
            near.connect(new InetSocketAddress(HostPlace.address(pair.to()), far.getLocalPort()));
            return new HostPing(near, far);
        } catch (final IOException e) {
            far.close();
            throw e;
        }
    }

    private static DatagramSocket open(final String lab, final int host) throws IOException {
        return NetworkNamespace.run(
                LabNames.namespace(lab, host),
                () -> new DatagramSocket(0, InetAddress.getByName(HostPlace.address(host))));
    }

    private void answer() {
        final DatagramPacket packet = new DatagramPacket(new byte[LENGTH], LENGTH);
        try {
            while (true) {
                far.receive(packet);
                far.send(packet);
            }
        } catch (final IOException e) {
            // Closed: there is nobody to answer any more.
        }
    }

    /**
     * Sends a datagram and waits for its answer, 1 s at most.
     *
     * @return the time in between in ns, or {@link #LOST}.
     */
    public long roundTripNs() throws IOException {
        final byte[] bytes = new byte[LENGTH];
        ByteBuffer.wrap(bytes).putLong(++number);
        final long startNs = System.nanoTime();
        near.send(new DatagramPacket(bytes, LENGTH));
        final DatagramPacket reply = new DatagramPacket(new byte[LENGTH], LENGTH);
        try {
            do {
                near.receive(reply);
            } while (ByteBuffer.wrap(reply.getData()).getLong() != number);
            return System.nanoTime() - startNs;
        } catch (final SocketTimeoutException e) {
            return LOST;
        }
    }

    @Override
    public void close() {
        near.close();
        far.close();
        try {
            answering.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
