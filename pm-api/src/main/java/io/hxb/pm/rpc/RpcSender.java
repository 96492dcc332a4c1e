package io.hxb.pm.rpc;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;

import java.util.Deque;

/**
 * Sends what waits for peers over the context that is open, and takes back what has become of it.
 * Owned by the endpoint's thread.
 */
final class RpcSender {
    private static final int MAX_IN_FLIGHT = 32;

    private final long endpointId;
    private final RpcPeers peers;
    private final RpcWindow room;
    private final RpcCaller caller;
    private final RpcServer server;
    private PmContext context;
    private RpcMessage[] sent;
    private RpcPeer[] sentTo;
    private long attachments;
    private long nowNs;
    private boolean hasFailed;

    RpcSender(
            final long endpointId,
            final RpcPeers peers,
            final RpcWindow room,
            final RpcCaller caller,
            final RpcServer server) {
        this.endpointId = endpointId;
        this.peers = peers;
        this.room = room;
        this.caller = caller;
        this.server = server;
    }

    /** Sends over a context that was just opened. */
    void onAttached(final PmContext opened) {
        context = opened;
        attachments++;
        hasFailed = false;
        sent = new RpcMessage[opened.sendBufferCount()];
        sentTo = new RpcPeer[opened.sendBufferCount()];
        opened.sendDoneListener(this::onSendDone);
    }

    /** The context is closed: whatever was in flight may be lost, and what had arrived as well. */
    void onDetached(final long newNowNs) {
        nowNs = newNowNs;
        for (int slot = 0; slot < sent.length; slot++) {
            if (sent[slot] != null) {
                onSendDone(slot, PmStatus.NODE_GONE);
            }
        }
        for (final RpcPeer peer : peers.all()) {
            peer.onNewContext();
            peer.onDoubt(PmStatus.NODE_GONE, nowNs);
            caller.doubtAll(peer);
        }
    }

    /** How often this endpoint has attached. */
    long attachments() {
        return attachments;
    }

    /** Sends what waits and has room; false if the node is gone. */
    boolean flush(final long newNowNs) {
        nowNs = newNowNs;
        for (final RpcPeer peer : peers.all()) {
            if (peer.isToBePinged(nowNs)) {
                peer.onPinged(nowNs);
                peer.others.addFirst(RpcMessage.of(RpcWire.PING, peer.endpointId(), attachments));
            }
            if (!peer.isResting(nowNs) && sendAll(peer, peer.others) && peer.isSure()) {
                sendRequests(peer);
            }
            if (hasFailed) {
                return false;
            }
        }
        return true;
    }

    private boolean sendAll(final RpcPeer peer, final Deque<RpcMessage> waiting) {
        while (!waiting.isEmpty()) {
            final RpcMessage next = waiting.getFirst();
            final boolean isForNobody = RpcWire.isAnswer(next.kind()) && !peer.isKnown(next.to());
            if (isForNobody) {
                server.onAnswered(peer, next);
            } else if (!send(peer, next, next.to(), next.number(), next.data())) {
                return false;
            }
            waiting.removeFirst();
            if (next.kind() == RpcWire.PUBLISHED) {
                room.onPublishedEnded(RpcPeers.key(peer.node, peer.context));
            }
        }
        return true;
    }

    private void sendRequests(final RpcPeer peer) {
        boolean hasRoom = true;
        while (hasRoom && !peer.again.isEmpty()) {
            final RpcCall call = peer.again.getFirst();
            final RpcMessage message = RpcMessage.request(RpcWire.AGAIN, call);
            hasRoom = send(peer, message, call.sentTo(), call.number(), call.request);
            if (hasRoom) {
                peer.again.remove(call);
                call.onSent();
            }
        }
        while (hasRoom && !peer.fresh.isEmpty() && peer.mayCall()) {
            final RpcCall call = peer.fresh.getFirst();
            final RpcMessage message = RpcMessage.request(RpcWire.REQUEST, call);
            hasRoom = send(peer, message, peer.endpointId(), peer.lastNumber() + 1, call.request);
            if (hasRoom) {
                peer.fresh.remove(call);
                peer.onCall(call);
                call.onSent();
            }
        }
    }

    private boolean send(
            final RpcPeer peer,
            final RpcMessage next,
            final long to,
            final long number,
            final byte[] data) {
        if (peer.inFlight() >= MAX_IN_FLIGHT || hasFailed) {
            return false;
        }
        final int length = RpcWire.HEADER_BYTES + data.length;
        final int slot = context.claim(peer.node, peer.context, length);
        if (slot < 0) {
            hasFailed = slot != PmStatus.NO_BUFFERS;
            return false;
        }
        RpcWire.write(context.sendBuffer(slot), endpointId, to, number, data);
        sent[slot] = next;
        sentTo[slot] = peer;
        peer.onSent();
        hasFailed = context.send(slot, length, RpcWire.TAG + next.kind()) != PmStatus.OK;
        return true;
    }

    private void onSendDone(final int slot, final int status) {
        final RpcMessage done = sent[slot];
        if (done == null) {
            return;
        }
        final RpcPeer peer = sentTo[slot];
        sent[slot] = null;
        peer.onDone();
        if (status != PmStatus.OK) {
            peer.onDoubt(status, nowNs);
        }
        if (done.call() != null) {
            caller.onSendDone(done.call(), status);
        } else if (done.kind() == RpcWire.PING) {
            peer.onPingDone();
        } else if (RpcWire.isAnswer(done.kind())) {
            onAnswerDone(peer, done, status);
        }
        if (status == PmStatus.NOT_ALLOWED) {
            caller.onNotAllowed(peer);
        }
    }

    private void onAnswerDone(final RpcPeer peer, final RpcMessage answer, final int status) {
        if (status == PmStatus.OK || !answer.isKept(nowNs)) {
            server.onAnswered(peer, answer);
        } else {
            peer.others.addLast(answer);
        }
    }
}
