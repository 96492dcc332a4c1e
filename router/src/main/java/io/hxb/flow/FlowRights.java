package io.hxb.flow;

/** What a context's flows may do, which depends on whose it is. Any thread; never blocks. */
public interface FlowRights {
    /** A context that may have as many flows as the node has. */
    FlowRights ALL =
            new FlowRights() {
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
                public int tenant() {
                    return 0;
                }

                @Override
                public boolean mayReceiveFrom(
                        final int peerTenant, final int peerNode, final int peerContext) {
                    return true;
                }

                @Override
                public boolean maySendTo(
                        final int peerTenant, final int peerNode, final int peerContext) {
                    return true;
                }
            };

    /**
     * Takes one flow of what the context's user may have, in either direction; {@link
     * #giveBackFlow} gives it back when the flow is forgotten.
     *
     * @return false if he has as many as he may have, which is counted.
     */
    boolean takeFlow();

    /** Gives one flow back. */
    void giveBackFlow();

    /** Frames that all contexts of its user may borrow; null for as many as there are. */
    CreditPool receiveCredit();

    /** The tenant whose context it is, as it goes into frames. */
    int tenant();

    /**
     * True if a context of {@code peerTenant} may send to this one; a refusal is noted with where
     * it came from.
     */
    boolean mayReceiveFrom(int peerTenant, int peerNode, int peerContext);

    /** True if this context may send to one of {@code peerTenant}; a refusal is noted. */
    boolean maySendTo(int peerTenant, int peerNode, int peerContext);
}
