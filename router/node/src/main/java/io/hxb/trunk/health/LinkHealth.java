package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

/**
 * This node's opinion of one link to one neighbour, based on its judges, and the neighbour's
 * opinion of it. The link is used while both are good. Guarded by the lock of {@link TrunkHealth}.
 */
final class LinkHealth {
    /** Hellos in a row without a heartbeat, of which many are sent meanwhile. */
    private static final int HELLOS_WITHOUT_BEAT = 10;

    private final Port port;
    private final LinkArrivals arrivals;
    private final SilenceThreshold silenceThreshold;
    private final LinkLag lag;
    private final SilenceDetector silence;
    private final LinkLossMonitor loss;
    private final LivenessCheck proof;
    private final HoldDown holdDown;

    // This node's own opinion and why.
    private LinkState opinion = LinkState.UNKNOWN;
    private LinkReason reason = LinkReason.NOT_HEARD;
    // It failed because it was silent, and still is.
    private boolean isSilenced;
    // The neighbour does not hear this node here.
    private boolean isReported;
    private int reportedWeight = LinkStatusFlyweight.MAX_WEIGHT;
    // It was used before it failed, and has not been used since.
    private boolean isMissed;
    private long missedSinceNs;
    private int hellosSinceBeat;
    private int statusSent;
    private int lastBeat;

    /**
     * Makes the health of one link.
     *
     * @param trunk what arrives from the neighbour, {@code [links of the trunk]}.
     */
    LinkHealth(final HealthParts parts, final Port port, final LinkArrivals[] trunk) {
        this.port = port;
        silenceThreshold = parts.silenceThreshold();
        final TrunkConfig config = parts.config();
        arrivals = trunk[port.number()];
        lag = new LinkLag(arrivals);
        silence = new SilenceDetector(config, silenceThreshold, lag, trunk, port.number());
        loss = new LinkLossMonitor(config);
        proof = new LivenessCheck(parts.unheardNs());
        statusSent = parts.random().nextInt();
        lastBeat = parts.random().nextInt();
        holdDown =
                new HoldDown(
                        new HoldDown.Terms(
                                config.holdDownNs(), config.maxHoldDownNs(), config.healBeats()));
    }

    /** The neighbour is a new incarnation: nothing is known of it. */
    void restart() {
        opinion = LinkState.UNKNOWN;
        reason = LinkReason.NOT_HEARD;
        isReported = false;
        reportedWeight = LinkStatusFlyweight.MAX_WEIGHT;
        silence.forget();
        lag.forget();
        loss.forget();
        holdDown.forget();
    }

    Port port() {
        return port;
    }

    int linkIndex() {
        return port.link().index();
    }

    /** This node's own opinion, whatever the neighbour reports. */
    LinkState localState() {
        return opinion;
    }

    /** The state of the link in the opinion of both ends, as reported to listeners. */
    LinkState state() {
        return opinion == LinkState.GOOD && isReported ? LinkState.FAILED : opinion;
    }

    /** The reason for that state. */
    LinkReason reason() {
        return opinion == LinkState.GOOD && isReported ? LinkReason.REPORTED : reason;
    }

    /** True if the link is used: frames pass in both directions. */
    boolean isGood() {
        return state() == LinkState.GOOD;
    }

    /** Share of the frames sent here that the neighbour asks for. */
    int reportedWeight() {
        return reportedWeight;
    }

    /** Share of its frames that this node asks the neighbour to send here. */
    int weight() {
        return loss.weight();
    }

    /** Share of its frames lost in the last measurement, in percent. */
    int lostPercent() {
        return loss.lostPercent();
    }

    /** Status frames sent over the link to this neighbour, counted from any number. */
    int statusSent() {
        return statusSent;
    }

    /** Number of the next heartbeat over the link to this neighbour; never 0. */
    int nextBeat() {
        return lastBeat == -1 ? 1 : lastBeat + 1;
    }

    /** A status frame was sent over the link, which was the next heartbeat or none. */
    void onStatusSent(final boolean isBeat) {
        statusSent++;
        lastBeat = isBeat ? nextBeat() : lastBeat;
    }

    /**
     * A hello of the neighbour arrived.
     *
     * @param isAgreed whether it knows which links are left out, and so sends heartbeats there.
     */
    void onHello(final boolean isAgreed, final long nowNs) {
        arrivals.onHeard(nowNs);
        proof.onProof(nowNs);
        if (opinion == LinkState.UNKNOWN) {
            accept(LinkReason.HELLO, nowNs);
        } else if (reason == LinkReason.LOSSY
                && isAgreed
                && ++hellosSinceBeat >= HELLOS_WITHOUT_BEAT) {
            reason = LinkReason.LONG_LOST;
        }
    }

    /** Looks at what has arrived since the last look; true if anything has. */
    boolean look(final long nowNs) {
        final boolean isHeard = arrivals.look(nowNs);
        lag.look(nowNs);
        if (isHeard) {
            if (isSilenced && opinion == LinkState.FAILED) {
                silenceThreshold.onHeardAgain(holdDown.failedNs(), nowNs);
            }
            isSilenced = false;
        }
        return isHeard;
    }

    /**
     * Judges the link by what arrived on it and on the others; after {@link #look} of all.
     *
     * @param isHeard something arrived here since the last look.
     * @param isOtherHeard something arrived on another link since.
     * @param drains how often the link's sockets have been seen empty.
     * @return true if it is used, and silent while others are not, though the neighbour sends
     *     there.
     */
    boolean isSilent(
            final boolean isHeard, final boolean isOtherHeard, final int drains, final long nowNs) {
        silence.look(isHeard, isOtherHeard, drains, nowNs);
        return opinion == LinkState.GOOD
                && silence.isSilent(isOtherHeard, loss.lostHundredths(), nowNs);
    }

    /** True if nothing has arrived for that time. */
    boolean isUnheard(final long limitNs, final long nowNs) {
        return nowNs - arrivals.heardNs() > limitNs;
    }

    /** Looks whether the neighbour itself shows that it is there; see {@link LivenessCheck}. */
    void lookForProof(final long nowNs) {
        if (opinion == LinkState.GOOD) {
            proof.look(nowNs);
        } else {
            proof.rest();
        }
    }

    /** True if the neighbour should be asked for a sign of life here. */
    boolean isDoubted() {
        return proof.isDoubted();
    }

    /** True if what arrives here is not the neighbour's. */
    boolean isLivenessLost(final long nowNs) {
        return proof.isLost(nowNs);
    }

    /**
     * The neighbour reports how many frames it has sent here so far.
     *
     * @param isHere whether it reports that over this link.
     */
    void onSentReported(final int sent, final boolean isHere, final int drains, final long nowNs) {
        silence.onReported(sent, drains);
        if (isHere) {
            lag.onReportedHere(sent, opinion == LinkState.GOOD, nowNs);
        } else if (opinion == LinkState.GOOD) {
            lag.onReportedElsewhere(sent, nowNs);
        }
    }

    /**
     * A status frame arrived here, after {@code sent} frames of the neighbour.
     *
     * @param drains how often the link's sockets have been seen empty.
     */
    void onSentHere(final int sent, final int drains) {
        loss.onReported(sent, arrivals.framesNow(), drains);
    }

    /** The neighbour reports its opinion of the link. */
    void onReported(final boolean isFailed, final int weight) {
        isReported = isFailed;
        reportedWeight = weight;
    }

    /** Measures how many frames arrived of those sent; true if there is something new to judge. */
    boolean measureLoss(final int drains) {
        return loss.measure(arrivals.framesNow(), drains);
    }

    /**
     * Gives the link a share that fits its loss; see {@link LinkLossMonitor#weigh}.
     *
     * @return true if it loses so much that it should be left out.
     */
    boolean weigh(final int excessPercent) {
        return loss.weigh(excessPercent);
    }

    /** Leaves the link out from now on. */
    void fail(final LinkReason why, final long nowNs) {
        if (opinion != LinkState.FAILED) {
            holdDown.onFailed(why == LinkReason.LOSSY, nowNs);
            hellosSinceBeat = 0;
            opinion = LinkState.FAILED;
            reason = why;
            isSilenced = why == LinkReason.SILENT;
        }
    }

    /**
     * A status frame arrived; a failed link is used again after enough heartbeats.
     *
     * @param beat number of the heartbeat; 0 if it is none.
     */
    void onBeat(final int beat, final long nowNs) {
        arrivals.onHeard(nowNs);
        proof.onProof(nowNs);
        holdDown.onBeat(beat);
        hellosSinceBeat = beat == 0 ? hellosSinceBeat : 0;
        if (opinion == LinkState.FAILED && holdDown.isOver(nowNs) && port.link().isUp()) {
            holdDown.onRecovered(nowNs);
            accept(LinkReason.HEALED, nowNs);
        }
    }

    private void accept(final LinkReason why, final long nowNs) {
        opinion = LinkState.GOOD;
        reason = why;
        loss.forget();
        proof.onProof(nowNs);
        arrivals.onHeard(nowNs);
        arrivals.look(nowNs);
        silence.restart(nowNs);
    }

    /** Notes that listeners learn of the failure of the link, which was used. */
    void onExcluded(final long nowNs) {
        isMissed = true;
        missedSinceNs = nowNs;
    }

    /** For how many ns it has been missed, 1 or more; 0 if it is not. */
    long missedNs(final long nowNs) {
        return isMissed ? Math.max(1, nowNs - missedSinceNs) : 0;
    }

    /** Why it has failed, in figures; see {@link LinkEvent}. */
    long measured(final long nowNs) {
        return reason() == LinkReason.LOSSY || reason() == LinkReason.LONG_LOST
                ? loss.lostHundredths()
                : nowNs - arrivals.heardNs();
    }

    /** Notes that listeners learn that the link is used; true if it had been excluded. */
    boolean onUsed() {
        final boolean wasMissed = isMissed;
        isMissed = false;
        return wasMissed;
    }
}
