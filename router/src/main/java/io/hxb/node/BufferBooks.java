package io.hxb.node;

/**
 * Where the receive buffers of a node are. Immutable; exact only if nothing moved while it was
 * made.
 *
 * @param outstanding buffers out of the pool.
 * @param inLinks of these, ready for frames in the links.
 * @param inFlows of these, in ordering arrays.
 * @param inContexts of these, delivered and not released by applications.
 */
public record BufferBooks(int outstanding, int inLinks, int inFlows, int inContexts) {
    /**
     * Buffers that are out for a moment: control frames between loops, frames that links have not
     * sent yet. 0 in a node where nothing moves.
     */
    public int onTheWay() {
        return outstanding - inLinks - inFlows - inContexts;
    }
}
