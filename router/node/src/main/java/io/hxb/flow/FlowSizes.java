package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;

/**
 * Sizes of everything that the flows of one node have. What the cluster file says about flows is in
 * {@code FlowConfig}; these sizes follow from the links and the contexts, or are the same
 * everywhere. Immutable.
 *
 * @param mtuBytes header and body of the largest frame, 256 to 65,535 + 64.
 * @param txFrames frames in flight of one loop, 8 to 1,048,576.
 * @param sharedFrames frames in flight of one loop that carry several messages, 0 to 65,536.
 * @param maxContexts context ids are 0 to this - 1, 1 to 16,384.
 * @param maxFlows receiving flows of the node, and sending flows of the node, 1 to 1,048,576.
 * @param reservedBuffers buffers of the pool that contexts never hold, so that links always receive
 *     and frames are relayed whatever applications do, 0 or more.
 */
public record FlowSizes(
        int mtuBytes,
        int txFrames,
        int sharedFrames,
        int maxContexts,
        int maxFlows,
        int reservedBuffers) {
    private static final int TX_FRAMES = 8_192;
    private static final int SHARED_FRAMES = 256;

    /** Checks every value. */
    public FlowSizes {
        check("mtuBytes", mtuBytes, 256, 0xFFFF + FrameHeaderFlyweight.LENGTH);
        check("txFrames", txFrames, 8, 1 << 20);
        check("sharedFrames", sharedFrames, 0, 1 << 16);
        check("maxContexts", maxContexts, 1, ContextKind.MAX_CONTEXTS);
        check("maxFlows", maxFlows, 1, 1 << 20);
        check("reservedBuffers", reservedBuffers, 0, 1 << 24);
    }

    /** As the other constructor, for a pool that only contexts use. */
    public FlowSizes(
            final int mtuBytes,
            final int txFrames,
            final int sharedFrames,
            final int maxContexts,
            final int maxFlows) {
        this(mtuBytes, txFrames, sharedFrames, maxContexts, maxFlows, 0);
    }

    /** The sizes of a real node whose frames have {@code mtuBytes} of header and body. */
    public static FlowSizes of(final int mtuBytes, final int maxContexts, final int maxFlows) {
        return new FlowSizes(mtuBytes, TX_FRAMES, SHARED_FRAMES, maxContexts, maxFlows);
    }

    /** The same for a pool of which {@code buffers} are never held by contexts. */
    public FlowSizes withReservedBuffers(final int buffers) {
        return new FlowSizes(mtuBytes, txFrames, sharedFrames, maxContexts, maxFlows, buffers);
    }

    /** Largest message in bytes that one frame carries. */
    public int maxMessageBytes() {
        return mtuBytes - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH;
    }

    private static void check(final String name, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be " + min + ".." + max + ": " + value);
        }
    }
}
