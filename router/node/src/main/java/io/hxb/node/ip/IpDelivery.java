package io.hxb.node.ip;

import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;

/** Brings what flows report of packets to the service, and all else to the contexts. Any loop. */
public final class IpDelivery implements FlowListener {
    private final IpService service;
    private final PacketReceiver receiver;
    private final FlowListener contexts;

    /** Before {@code contexts}, which get what is not about packets. */
    public IpDelivery(final IpService service, final FlowListener contexts) {
        this.service = service;
        receiver = service.receiver();
        this.contexts = contexts;
    }

    private static boolean isOfPackets(final int contextId) {
        return ContextKind.of(contextId) == ContextKind.PACKETS;
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        return isOfPackets(ends.contextId())
                ? receiver.onFrame(ends, bodyAddress, messageCount)
                : contexts.onFrame(ends, bufferId, bodyAddress, bodyLengthBytes, messageCount);
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        if (isOfPackets(contextId)) {
            service.onSendDone(contextId, sendSlot, status);
        } else {
            contexts.onSendDone(contextId, sendSlot, status);
        }
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        contexts.onRunDone(contextId, firstSlot, messages, status);
    }

    @Override
    public void onSendsFailed(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        if (!isOfPackets(contextId)) {
            contexts.onSendsFailed(contextId, peerNode, peerContext, status);
        }
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        // Packets that were lost are no event: their senders notice.
        if (!isOfPackets(contextId)) {
            contexts.onPeerStatus(contextId, peerNode, peerContext, status);
        }
    }
}
