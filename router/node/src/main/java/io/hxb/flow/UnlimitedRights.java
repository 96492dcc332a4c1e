package io.hxb.flow;

/** Rights without limits, of a context that belongs to no tenant. */
public class UnlimitedRights implements FlowRights {
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
    public int uid() {
        return -1;
    }

    @Override
    public int tenant() {
        return 0;
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        return true;
    }

    @Override
    public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
        return true;
    }
}
