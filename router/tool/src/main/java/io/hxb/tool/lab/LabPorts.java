package io.hxb.tool.lab;

import io.hxb.tool.report.ToolException;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * UDP ports in a row that no other lab of the machine chooses until {@link #close}, whether its
 * nodes have bound them yet or not. The ports are in blocks; a socket bound to a block's guard port
 * shows that a lab has the block, and the kernel lets it go when the process dies. Owned by the
 * lab.
 */
final class LabPorts implements AutoCloseable {
    /** First port of the first block; below the range the kernel gives to others. */
    private static final int FIRST_PORT = 20_000;

    private static final int END_PORT = 32_000;
    private static final int BLOCK_PORTS = 64;
    private static final int BLOCKS = (END_PORT - FIRST_PORT) / BLOCK_PORTS;

    private final int first;
    private final List<DatagramSocket> guards;

    private LabPorts(final int first, final List<DatagramSocket> guards) {
        this.first = first;
        this.guards = guards;
    }

    /**
     * Reserves ports in which nobody listens now.
     *
     * @throws ToolException when there are not as many in a row.
     */
    static LabPorts reserve(final int count) {
        final int blocks = Math.ceilDiv(count, BLOCK_PORTS);
        final List<DatagramSocket> guards = new ArrayList<>();
        for (int block = 0; block < BLOCKS; block++) {
            final Optional<DatagramSocket> guard = guard(block);
            if (guard.isEmpty()) {
                release(guards);
                continue;
            }
            guards.add(guard.get());
            if (guards.size() == blocks) {
                return new LabPorts(port(block + 1 - blocks), guards);
            }
        }
        release(guards);
        throw new ToolException(
                "no "
                        + count
                        + " free UDP ports in a row between "
                        + FIRST_PORT
                        + " and "
                        + END_PORT
                        + ": stop other labs (hxb lab status)");
    }

    private static int port(final int block) {
        return FIRST_PORT + block * BLOCK_PORTS;
    }

    // Empty if another lab has the block or a stranger one of its ports.
    private static Optional<DatagramSocket> guard(final int block) {
        final Optional<DatagramSocket> guard = bind(END_PORT + block);
        if (guard.isPresent() && !isFree(block)) {
            guard.get().close();
            return Optional.empty();
        }
        return guard;
    }

    private static boolean isFree(final int block) {
        for (int port = port(block); port < port(block + 1); port++) {
            final Optional<DatagramSocket> socket = bind(port);
            if (socket.isEmpty()) {
                return false;
            }
            socket.get().close();
        }
        return true;
    }

    private static Optional<DatagramSocket> bind(final int port) {
        try {
            return Optional.of(
                    new DatagramSocket(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        } catch (final SocketException e) {
            return Optional.empty();
        }
    }

    private static void release(final List<DatagramSocket> guards) {
        guards.forEach(DatagramSocket::close);
        guards.clear();
    }

    /** The first of the ports. */
    int first() {
        return first;
    }

    @Override
    public void close() {
        release(guards);
    }
}
