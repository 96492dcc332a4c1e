package io.hxb.flow;

import io.hxb.flow.order.FlowMap;

/**
 * What sending and receiving flows have in common: the two ends. Owned by the loop that owns the
 * context.
 */
abstract class Flow extends FlowMap.Entry {
    /** A key that no flow has. */
    static final long NO_KEY = -1;

    final FlowContext context;
    final int peerNode;
    final int peerContext;
    final long peerCoordinates;

    Flow(
            final FlowContext context,
            final int peerNode,
            final int peerContext,
            final long peerCoordinates) {
        super(key(context.id, peerNode, peerContext));
        this.context = context;
        this.peerNode = peerNode;
        this.peerContext = peerContext;
        this.peerCoordinates = peerCoordinates;
    }

    /** Names the flow: 16 bits of own context, 20 bits of node, 16 bits of the peer's context. */
    static long key(final int contextId, final int peerNode, final int peerContext) {
        return (long) contextId << 36 | (long) peerNode << 16 | peerContext;
    }
}
