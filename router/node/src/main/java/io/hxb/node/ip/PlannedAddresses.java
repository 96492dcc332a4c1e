package io.hxb.node.ip;

import io.hxb.tap.IpPlan;

/**
 * The addresses of a cluster by its plan.
 *
 * @param plan of this node.
 */
public record PlannedAddresses(IpPlan plan) implements PacketAddresses {
    @Override
    public int destination(final long frame, final int lengthBytes) {
        final int destination = plan.destination(frame, lengthBytes);
        return switch (destination) {
            case IpPlan.BROADCAST -> ALL_NODES;
            case IpPlan.LOCAL_REPLY -> ANSWERED_HERE;
            default -> destination < 0 ? NOBODY : destination;
        };
    }

    @Override
    public int answer(final long frame, final int lengthBytes) {
        return plan.reply(frame);
    }

    @Override
    public boolean isFrom(final int node, final long frame, final int lengthBytes) {
        return plan.isFrom(frame, lengthBytes, node);
    }
}
