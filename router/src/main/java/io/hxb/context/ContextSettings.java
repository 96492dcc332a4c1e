package io.hxb.context;

import io.hxb.pm.shm.NodePage;

/**
 * What a node tells its applications and how much it gives them. Immutable.
 *
 * @param nodeId own node id.
 * @param nodeCount nodes of the cluster.
 * @param shape such as {@code 3x3x3}.
 * @param mtuBytes longest message: the frame's MTU less its header and one message record.
 * @param contexts contexts a node may have, 1 to 65,536; ids are 0 to this - 1.
 * @param loops loops of the node, 1 to {@link NodePage#MAX_LOOPS}.
 * @param incarnation of the node, not 0; incarnations of contexts are counted on from it.
 * @param receiveQuotaFrames receive buffers that one context may hold, 1 or more.
 * @param maxMemoryBytes shared memory that one application may ask for.
 */
public record ContextSettings(
        int nodeId,
        int nodeCount,
        String shape,
        int mtuBytes,
        int contexts,
        int loops,
        int incarnation,
        int receiveQuotaFrames,
        long maxMemoryBytes) {
    /** Shared memory that one application may ask for, unless configured otherwise. */
    public static final long DEFAULT_MAX_MEMORY_BYTES = 8L << 30;

    /** Checks the ranges. */
    public ContextSettings {
        check("mtuBytes", mtuBytes, 64, 1 << 20);
        check("contexts", contexts, 1, 1 << 16);
        check("loops", loops, 1, NodePage.MAX_LOOPS);
        check("receiveQuotaFrames", receiveQuotaFrames, 1, Integer.MAX_VALUE);
        if (incarnation == 0) {
            throw new IllegalArgumentException("incarnation must not be 0");
        }
    }

    private static void check(
            final String name, final int value, final int smallest, final int largest) {
        if (value < smallest || value > largest) {
            throw new IllegalArgumentException(
                    name + " must be " + smallest + ".." + largest + ": " + value);
        }
    }
}
