package io.hxb.pm.stream;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDestination;
import io.hxb.pm.PmStatus;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A context of another process, or of this one, and what is in flight to it. A session is a time in
 * which none of its streams was lost; both sides number theirs, so that each learns when the other
 * has begun a new one. Guarded by the engine's lock.
 */
final class StreamPeer {
    final int node;
    final int context;

    /** Number of this side's session; not 0. */
    final long localSession;

    private PmDestination destination;
    private long remoteSession;
    private int inFlight;
    private long lastSentNs;
    private final Set<StreamState> streams = new LinkedHashSet<>();

    /** Records that wait for room, oldest first. */
    final ArrayDeque<Outbox.Control> pending = new ArrayDeque<>();

    private final ArrayDeque<StreamState> waiting = new ArrayDeque<>();

    StreamPeer(final int node, final int context, final long localSession) {
        this.node = node;
        this.context = context;
        this.localSession = localSession;
    }

    /** The peer's session, 0 while unknown. */
    long remoteSession() {
        return remoteSession;
    }

    /**
     * Notes the number of the peer's session.
     *
     * @return false if it has changed: the previous session has ended with all of its streams.
     */
    boolean joinSession(final long session) {
        if (remoteSession != 0 && remoteSession != session) {
            return false;
        }
        remoteSession = session;
        return true;
    }

    /** True if a context would have a send buffer for a record to the peer. */
    boolean hasBuffer(final PmContext from) {
        if (destination == null) {
            destination = from.destination(node, context);
        }
        return !destination.isFull();
    }

    /** Records that are sent and not acknowledged. */
    int inFlight() {
        return inFlight;
    }

    /** When a record was last sent, in ns. */
    long lastSentNs() {
        return lastSentNs;
    }

    void onSend(final long nowNs) {
        inFlight++;
        lastSentNs = nowNs;
    }

    void onSendDone() {
        inFlight--;
        assert inFlight >= 0 : "more sends done than begun: node " + node + " context " + context;
    }

    void add(final StreamState stream) {
        streams.add(stream);
    }

    void remove(final StreamState stream) {
        streams.remove(stream);
        waiting.remove(stream);
    }

    boolean hasStreams() {
        return !streams.isEmpty();
    }

    List<StreamState> streams() {
        return new ArrayList<>(streams);
    }

    /** A stream has bytes to send and found no room. */
    void await(final StreamState stream) {
        waiting.add(stream);
    }

    StreamState pollWaiting() {
        return waiting.poll();
    }

    /** The meaning of the status of a flow for its streams. */
    static ResetReason reason(final int status) {
        return switch (status) {
            case PmStatus.PEER_UNREACHABLE -> ResetReason.PEER_UNREACHABLE;
            case PmStatus.PEER_FULL -> ResetReason.PEER_FULL;
            case PmStatus.FLOW_LIMIT -> ResetReason.FLOW_LIMIT;
            case PmStatus.NOT_ALLOWED -> ResetReason.NOT_ALLOWED;
            case PmStatus.NODE_GONE, PmStatus.CONTEXT_CLOSED -> ResetReason.NODE_GONE;
            default -> ResetReason.PEER_RESTARTED;
        };
    }
}
