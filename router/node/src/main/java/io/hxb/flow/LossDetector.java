package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.counter.TimeBuckets;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;

import java.util.Arrays;
import java.util.List;

/**
 * The evidence for losses of one flow: which of its transmissions have arrived, in what order and
 * when. Owned by the loop of the flow.
 *
 * <p>A frame to a neighbour on the same line does not overtake earlier ones of its link, except for
 * what happens inside it, so it is compared with those only: one link's queue shows nothing about
 * another's. Frames to others are compared with all.
 */
final class LossDetector {
    /** Links that are distinguished: those of one trunk, whose indexes follow one another. */
    static final int MAX_LINKS = LinkPlan.MAX_LINKS_PER_DIMENSION;

    /** A frame to a neighbour is lost when this number of later ones of its link have arrived. */
    private static final int LINK_REORDERING_FRAMES = 16;

    private final FlowConfig config;
    private final RttEstimator rttEstimator;
    private final RouteTable routes;
    private final long peerCoordinates;
    private final boolean isNextToUs;

    /** By link: place of the last transmission, and of the latest that has arrived. */
    private final int[] linkSent;

    private final int[] linkArrived;

    private final SpuriousRetransmit spuriousRetransmit = new SpuriousRetransmit();

    /** Place of the last transmission of the flow, and of the latest that has arrived. */
    private int order;

    private int arrivedOrder;
    private long arrivedSentNs;
    private boolean hasArrived;
    private boolean isRouteSilent;

    LossDetector(
            final FlowConfig config,
            final RttEstimator rttEstimator,
            final RouteTable routes,
            final long peerCoordinates,
            final boolean isNextToUs) {
        this.config = config;
        this.rttEstimator = rttEstimator;
        this.routes = routes;
        this.peerCoordinates = peerCoordinates;
        this.isNextToUs = isNextToUs;
        linkSent = new int[isNextToUs ? MAX_LINKS : 0];
        linkArrived = new int[isNextToUs ? MAX_LINKS : 0];
    }

    /** Nothing of what will be sent has arrived. */
    void restart() {
        hasArrived = false;
        spuriousRetransmit.forget();
    }

    /** Frames to a neighbour by link, counted by its index modulo {@link #MAX_LINKS}. */
    List<Integer> linkFrames() {
        return Arrays.stream(linkSent).boxed().toList();
    }

    /** Gives a transmission its place; {@code link} is the one it took. */
    void onTransmitted(final TxFrame frame, final int link, final long nowNs) {
        final int judged = isNextToUs && link >= 0 ? link % MAX_LINKS : TxFrame.NO_LINK;
        final int linkOrder = judged == TxFrame.NO_LINK ? 0 : ++linkSent[judged];
        frame.onTransmitted(link, ++order, judged, linkOrder, nowNs);
    }

    /** A frame has arrived. */
    void onArrived(final TxFrame frame, final long nowNs, final CounterBlock counters) {
        final long ageNs = nowNs - frame.sentNs();
        if (frame.attempts() == 1) {
            spuriousRetransmit.forget();
            rttEstimator.onSample(ageNs);
            counters.increment(CounterType.FLOW_RTT_SAMPLES);
            counters.increment(CounterType.FLOW_ROUND_TRIP_EVENTS, TimeBuckets.of(ageNs));
            counters.add(CounterType.FLOW_ROUND_TRIP_NS, ageNs);
        } else if (frame.attempts() == 0) {
            return;
        } else if (ageNs < rttEstimator.smoothedNs() / 2) {
            // Too soon for the copy: the frame that was given up has arrived after all.
            rttEstimator.onSpuriousRetransmit(nowNs);
            spuriousRetransmit.note(frame.order(), frame.sentNs(), ageNs, route(frame));
            return;
        } else {
            rttEstimator.onNeededRetransmit();
            routes.onCopyArrived(peerCoordinates, route(frame));
        }
        noteArrived(frame.order(), frame.sentNs());
        final int link = frame.judgedLink();
        if (link != TxFrame.NO_LINK && frame.linkOrder() - linkArrived[link] > 0) {
            linkArrived[link] = frame.linkOrder();
        }
    }

    private void noteArrived(final int arrived, final long sentNs) {
        if (!hasArrived || arrived - arrivedOrder > 0) {
            hasArrived = true;
            arrivedOrder = arrived;
            arrivedSentNs = sentNs;
        }
    }

    /**
     * Counts a retransmission that seemed spurious, because its acknowledgement came too early, as
     * arrived; false if there was none.
     */
    boolean acceptSpuriousRetransmit() {
        if (!spuriousRetransmit.isPresent()) {
            return false;
        }
        rttEstimator.restart(spuriousRetransmit.ageNs());
        routes.onCopyArrived(peerCoordinates, spuriousRetransmit.route());
        noteArrived(spuriousRetransmit.order(), spuriousRetransmit.sentNs());
        spuriousRetransmit.forget();
        return true;
    }

    /** False while nothing has arrived that others could be compared with. */
    boolean hasArrived() {
        return hasArrived;
    }

    /** By how many transmissions the frame was overtaken; 0 or less if by none. */
    int overtakenBy(final TxFrame frame) {
        return arrivedOrder - frame.order();
    }

    /** Maximum number of transmissions that may overtake a frame which takes several hops. */
    int reorderingWindowFrames() {
        return rttEstimator.reorderingWindowFactor() * config.reorderingThresholdFrames();
    }

    /** True if a frame was overtaken by too many, of {@code overtakenBy}. */
    boolean isOvertaken(final TxFrame frame, final int overtakenBy, final int windowFrames) {
        final int link = frame.judgedLink();
        return link == TxFrame.NO_LINK
                ? overtakenBy >= windowFrames
                : linkArrived[link] - frame.linkOrder()
                        >= rttEstimator.reorderingWindowFactor() * LINK_REORDERING_FRAMES;
    }

    /** True if a frame that was sent at a later time has arrived. */
    boolean isLaterThere(final TxFrame frame) {
        return arrivedSentNs - frame.sentNs() > 0;
    }

    /** A frame is given up: its route may be to blame. */
    void onGivenUp(final TxFrame frame) {
        isRouteSilent |= routes.onLost(peerCoordinates, route(frame));
    }

    /** True if a route was found silent since the last call. */
    boolean takeRouteSilent() {
        final boolean isSilent = isRouteSilent;
        isRouteSilent = false;
        return isSilent;
    }

    /** True if the frame's route takes the same hop beyond {@code relay} as {@code route}. */
    boolean sharesHop(final TxFrame frame, final long route, final long relay) {
        return routes.sharesHop(route(frame), route, relay, peerCoordinates);
    }

    private static long route(final TxFrame frame) {
        return FrameHeaderFlyweight.routeAt(frame.headerAddress());
    }
}
