package io.hxb.flow.api;

/**
 * Sizes, thresholds and times of the flows of one node. Immutable.
 *
 * @param mtuBytes header and body of the largest frame, 256 to 65,535 + 64.
 * @param windowFrames most frames in flight on one flow and slots of an ordering array, a power of
 *     two from 8 to 4,096.
 * @param initialSequence sequence of the first frame of every flow.
 * @param inlineBytes messages up to this length share frames when several wait for one flow.
 * @param ackEveryFrames frames after which a receiver acknowledges.
 * @param ackDelayNs time after which a receiver acknowledges fewer.
 * @param reorderingFrames a frame is lost when one sent this many transmissions later was
 *     acknowledged.
 * @param linkReorderingFrames the same for frames of one link to a node one hop away.
 * @param minReorderingNs least time by which an earlier frame may come later.
 * @param minTimeoutNs least retransmission timeout.
 * @param maxTimeoutNs largest retransmission timeout and probe interval.
 * @param peerTimeoutNs silence, while something is outstanding, after which a peer is unreachable.
 * @param recallNs silence after which a receiver may ask a sender for window it does not use.
 * @param resendFrames most frames of one flow sent again at once.
 * @param txFrames frames in flight of one loop.
 * @param sharedFrames frames in flight of one loop that carry several messages.
 * @param maxContexts context ids are 0 to this - 1, at most 65,536.
 * @param maxFlows receiving flows of the node, and sending flows of the node.
 */
public record FlowSettings(
        int mtuBytes,
        int windowFrames,
        int initialSequence,
        int inlineBytes,
        int ackEveryFrames,
        long ackDelayNs,
        int reorderingFrames,
        int linkReorderingFrames,
        long minReorderingNs,
        long minTimeoutNs,
        long maxTimeoutNs,
        long peerTimeoutNs,
        long recallNs,
        int resendFrames,
        int txFrames,
        int sharedFrames,
        int maxContexts,
        int maxFlows) {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;

    /** Checks every value. */
    public FlowSettings {
        check("mtuBytes", mtuBytes, 256, 0xFFFF + 64);
        check("windowFrames", windowFrames, 8, 4_096);
        if (Integer.bitCount(windowFrames) != 1) {
            throw new IllegalArgumentException(
                    "windowFrames must be a power of two: " + windowFrames);
        }
        check("inlineBytes", inlineBytes, 0, 4_096);
        check("ackEveryFrames", ackEveryFrames, 1, windowFrames);
        check("ackDelayNs", ackDelayNs, 0, 100 * MILLISECOND);
        check("reorderingFrames", reorderingFrames, 1, 1 << 20);
        check("linkReorderingFrames", linkReorderingFrames, 1, 1 << 20);
        check("minReorderingNs", minReorderingNs, 0, 1_000 * MILLISECOND);
        check("minTimeoutNs", minTimeoutNs, 1, 10_000 * MILLISECOND);
        check("maxTimeoutNs", maxTimeoutNs, minTimeoutNs, 100_000 * MILLISECOND);
        check("peerTimeoutNs", peerTimeoutNs, 1, Long.MAX_VALUE / 4);
        check("recallNs", recallNs, 1, Long.MAX_VALUE / 4);
        check("resendFrames", resendFrames, 1, windowFrames);
        check("txFrames", txFrames, 8, 1 << 20);
        check("sharedFrames", sharedFrames, 0, 1 << 16);
        check("maxContexts", maxContexts, 1, 1 << 16);
        check("maxFlows", maxFlows, 1, 1 << 20);
    }

    /** The values for a real cluster whose frames have {@code mtuBytes} of header and body. */
    public static FlowSettings defaults(final int mtuBytes) {
        return new FlowSettings(
                mtuBytes,
                1_024,
                0,
                4_096,
                16,
                200 * MICROSECOND,
                64,
                16,
                100 * MICROSECOND,
                2 * MILLISECOND,
                500 * MILLISECOND,
                5_000 * MILLISECOND,
                5 * MILLISECOND,
                16,
                8_192,
                256,
                1_024,
                8_192);
    }

    /** Largest message in bytes that one frame carries. */
    public int maxMessageBytes() {
        return mtuBytes - 64 - 8;
    }

    /** The same with another {@link #peerTimeoutNs()}. */
    public FlowSettings withPeerTimeoutNs(final long timeoutNs) {
        return with(
                windowFrames,
                initialSequence,
                timeoutNs,
                txFrames,
                sharedFrames,
                maxContexts,
                maxFlows);
    }

    /** The same with other {@link #windowFrames()} and {@link #initialSequence()}. */
    public FlowSettings withWindow(final int frames, final int firstSequence) {
        return with(
                frames,
                firstSequence,
                peerTimeoutNs,
                txFrames,
                sharedFrames,
                maxContexts,
                maxFlows);
    }

    /** The same with other {@link #txFrames()}, {@link #sharedFrames()} and {@link #maxFlows()}. */
    public FlowSettings withMemory(
            final int frames, final int framesOfSeveral, final int contexts, final int flows) {
        return with(
                windowFrames,
                initialSequence,
                peerTimeoutNs,
                frames,
                framesOfSeveral,
                contexts,
                flows);
    }

    private FlowSettings with(
            final int newWindowFrames,
            final int newInitialSequence,
            final long newPeerTimeoutNs,
            final int newTxFrames,
            final int newSharedFrames,
            final int newMaxContexts,
            final int newMaxFlows) {
        return new FlowSettings(
                mtuBytes,
                newWindowFrames,
                newInitialSequence,
                inlineBytes,
                Math.min(ackEveryFrames, newWindowFrames),
                ackDelayNs,
                reorderingFrames,
                linkReorderingFrames,
                minReorderingNs,
                minTimeoutNs,
                maxTimeoutNs,
                newPeerTimeoutNs,
                recallNs,
                Math.min(resendFrames, newWindowFrames),
                newTxFrames,
                newSharedFrames,
                newMaxContexts,
                newMaxFlows);
    }

    private static void check(
            final String name, final long value, final long least, final long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be " + least + ".." + most + ": " + value);
        }
    }
}
