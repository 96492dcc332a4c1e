package io.hxb.flow;

/** The flows' agent of one loop. */
public final class FlowLoop {
    FlowLoop() {}

    /** Submits a message. */
    public int submit(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {
        return 0;
    }

    /** Takes a frame for this node. */
    public void onFrame(final long headerAddress, final int lengthBytes, final int bufferId) {}

    /** The context has room again; on its owner loop. */
    public void resume(final int contextId) {}

    /** Does what is due. */
    public int doWork(final long nowNs) {
        return 0;
    }

    /** When doWork has to be called at the latest; Long.MAX_VALUE for never. */
    public long nextDeadlineNs(final long nowNs) {
        return Long.MAX_VALUE;
    }

    /** A blocked output can go on. */
    public void onLinkWritable() {}

    /** Frames with payload of this (possibly closed) context that links still hold queued. */
    public int queuedFrames(final int contextId) {
        return 0;
    }

    /** Counters of this loop. */
    public FlowCounters counters() {
        return new FlowCounters();
    }
}
