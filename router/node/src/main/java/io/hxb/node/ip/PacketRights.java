package io.hxb.node.ip;

import io.hxb.flow.CreditPool;
import io.hxb.flow.FlowRights;

/** What flows of packets may do: only nodes themselves send them. Any thread. */
final class PacketRights implements FlowRights {
    @Override
    public boolean takeFlow() {
        return true;
    }

    @Override
    public void giveBackFlow() {}

    @Override
    public CreditPool receiveCredit() {
        return null;
    }

    @Override
    public void onCreditLimited() {}

    @Override
    public int tenant() {
        return 0;
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        return peerContext == IpService.END;
    }

    @Override
    public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
        return true;
    }
}
