package io.hxb.flow;

/**
 * What a context's flows may do, which depends on its user and tenant. Any thread; never blocks.
 */
public interface FlowRights {
    /** A context that may have as many flows as the node has. */
    FlowRights ALL = new UnlimitedRights();

    /**
     * Takes one flow of what the context's user may have, in either direction; {@link
     * #giveBackFlow} gives it back when the flow is forgotten.
     *
     * @return false if the user has as many as allowed; the refusal is counted.
     */
    boolean takeFlow();

    /** Gives one flow back. */
    void giveBackFlow();

    /** Frames that all contexts of its user may borrow; null without a limit. */
    CreditPool receiveCredit();

    /**
     * A context could use more receive buffers than {@link #receiveCredit} lets it have; called
     * once, until it may have all that it could use.
     */
    void onCreditLimited();

    /** The user to whom the context belongs; -1 for the node itself. */
    int uid();

    /** The tenant to whom the context belongs, as frames carry it. */
    int tenant();

    /**
     * True if a context of {@code peerTenant} may send to this one; a refusal is noted with where
     * it came from.
     */
    boolean mayReceiveFrom(int peerTenant, int peerNode, int peerContext);

    /** True if this context may send to one of {@code peerTenant}; a refusal is noted. */
    boolean maySendTo(int peerTenant, int peerNode, int peerContext);
}
