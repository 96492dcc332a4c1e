package io.hxb.context;

import io.hxb.config.ClusterConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.pm.attach.ContextRequest;

/**
 * The node for which contexts are made. Immutable.
 *
 * @param cluster the cluster that the node belongs to.
 * @param nodeId own node id.
 * @param incarnation of the node, not 0; incarnations of contexts are counted on from it.
 * @param loops loops of the node.
 * @param frameBytes header and body of the largest frame.
 */
public record ContextParts(
        ClusterConfig cluster, int nodeId, int incarnation, int loops, int frameBytes) {
    private static final int SHARE_OF_POOL = 4;

    /** Checks the incarnation. */
    public ContextParts {
        if (incarnation == 0) {
            throw new IllegalArgumentException("incarnation must not be 0");
        }
    }

    int nodeCount() {
        return cluster.shape().nodeCount();
    }

    /** Contexts that the node may have; ids are 0 to this - 1. */
    int contexts() {
        return cluster.contexts();
    }

    /** Longest message of one frame: less its header and one message record. */
    int mtuBytes() {
        return frameBytes - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH;
    }

    /** The sizes that a context gets when it asks for these. */
    ContextRequest sizes(final ContextRequest request) {
        return request.resolved(mtuBytes(), minDeliveryEntries());
    }

    /**
     * Minimum number of entries of a delivery ring, below which a full frame could never be
     * delivered.
     */
    int minDeliveryEntries() {
        final int bodyBytes =
                Math.min(
                        mtuBytes() + MessageRecordFlyweight.LENGTH,
                        MessageRecordFlyweight.MAX_SHARED_BYTES);
        final int max = bodyBytes / MessageRecordFlyweight.LENGTH;
        return Integer.highestOneBit(max) << 1;
    }

    /** Receive buffers that one context may hold, 1 or more. */
    int receiveQuotaFrames() {
        final int held = cluster.context().maxHeldBuffers();
        return held > 0 ? held : cluster.pool().bufferCount() / SHARE_OF_POOL;
    }

    /** Receive buffers that each context of another process has of its own; 0 if it has none. */
    int ownBuffers() {
        return cluster.context().ownBuffers(cluster.bufferBytes());
    }

    /** Number of the loop that serves a context. */
    int loopIndex(final int contextId) {
        return contextId % loops;
    }
}
