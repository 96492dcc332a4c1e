package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;

/**
 * One flow at its sending end: its life, and the parts that own the rest. Owned by the loop that
 * owns the context; only {@link #mailbox} is filled by other loops.
 */
final class SendFlow extends Flow {
    /** Maximum number of frames that a time-out or a turn sends again. */
    static final int MAX_RESEND_FRAMES = 16;

    /**
     * How long messages wait for the next one of a context that had taken nothing more when it was
     * closed.
     */
    static final long MAX_REOPEN_WAIT_NS = 500_000_000;

    /** Frames in flight of a sparse flow, and bytes of each, at most. */
    static final int SPARSE_FRAMES = 8;

    static final int SPARSE_FRAME_BYTES = FrameHeaderFlyweight.LENGTH + 256;

    /** Bytes that wait to be sent, at most. */
    private static final int SPARSE_BYTES = 2_048;

    /**
     * The same of packets that are short, whatever is in flight: about one frame that they share.
     */
    private static final int SHORT_PACKETS_BYTES = 8_192;

    /** What waits to be sent. */
    final SendBacklog backlog;

    /** What is in flight. */
    final SendWindow window;

    /** The evidence for its losses. */
    final LossDetector lossDetector;

    /** Its round trips. */
    final RttEstimator rttEstimator;

    /** Whether the peer is still there. */
    final PeerLiveness contact;

    /** When the peer is asked next. */
    final PersistTimer persistTimer;

    /** Whether the receiver contradicts itself. */
    final AckContradiction ackContradiction = new AckContradiction();

    /** True if the peer is a neighbour. */
    final boolean isNextToUs;

    /** True if it carries packets of the virtual NIC, false for messages of programs. */
    final boolean isOfPackets;

    private final boolean isOfShortPackets;

    final AckMailbox mailbox = new AckMailbox();

    /** Its place among the flows with something to send. */
    final WaitQueue.Place<SendFlow> readyPlace = new WaitQueue.Place<>(this);

    final FlowTimers.Timer timer = new FlowTimers.Timer(this);

    private FlowState state = FlowState.CLOSED;
    private int epoch;
    private int peerIncarnation;

    /** Number that the answer to OPEN has to hold. */
    private int nonce;

    private long openedNs;
    private ReceiveFlow opposite;

    /** Frames since the last that asked for an acknowledgement without delay. */
    private int burstFrames;

    /** The peer was closed while messages waited for its window; they wait for the next one. */
    private boolean isPeerClosed;

    /** Frames wait that were sent to an incarnation which is reported closed. */
    private boolean hasMovedFrames;

    /** Frames that have memory for several messages. */
    private int sharedFrames;

    /** What is left of a turn that was held up, in frames; 0 for none. */
    private int turnFrames;

    SendFlow(
            final FlowTable table,
            final FlowContext context,
            final int peerNode,
            final int peerContext,
            final RouteTable routes) {
        super(context, peerNode, peerContext, table.shape().coordinates(peerNode));
        final FlowConfig config = table.config();
        // With any cabling the shape does not tell, and frames that relays divide over cables
        // overtake one another.
        isNextToUs =
                !table.shape().isAnyCabling()
                        && Shape.distance(table.ownCoordinates(), peerCoordinates) == 1;
        isOfPackets = ContextKind.of(context.id) == ContextKind.PACKETS;
        isOfShortPackets = ContextKind.isOfShortPackets(context.id);
        epoch = context.firstEpoch();
        backlog = new SendBacklog(context.slots);
        rttEstimator = new RttEstimator(config);
        lossDetector = new LossDetector(config, rttEstimator, routes, peerCoordinates, isNextToUs);
        window = new SendWindow(config.windowFrames(), lossDetector, rttEstimator);
        contact = new PeerLiveness(config);
        persistTimer = new PersistTimer(rttEstimator);
        restart();
    }

    boolean isClosed() {
        return state == FlowState.CLOSED;
    }

    boolean isOpening() {
        return state == FlowState.OPENING;
    }

    boolean isOpen() {
        return state == FlowState.OPEN;
    }

    boolean isClosing() {
        return state == FlowState.CLOSING;
    }

    int epoch() {
        return epoch;
    }

    /** Incarnation of the peer's context, if the flow is open. */
    int peerIncarnation() {
        return peerIncarnation;
    }

    /** Number that the answer to OPEN has to hold. */
    int nonce() {
        return nonce;
    }

    /** From CLOSED to OPENING, with a number for the OPEN that nobody can guess. */
    void begin(final int itsNonce, final long nowNs) {
        assert state == FlowState.CLOSED : state;
        restart();
        state = FlowState.OPENING;
        nonce = itsNonce;
        persistTimer.retryAt(nowNs);
        contact.start(nowNs);
        window.start(nowNs);
    }

    /** From OPENING to OPEN: the receiver takes {@code windowFrames} from {@code first} on. */
    void onAccept(
            final int incarnation, final int first, final int windowFrames, final long nowNs) {
        assert state == FlowState.OPENING : state;
        state = FlowState.OPEN;
        peerIncarnation = incarnation;
        openedNs = nowNs;
        isPeerClosed = false;
        hasMovedFrames = false;
        window.open(first, windowFrames);
        contact.onAccepted(nowNs);
        persistTimer.onAnswer();
    }

    /**
     * Nobody has opened the context: asks again with the next epoch, so that a late answer to an
     * earlier request does not end an open flow.
     *
     * @return false if the messages have waited for long enough.
     */
    boolean waitForPeer(final long nowNs) {
        assert state == FlowState.OPENING : state;
        final long waitNs =
                isPeerClosed
                        ? Math.min(context.peerWaitNs, MAX_REOPEN_WAIT_NS)
                        : context.peerWaitNs;
        final long pauseNs = contact.onAbsent(nowNs, waitNs);
        if (pauseNs == 0) {
            return false;
        }
        persistTimer.retryAt(nowNs + pauseNs);
        persistTimer.onAnswer();
        nextEpoch();
        return true;
    }

    /**
     * True if the peer may forget the flow: everything was delivered, and its ticket has run out.
     *
     * @param lifetimeNs of tickets.
     * @param idleNs time for which nothing was sent: the receiver counts from when it arrived.
     */
    boolean mayClose(final long lifetimeNs, final long idleNs, final long nowNs) {
        return state == FlowState.OPEN
                && window.inFlight() == 0
                && window.unusedNs(nowNs) >= idleNs
                && nowNs - openedNs >= lifetimeNs
                && window.isDelivered();
    }

    /** From OPEN to CLOSING; new messages wait until the peer has forgotten the flow. */
    void close(final long nowNs) {
        assert state == FlowState.OPEN && window.inFlight() == 0 : state;
        state = FlowState.CLOSING;
        persistTimer.restart();
        persistTimer.retryAt(nowNs);
        contact.onOutstanding(nowNs);
    }

    /** To CLOSED; what was in flight or waits is the caller's, who calls {@link #restart}. */
    void end() {
        state = FlowState.CLOSED;
        nextEpoch();
        contact.end();
        ackContradiction.onAgreement();
        isPeerClosed = false;
        hasMovedFrames = false;
    }

    /** Frames that the peer, which is reported closed, did not see wait for the next one. */
    void onFramesMoved() {
        assert state == FlowState.CLOSED : state;
        hasMovedFrames = true;
    }

    /**
     * True if the report that the peer is closed was false: it accepts the flow again, and may
     * already have received what waits for retransmission.
     */
    boolean isPeerCloseRefuted(final int incarnation) {
        return hasMovedFrames && incarnation == peerIncarnation;
    }

    /**
     * The flow has ended because its peer, which had taken nothing more, was closed; what is left
     * waits for the next one, not for long.
     */
    void awaitReopening() {
        assert state == FlowState.CLOSED : state;
        isPeerClosed = true;
    }

    /** Nothing is in flight: back to the first sequence. */
    void restart() {
        window.restart(0);
        persistTimer.restart();
        mailbox.clear();
    }

    private void nextEpoch() {
        epoch = (epoch + 1) & 0xFFFF;
    }

    /** True if messages wait or frames are in flight. */
    boolean isBusy() {
        return window.inFlight() > 0 || !backlog.isEmpty();
    }

    /** True for the packets of connections that have few and short ones. */
    boolean isOfShortPackets() {
        return isOfShortPackets;
    }

    /**
     * True if little is in flight and little waits, as with round trips of short messages, so that
     * others hardly notice when the flow goes first.
     */
    boolean isSparse() {
        return isOfShortPackets
                ? backlog.waitingBytes() <= SHORT_PACKETS_BYTES
                : window.isSparse() && backlog.waitingBytes() <= SPARSE_BYTES;
    }

    /** When the flow, which is not closed, has to be looked at again, Long.MAX_VALUE for never. */
    long wakeNs(final long nowNs) {
        final boolean isReady = readyPlace.isWaiting();
        final long contactNs = contact.wakeNs(nowNs);
        if (state != FlowState.OPEN) {
            final boolean isIdle = isReady || contact.isWithoutRoute();
            return isIdle ? contactNs : Deadline.earlier(contactNs, persistTimer.retryNs());
        }
        final boolean isShut = window.inFlight() == 0 && !backlog.isEmpty() && !window.hasRoom();
        persistTimer.onShut(isShut, window.isReturned(), nowNs);
        final long windowNs = Deadline.earlier(window.wakeNs(isReady), persistTimer.probeNs());
        return Deadline.earlier(contactNs, windowNs);
    }

    /** Begins a turn of {@code frames}, or goes on with the one that was held up. */
    int beginTurn(final int frames) {
        return turnFrames > 0 ? Math.min(turnFrames, frames) : frames;
    }

    /** The turn is over, or held up with {@code leftFrames} left of it. */
    void endTurn(final int leftFrames) {
        turnFrames = Math.max(0, leftFrames);
    }

    /**
     * Counts a frame that is sent for the first time; true if its acknowledgement should not be
     * delayed: it uses up the window, or it ends a burst, after which a sender with few send
     * buffers waits for it.
     */
    boolean endsBurst(final TxFrame frame, final int maxBurstFrames) {
        burstFrames += FlowSizes.weight(frame.lengthBytes());
        final boolean isEnd =
                backlog.isEmpty() ? burstFrames >= maxBurstFrames : window.isLast(frame.sequence());
        if (isEnd) {
            burstFrames = 0;
        }
        return isEnd;
    }

    int sharedFrames() {
        return sharedFrames;
    }

    /** A frame of the flow has memory for several messages. */
    void onShared() {
        sharedFrames++;
    }

    /** Such a frame is done. */
    void onSharedDone() {
        sharedFrames--;
        assert sharedFrames >= 0 : sharedFrames;
    }

    /** The flow from the peer, whose acknowledgements ride on frames of this one; or null. */
    ReceiveFlow opposite() {
        return opposite;
    }

    /** The flow is forgotten: its opposite forgets it. */
    void part() {
        if (opposite != null) {
            opposite.join(null);
            opposite = null;
        }
    }

    /** See {@link ReceiveFlow#join}. */
    void onJoined(final ReceiveFlow receiving) {
        opposite = receiving;
    }

    /** Heap bytes of a flow whose window has {@code windowFrames}, rounded up. */
    static int bytes(final int windowFrames) {
        return 1_024 + 4 * windowFrames + windowFrames / 8 + 8 * LossDetector.MAX_LINKS;
    }
}
