package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One flow at its sending end: what is in flight, what waits, what the receiver takes, and which
 * frames are lost. Owned by the loop that owns the context; only acknowledgements that ride on data
 * frames are left here by other loops.
 */
final class SendFlow extends Flow {
    /** Nothing sent, or the flow ended. */
    static final int CLOSED = 0;

    /** Waits for ACCEPT. */
    static final int OPENING = 1;

    /** Data may go. */
    static final int OPEN = 2;

    /** Most frames of one flow that a time-out or a turn sends again. */
    static final int MAX_RESEND_FRAMES = 16;

    /** A frame to a neighbour is lost when so many later ones of its link were acknowledged. */
    private static final int LINK_REORDERING_FRAMES = 16;

    private static final int MAX_LINKS = 16;
    private static final long NO_ACK = Long.MIN_VALUE;
    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(SendFlow.class, "posted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final RoundTrip roundTrip;

    int state = CLOSED;
    int epoch;
    int peerIncarnation;

    /** First sequence not acknowledged, next one to send, first one that may not be sent. */
    int firstSequence;

    int nextSequence;
    int limit;

    int inFlight;
    int sharedInFlight;
    int lost;

    /** Frames made of runs of short messages that wait; they go before the messages that wait. */
    TxFrame stagedTail;

    int stagedFrames;
    int pendingHead = FlowContext.NO_SLOT;
    int pendingTail = FlowContext.NO_SLOT;
    int pendingCount;

    /** Bytes of the records of those not staged, if all were to share frames. */
    int pendingBytes;

    /** What waits fills no frame and has waited for more already. */
    boolean isHeldBack;

    /** When the oldest frame began to wait for news. */
    long progressNs;

    long resendNs;
    long overtakenNs;
    long retryNs;
    long lastHeardNs;
    long outstandingSinceNs;
    int retries;

    /** Since when the peer's node says that nobody has opened the context, if it does. */
    long absentSinceNs;

    boolean isPeerAbsent;

    /** Frames since the last that asked for an acknowledgement without delay. */
    int burstFrames;

    /** Since when there is no route. */
    final CutOff cutOff = new CutOff();

    /** Route and time of the last OPEN. */
    long openRoute;

    long openSentNs;

    /** True once the peer has accepted the flow, in any epoch. */
    boolean wasOpen;

    boolean isOutstanding;
    boolean isProbing;
    boolean isWindowReturned;
    boolean isStalled;
    boolean isReady;

    ReceiveFlow opposite;
    SendFlow nextReady;
    SendFlow nextOfContext;
    long wakeNs;
    int heapIndex = -1;

    private final FlowConfig config;
    private final int initialSequence;
    private final RouteTable routes;
    private final TxFrame[] frames;
    private final int mask;
    private final long[] resent;
    private final boolean isNextToUs;
    private final int[] linkSent;
    private final int[] linkArrived;
    private final EarlyCopy earlyCopy = new EarlyCopy();
    private TxFrame stagedHead;
    private int order;
    private int arrivedOrder;
    private long arrivedSentNs;
    private boolean hasArrived;
    private boolean isRouteSilent;
    private volatile long posted = NO_ACK;

    SendFlow(
            final FlowContext context,
            final int peerNode,
            final int peerContext,
            final long peerCoordinates,
            final boolean isNextToUs,
            final FlowTable table,
            final RouteTable routes) {
        super(context, peerNode, peerContext, peerCoordinates);
        config = table.config();
        initialSequence = table.initialSequence();
        this.routes = routes;
        this.isNextToUs = isNextToUs;
        frames = new TxFrame[config.windowFrames()];
        mask = frames.length - 1;
        resent = new long[Math.max(1, frames.length / Long.SIZE)];
        linkSent = new int[isNextToUs ? MAX_LINKS : 0];
        linkArrived = new int[isNextToUs ? MAX_LINKS : 0];
        roundTrip = new RoundTrip(config);
        resetSequences();
    }

    /** Back to the first sequence, as before the first frame of an epoch. */
    void resetSequences() {
        firstSequence = initialSequence;
        nextSequence = firstSequence;
        limit = firstSequence;
        inFlight = 0;
        lost = 0;
        isProbing = false;
        isWindowReturned = false;
        isStalled = false;
        hasArrived = false;
        earlyCopy.forget();
        retries = 0;
        posted = NO_ACK;
    }

    /** Times of a flow that starts now. */
    void startTimes(final long nowNs) {
        retryNs = nowNs;
        resendNs = nowNs;
        lastHeardNs = nowNs;
        progressNs = nowNs;
        overtakenNs = Long.MAX_VALUE;
        isPeerAbsent = false;
    }

    /** True if the receiver takes another frame and there is a place to remember it. */
    boolean hasWindow() {
        return hasWindow(0);
    }

    /** As {@link #hasWindow()}, behind {@code frames} others. */
    boolean hasWindow(final int frames) {
        final int next = nextSequence + frames;
        return limit - next > 0 && next - firstSequence <= mask;
    }

    boolean hasPending() {
        return stagedFrames > 0 || pendingHead != FlowContext.NO_SLOT;
    }

    /** Puts a frame behind those that wait to be sent. */
    void stage(final TxFrame frame) {
        frame.flow = this;
        frame.nextStaged = null;
        if (stagedTail == null) {
            stagedHead = frame;
        } else {
            stagedTail.nextStaged = frame;
        }
        stagedTail = frame;
        stagedFrames++;
        sharedInFlight++;
    }

    /** Takes the first of the frames that wait; null when there is none. */
    TxFrame pollStaged() {
        final TxFrame frame = stagedHead;
        if (frame != null) {
            stagedHead = frame.nextStaged;
            stagedTail = stagedHead == null ? null : stagedTail;
            frame.nextStaged = null;
            stagedFrames--;
            pendingCount -= frame.messageCount;
        }
        return frame;
    }

    /** True if {@code sequence} was sent and is not behind what has arrived. */
    boolean isInFlight(final int sequence) {
        return sequence - firstSequence >= 0 && nextSequence - sequence > 0;
    }

    TxFrame frame(final int sequence) {
        return frames[sequence & mask];
    }

    /** Gives a frame the next sequence. */
    void add(final TxFrame frame) {
        frame.flow = this;
        frame.sequence = nextSequence;
        frames[nextSequence & mask] = frame;
        resent[resentWord(nextSequence)] &= ~(1L << nextSequence);
        nextSequence++;
        inFlight++;
    }

    /** Notes that a frame went out on {@code link}, or nowhere when it is negative. */
    void onTransmitted(final TxFrame frame, final int link, final long nowNs) {
        if (++frame.attempts > 1) {
            resent[resentWord(frame.sequence)] |= 1L << frame.sequence;
        }
        frame.order = ++order;
        frame.link = isNextToUs && link >= 0 ? link % MAX_LINKS : -1;
        frame.linkOrder = frame.link < 0 ? 0 : ++linkSent[frame.link];
        frame.firstLink = link;
        frame.isStranded = false;
        frame.sentNs = nowNs;
        if (frame.isLost) {
            frame.isLost = false;
            lost--;
        }
    }

    /** True if the frame with {@code sequence} is one of the last window and was sent again. */
    boolean wasResent(final int sequence) {
        final int age = nextSequence - sequence;
        return age > 0
                && age <= frames.length
                && (resent[resentWord(sequence)] & 1L << sequence) != 0;
    }

    private int resentWord(final int sequence) {
        return (sequence & mask) / Long.SIZE;
    }

    /** Notes that a frame has arrived; the caller gives it up. */
    void onArrived(final TxFrame frame, final long nowNs, final FlowCounters counters) {
        frames[frame.sequence & mask] = null;
        inFlight--;
        if (frame.isLost) {
            frame.isLost = false;
            lost--;
        }
        final long ageNs = nowNs - frame.sentNs;
        if (frame.attempts == 1) {
            earlyCopy.forget();
            roundTrip.onSample(ageNs);
            counters.onRoundTrip(ageNs, roundTrip.smoothedNs());
        } else if (frame.attempts == 0) {
            return;
        } else if (ageNs < roundTrip.smoothedNs() / 2) {
            // Too soon for the copy: the frame that was given up has arrived after all.
            roundTrip.onNeedlessResend(nowNs);
            earlyCopy.note(frame.order, frame.sentNs, ageNs, route(frame));
            return;
        } else {
            roundTrip.onNeededResend();
            routes.onCopyArrived(peerCoordinates, route(frame));
        }
        noteArrived(frame.order, frame.sentNs);
        if (frame.link >= 0 && frame.linkOrder - linkArrived[frame.link] > 0) {
            linkArrived[frame.link] = frame.linkOrder;
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
     * The timer has run out again. If a copy alone has been acknowledged meanwhile, be it ever so
     * soon, what was sent before it is lost.
     *
     * @return true if frames were marked as lost for that.
     */
    boolean believeEarlyCopy(final long nowNs) {
        if (!earlyCopy.isThere()) {
            return false;
        }
        roundTrip.restart(earlyCopy.ageNs());
        routes.onCopyArrived(peerCoordinates, earlyCopy.route());
        noteArrived(earlyCopy.order(), earlyCopy.sentNs());
        earlyCopy.forget();
        final int before = lost;
        detectLost(nowNs);
        return lost > before;
    }

    /** Steps over what has been acknowledged at the front. */
    void advance() {
        while (firstSequence != nextSequence && frames[firstSequence & mask] == null) {
            firstSequence++;
        }
    }

    /**
     * Marks frames as lost that later ones have overtaken for too long or by too many: of those to
     * a neighbour on the same link, which keeps order but for what happens inside of it (one link's
     * queue says nothing of another's), of others by too many at all. Sets the time to look again.
     */
    void detectLost(final long nowNs) {
        overtakenNs = Long.MAX_VALUE;
        if (!hasArrived) {
            return;
        }
        final long patienceNs = roundTrip.overtakenNs();
        final int patienceFrames = roundTrip.patience() * config.reorderingThresholdFrames();
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame == null || frame.isLost || frame.queued > 0) {
                continue;
            }
            final int overtakenBy = arrivedOrder - frame.order;
            if (overtakenBy <= 0) {
                if (frame.attempts == 1) {
                    break;
                }
                continue;
            }
            if (frame.link >= 0 ? isOvertakenOnLink(frame) : overtakenBy >= patienceFrames) {
                giveUp(frame);
            } else if (arrivedSentNs - frame.sentNs > 0) {
                if (nowNs - frame.sentNs >= patienceNs) {
                    giveUp(frame);
                } else {
                    overtakenNs = Math.min(overtakenNs, frame.sentNs + patienceNs);
                }
            }
        }
    }

    /**
     * Marks at most {@code mostFrames} of the oldest frames as lost that are older than {@code
     * ageNs}; returns how many.
     */
    int markOldest(final long nowNs, final long ageNs, final int mostFrames) {
        int marked = 0;
        for (int sequence = firstSequence;
                sequence != nextSequence && marked < mostFrames;
                sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame != null
                    && !frame.isLost
                    && frame.queued == 0
                    && nowNs - frame.sentNs >= ageNs) {
                giveUp(frame);
                marked++;
            }
        }
        return marked;
    }

    /**
     * Marks the frames as lost whose route shares the hop behind {@code relay} that {@code route}
     * has, if they were sent after the frame that the relay complains of, or that is here no more.
     *
     * @return how many.
     */
    int markBehind(final int badSequence, final long route, final long relay) {
        final TxFrame bad = frame(badSequence);
        int marked = 0;
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame != null
                    && !frame.isLost
                    && frame.queued == 0
                    && frame.attempts > 0
                    && (bad == null || frame.order - bad.order >= 0)
                    && routes.sharesHop(
                            FrameHeaderFlyweight.routeAt(frame.headerAddress),
                            route,
                            relay,
                            peerCoordinates)) {
                markLost(frame);
                marked++;
            }
        }
        return marked;
    }

    /** True if a route was found silent since the last call. */
    boolean takeRouteSilent() {
        final boolean isSilent = isRouteSilent;
        isRouteSilent = false;
        return isSilent;
    }

    private void giveUp(final TxFrame frame) {
        markLost(frame);
        isRouteSilent |= routes.onLost(peerCoordinates, route(frame));
    }

    private static long route(final TxFrame frame) {
        return FrameHeaderFlyweight.routeAt(frame.headerAddress);
    }

    /** Marks what took a link that has failed as lost; returns how many frames that were. */
    int strand(final int link) {
        int stranded = 0;
        for (int sequence = firstSequence; sequence != nextSequence; sequence++) {
            final TxFrame frame = frames[sequence & mask];
            if (frame == null || frame.attempts == 0 || frame.firstLink != link) {
                continue;
            }
            frame.isStranded = true;
            stranded++;
            if (!frame.isLost) {
                markLost(frame);
            }
        }
        return stranded;
    }

    void markLost(final TxFrame frame) {
        frame.isLost = true;
        lost++;
    }

    /** Takes the frame at {@code sequence} out without it having arrived; null if none. */
    TxFrame takeOut(final int sequence) {
        final TxFrame frame = frames[sequence & mask];
        frames[sequence & mask] = null;
        return frame;
    }

    /**
     * Leaves an acknowledgement that came with a data frame; any thread. An older one does not
     * replace a newer one.
     */
    void post(final int acknowledgement, final int windowFrames, final int acknowledgedEpoch) {
        final long value =
                (long) acknowledgement << 32
                        | (long) windowFrames << 16
                        | (acknowledgedEpoch & 0xFFFFL);
        long seen;
        do {
            seen = posted;
            if (seen != NO_ACK && (short) seen == (short) value && newerBy(value, seen) < 0) {
                return;
            }
        } while (!POSTED.compareAndSet(this, seen, value));
    }

    /** Takes the acknowledgement left by {@link #post}; {@link #isAck} tells if there is one. */
    long takePosted() {
        return posted == NO_ACK ? NO_ACK : (long) POSTED.getAndSet(this, NO_ACK);
    }

    static boolean isAck(final long posted) {
        return posted != NO_ACK;
    }

    static int postedAcknowledgement(final long posted) {
        return (int) (posted >>> 32);
    }

    static int postedWindowFrames(final long posted) {
        return (int) (posted >>> 16) & 0xFFFF;
    }

    static int postedEpoch(final long posted) {
        return (int) posted & 0xFFFF;
    }

    private static int newerBy(final long value, final long seen) {
        final int steps = postedAcknowledgement(value) - postedAcknowledgement(seen);
        return steps != 0 ? steps : postedWindowFrames(value) - postedWindowFrames(seen);
    }

    private boolean isOvertakenOnLink(final TxFrame frame) {
        return linkArrived[frame.link] - frame.linkOrder
                >= roundTrip.patience() * LINK_REORDERING_FRAMES;
    }

    /** Heap bytes of a flow whose window has {@code windowFrames}, rounded up. */
    static int bytes(final int windowFrames) {
        return 768 + 4 * windowFrames + windowFrames / 8 + 8 * MAX_LINKS;
    }
}
