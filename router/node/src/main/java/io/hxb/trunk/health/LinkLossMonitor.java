package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;

/**
 * Gives one link of a neighbour a share of its frames that fits what is lost there, and judges
 * whether that is too much. Guarded by the lock of {@link TrunkHealth}.
 */
final class LinkLossMonitor {
    private static final int SMALL_LOSS_PERCENT = 3;
    private static final int MIN_WEIGHT = 4;
    private static final int WEIGHT_STEP = 4;

    private final TrunkConfig config;
    private final LossMeter meter = new LossMeter();
    private int weight = LinkStatusFlyweight.MAX_WEIGHT;

    LinkLossMonitor(final TrunkConfig config) {
        this.config = config;
    }

    /** Begins again: nothing has been lost, the link gets its full share. */
    void forget() {
        meter.forget();
        weight = LinkStatusFlyweight.MAX_WEIGHT;
    }

    /** The neighbour has reported over this link how many frames it sent; see {@link LossMeter}. */
    void onReported(final int sent, final int arrived, final int drains) {
        meter.onReported(sent, arrived, drains);
    }

    /** Measures how many of those frames arrived; true if there is something new to judge. */
    boolean measure(final int arrived, final int drains) {
        return meter.measure(arrived, drains);
    }

    /** Share lost in the last measurement, in percent. */
    int lostPercent() {
        return meter.percent();
    }

    /** Share lost recently, in hundredths of a percent. */
    int lostHundredths() {
        return meter.smoothedHundredths();
    }

    /** Share that the neighbour should send here, 1 to {@link LinkStatusFlyweight#MAX_WEIGHT}. */
    int weight() {
        return weight;
    }

    /**
     * Gives the link a share that fits its loss: less at once, more step by step.
     *
     * @param excessPercent its loss beyond that of the trunk's best link.
     * @return true if it loses so much, whatever its share, that it should be left out.
     */
    boolean weigh(final int excessPercent) {
        final boolean isNearMin = weight <= 2 * MIN_WEIGHT;
        if (excessPercent > SMALL_LOSS_PERCENT) {
            weight = Math.max(MIN_WEIGHT, weight * (100 - excessPercent) / 100);
        } else {
            weight = Math.min(LinkStatusFlyweight.MAX_WEIGHT, weight + WEIGHT_STEP);
        }
        assert weight >= MIN_WEIGHT && weight <= LinkStatusFlyweight.MAX_WEIGHT : weight;
        final int lastingPercent = lostHundredths() / 100 - (lostPercent() - excessPercent);
        return isNearMin && lastingPercent > config.lossPercent();
    }
}
