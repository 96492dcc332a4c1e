package io.hxb.node;

import io.hxb.context.ContextPolling;
import io.hxb.flow.FlowLoop;

import java.io.IOException;

/** The contexts of a node, as far as its loops have to do with them. */
interface NodeContexts {
    /** For nodes whose contexts nobody can open. */
    NodeContexts NONE =
            new NodeContexts() {
                @Override
                public ContextPolling newLoop(final int index, final FlowLoop flows) {
                    return ContextPolling.NONE;
                }

                @Override
                public void addCounters(final CounterExport.Builder builder) {}

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
    ContextPolling newLoop(int index, FlowLoop flows) throws IOException;

    /** Adds what is counted of the contexts. */
    void addCounters(CounterExport.Builder builder);

    /** Where applications are told of the node's links. */
    LinkEventSink linkEvents();
}
