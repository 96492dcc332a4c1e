package io.hxb.pm.rpc;

import java.util.ArrayDeque;
import java.util.Deque;

/** What an end knows of one peer. Owned by the end's thread. */
final class RpcPeer {
    private static final long SILENT_NS = 3_000_000_000L;
    private static final long PING_NS = 1_000_000_000L;

    final int node;
    final int context;

    /** Messages that wait for room. */
    final Deque<RpcMessage> waiting = new ArrayDeque<>();

    private RpcPeerListener listener;
    private int inFlight;
    private int underWay;
    private int running;
    private boolean isThere;
    private long heardNs;
    private long pingedNs;

    RpcPeer(final int node, final int context) {
        this.node = node;
        this.context = context;
    }

    /** Messages sent and not acknowledged. */
    int inFlight() {
        return inFlight;
    }

    void onSent() {
        inFlight++;
    }

    void onDone() {
        inFlight--;
    }

    /** Requests to it that were sent and have not ended. */
    int underWay() {
        return underWay;
    }

    void onCall() {
        underWay++;
    }

    void onCallEnded() {
        underWay--;
    }

    /** True if as many of its requests as may be are carried out here, or have replies waiting. */
    boolean isBusy() {
        return running >= 2 * RpcEnd.MAX_UNDER_WAY;
    }

    void onBegun() {
        running++;
    }

    void onEnded() {
        running--;
    }

    /** True if nothing is known of it that is worth keeping. */
    boolean isIdle() {
        return listener == null
                && inFlight == 0
                && underWay == 0
                && running == 0
                && waiting.isEmpty();
    }

    /** The context is a new one, of which nothing is in flight. */
    void onNewContext() {
        inFlight = 0;
    }

    void watch(final RpcPeerListener newListener, final long nowNs) {
        listener = newListener;
        heardNs = nowNs;
        pingedNs = nowNs - PING_NS;
        isThere = false;
    }

    /** True, once a second, if it is watched: it has to be asked whether it is there. */
    boolean isToBePinged(final long nowNs) {
        if (listener == null || nowNs - pingedNs < PING_NS) {
            return false;
        }
        pingedNs = nowNs;
        if (nowNs - heardNs > SILENT_NS) {
            onGone();
        }
        return true;
    }

    void onHeard(final long nowNs) {
        heardNs = nowNs;
        tell(true);
    }

    void onGone() {
        tell(false);
    }

    private void tell(final boolean there) {
        if (listener != null && isThere != there) {
            isThere = there;
            listener.onPeer(node, context, there);
        }
    }
}
