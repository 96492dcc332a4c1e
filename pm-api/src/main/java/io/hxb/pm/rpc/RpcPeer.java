package io.hxb.pm.rpc;

import io.hxb.pm.PmStatus;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * What an endpoint knows of one peer: its own requests to it, those of the peer, and who the peer
 * is. Owned by the endpoint's thread.
 */
final class RpcPeer {
    private static final long SILENT_NS = 3_000_000_000L;
    private static final long PING_NS = 1_000_000_000L;
    private static final long PING_AGAIN_NS = 20_000_000L;

    final int node;
    final int context;

    /** Requests in doubt that wait to be sent again. */
    final SequencedSet<RpcCall> again = new LinkedHashSet<>();

    /** Requests that wait to be sent for the first time. */
    final SequencedSet<RpcCall> fresh = new LinkedHashSet<>();

    /** All else that waits. */
    final Deque<RpcMessage> others = new ArrayDeque<>();

    /** Why the last message to it was lost; OK once it is heard. */
    int lastStatus = PmStatus.OK;

    private final Map<Long, RpcCall> underWay = new HashMap<>();

    /** Of its endpoint that asked last; null if it has not asked. */
    private RpcDuplicateFilter history;

    private RpcPeerListener listener;
    private long lastNumber;
    private long endpointId;
    private long attachment;
    private boolean isSure;
    private boolean isPingInFlight;
    private boolean isPresent;
    private int inFlight;
    private long heardNs;
    private long pingAtNs;
    private long restedNs;

    /** {@code firstNumber}: of the first request to it. */
    RpcPeer(final int node, final int context, final long firstNumber, final long nowNs) {
        this.node = node;
        this.context = context;
        lastNumber = firstNumber - 1;
        pingAtNs = nowNs;
        heardNs = nowNs;
    }

    /** Id of its endpoint; 0 if it was never heard. */
    long endpointId() {
        return endpointId;
    }

    /** True if it was heard since the last sign that it may be another, or gone. */
    boolean isSure() {
        return isSure;
    }

    /** Hears of it. */
    void onHeard(final long newEndpointId, final long nowNs) {
        endpointId = newEndpointId;
        heardNs = nowNs;
        lastStatus = PmStatus.OK;
        notifyListener(true);
    }

    /**
     * It has identified itself; true if it has attached again, or is another, so that what it had
     * and did not answer may be lost.
     */
    boolean onPong(final long oldEndpointId, final long newAttachment) {
        final boolean isOther = oldEndpointId != endpointId || newAttachment != attachment;
        attachment = newAttachment;
        isSure = true;
        return isOther;
    }

    /** True if a message to it was lost a moment ago, and it was not heard since. */
    boolean isResting(final long nowNs) {
        return lastStatus != PmStatus.OK && restedNs - nowNs > 0;
    }

    /** Something sent to it was lost, or may be: it is asked who it is before more is sent. */
    void onDoubt(final int status, final long nowNs) {
        lastStatus = status;
        restedNs = nowNs + PING_AGAIN_NS;
        isSure = false;
        final long soonNs = nowNs + PING_AGAIN_NS;
        if (pingAtNs - soonNs > 0) {
            pingAtNs = soonNs;
        }
        notifyListener(false);
    }

    /** True if it has to be asked now whether it is there, and who it is. */
    boolean isToBePinged(final long nowNs) {
        if (listener != null && nowNs - heardNs > SILENT_NS) {
            notifyListener(false);
        }
        final boolean isWanted =
                listener != null || !underWay.isEmpty() || (!isSure && !fresh.isEmpty());
        return isWanted && !isPingInFlight && pingAtNs - nowNs <= 0;
    }

    void onPinged(final long nowNs) {
        isPingInFlight = true;
        pingAtNs = nowNs + PING_NS;
    }

    void onPingDone() {
        isPingInFlight = false;
    }

    int inFlight() {
        return inFlight;
    }

    void onSent() {
        inFlight++;
    }

    void onDone() {
        inFlight--;
    }

    /** The context is a new one, of which nothing is in flight. */
    void onNewContext() {
        inFlight = 0;
        isPingInFlight = false;
    }

    RpcCall call(final long number) {
        return underWay.get(number);
    }

    List<RpcCall> callsUnderWay() {
        return new ArrayList<>(underWay.values());
    }

    boolean mayCall() {
        return underWay.size() < RpcEndpoint.MAX_UNDER_WAY;
    }

    void onCall(final RpcCall call) {
        call.onFirstSent(++lastNumber, endpointId);
        underWay.put(call.number(), call);
    }

    void onCallEnded(final RpcCall call) {
        underWay.remove(call.number());
        again.remove(call);
        fresh.remove(call);
    }

    /** The number of the last request to it. */
    long lastNumber() {
        return lastNumber;
    }

    /** What its endpoint has asked for. */
    RpcDuplicateFilter history(final long ofEndpointId) {
        if (history == null || history.endpointId != ofEndpointId) {
            history = new RpcDuplicateFilter(ofEndpointId);
        }
        return history;
    }

    /** True if that endpoint has asked for something here, as far as is known. */
    boolean isKnown(final long ofEndpointId) {
        return history != null && history.endpointId == ofEndpointId;
    }

    /** True if nothing is under way to or from it. */
    boolean isIdle() {
        return listener == null
                && inFlight == 0
                && underWay.isEmpty()
                && (history == null || history.running.isEmpty())
                && fresh.isEmpty()
                && others.isEmpty();
    }

    void watch(final RpcPeerListener newListener, final long nowNs) {
        listener = newListener;
        heardNs = nowNs;
        pingAtNs = nowNs;
        isPresent = false;
    }

    private void notifyListener(final boolean isNowPresent) {
        if (listener != null && isPresent != isNowPresent) {
            isPresent = isNowPresent;
            listener.onPeer(node, context, isNowPresent);
        }
    }
}
