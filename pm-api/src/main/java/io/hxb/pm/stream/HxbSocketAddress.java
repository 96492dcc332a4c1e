package io.hxb.pm.stream;

import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.wire.StreamRecord;

import java.io.Serial;
import java.net.SocketAddress;
import java.util.Objects;

/**
 * One end of a stream: a node and a port of it. Ports 1 to 65,535 are listened on; a connecting end
 * has a higher number, which identifies its context and stream and cannot be connected to.
 * Immutable.
 */
public final class HxbSocketAddress extends SocketAddress {
    /** {@link #port()} of an end that has none yet: the system chooses. */
    public static final int ANY_PORT = 0;

    /** First number of a connecting end. */
    static final int FIRST_EPHEMERAL = 65_536;

    @Serial private static final long serialVersionUID = 1L;

    /** Node id. */
    private final int node;

    /** Port, or number of a connecting end. */
    private final int port;

    /**
     * An address.
     *
     * @param node node id, 0 or more.
     * @param port 1 to 65,535, or {@link #ANY_PORT}.
     * @throws IllegalArgumentException if one is out of range.
     */
    public HxbSocketAddress(final int node, final int port) {
        this(node, port, StreamRecord.MAX_PORT);
    }

    private HxbSocketAddress(final int node, final int port, final int limit) {
        if (node < 0) {
            throw new IllegalArgumentException("node must be 0 or more: " + node);
        }
        if (port < 0 || port > limit) {
            throw new IllegalArgumentException("port must be 0.." + limit + ": " + port);
        }
        this.node = node;
        this.port = port;
    }

    /** The connecting end that is stream {@code id} of a context. */
    static HxbSocketAddress ephemeral(final int node, final int context, final int id) {
        return new HxbSocketAddress(
                node,
                FIRST_EPHEMERAL + ((context & 0x7FFF) << 15 | (id & 0x7FFF)),
                Integer.MAX_VALUE);
    }

    /**
     * An address by coordinates.
     *
     * @param device of the cluster.
     * @param coordinates of the node, X first, such as {@code 1,0,2}.
     * @param port 1 to 65,535.
     * @return the address.
     * @throws IllegalArgumentException if there is no such node; the message has the shape.
     */
    public static HxbSocketAddress parse(
            final PmDevice device, final String coordinates, final int port) {
        final String[] extents = device.shape().split("x", -1);
        final String[] parts = coordinates.split(",", -1);
        int node = 0;
        int stride = 1;
        boolean isInside = parts.length == extents.length;
        for (int i = 0; isInside && i < parts.length; i++) {
            final int extent = Integer.parseInt(extents[i]);
            final int value = parts[i].matches("[0-9]{1,4}") ? Integer.parseInt(parts[i]) : -1;
            isInside = value >= 0 && value < extent;
            node += value * stride;
            stride *= extent;
        }
        if (!isInside) {
            throw new IllegalArgumentException(
                    "no node of a cluster of shape "
                            + device.shape()
                            + " has these coordinates: "
                            + coordinates);
        }
        return new HxbSocketAddress(node, port);
    }

    /** {@return the node id} */
    public int node() {
        return node;
    }

    /** {@return the port, 0 if none is chosen yet; above 65,535 for a connecting end} */
    public int port() {
        return port;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final HxbSocketAddress that
                && that.node == node
                && that.port == port;
    }

    @Override
    public int hashCode() {
        return Objects.hash(node, port);
    }

    @Override
    public String toString() {
        return "node " + node + " port " + port;
    }
}
