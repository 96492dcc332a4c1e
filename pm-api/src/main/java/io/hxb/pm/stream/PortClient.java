package io.hxb.pm.stream;

import io.hxb.pm.PmMessage;
import io.hxb.pm.stream.wire.PortProtocol;

import org.agrona.collections.Int2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/**
 * Sends requests about ports to nodes, see {@link PortProtocol}, and finds the request that a reply
 * belongs to. Guarded by the engine's lock.
 */
final class PortClient {
    private final PeerTable peers;
    private final Outbox outbox;
    private final Int2ObjectHashMap<PendingRequest> pending = new Int2ObjectHashMap<>();
    private int lastNumber;

    PortClient(final PeerTable peers, final Outbox outbox) {
        this.peers = peers;
        this.outbox = outbox;
    }

    /** Sends a request; {@code listener} is called once, when it has ended. */
    void request(final int node, final int tag, final int port, final ReplyListener listener) {
        lastNumber++;
        pending.put(lastNumber, new PendingRequest(node, listener));
        final StreamPeer peer = peers.get(node, PortProtocol.CONTEXT);
        outbox.control(Outbox.Control.portRequest(peer, tag, lastNumber, port));
    }

    /**
     * Handles a reply.
     *
     * @return false if it is not the reply to a pending request.
     */
    boolean onReply(final PmMessage message) {
        if (message.sourceContext() != PortProtocol.CONTEXT
                || message.tag() != PortProtocol.REPLY
                || message.lengthBytes() != PortProtocol.REPLY_BYTES) {
            return false;
        }
        final long address = message.address();
        final int number = PortProtocol.number(address);
        final PendingRequest request = pending.get(number);
        if (request == null || request.node != message.sourceNode()) {
            return false;
        }
        pending.remove(number);
        request.listener.onReply(PortProtocol.status(address), PortProtocol.value(address));
        return true;
    }

    /** A node does not answer any more. */
    void onNodeFailed(final int node, final ResetReason reason) {
        final List<PendingRequest> failed = new ArrayList<>();
        pending.entrySet()
                .removeIf(
                        entry -> {
                            final boolean isHit = entry.getValue().node == node;
                            if (isHit) {
                                failed.add(entry.getValue());
                            }
                            return isHit;
                        });
        failed.forEach(request -> request.listener.onFailure(reason));
    }

    /** Nobody answers any more. */
    void failAll(final ResetReason reason) {
        final List<PendingRequest> failed = new ArrayList<>(pending.values());
        pending.clear();
        failed.forEach(request -> request.listener.onFailure(reason));
    }

    private record PendingRequest(int node, ReplyListener listener) {}

    /** Is called when a request has ended. */
    interface ReplyListener {
        /** The node has answered; status and value are not checked. */
        void onReply(int status, int value);

        /** The node has not answered and will not. */
        void onFailure(ResetReason reason);
    }
}
