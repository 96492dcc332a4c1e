package io.hxb.trunk.health;

import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

import java.util.Arrays;

/**
 * One neighbour and the links of the trunk to it: judges them together, and agrees with the
 * neighbour on which are used. Guarded by the lock of {@link TrunkHealth}. Sets of links have a bit
 * for the number of each.
 *
 * <p>In a hyper-crossbar both ends of a link have one number. With any cabling each node has its
 * own, which the other learns from hello frames; links to other neighbours have none here.
 */
final class NeighbourHealth {
    private static final int NONE = -1;

    private final int dimension;
    private final int neighbour;
    private final long unheardNs;
    private final long probeIntervalNs;
    private final NodeTraffic traffic;
    private final SilenceThreshold silenceThreshold;
    private final KernelBacklog kernel;
    private final LinkPublisher publisher;
    private final StatusExchange exchange;
    private final LinkArrivals[] arrivals;
    private final LinkHealth[] links;
    private final boolean isAnyCabling;
    // By link: the neighbour's number of it, or NONE.
    private final int[] theirNumbers;
    private int incarnation;
    // Longest time for which its loops have lately waited for their CPUs, as it reports.
    private long neighbourAwayNs;
    private long firstHeardNs;
    private long doubtNs;
    private boolean isDoubting;

    /**
     * A neighbour has been heard for the first time.
     *
     * @param ports ports of the trunk, {@code [links]}.
     * @param heard where the frames of each link of the node are counted, by link index.
     * @param neighbour its coordinate in the dimension of the trunk, 0 to 255.
     * @param isAnyCabling whether it may number the links in another way.
     */
    NeighbourHealth(
            final HealthParts parts,
            final Port[] ports,
            final ReceivedFrameCounts[] heard,
            final int neighbour,
            final boolean isAnyCabling,
            final long nowNs) {
        this.neighbour = neighbour;
        this.isAnyCabling = isAnyCabling;
        theirNumbers = new int[ports.length];
        Arrays.setAll(theirNumbers, i -> isAnyCabling ? NONE : i);
        unheardNs = parts.unheardNs();
        probeIntervalNs = parts.config().heartbeatNs();
        traffic = parts.traffic();
        silenceThreshold = parts.silenceThreshold();
        kernel = parts.kernel();
        publisher = parts.publisher();
        dimension = ports[0].dimension();
        exchange =
                new StatusExchange(parts.config(), ports.length, parts.random().nextInt(), nowNs);
        arrivals = new LinkArrivals[ports.length];
        links = new LinkHealth[ports.length];
        for (int i = 0; i < links.length; i++) {
            assert ports[i].number() == i && ports[i].dimension() == dimension
                    : "links of one trunk stand in the order of their numbers";
            arrivals[i] = new LinkArrivals(heard[ports[i].link().index()], neighbour);
        }
        for (int i = 0; i < links.length; i++) {
            links[i] = new LinkHealth(parts, ports[i], arrivals);
        }
        firstHeardNs = nowNs;
    }

    int dimension() {
        return dimension;
    }

    /** Its coordinate in that dimension, 0 to 255. */
    int neighbour() {
        return neighbour;
    }

    /** As given in its last hello. */
    int incarnation() {
        return incarnation;
    }

    int linkCount() {
        return links.length;
    }

    LinkHealth link(final int number) {
        return links[number];
    }

    /**
     * A hello arrived over one link, possibly of a new incarnation.
     *
     * @param theirNumber the neighbour's number of the link.
     */
    void onHello(
            final int number, final int theirNumber, final int newIncarnation, final long nowNs) {
        if (incarnation != newIncarnation) {
            if (incarnation != 0) {
                publisher.onRestarted(links[number], neighbour, nowNs);
            }
            incarnation = newIncarnation;
            restart(nowNs);
        }
        if (theirNumbers[number] != theirNumber) {
            assert isAnyCabling : "a link has one number";
            theirNumbers[number] = theirNumber;
            links[number].restart();
        }
        links[number].onHello(exchange.isAgreed(), nowNs);
        publish(nowNs);
    }

    private void restart(final long nowNs) {
        for (final LinkHealth link : links) {
            link.restart();
        }
        exchange.restart(nowNs);
        firstHeardNs = nowNs;
    }

    /** A NIC refused frames, and some may have been for this neighbour. */
    void onSendErrors(final int number, final long nowNs) {
        final LinkHealth link = links[number];
        if (link.localState() == LinkState.GOOD) {
            final boolean isUp = link.port().link().isUp();
            fail(link, isUp ? LinkReason.SEND_ERRORS : LinkReason.NO_CARRIER, nowNs);
            publish(nowNs);
        }
    }

    private void fail(final LinkHealth link, final LinkReason why, final long nowNs) {
        link.fail(why, nowNs);
        exchange.onFailed(nowNs);
    }

    /**
     * Accepts a status frame that has been checked: of this incarnation, over its own link.
     *
     * @param number of the link it arrived on.
     * @return false if it contradicts what the neighbour reported before, or acknowledges what was
     *     never announced, or is of another link: it was ignored.
     */
    boolean onStatus(final LinkStatusFlyweight status, final int number, final long nowNs) {
        if (theirNumbers[number] != status.linkNumber()) {
            return false;
        }
        if (!exchange.isConsistent(status)) {
            exchange.onContradiction(status, number, nowNs);
            return false;
        }
        final boolean isLatest = exchange.onStatus(status, number, allLinks(), nowNs);
        neighbourAwayNs = status.waitedNs();
        for (int i = 0; i < links.length; i++) {
            if (isTold(i, status)) {
                final int drains = traffic.drains(links[i].linkIndex());
                links[i].onSentReported(
                        status.sentFrames(theirNumbers[i]), i == number, drains, nowNs);
            }
        }
        final LinkHealth link = links[number];
        link.onSentHere(status.sentFrames(status.linkNumber()), traffic.drains(link.linkIndex()));
        link.onBeat(status.beat(), nowNs);
        if (isLatest) {
            final long failed = status.failed();
            for (int i = 0; i < links.length; i++) {
                if (isTold(i, status)) {
                    final int theirs = theirNumbers[i];
                    links[i].onReported((failed >>> theirs & 1) != 0, status.weight(theirs));
                }
            }
        }
        publish(nowNs);
        return true;
    }

    private boolean isTold(final int number, final LinkStatusFlyweight status) {
        return theirNumbers[number] != NONE && theirNumbers[number] < status.links();
    }

    /** True if what it announced needs a reply, or a request, now. */
    boolean hasDoubts(final long nowNs) {
        return exchange.hasDoubts(nowNs);
    }

    /** Looks at what has arrived and judges the links by it. */
    void look(final long nowNs) {
        long heard = 0;
        for (int i = 0; i < links.length; i++) {
            heard |= links[i].look(nowNs) ? 1L << i : 0;
        }
        exchange.look(heard != 0, traffic.sentFrames(dimension, neighbour), nowNs);
        final long silent = silentLinks(heard, nowNs);
        final boolean isWeighed = judgeLosses(nowNs);
        lookForProof(nowNs);
        judge(silent, isWeighed, nowNs);
    }

    private void lookForProof(final long nowNs) {
        boolean isAnyDoubted = false;
        for (final LinkHealth link : links) {
            link.lookForProof(nowNs);
            isAnyDoubted |= link.isDoubted();
        }
        if (isAnyDoubted && !isDoubting) {
            doubtNs = nowNs;
        }
        isDoubting = isAnyDoubted;
    }

    // Frames may wait in the sockets of a link that seems silent: they are read first. Those that
    // wait before the sockets are waited for.
    private long silentLinks(final long heard, final long nowNs) {
        long silent = 0;
        for (int i = 0; i < links.length; i++) {
            final boolean isHeard = (heard >>> i & 1) != 0;
            final boolean isOtherHeard = (heard & ~(1L << i)) != 0;
            final boolean isDrained = traffic.isDrained(links[i].linkIndex());
            if (isOtherHeard && !isHeard && !isDrained) {
                traffic.wakeReader(links[i].linkIndex());
            }
            final int drains = traffic.drains(links[i].linkIndex());
            if (links[i].isSilent(isHeard, isOtherHeard && isDrained, drains, nowNs)) {
                silent |= 1L << i;
            }
        }
        return silent != 0 && kernel.isWaiting(nowNs) ? 0 : silent;
    }

    private boolean judgeLosses(final long nowNs) {
        boolean isWeighed = false;
        for (final LinkHealth link : links) {
            if (link.measureLoss(traffic.drains(link.linkIndex()))) {
                judgeLoss(link, nowNs);
                isWeighed = true;
            }
        }
        return isWeighed;
    }

    private void judgeLoss(final LinkHealth link, final long nowNs) {
        int minPercent = 100;
        int others = 0;
        for (final LinkHealth other : links) {
            if (other.isGood()) {
                minPercent = Math.min(minPercent, other.lostPercent());
                others += other == link ? 0 : 1;
            }
        }
        if (link.isGood() && others > 0 && link.weigh(link.lostPercent() - minPercent)) {
            fail(link, LinkReason.LOSSY, nowNs);
        }
    }

    private void judge(final long silent, final boolean isWeighed, final long nowNs) {
        boolean isChanged = isWeighed || silent != 0;
        final boolean isNever = !isAnyCabling && nowNs - firstHeardNs > unheardNs;
        for (int i = 0; i < links.length; i++) {
            final LinkHealth link = links[i];
            final LinkState opinion = link.localState();
            if (opinion == LinkState.GOOD && !link.port().link().isUp()) {
                fail(link, LinkReason.NO_CARRIER, nowNs);
                isChanged = true;
            } else if ((silent >>> i & 1) != 0) {
                fail(link, LinkReason.SILENT, nowNs);
            } else if (opinion == LinkState.GOOD
                    && (link.isUnheard(unheardNs, nowNs) || link.isLivenessLost(nowNs))) {
                fail(link, LinkReason.MISSED_HELLOS, nowNs);
                isChanged = true;
            } else if (opinion == LinkState.UNKNOWN && isNever) {
                fail(link, LinkReason.NOT_HEARD, nowNs);
                isChanged = true;
            }
        }
        if (isChanged) {
            publish(nowNs);
        }
    }

    /** Brings ports, listeners and what has to be announced up to date with the links. */
    private void publish(final long nowNs) {
        int best = 1;
        for (final LinkHealth link : links) {
            best = link.isGood() ? Math.max(best, link.reportedWeight()) : best;
        }
        long failed = 0;
        int weights = 0;
        for (int i = 0; i < links.length; i++) {
            final LinkHealth link = links[i];
            publisher.publish(link, neighbour, nowNs);
            if (link.isGood()) {
                final int weight = Port.FULL_WEIGHT * link.reportedWeight() / best;
                link.port().setWeight(neighbour, Math.max(1, weight));
            }
            failed |= link.localState() == LinkState.FAILED ? 1L << i : 0;
            weights = 31 * weights + (link.weight() + 7) / 8;
        }
        exchange.announce(failed, weights, nowNs);
    }

    /** Links on which a status frame is due; gives up a neighbour that replies to no probe. */
    long due(final long beatIntervalNs, final long nowNs) {
        final long good = goodLinks();
        final long addressed = addressedLinks();
        final int sent = traffic.sentFrames(dimension, neighbour);
        final long due =
                exchange.due(good, addressed, sent, receivedFrames(), beatIntervalNs, nowNs);
        if (!exchange.isProbeDue(good, nowNs)) {
            return isDoubting && doubtNs - nowNs <= 0 ? due | requestReply(addressed, nowNs) : due;
        }
        if (exchange.isUnanswered(silenceThreshold.isAway(), longestAwayNs(), nowNs)) {
            giveUp(nowNs);
            return due;
        }
        exchange.probe(nowNs);
        return due | addressed;
    }

    private long longestAwayNs() {
        return Math.max(silenceThreshold.longestAwayNs(), neighbourAwayNs);
    }

    // The neighbour answers on every link: those that it cannot be heard on stay doubted.
    private long requestReply(final long addressed, final long nowNs) {
        doubtNs = nowNs + probeIntervalNs;
        exchange.requestReply();
        return addressed;
    }

    private void giveUp(final long nowNs) {
        for (final LinkHealth link : links) {
            if (link.localState() == LinkState.GOOD) {
                fail(link, LinkReason.UNANSWERED, nowNs);
            }
        }
        publish(nowNs);
    }

    private int receivedFrames() {
        int received = 0;
        for (final LinkArrivals ofLink : arrivals) {
            received += ofLink.frames();
        }
        return received;
    }

    /** Time in ns until something is due again, 0 or more; at most {@code maxNs}. */
    long dueInNs(final long nowNs, final long maxNs) {
        final long dueNs = exchange.dueInNs(goodLinks(), addressedLinks(), nowNs, maxNs);
        return isDoubting ? Math.clamp(doubtNs - nowNs, 0, dueNs) : dueNs;
    }

    /** Writes the report for one link; counts of frames come from the caller. */
    void write(final LinkStatusFlyweight status, final int number) {
        exchange.write(status, number);
        status.waitedNs(silenceThreshold.longestAwayNs())
                .dimension(dimension)
                .linkNumber(number)
                .beat(isBeat(number) ? links[number].nextBeat() : 0);
        for (int i = 0; i < links.length; i++) {
            status.weight(i, links[i].weight());
        }
    }

    /** What was written for a link is on its way. */
    void onStatusSent(final int number) {
        links[number].onStatusSent(isBeat(number));
    }

    /**
     * True if what is written for a link is a heartbeat that shows whether long frames pass: where
     * other links are used. Where none is, a link that carries short frames only is better than
     * none.
     */
    boolean isProof(final int number) {
        return isBeat(number) && goodLinks() != 0;
    }

    private boolean isBeat(final int number) {
        return (exchange.beatLinks() >>> number & 1) != 0;
    }

    /** Links that are left out though the neighbour's address there is known. */
    int beatingLinks() {
        return Long.bitCount(addressedLinks() & ~goodLinks());
    }

    private long goodLinks() {
        long good = 0;
        for (int i = 0; i < links.length; i++) {
            good |= links[i].isGood() ? 1L << i : 0;
        }
        return good;
    }

    private long addressedLinks() {
        long addressed = 0;
        for (int i = 0; i < links.length; i++) {
            addressed |= links[i].port().link().learned(neighbour) != 0 ? 1L << i : 0;
        }
        return addressed;
    }

    private long allLinks() {
        return links.length == Long.SIZE ? -1L : (1L << links.length) - 1;
    }
}
