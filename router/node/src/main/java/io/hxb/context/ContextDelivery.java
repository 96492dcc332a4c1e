package io.hxb.context;

import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;

import java.util.concurrent.atomic.AtomicLong;

/** Brings what flows report to the contexts of a node. Called by any loop. */
final class ContextDelivery implements FlowListener {
    private final ContextTable contexts;
    private final AtomicLong eventsLost = new AtomicLong();
    private final AtomicLong framesRefused = new AtomicLong();

    ContextDelivery(final ContextTable contexts) {
        this.contexts = contexts;
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        final boolean isMessages = ContextKind.of(ends.contextId()) == ContextKind.MESSAGES;
        final ContextEndpoint endpoint = contexts.get(ContextKind.number(ends.contextId()));
        if (endpoint != null && endpoint.incarnation() == ends.incarnation()) {
            final int answer =
                    isMessages
                            ? endpoint.deliver(
                                    ends, bufferId, bodyAddress, bodyLengthBytes, messageCount)
                            : endpoint.remote().onFrame(ends, bodyAddress, messageCount);
            if (answer != FULL) {
                return answer;
            }
        }
        framesRefused.incrementAndGet();
        return FULL;
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        final ContextEndpoint endpoint = contexts.get(ContextKind.number(contextId));
        if (endpoint != null) {
            if (ContextKind.of(contextId) == ContextKind.MESSAGES) {
                endpoint.sends().onSendDone(sendSlot, status);
            } else {
                endpoint.remote().onSendDone(contextId, sendSlot, status);
            }
        }
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        final ContextEndpoint endpoint = contexts.get(contextId);
        if (endpoint != null) {
            endpoint.sends().onRunDone(firstSlot, messages, status);
        }
    }

    @Override
    public void onSendsFailed(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        // Each of those messages is an event for the application.
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        // Operations on remote memory end by their own outcomes.
        if (ContextKind.of(contextId) != ContextKind.MESSAGES) {
            return;
        }
        final ContextEndpoint endpoint = contexts.get(contextId);
        if (endpoint != null && !endpoint.onPeerStatus(peerNode, peerContext, status)) {
            eventsLost.incrementAndGet();
        }
    }

    /** Events that were not reported because the application had not taken earlier ones. */
    long eventsLost() {
        return eventsLost.get();
    }

    /** Frames refused because the application's delivery ring was full at that time. */
    long framesRefused() {
        return framesRefused.get();
    }
}
