package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.LinkWatch;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;

import java.util.Arrays;
import java.util.List;

/**
 * The links of a node and what belongs to them. Immutable; their opener closes them.
 *
 * @param pool receive buffers.
 * @param ports the node's ports, by link index.
 * @param watch reports that links may have changed.
 * @param relay what the kernel relays.
 * @param board what the loops report to each other about the links.
 */
record NodeLinks(
        BufferPool pool,
        List<Port> ports,
        LinkWatch watch,
        KernelRelay relay,
        LinkEventCounter board) {

    /** Links that are not served by a loop yet. */
    NodeLinks(
            final BufferPool pool,
            final List<Port> ports,
            final LinkWatch watch,
            final KernelRelay relay) {
        this(pool, ports, watch, relay, new LinkEventCounter(ports.size()));
    }

    /** Puts the links in their places: {@code config}'s links in the order of their index. */
    static List<Port> ports(final ClusterConfig config, final int nodeId, final Link[] links) {
        return config.links(nodeId).stream()
                .map(link -> new Port(links[link.index()], link.dimension(), link.number()))
                .toList();
    }

    /** True if the kernel relays for the node. */
    boolean isRelayedByKernel() {
        return relay.isOpen();
    }

    /** Header and body of the longest frame that every link takes in one piece. */
    int minMtuBytes() {
        return ports.stream().mapToInt(port -> port.link().mtuBytes()).min().orElseThrow();
    }

    /** Receive buffers that are out of the pool. */
    int outstandingBuffers() {
        return pool.outstanding();
    }

    /** Receive buffers that lie ready in the links, or hold frames not handed over yet. */
    int heldBuffers() {
        return ports.stream().mapToInt(port -> port.link().heldBuffers()).sum();
    }

    /**
     * Makes one loop's senders of all trunks.
     *
     * @param dimensions of the shape.
     * @param senders of that loop, by link index, {@code [links]}.
     * @return by dimension, {@code [dimensions]}.
     */
    TrunkSender[] trunks(final int dimensions, final LinkSender[] senders) {
        final TrunkSender[] trunks = new TrunkSender[dimensions];
        for (int i = 0; i < trunks.length; i++) {
            final int dimension = i;
            final Port[] members =
                    ports.stream()
                            .filter(port -> port.dimension() == dimension)
                            .toArray(Port[]::new);
            trunks[i] =
                    new TrunkSender(
                            members,
                            Arrays.stream(members)
                                    .map(port -> senders[port.link().index()])
                                    .toArray(LinkSender[]::new));
        }
        return trunks;
    }
}
