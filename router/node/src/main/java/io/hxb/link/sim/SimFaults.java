package io.hxb.link.sim;

/**
 * How one direction between two simulated links behaves. Immutable.
 *
 * @param wire its delay and rate.
 * @param damage what happens to frames by chance.
 * @param trains what travels together.
 */
public record SimFaults(Wire wire, Damage damage, Trains trains) {
    /** No faults: a delay of 10 us, no rate limit, and frames one by one. */
    public static final SimFaults NONE =
            new SimFaults(
                    new Wire(10_000, 0, 0, Integer.MAX_VALUE),
                    new Damage(0, 0, 0, 0, 0),
                    new Trains(1, 0, 0));

    /**
     * Delay and rate of one direction. Immutable.
     *
     * @param delayNs time on the wire.
     * @param jitterNs up to this much more; frames stay in order all the same.
     * @param rateBps bits per second of the sending link, 0 for no limit.
     * @param queueFrames frames that the sending link holds before it blocks, and frames that wait
     *     at the receiving link before more are dropped.
     */
    public record Wire(long delayNs, long jitterNs, long rateBps, int queueFrames) {
        /** Checks every value. */
        public Wire {
            if (delayNs < 0 || jitterNs < 0 || rateBps < 0 || queueFrames < 1) {
                throw new IllegalArgumentException("times and sizes must not be negative");
            }
        }
    }

    /**
     * What happens to frames by chance. Immutable.
     *
     * @param loss share of frames lost, 0 to 1.
     * @param duplication share of frames that arrive twice.
     * @param corruption share of frames in which one bit is flipped.
     * @param reordering share of frames that later ones may overtake.
     * @param reorderingNs up to this much later an overtaken frame arrives.
     */
    public record Damage(
            double loss,
            double duplication,
            double corruption,
            double reordering,
            long reorderingNs) {
        /** Checks every value. */
        public Damage {
            checkShare("loss", loss);
            checkShare("duplication", duplication);
            checkShare("corruption", corruption);
            checkShare("reordering", reordering);
            if (reorderingNs < 0) {
                throw new IllegalArgumentException("times and sizes must not be negative");
            }
        }
    }

    /**
     * Frames of one size to one neighbour that wait together travel as a train, of which the last
     * frame may be shorter. They arrive together, in order, and are lost, duplicated and overtaken
     * together, unless the train is cut. Immutable.
     *
     * @param maxFrames frames of a train at most; 1 for frames one by one.
     * @param loss share of trains lost as a whole, besides those lost as frames are.
     * @param cut share of trains that are cut on the way: what happens to their frames happens to
     *     each alone.
     */
    public record Trains(int maxFrames, double loss, double cut) {
        /** Checks every value. */
        public Trains {
            if (maxFrames < 1) {
                throw new IllegalArgumentException("maxFrames must be 1 or more: " + maxFrames);
            }
            checkShare("loss of trains", loss);
            checkShare("cut of trains", cut);
        }
    }

    private static void checkShare(final String name, final double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " must be 0..1: " + value);
        }
    }

    /** The same with another delay and jitter. */
    public SimFaults withDelay(final long delayNs, final long jitterNs) {
        return new SimFaults(
                new Wire(delayNs, jitterNs, wire.rateBps, wire.queueFrames), damage, trains);
    }

    /** The same with another rate and queue. */
    public SimFaults withRate(final long rateBps, final int queueFrames) {
        return new SimFaults(
                new Wire(wire.delayNs, wire.jitterNs, rateBps, queueFrames), damage, trains);
    }

    /** The same with other shares of lost and duplicated frames. */
    public SimFaults withLoss(final double loss, final double duplication) {
        return new SimFaults(
                wire,
                new Damage(
                        loss,
                        duplication,
                        damage.corruption,
                        damage.reordering,
                        damage.reorderingNs),
                trains);
    }

    /** The same with another reordering. */
    public SimFaults withReordering(final double reordering, final long reorderingNs) {
        return new SimFaults(
                wire,
                new Damage(
                        damage.loss,
                        damage.duplication,
                        damage.corruption,
                        reordering,
                        reorderingNs),
                trains);
    }

    /** The same with another share of corrupted frames. */
    public SimFaults withCorruption(final double corruption) {
        return new SimFaults(
                wire,
                new Damage(
                        damage.loss,
                        damage.duplication,
                        corruption,
                        damage.reordering,
                        damage.reorderingNs),
                trains);
    }

    /** The same with trains of up to {@code maxFrames}, lost and cut with these shares. */
    public SimFaults withTrains(final int maxFrames, final double loss, final double cut) {
        return new SimFaults(wire, damage, new Trains(maxFrames, loss, cut));
    }
}
