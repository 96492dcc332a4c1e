package io.hxb.node.ip;

import io.hxb.config.TenantPlan;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Which nodes are of the same tenant as this one, so that they pass packets on for one another; as
 * they said when flows were opened. Any thread.
 */
final class PeerTenants {
    private static final int UNKNOWN = 0;
    private static final int SAME = 1;
    private static final int OTHER = 2;
    private final int tenant;
    private final AtomicIntegerArray states;

    PeerTenants(final int nodeCount, final int tenant) {
        this.tenant = tenant;
        states = new AtomicIntegerArray(nodeCount);
    }

    /** A node has named its tenant. */
    void onPeer(final int node, final int peerTenant) {
        states.setOpaque(node, peerTenant == tenant ? SAME : OTHER);
    }

    /**
     * True if a node is of the same tenant. One that was not heard is, where there are no tenants:
     * it refuses packets otherwise.
     */
    boolean isSame(final int node) {
        final int state = states.getOpaque(node);
        return state == SAME || (state == UNKNOWN && tenant == TenantPlan.NO_TENANT);
    }
}
