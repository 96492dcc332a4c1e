package io.hxb.testing;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive UDP ports of the loopback for tests with real nodes. No other test of this JVM, and
 * no other JVM, gets the same ones: a JVM owns blocks of ports, each by a socket that is bound to a
 * guard port until the JVM ends. The ports are below those of labs and those of the kernel. Any
 * thread.
 */
public final class TestPorts {
    private static final int FIRST_PORT = 10_000;
    private static final int END_PORT = 20_000;
    private static final int BLOCK_PORTS = 200;
    private static final int FIRST_GUARD = 61_100;

    /** Bound until the JVM ends. */
    private static final List<DatagramSocket> GUARDS = new ArrayList<>();

    private static int block = -1;
    private static int next;
    private static int end;

    private TestPorts() {}

    /**
     * Takes ports that were free a moment ago.
     *
     * @param count 1 to {@value #BLOCK_PORTS}.
     * @return the first of them.
     */
    public static synchronized int take(final int count) {
        if (count < 1 || count > BLOCK_PORTS) {
            throw new IllegalArgumentException("count must be 1.." + BLOCK_PORTS + ": " + count);
        }
        while (next + count <= end || takeBlock()) {
            final int first = next;
            next += count;
            if (isFree(first, count)) {
                return first;
            }
        }
        throw new IllegalStateException("no " + count + " UDP ports in a row are free");
    }

    private static boolean takeBlock() {
        while (FIRST_PORT + (block + 2) * BLOCK_PORTS <= END_PORT) {
            block++;
            final DatagramSocket guard = bind(FIRST_GUARD + block);
            if (guard != null) {
                GUARDS.add(guard);
                next = FIRST_PORT + block * BLOCK_PORTS;
                end = next + BLOCK_PORTS;
                return true;
            }
        }
        return false;
    }

    private static boolean isFree(final int first, final int count) {
        for (int port = first; port < first + count; port++) {
            final DatagramSocket socket = bind(port);
            if (socket == null) {
                return false;
            }
            socket.close();
        }
        return true;
    }

    private static DatagramSocket bind(final int port) {
        try {
            return new DatagramSocket(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (final IOException e) {
            return null;
        }
    }
}
