package io.hxb.node.ip;

import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowWalk;

/** Flows that do nothing but what a test adds. Owned by the test. */
class TestFlows implements FlowPort {
    @Override
    public void submitOrReport(
            final int contextId,
            final int sendSlot,
            final int destinationNode,
            final int destinationContext,
            final long payloadAddress,
            final int lengthBytes,
            final int tag) {}

    @Override
    public void openContext(final int id, final int incarnation, final ContextTerms terms) {}

    @Override
    public boolean walk(final FlowWalk walk, final int maxFlows) {
        return true;
    }

    @Override
    public int creditFrames(final int contextId) {
        return 0;
    }

    @Override
    public void closeContext(final int contextId) {}

    @Override
    public long stage(
            final int contextId,
            final int destinationNode,
            final int destinationContext,
            final long address,
            final int lengthBytes,
            final int maxMessages,
            final boolean isNewRun) {
        return 0;
    }

    @Override
    public long waitingBytes(final int id, final int node, final int context) {
        return 0;
    }

    @Override
    public void endFlow(final int id, final int node, final int context) {}

    @Override
    public void moreComing(final int contextId, final boolean isMoreComing) {}

    @Override
    public void released(final int flowHandle, final int bufferId) {}

    @Override
    public void releasedCopy(final int flowHandle) {}

    @Override
    public void abandoned(final int handle, final int sequence, final int messagesLeft) {}

    @Override
    public void resume(final int contextId) {}

    @Override
    public int queuedFrames(final int contextId) {
        return 0;
    }
}
