package io.hxb.flow;

import io.hxb.frame.EndedFlyweight;

/**
 * What a closed context announced of a flow to it: how many messages of each frame it had released,
 * and what had arrived at all. Immutable.
 */
final class ClosedFlowRecord {
    private final int seenTo;
    private final int answered;
    private final boolean isOpenAgain;
    private final boolean hasLost;
    private final int[] runFirst;
    private final int[] runFrames;
    private final int[] runMessagesLeft;

    /**
     * Copies it from a frame that was checked.
     *
     * @param answeredSequence of the frame that it answers; for a PROBE the next one to be sent.
     */
    ClosedFlowRecord(final EndedFlyweight ended, final int answeredSequence) {
        final int runs = ended.runs();
        answered = answeredSequence;
        seenTo = ended.seenTo();
        isOpenAgain = ended.isOpenAgain();
        hasLost = ended.hasLost();
        runFirst = new int[runs];
        runFrames = new int[runs];
        runMessagesLeft = new int[runs];
        for (int run = 0; run < runs; run++) {
            runFirst[run] = ended.runFirst(run);
            runFrames[run] = ended.runFrames(run);
            runMessagesLeft[run] = ended.runMessagesLeft(run);
        }
    }

    /** True if another incarnation of the context is open. */
    boolean isOpenAgain() {
        return isOpenAgain;
    }

    /** True if messages had arrived that were not released, acknowledged ones too. */
    boolean hasLost() {
        return hasLost;
    }

    /**
     * True if the frame is to be sent to the next incarnation: the one that is closed has not seen
     * it, and the next one is there, or may have been there when the frame was sent.
     */
    boolean isForNext(final int sequence) {
        return !hasSeen(sequence) && (isOpenAgain || sequence - answered >= 0);
    }

    /** True if the frame had arrived, or one after it. */
    boolean hasSeen(final int sequence) {
        return sequence - seenTo < 0;
    }

    /** Messages at the front of a frame that were released, of {@code messageCount}. */
    int released(final int sequence, final int messageCount) {
        if (!hasSeen(sequence)) {
            return 0;
        }
        for (int run = 0; run < runFirst.length; run++) {
            final int place = sequence - runFirst[run];
            if (place >= 0 && place < runFrames[run]) {
                return messageCount - Math.min(messageCount, runMessagesLeft[run]);
            }
        }
        return messageCount;
    }
}
