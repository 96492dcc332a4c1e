package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

/**
 * One neighbour and the links of the trunk to it: what both sides think of them, and what has to be
 * told. Guarded by the lock of {@link TrunkHealth}.
 *
 * <p>Each side numbers what it says of the links; the other acknowledges the number. A link is used
 * by both while neither says that it has failed, so both agree once both have heard.
 */
final class TrunkPartner {
    /** Frames to a neighbour after which it is told how many were sent over each link. */
    private static final int MARK_FRAMES = 32;

    /** Time between two such messages, at least, to a neighbour that sends and is sent little. */
    private static final long RECEIVED_MARK_NS = 1_000_000;

    /** Questions that a silent neighbour may leave unanswered. */
    private static final int ASKS = 3;

    private static final long FIRST_REPEAT_NS = 2_000_000;
    private static final long LONG_DEAD_NS = 10_000_000_000L;
    private static final int LONG_DEAD_FACTOR = 5;

    final int dimension;
    final int neighbour;
    final LinkHealth[] links;
    int incarnation;

    private final TrunkConfig config;
    private final TrunkHealth health;
    private int sequence;
    private int acknowledged;
    private int peerSequence;
    private long peerFailed;
    private long saidFailed;
    private int saidWeights;
    private long answerLinks;
    private long repeatNs;
    private long repeatDelayNs = FIRST_REPEAT_NS;
    private long beatNs;
    private long markNs;
    private int markedFrames;
    private int markedReceived;
    private int nextMark;
    private int sentWhenHeard;
    private boolean isWaiting;
    private long waitingSinceNs;
    private int asks;
    private long askNs;
    private boolean isAsking;
    private long deadSinceNs;
    private long firstHeardNs;

    TrunkPartner(
            final TrunkHealth health,
            final TrunkConfig config,
            final Port[] ports,
            final HeardFrames[] heard,
            final int neighbour,
            final long nowNs) {
        this.health = health;
        this.config = config;
        this.neighbour = neighbour;
        dimension = ports[0].dimension();
        links = new LinkHealth[ports.length];
        for (int i = 0; i < links.length; i++) {
            final HeardFrames frames = heard[ports[i].link().index()];
            links[i] =
                    new LinkHealth(
                            config, ports[i], neighbour, frames, health.patience(), links.length);
        }
        firstHeardNs = nowNs;
        beatNs = nowNs;
        markNs = nowNs;
    }

    /** A hello arrived over one link, maybe of a new incarnation. */
    void onHello(final int link, final int newIncarnation, final long nowNs) {
        if (incarnation != newIncarnation) {
            incarnation = newIncarnation;
            restart(nowNs);
        }
        links[link].onHello(links, nowNs);
        publish(nowNs);
    }

    private void restart(final long nowNs) {
        for (final LinkHealth link : links) {
            link.restart();
        }
        // Whatever it was told before, it has forgotten.
        sequence++;
        acknowledged = sequence;
        saidFailed = 0;
        saidWeights = 0;
        peerSequence = 0;
        peerFailed = 0;
        answerLinks = 0;
        isWaiting = false;
        firstHeardNs = nowNs;
    }

    /** A NIC refused frames, and some may have been for this neighbour. */
    void onSendErrors(final int link, final long nowNs) {
        if (links[link].verdict == LinkState.GOOD) {
            final boolean isUp = links[link].port.link().isUp();
            fail(links[link], isUp ? LinkReason.SEND_ERRORS : LinkReason.NO_CARRIER, nowNs);
            publish(nowNs);
        }
    }

    private void fail(final LinkHealth link, final LinkReason why, final long nowNs) {
        link.fail(why, nowNs);
        beatNs = nowNs;
    }

    /**
     * Takes in a status frame that has been checked: of this incarnation, over its own link.
     *
     * @return false if it contradicts what the neighbour said before, or acknowledges what was
     *     never said: nothing was taken.
     */
    boolean onStatus(final LinkStatusFlyweight status, final long nowNs) {
        final int news = status.sequence() - peerSequence;
        if (status.acknowledgement() - sequence > 0
                || (news == 0 && status.failed() != peerFailed)) {
            return false;
        }
        final int number = status.linkNumber();
        if (status.acknowledgement() - acknowledged > 0) {
            acknowledged = status.acknowledgement();
        }
        for (int i = 0; i < links.length; i++) {
            links[i].onSentTold(status.sentFrames(i));
        }
        links[number].onSentHere(status.sentFrames(number), health.drains(links[number]));
        links[number].onBeat(status.beat(), links, nowNs);
        if (news > 0) {
            peerSequence = status.sequence();
            peerFailed = status.failed();
            answerLinks |= 1L << number;
        }
        if (news >= 0) {
            for (int i = 0; i < links.length; i++) {
                links[i].isTold = (peerFailed >>> i & 1) != 0;
                links[i].toldWeight = status.weight(i);
            }
        }
        if (status.isAsking()) {
            answerLinks = allLinks();
        }
        publish(nowNs);
        return true;
    }

    private void judgeLoss(final LinkHealth link, final long nowNs) {
        int least = 100;
        int others = 0;
        for (final LinkHealth other : links) {
            if (other.isGood()) {
                least = Math.min(least, other.lossPercent());
                others += other == link ? 0 : 1;
            }
        }
        if (link.isGood() && others > 0 && link.weigh(link.lossPercent() - least)) {
            fail(link, LinkReason.LOSSY, nowNs);
        }
    }

    /** Looks what has arrived and judges the links by it. */
    void look(final long nowNs) {
        long news = 0;
        for (int i = 0; i < links.length; i++) {
            news |= links[i].look(nowNs) ? 1L << i : 0;
        }
        final int sent = health.sentFrames(this);
        if (news != 0) {
            isWaiting = false;
            sentWhenHeard = sent;
        } else if (!isWaiting && sent != sentWhenHeard) {
            isWaiting = true;
            waitingSinceNs = nowNs;
            asks = 0;
        }
        long silent = 0;
        boolean isWeighed = false;
        for (int i = 0; i < links.length; i++) {
            final boolean isHeard = (news >>> i & 1) != 0;
            final boolean isOtherHeard = (news & ~(1L << i)) != 0;
            final boolean isDrained = health.isDrained(links[i]);
            if (isOtherHeard && !isHeard && !isDrained) {
                health.wake(links[i]);
            }
            if (links[i].isSilent(isHeard, isOtherHeard && isDrained, links, nowNs)) {
                silent |= 1L << i;
            }
        }
        for (final LinkHealth link : links) {
            if (link.measureLoss(health.drains(link))) {
                judgeLoss(link, nowNs);
                isWeighed = true;
            }
        }
        judge(silent, isWeighed, nowNs);
    }

    private void judge(final long silent, final boolean isWeighed, final long nowNs) {
        boolean isChanged = isWeighed || silent != 0;
        final boolean isNever = nowNs - firstHeardNs > health.unheardNs();
        for (int i = 0; i < links.length; i++) {
            final LinkHealth link = links[i];
            if (link.verdict == LinkState.GOOD && !link.port.link().isUp()) {
                fail(link, LinkReason.NO_CARRIER, nowNs);
                isChanged = true;
            } else if ((silent >>> i & 1) != 0) {
                fail(link, LinkReason.SILENT, nowNs);
            } else if (link.verdict == LinkState.GOOD
                    && nowNs - link.heardNs() > health.unheardNs()) {
                fail(link, LinkReason.MISSED_HELLOS, nowNs);
                isChanged = true;
            } else if (link.verdict == LinkState.UNKNOWN && isNever) {
                fail(link, LinkReason.NOT_HEARD, nowNs);
                isChanged = true;
            }
        }
        if (isChanged) {
            publish(nowNs);
        }
    }

    /** Brings ports, listeners and what has to be told up to date with the links. */
    private void publish(final long nowNs) {
        int best = 1;
        for (final LinkHealth link : links) {
            best = link.isGood() ? Math.max(best, link.toldWeight) : best;
        }
        long failed = 0;
        int weights = 0;
        for (int i = 0; i < links.length; i++) {
            final LinkHealth link = links[i];
            health.publish(this, link, nowNs);
            if (link.isGood()) {
                final int weight = Port.FULL_WEIGHT * link.toldWeight / best;
                link.port.setWeight(neighbour, Math.max(1, weight));
            }
            failed |= link.verdict == LinkState.FAILED ? 1L << i : 0;
            weights = 31 * weights + (link.weight + 7) / 8;
        }
        if (failed != saidFailed || weights != saidWeights) {
            saidFailed = failed;
            saidWeights = weights;
            sequence++;
            repeatNs = nowNs;
            repeatDelayNs = FIRST_REPEAT_NS;
        }
    }

    /** Frames of each kind that are due: a bit for each link that a status has to go out on. */
    long due(final long nowNs, final int sentFrames, final long beatIntervalNs) {
        long due = answerLinks & addressedLinks();
        final long good = goodLinks();
        answerLinks = 0;
        if (sequence != acknowledged && repeatNs - nowNs <= 0) {
            due |= good == 0 ? addressedLinks() : good;
            repeatNs = nowNs + repeatDelayNs;
            repeatDelayNs = Math.min(config.heartbeatNs(), 2 * repeatDelayNs);
        }
        if (beatNs - nowNs <= 0) {
            due |= addressedLinks() & ~good;
            beatNs = nowNs + (isLongDead(good, nowNs) ? LONG_DEAD_FACTOR : 1) * beatIntervalNs;
        }
        if (hasChoice(good) && nowNs - markNs >= TrunkHealth.CHECK_NS) {
            due |= marks(sentFrames, good, nowNs);
        }
        return due | asked(nowNs);
    }

    // What was sent over a link means something only beside what was sent over another.
    private boolean hasChoice(final long good) {
        return (good & (good - 1)) != 0;
    }

    // One that only sends hears of its links by acknowledgements, which are few: it is told over
    // two links at once, each of which then shows what is missing on the other.
    private long marks(final int sentFrames, final long good, final long nowNs) {
        final int received = receivedFrames();
        final int sentSince = sentFrames - markedFrames;
        final int receivedSince = received - markedReceived;
        final boolean isReceiver =
                receivedSince >= MARK_FRAMES
                        && receivedSince / 2 > sentSince
                        && nowNs - markNs >= RECEIVED_MARK_NS;
        if (!isReceiver && sentSince < MARK_FRAMES) {
            return 0;
        }
        markNs = nowNs;
        markedFrames = sentFrames;
        markedReceived = received;
        final long mark = nextMark(good);
        return isReceiver ? mark | nextMark(good) : mark;
    }

    private int receivedFrames() {
        int received = 0;
        for (final LinkHealth link : links) {
            received += link.frames();
        }
        return received;
    }

    private boolean isLongDead(final long good, final long nowNs) {
        if (good != 0) {
            deadSinceNs = nowNs;
        }
        return nowNs - deadSinceNs > LONG_DEAD_NS;
    }

    // Each link in turn tells what was sent over all of them.
    private long nextMark(final long good) {
        for (int tried = 0; tried < links.length; tried++) {
            nextMark = nextMark + 1 == links.length ? 0 : nextMark + 1;
            if ((good >>> nextMark & 1) != 0) {
                return 1L << nextMark;
            }
        }
        return 0;
    }

    // Asks a neighbour that is sent frames and says nothing; gives it up after some questions.
    private long asked(final long nowNs) {
        isAsking = false;
        if (!isWaiting || goodLinks() == 0 || askDueNs() - nowNs > 0) {
            return 0;
        }
        if (asks == ASKS) {
            for (final LinkHealth link : links) {
                if (link.verdict == LinkState.GOOD) {
                    fail(link, LinkReason.UNANSWERED, nowNs);
                }
            }
            publish(nowNs);
            return 0;
        }
        asks++;
        isAsking = true;
        askNs = nowNs + config.heartbeatNs();
        return addressedLinks();
    }

    private long askDueNs() {
        return asks == 0 ? waitingSinceNs + config.silenceNs() : askNs;
    }

    /** Time in ns until something is due again, 0 or more; at most {@code mostNs}. */
    long dueInNs(final long nowNs, final long mostNs) {
        final long good = goodLinks();
        long dueNs = mostNs;
        if (answerLinks != 0) {
            return 0;
        }
        if (sequence != acknowledged) {
            dueNs = Math.min(dueNs, repeatNs - nowNs);
        }
        if ((addressedLinks() & ~good) != 0) {
            dueNs = Math.min(dueNs, beatNs - nowNs);
        }
        if (isWaiting && good != 0) {
            dueNs = Math.min(dueNs, askDueNs() - nowNs);
        }
        return Math.max(0, dueNs);
    }

    /** Writes what there is to say, for one link; counts come from the caller. */
    void write(final LinkStatusFlyweight status, final int number) {
        status.asking(isAsking)
                .dimension(dimension)
                .linkNumber(number)
                .beat(links[number].beatsSent)
                .sequence(sequence)
                .acknowledgement(peerSequence)
                .failed(saidFailed);
        for (int i = 0; i < links.length; i++) {
            status.weight(i, links[i].weight);
        }
    }

    /** Links that are left out though the neighbour's address there is known. */
    int beatingLinks() {
        return Long.bitCount(addressedLinks() & ~goodLinks());
    }

    long goodLinks() {
        long good = 0;
        for (int i = 0; i < links.length; i++) {
            good |= links[i].isGood() ? 1L << i : 0;
        }
        return good;
    }

    private long addressedLinks() {
        long addressed = 0;
        for (int i = 0; i < links.length; i++) {
            addressed |= links[i].isAddressed() ? 1L << i : 0;
        }
        return addressed;
    }

    private long allLinks() {
        return links.length == Long.SIZE ? -1L : (1L << links.length) - 1;
    }
}
