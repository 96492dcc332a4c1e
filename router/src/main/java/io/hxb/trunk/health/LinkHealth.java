package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

/**
 * What this node thinks of one link to one neighbour, and what the neighbour says of it. The link
 * is used while both are content. Guarded by the lock of {@link TrunkHealth}.
 */
final class LinkHealth {
    private static final int LOSSY_FACTOR = 5;
    private static final long LOSSY_HOLD_FACTOR = 10;
    private static final long LOSSY_MEMORY_NS = 30_000_000_000L;
    private static final long MAX_GAP_NS = 5_000_000;
    private static final int GAP_FACTOR = 4;
    private static final long SURE_GAP_NS = MAX_GAP_NS / 2;
    private static final int MISSED_FRAMES = 4;
    private static final int MISSED_CHECKS = 4;
    private static final int FEW_LOST_PERCENT = 1;
    private static final int SMALL_LOSS_PERCENT = 3;
    private static final int MIN_WEIGHT = 4;
    private static final int WEIGHT_STEP = 4;

    final Port port;
    final int neighbour;

    /** Own opinion and why. */
    LinkState verdict = LinkState.UNKNOWN;

    LinkReason reason = LinkReason.NOT_HEARD;

    /** The neighbour does not hear this node here. */
    boolean isTold;

    /** Share that the neighbour gets of what is sent here. */
    int toldWeight = LinkStatusFlyweight.MAX_WEIGHT;

    /** Share that arrives of what the neighbour sends here. */
    int weight = LinkStatusFlyweight.MAX_WEIGHT;

    /** It was used before it failed, and has not been used since. */
    boolean isMissed;

    /** Status frames sent over the link to this neighbour. */
    int beatsSent;

    private final TrunkConfig config;
    private final HeardFrames heard;
    private final Patience patience;
    private final int[] othersBase;
    private final LossMeter loss = new LossMeter();
    private int frames;
    private int base;
    private long baseNs;
    private long heardNs;
    private long gapNs;
    private boolean isSilenced;
    private int silentChecks;
    private int sentByNeighbour;
    private int sentBase;
    private boolean knowsSent;
    private int quietFrames;
    private int quietSent;
    private int lastBeat;
    private int goodBeats;
    private int neededBeats;
    private long failedNs;
    private long holdNs;
    private long recoveredNs;
    private boolean hasRecovered;
    private boolean wasLossy;

    LinkHealth(
            final TrunkConfig config,
            final Port port,
            final int neighbour,
            final HeardFrames heard,
            final Patience patience,
            final int links) {
        this.config = config;
        this.port = port;
        this.neighbour = neighbour;
        this.heard = heard;
        this.patience = patience;
        othersBase = new int[links];
    }

    /** The neighbour is a new incarnation: nothing is known of it. */
    void restart() {
        verdict = LinkState.UNKNOWN;
        reason = LinkReason.NOT_HEARD;
        isTold = false;
        toldWeight = LinkStatusFlyweight.MAX_WEIGHT;
        weight = LinkStatusFlyweight.MAX_WEIGHT;
        knowsSent = false;
        loss.forget();
        goodBeats = 0;
        holdNs = 0;
        hasRecovered = false;
        wasLossy = false;
    }

    /** True if the link is used: frames pass in both directions. */
    boolean isGood() {
        return verdict == LinkState.GOOD && !isTold;
    }

    /** True if the neighbour's link address is known. */
    boolean isAddressed() {
        return port.link().learned(neighbour) != 0;
    }

    /** What is told to listeners. */
    LinkState state() {
        return verdict == LinkState.GOOD && isTold ? LinkState.FAILED : verdict;
    }

    LinkReason stateReason() {
        return verdict == LinkState.GOOD && isTold ? LinkReason.TOLD : reason;
    }

    /** Frames received so far. */
    int frames() {
        return frames;
    }

    /** When anything arrived last, as far as was looked. */
    long heardNs() {
        return heardNs;
    }

    /** Takes in what has arrived since the last look; true if something has. */
    boolean look(final long nowNs) {
        final int seen = heard.frames(neighbour);
        final boolean isNews = seen != frames;
        frames = seen;
        if (isNews) {
            heardNs = nowNs;
            if (isSilenced && verdict == LinkState.FAILED) {
                patience.onHeardAgain(failedNs, nowNs);
            }
            isSilenced = false;
        }
        return isNews;
    }

    /** A hello of the neighbour arrived. */
    void onHello(final LinkHealth[] trunk, final long nowNs) {
        heardNs = nowNs;
        if (verdict == LinkState.UNKNOWN) {
            accept(LinkReason.HELLO, trunk, nowNs);
        }
    }

    /**
     * Judges the link by what arrived on it and on the others; after {@link #look} of all.
     *
     * @param isHeard something arrived here since the last look.
     * @param isOtherHeard something arrived on another link since.
     * @return true if it is silent while others are not, though the neighbour sends there.
     */
    boolean isSilent(
            final boolean isHeard,
            final boolean isOtherHeard,
            final LinkHealth[] trunk,
            final long nowNs) {
        if (frames - base >= config.minFrames()) {
            measureGap(nowNs);
            rebase(trunk, nowNs);
        }
        if (isHeard) {
            silentChecks = 0;
        } else if (isOtherHeard) {
            silentChecks++;
        }
        final long silentNs = nowNs - heardNs;
        if (verdict != LinkState.GOOD
                || !knowsSent
                || silentNs < GAP_FACTOR * gapNs
                || silentNs < patience.ns()) {
            return false;
        }
        if (isOtherHeard && isMissed()) {
            return true;
        }
        if (silentChecks < Patience.SILENT_CHECKS || sentByNeighbour - sentBase < sentFrames()) {
            return false;
        }
        for (int i = 0; i < trunk.length; i++) {
            if (trunk[i].frames - othersBase[i] >= config.failFrames()) {
                return true;
            }
        }
        return false;
    }

    // Frames that the neighbour has sent, at least, for the silence of the link to mean something.
    private int sentFrames() {
        return Math.max(config.minFrames(), config.failFrames() / 4);
    }

    /**
     * True if frames that the neighbour has sent since anything arrived here are missing: what few
     * frames show, such as acknowledgements, on a link that is known to be quick and loses little.
     */
    private boolean isMissed() {
        return frames == quietFrames
                && sentByNeighbour - quietSent >= MISSED_FRAMES
                && silentChecks >= MISSED_CHECKS
                && gapNs < SURE_GAP_NS
                && loss.smoothedHundredths() < 100 * FEW_LOST_PERCENT;
    }

    // How far frames are usually apart: a slow link is not silent between two of them.
    private void measureGap(final long nowNs) {
        final long sampleNs = Math.min(MAX_GAP_NS, (nowNs - baseNs) / (frames - base));
        gapNs += (sampleNs - gapNs) / 2;
    }

    /** Starts to count anew. */
    void rebase(final LinkHealth[] trunk, final long nowNs) {
        base = frames;
        baseNs = nowNs;
        sentBase = sentByNeighbour;
        for (int i = 0; i < trunk.length; i++) {
            othersBase[i] = trunk[i].frames;
        }
    }

    /** The neighbour says how many frames it has sent here so far. */
    void onSentTold(final int sent) {
        final int arrived = heard.frames(neighbour);
        final boolean isQuiet = knowsSent && arrived == quietFrames;
        if (!knowsSent) {
            knowsSent = true;
            sentByNeighbour = sent;
            sentBase = sent;
        } else if (sent - sentByNeighbour > 0) {
            sentByNeighbour = sent;
        }
        if (!isQuiet) {
            quietFrames = arrived;
            quietSent = sentByNeighbour;
        }
    }

    /**
     * A status frame arrived here, behind {@code sent} frames of the neighbour.
     *
     * @param drains how often the link's sockets have been seen empty.
     */
    void onSentHere(final int sent, final int drains) {
        loss.onTold(sent, heard.frames(neighbour), drains);
    }

    /** Measures how many of those frames arrived; true if there is something new to judge. */
    boolean measureLoss(final int drains) {
        return loss.measure(heard.frames(neighbour), drains);
    }

    int lossPercent() {
        return loss.percent();
    }

    /**
     * Gives the link a share that fits its loss: less at once, more step by step.
     *
     * @param excessPercent its loss beyond that of the trunk's best link.
     * @return true if it loses so much, whatever its share, that it should be left out.
     */
    boolean weigh(final int excessPercent) {
        final boolean isAtLeast = weight <= 2 * MIN_WEIGHT;
        if (excessPercent > SMALL_LOSS_PERCENT) {
            weight = Math.max(MIN_WEIGHT, weight * (100 - excessPercent) / 100);
        } else {
            weight = Math.min(LinkStatusFlyweight.MAX_WEIGHT, weight + WEIGHT_STEP);
        }
        final int lastingPercent =
                loss.smoothedHundredths() / 100 - (loss.percent() - excessPercent);
        return isAtLeast && lastingPercent > config.lossPercent();
    }

    /** Leaves the link out from now on. */
    void fail(final LinkReason why, final long nowNs) {
        if (verdict == LinkState.FAILED) {
            return;
        }
        final boolean isLossy = why == LinkReason.LOSSY;
        final long leastNs = config.holdDownNs() * (isLossy ? LOSSY_HOLD_FACTOR : 1);
        final long memoryNs =
                isLossy && wasLossy
                        ? LOSSY_MEMORY_NS
                        : Math.max(LOSSY_FACTOR * config.holdDownNs(), holdNs);
        if (hasRecovered && nowNs - recoveredNs < memoryNs) {
            holdNs = Math.min(config.maxHoldDownNs(), Math.max(leastNs, 2 * holdNs));
        } else {
            holdNs = isLossy ? Math.min(config.maxHoldDownNs(), leastNs) : 0;
        }
        wasLossy = isLossy;
        neededBeats = config.healBeats() * (isLossy ? LOSSY_FACTOR : 1);
        verdict = LinkState.FAILED;
        reason = why;
        failedNs = nowNs;
        isSilenced = why == LinkReason.SILENT;
        goodBeats = 0;
    }

    /** How long the link stays left out at least, from its failure. */
    long holdNs() {
        return holdNs;
    }

    /**
     * A heartbeat arrived; true if it was the last that the link needed to be used again.
     *
     * @param beat its number.
     */
    boolean onBeat(final int beat, final LinkHealth[] trunk, final long nowNs) {
        heardNs = nowNs;
        goodBeats = goodBeats > 0 && beat == lastBeat + 1 ? goodBeats + 1 : 1;
        lastBeat = beat;
        if (verdict != LinkState.FAILED
                || goodBeats < neededBeats
                || nowNs - failedNs < holdNs
                || !port.link().isUp()) {
            return false;
        }
        recoveredNs = nowNs;
        hasRecovered = true;
        accept(LinkReason.HEALED, trunk, nowNs);
        return true;
    }

    private void accept(final LinkReason why, final LinkHealth[] trunk, final long nowNs) {
        verdict = LinkState.GOOD;
        reason = why;
        silentChecks = 0;
        loss.forget();
        weight = LinkStatusFlyweight.MAX_WEIGHT;
        heardNs = nowNs;
        frames = heard.frames(neighbour);
        rebase(trunk, nowNs);
    }
}
