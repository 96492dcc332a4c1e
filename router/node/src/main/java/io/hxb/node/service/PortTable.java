package io.hxb.node.service;

import io.hxb.pm.stream.wire.PortProtocol;

import org.agrona.collections.Int2ObjectHashMap;

import java.util.function.IntUnaryOperator;

/**
 * Which context of the node listens on which port of streams. A port belongs to one opening of a
 * context: when the process has ended, or has opened the context again, it is free. Owned by the
 * thread that serves the node's own context.
 */
public final class PortTable {
    private final int nodeId;
    private final IntUnaryOperator incarnations;
    private final Int2ObjectHashMap<Owner> owners = new Int2ObjectHashMap<>();
    private int lastDynamic = PortProtocol.FIRST_DYNAMIC_PORT - 1;

    /**
     * An empty table.
     *
     * @param nodeId the node's own id: only its contexts take ports.
     * @param incarnations distinguishes the openings of a context, 0 for one that is not open.
     */
    public PortTable(final int nodeId, final IntUnaryOperator incarnations) {
        this.nodeId = nodeId;
        this.incarnations = incarnations;
    }

    /**
     * Replies to a request; see {@link PortProtocol}.
     *
     * @param tag what is asked.
     * @param port unchecked.
     * @return the status in the upper half, the value in the lower.
     */
    public long answer(
            final int tag, final int sourceNode, final int sourceContext, final int port) {
        return switch (tag) {
            case PortProtocol.LISTEN -> listen(sourceNode, sourceContext, port);
            case PortProtocol.CLOSE -> close(sourceNode, sourceContext, port);
            default -> lookUp(port);
        };
    }

    /** Status of an answer. */
    public static int status(final long answer) {
        return (int) (answer >> 32);
    }

    /** Value of an answer. */
    public static int value(final long answer) {
        return (int) answer;
    }

    private static long pack(final int status, final int value) {
        return (long) status << 32 | value;
    }

    private long listen(final int sourceNode, final int sourceContext, final int port) {
        if (sourceNode != nodeId) {
            return pack(PortProtocol.NOT_LOCAL, 0);
        }
        if (port < 0 || port > PortProtocol.MAX_PORT) {
            return pack(PortProtocol.NO_SUCH_PORT, 0);
        }
        final int chosen = port == 0 ? freePort() : port;
        if (chosen == 0) {
            return pack(PortProtocol.NO_SUCH_PORT, 0);
        }
        if (owner(chosen) != null) {
            return pack(PortProtocol.IN_USE, 0);
        }
        owners.put(chosen, new Owner(sourceContext, incarnations.applyAsInt(sourceContext)));
        return pack(PortProtocol.OK, chosen);
    }

    private int freePort() {
        final int count = PortProtocol.MAX_PORT - PortProtocol.FIRST_DYNAMIC_PORT + 1;
        for (int i = 0; i < count; i++) {
            lastDynamic++;
            if (lastDynamic > PortProtocol.MAX_PORT) {
                lastDynamic = PortProtocol.FIRST_DYNAMIC_PORT;
            }
            if (owner(lastDynamic) == null) {
                return lastDynamic;
            }
        }
        return 0;
    }

    private long close(final int sourceNode, final int sourceContext, final int port) {
        final Owner owner = owner(port);
        if (sourceNode != nodeId) {
            return pack(PortProtocol.NOT_LOCAL, 0);
        }
        if (owner == null || owner.context != sourceContext) {
            return pack(PortProtocol.NOT_FOUND, 0);
        }
        owners.remove(port);
        return pack(PortProtocol.OK, 0);
    }

    private long lookUp(final int port) {
        final Owner owner = owner(port);
        return owner == null
                ? pack(PortProtocol.NOT_FOUND, 0)
                : pack(PortProtocol.OK, owner.context);
    }

    private Owner owner(final int port) {
        final Owner owner = owners.get(port);
        if (owner != null
                && (owner.incarnation == 0
                        || incarnations.applyAsInt(owner.context) != owner.incarnation)) {
            owners.remove(port);
            return null;
        }
        return owner;
    }

    private record Owner(int context, int incarnation) {}
}
