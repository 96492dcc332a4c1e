package io.hxb.flow;

import io.hxb.pm.attach.ListedFlow;

/** Describes flows for reports. Stateless; called by the loop that owns the flow. */
final class FlowRow {
    private FlowRow() {}

    /** A context without a flow. */
    static ListedFlow of(final FlowContext context) {
        return new ListedFlow(
                ends(context, ListedFlow.NO_NODE, 0),
                owner(context),
                ListedFlow.State.CONTEXT,
                ListedFlow.Amount.NONE,
                ListedFlow.Amount.NONE,
                ListedFlow.Sending.NONE);
    }

    /** A sending flow, with the one from the same peer. */
    static ListedFlow of(final SendFlow flow) {
        final SendWindow window = flow.window;
        final SendBacklog backlog = flow.backlog;
        final ReceiveFlow opposite = flow.opposite();
        return new ListedFlow(
                ends(flow.context, flow.peerNode, flow.peerContext),
                owner(flow.context),
                state(flow),
                new ListedFlow.Amount(window.sentMessages(), window.sentBytes()),
                opposite == null ? ListedFlow.Amount.NONE : received(opposite),
                new ListedFlow.Sending(
                        window.inFlight(),
                        new ListedFlow.Amount(backlog.messageCount(), backlog.reportedBytes()),
                        flow.rttEstimator.smoothedNs(),
                        window.resentFrames(),
                        window.links(),
                        flow.lossDetector.linkFrames()));
    }

    /** A receiving flow. */
    static ListedFlow of(final ReceiveFlow flow) {
        return new ListedFlow(
                ends(flow.context, flow.peerNode, flow.peerContext),
                owner(flow.context),
                ListedFlow.State.RECEIVING,
                ListedFlow.Amount.NONE,
                received(flow),
                ListedFlow.Sending.NONE);
    }

    private static ListedFlow.Ends ends(
            final FlowContext context, final int peerNode, final int peerEnd) {
        return new ListedFlow.Ends(
                ContextKind.of(context.id),
                ContextKind.number(context.id),
                peerNode,
                ContextKind.of(peerEnd),
                ContextKind.number(peerEnd));
    }

    private static ListedFlow.Owner owner(final FlowContext context) {
        return new ListedFlow.Owner(context.rights.uid(), context.rights.tenant(), 0);
    }

    private static ListedFlow.Amount received(final ReceiveFlow flow) {
        return new ListedFlow.Amount(flow.delivered.messages(), flow.delivered.bytes());
    }

    private static ListedFlow.State state(final SendFlow flow) {
        if (flow.isOpen()) {
            return ListedFlow.State.OPEN;
        }
        if (flow.isOpening()) {
            return ListedFlow.State.OPENING;
        }
        return flow.isClosing() ? ListedFlow.State.CLOSING : ListedFlow.State.CLOSED;
    }
}
