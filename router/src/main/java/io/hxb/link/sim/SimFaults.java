package io.hxb.link.sim;

/**
 * How one direction between two simulated links behaves. Immutable.
 *
 * @param delayNs time on the wire.
 * @param jitterNs up to this much more; frames stay in order all the same.
 * @param rateBps bits per second of the sending link, 0 for no limit.
 * @param loss share of frames lost, 0 to 1.
 * @param duplication share of frames that arrive twice.
 * @param reordering share of frames that later ones may overtake.
 * @param reorderingNs up to this much later an overtaken frame arrives.
 * @param corruption share of frames in which one bit is flipped.
 * @param queueFrames frames that the sending link holds before it blocks, and frames that wait at
 *     the receiving link before more are dropped.
 */
public record SimFaults(
        long delayNs,
        long jitterNs,
        long rateBps,
        double loss,
        double duplication,
        double reordering,
        long reorderingNs,
        double corruption,
        int queueFrames) {
    /** No faults: a delay of 10 us and no rate limit. */
    public static final SimFaults NONE =
            new SimFaults(10_000, 0, 0, 0, 0, 0, 0, 0, Integer.MAX_VALUE);

    /** Checks every value. */
    public SimFaults {
        if (delayNs < 0 || jitterNs < 0 || reorderingNs < 0 || rateBps < 0 || queueFrames < 1) {
            throw new IllegalArgumentException("times and sizes must not be negative");
        }
        checkShare("loss", loss);
        checkShare("duplication", duplication);
        checkShare("reordering", reordering);
        checkShare("corruption", corruption);
    }

    /** The same with another delay and jitter. */
    public SimFaults withDelay(final long newDelayNs, final long newJitterNs) {
        return new SimFaults(
                newDelayNs,
                newJitterNs,
                rateBps,
                loss,
                duplication,
                reordering,
                reorderingNs,
                corruption,
                queueFrames);
    }

    /** The same with another rate and queue. */
    public SimFaults withRate(final long newRateBps, final int newQueueFrames) {
        return new SimFaults(
                delayNs,
                jitterNs,
                newRateBps,
                loss,
                duplication,
                reordering,
                reorderingNs,
                corruption,
                newQueueFrames);
    }

    /** The same with other shares of lost and duplicated frames. */
    public SimFaults withLoss(final double newLoss, final double newDuplication) {
        return new SimFaults(
                delayNs,
                jitterNs,
                rateBps,
                newLoss,
                newDuplication,
                reordering,
                reorderingNs,
                corruption,
                queueFrames);
    }

    /** The same with another reordering. */
    public SimFaults withReordering(final double newReordering, final long newReorderingNs) {
        return new SimFaults(
                delayNs,
                jitterNs,
                rateBps,
                loss,
                duplication,
                newReordering,
                newReorderingNs,
                corruption,
                queueFrames);
    }

    /** The same with another share of corrupted frames. */
    public SimFaults withCorruption(final double newCorruption) {
        return new SimFaults(
                delayNs,
                jitterNs,
                rateBps,
                loss,
                duplication,
                reordering,
                reorderingNs,
                newCorruption,
                queueFrames);
    }

    private static void checkShare(final String name, final double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " must be 0..1: " + value);
        }
    }
}
