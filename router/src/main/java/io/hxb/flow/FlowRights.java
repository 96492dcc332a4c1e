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
}
