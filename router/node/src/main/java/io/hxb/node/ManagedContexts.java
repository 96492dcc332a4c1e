package io.hxb.node;

import io.hxb.config.ResourceShare;
import io.hxb.context.ContextManager;
import io.hxb.context.ContextPolling;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowLoop;

import java.util.function.LongSupplier;

/**
 * The contexts that applications open.
 *
 * @param manager of the contexts.
 */
record ManagedContexts(ContextManager manager) implements NodeContexts {
    @Override
    public ContextPolling newLoop(final int index, final FlowLoop flows) {
        return manager.newLoop(index, flows, flows.counters());
    }

    @Override
    public void addCounters(final CounterBlock block) {
        block.source(CounterType.CONTEXT_OPEN_CONTEXTS, manager::openContexts)
                .source(CounterType.CONTEXT_REFUSED_EVENTS, manager::contextsRefused)
                .source(CounterType.CONTEXT_ATTACH_ACCEPTED_EVENTS, manager::attachmentsAccepted)
                .source(CounterType.CONTEXT_ATTACH_REFUSED_EVENTS, manager::attachmentsRefused);
        block.source(
                        CounterType.CONTEXT_LIMITED_CONNECTIONS_EVENTS,
                        limited(ResourceShare.CONNECTIONS))
                .source(
                        CounterType.CONTEXT_LIMITED_CONTEXTS_EVENTS,
                        limited(ResourceShare.CONTEXTS))
                .source(
                        CounterType.CONTEXT_LIMITED_MEMORY_EVENTS,
                        limited(ResourceShare.MEMORY_BYTES))
                .source(CounterType.CONTEXT_LIMITED_REGIONS_EVENTS, limited(ResourceShare.REGIONS))
                .source(
                        CounterType.CONTEXT_LIMITED_BUFFERS_EVENTS,
                        limited(ResourceShare.HELD_BUFFERS))
                .source(CounterType.CONTEXT_LIMITED_FLOWS_EVENTS, limited(ResourceShare.FLOWS))
                .source(
                        CounterType.CONTEXT_LIMITED_MESSAGES_EVENTS,
                        limited(ResourceShare.MESSAGES));
    }

    private LongSupplier limited(final ResourceShare share) {
        return () -> manager.sharesRefused(share);
    }

    @Override
    public LinkEventSink linkEvents() {
        return new LinkEventSink.OfPage(manager.linkEvents(), manager::onLinkEvents);
    }
}
