package io.hxb.node.ip;

import io.hxb.flow.CreditPool;
import io.hxb.flow.FlowRights;

/**
 * What flows of packets may do: what their owner may, and only the same end of other nodes sends
 * them. Any thread.
 */
final class PacketRights implements FlowRights {
    private final int end;
    private final FlowRights owner;
    private final PeerTenants tenants;

    /** Rights at {@code end}; notes the tenants of peers. */
    PacketRights(final int end, final FlowRights owner, final PeerTenants tenants) {
        this.end = end;
        this.owner = owner;
        this.tenants = tenants;
    }

    @Override
    public boolean takeFlow() {
        return owner.takeFlow();
    }

    @Override
    public void giveBackFlow() {
        owner.giveBackFlow();
    }

    @Override
    public CreditPool receiveCredit() {
        return owner.receiveCredit();
    }

    @Override
    public void onCreditLimited() {
        owner.onCreditLimited();
    }

    @Override
    public int uid() {
        return -1;
    }

    @Override
    public int tenant() {
        return owner.tenant();
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        tenants.onPeer(peerNode, peerTenant);
        return peerContext == end && owner.mayReceiveFrom(peerTenant, peerNode, peerContext);
    }

    @Override
    public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
        tenants.onPeer(peerNode, peerTenant);
        return owner.maySendTo(peerTenant, peerNode, peerContext);
    }
}
