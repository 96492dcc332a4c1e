package io.hxb.flow;

/**
 * What the flows of one loop have seen since start. Written by that loop with plain stores, only by
 * the methods here; other threads may read and see each value at most a little late. Totals of a
 * node are the sums over its loops.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public final class FlowCounters {
    /** Data frames sent for the first time. */
    public long framesSent;

    /** Data frames sent again. */
    public long framesResent;

    /** Data frames put into an ordering array. */
    public long framesReceived;

    /** Data frames handed to a context. */
    public long framesDelivered;

    /** Messages put into frames. */
    public long messagesSent;

    /** Bytes of body of data frames sent for the first time. */
    public long bytesSent;

    /** Messages handed to a context. */
    public long messagesDelivered;

    /** Bytes of body of data frames handed to a context. */
    public long bytesDelivered;

    /** Data frames that had to wait for earlier ones, or for room in their context. */
    public long reordered;

    /** Times a context had no room for the next frame. */
    public long deliveriesRefused;

    /** Answers that a frame could not be delivered. */
    public long unreachables;

    /** Frames that carried several messages. */
    public long framesShared;

    /** Data frames that had arrived before. */
    public long duplicates;

    /**
     * Data frames beyond the window of their source, and acknowledgements of what was never sent.
     */
    public long outOfWindow;

    /** Frames of an incarnation or epoch that is over. */
    public long staleIncarnation;

    /** Frames for a context that is not open. */
    public long noSuchContext;

    /** Malformed frames: unknown type, source outside the shape, body too short. */
    public long malformed;

    /** Opens refused or submits refused because all flows are in use. */
    public long flowsExhausted;

    /**
     * Flows refused, here or by the peer, because the tenants of their ends may not talk to each
     * other.
     */
    public long notAllowed;

    /** Sending and receiving flows that were forgotten because nothing was sent on them. */
    public long flowsForgotten;

    /** Sources asked to close flows that they do not use, because few are free. */
    public long flowsRecalled;

    /** Acknowledgement frames sent; acknowledgements on data frames are not counted. */
    public long acksSent;

    /** Acknowledgements received, in frames of their own or on data frames. */
    public long acksReceived;

    /** Times a sender found its window used up while messages waited. */
    public long windowStalls;

    /** Times the links took no further frames. */
    public long outputBlocked;

    /** Frames for which there was no route when they were to be sent. */
    public long noRoute;

    /** Probes sent. */
    public long probes;

    /** Times a retransmission timer ran out. */
    public long timeouts;

    /** Flows that ended because the peer was silent. */
    public long peerUnreachable;

    /** Flows that ended because the peer is a new incarnation. */
    public long peerRestarted;

    /** Flows that ended because the peer's context is not open. */
    public long peerContextGone;

    /** Times no memory was free for a frame to send. */
    public long buffersExhausted;

    /** Shortest round trip measured in ns; 0 before the first. */
    public long minRttNs;

    /** Last round trip measured in ns. */
    public long lastRttNs;

    /** Smoothed round trip of the flow measured last in ns. */
    public long smoothedRttNs;

    /** Round trips measured. */
    public long rttSamples;

    /** A data frame was sent for the first time. */
    void onFrameSent() {
        framesSent++;
    }

    /** A data frame was sent again. */
    void onFrameResent() {
        framesResent++;
    }

    /** A context had no room for the next frame. */
    void onRefused() {
        deliveriesRefused++;
    }

    /** An answer said that a frame could not be delivered. */
    void onUnreachable() {
        unreachables++;
    }

    /** A data frame arrived that had arrived before. */
    void onDuplicate() {
        duplicates++;
    }

    /**
     * A frame was ahead of the ordering array, or an acknowledgement was of something never sent.
     */
    void onOutOfWindow() {
        outOfWindow++;
    }

    /** A frame was of an incarnation or epoch that is over. */
    void onStale() {
        staleIncarnation++;
    }

    /** A frame was for a context that is not open. */
    void onNoSuchContext() {
        noSuchContext++;
    }

    /** A frame was malformed. */
    void onMalformed() {
        malformed++;
    }

    /** An open or submit was refused because all flows are in use. */
    void onNoFlow() {
        flowsExhausted++;
    }

    /** A flow was refused because the tenants of its ends may not talk to each other. */
    void onNotAllowed() {
        notAllowed++;
    }

    /** A flow was forgotten because nothing was sent on it. */
    void onForgotten() {
        flowsForgotten++;
    }

    /** A source was asked to close its flow. */
    void onRecalled() {
        flowsRecalled++;
    }

    /** An acknowledgement frame was sent. */
    void onAckSent() {
        acksSent++;
    }

    /** An acknowledgement was received. */
    void onAck() {
        acksReceived++;
    }

    /** A sender found its window used up while messages waited. */
    void onStall() {
        windowStalls++;
    }

    /** A probe was sent. */
    void onProbe() {
        probes++;
    }

    /** A retransmission timer ran out. */
    void onTimeout() {
        timeouts++;
    }

    /** A flow ended because the peer was silent. */
    void onPeerUnreachable() {
        peerUnreachable++;
    }

    /** A flow ended because the peer is a new incarnation. */
    void onPeerRestarted() {
        peerRestarted++;
    }

    /** A flow ended because the peer's context is not open. */
    void onPeerContextGone() {
        peerContextGone++;
    }

    /** No memory was free for a frame to send. */
    void onNoMemory() {
        buffersExhausted++;
    }

    /** A data frame with {@code messages} was made, whose body has {@code bodyBytes}. */
    void onFrameMade(final int messages, final int bodyBytes) {
        messagesSent += messages;
        bytesSent += bodyBytes;
        framesShared += messages > 1 ? 1 : 0;
    }

    /**
     * A data frame was put into an ordering array; {@code isInOrder} if it could leave immediately.
     */
    void onStored(final boolean isInOrder) {
        framesReceived++;
        reordered += isInOrder ? 0 : 1;
    }

    /** A data frame was handed to a context. */
    void onDelivered(final int messages, final int bodyBytes) {
        framesDelivered++;
        messagesDelivered += messages;
        bytesDelivered += bodyBytes;
    }

    /** The output refused a frame and answered {@code answer}. */
    void onNotTaken(final int answer) {
        outputBlocked += answer == FlowOutput.BLOCKED ? 1 : 0;
        noRoute += answer == FlowOutput.NO_ROUTE ? 1 : 0;
    }

    /**
     * Counts a round trip of {@code rttNs}, after which the flow's smoothed one is {@code
     * smoothedNs}.
     */
    void onRoundTrip(final long rttNs, final long smoothedNs) {
        minRttNs = rttSamples == 0 ? rttNs : Math.min(minRttNs, rttNs);
        lastRttNs = rttNs;
        smoothedRttNs = smoothedNs;
        rttSamples++;
    }
}
