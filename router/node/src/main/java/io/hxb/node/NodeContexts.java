package io.hxb.node;

import io.hxb.context.ContextPolling;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.FlowLoop;

/** The contexts of a node, as its loops see them. */
interface NodeContexts {
    /** For nodes whose contexts nobody can open. */
    NodeContexts NONE =
            new NodeContexts() {
                @Override
                public ContextPolling newLoop(final int index, final FlowLoop flows) {
                    return ContextPolling.NONE;
                }

                @Override
                public void addCounters(final CounterBlock block) {}

                @Override
                public LinkEventSink linkEvents() {
                    return LinkEventSink.NONE;
                }
            };

    /**
     * Makes the contexts of one loop; once for each, before any starts.
     *
     * @param index number of the loop, from 0.
     * @param flows of the loop.
     */
    ContextPolling newLoop(int index, FlowLoop flows);

    /** Adds what is counted of the contexts. */
    void addCounters(CounterBlock block);

    /** Where applications learn of the node's links. */
    LinkEventSink linkEvents();
}
