package io.hxb.flow;

import io.hxb.config.FrameConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;

/**
 * Sizes of everything that the flows of one node have. The settings of the cluster file for flows
 * are in {@code FlowConfig}; these sizes follow from the links and the contexts, or are the same
 * everywhere. Immutable.
 *
 * @param frameBytes header and body of the longest frame, 256 to {@link FrameConfig#LONGEST_BYTES};
 *     one that carries several messages has at most {@link #sharedFrameBytes()}.
 * @param txFrames frames in flight of one loop, 8 to 1,048,576.
 * @param sharedFrames frames in flight of one loop that carry several messages, 0 to 65,536.
 * @param maxContexts context ids are 0 to this - 1, 1 to 16,384.
 * @param maxFlows receiving flows of the node, and sending flows of the node, 1 to 1,048,576.
 * @param reservedBuffers buffers of the pool that contexts never hold, so that links always receive
 *     and frames are relayed whatever applications do, 0 or more.
 */
public record FlowSizes(
        int frameBytes,
        int txFrames,
        int sharedFrames,
        int maxContexts,
        int maxFlows,
        int reservedBuffers) {
    private static final int TX_FRAMES = 8_192;
    private static final int SHARED_FRAMES = 256;

    /** Frames of jumbo size, and several messages that share one, count 1. */
    private static final int WEIGHT_SHIFT = 13;

    /** Checks every value. */
    public FlowSizes {
        check("frameBytes", frameBytes, 256, FrameConfig.LONGEST_BYTES);
        check("txFrames", txFrames, 8, 1 << 20);
        check("sharedFrames", sharedFrames, 0, 1 << 16);
        check("maxContexts", maxContexts, 1, ContextKind.MAX_CONTEXTS);
        check("maxFlows", maxFlows, 1, 1 << 20);
        check("reservedBuffers", reservedBuffers, 0, 1 << 24);
    }

    /** As the other constructor, for a pool that only contexts use. */
    public FlowSizes(
            final int frameBytes,
            final int txFrames,
            final int sharedFrames,
            final int maxContexts,
            final int maxFlows) {
        this(frameBytes, txFrames, sharedFrames, maxContexts, maxFlows, 0);
    }

    /** The sizes of a real node whose frames have {@code frameBytes} of header and body. */
    public static FlowSizes of(final int frameBytes, final int maxContexts, final int maxFlows) {
        return new FlowSizes(frameBytes, TX_FRAMES, SHARED_FRAMES, maxContexts, maxFlows);
    }

    /** The same for a pool of which {@code buffers} are never held by contexts. */
    public FlowSizes withReservedBuffers(final int buffers) {
        return new FlowSizes(frameBytes, txFrames, sharedFrames, maxContexts, maxFlows, buffers);
    }

    /** Header and body of the longest frame that carries several messages. */
    public int sharedFrameBytes() {
        return Math.min(
                frameBytes, FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.MAX_SHARED_BYTES);
    }

    /**
     * What a frame counts where frames are counted for what they hold up: turns of flows, and
     * arrivals until an acknowledgement. Frames count 1, and one that is longer than others as many
     * as it has 8 KiB.
     *
     * @param bodyBytes length of its body.
     */
    static int weight(final int bodyBytes) {
        return Math.max(1, bodyBytes >>> WEIGHT_SHIFT);
    }

    /** Largest message in bytes that one frame carries. */
    public int maxMessageBytes() {
        return frameBytes - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH;
    }

    private static void check(final String name, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must be " + min + ".." + max + ": " + value);
        }
    }
}
