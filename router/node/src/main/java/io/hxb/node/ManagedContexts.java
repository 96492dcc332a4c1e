package io.hxb.node;

import io.hxb.config.ResourceShare;
import io.hxb.context.ContextManager;
import io.hxb.context.ContextPolling;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowLoop;
import io.hxb.node.collective.GroupCounters;
import io.hxb.pm.shm.CloseReason;
import io.hxb.remote.RemoteCounters;

import java.util.function.LongSupplier;

/**
 * The contexts that applications open.
 *
 * @param manager of the contexts.
 * @param groups counters of collective operations.
 */
record ManagedContexts(ContextManager manager, GroupCounters groups) implements NodeContexts {
    @Override
    public ContextPolling newLoop(final int index, final FlowLoop flows) {
        return manager.newLoop(index, flows);
    }

    @Override
    public void addCounters(final CounterExport.Builder builder) {
        builder.add(CounterType.CONTEXT_OPEN_CONTEXTS, manager::openContexts)
                .add(CounterType.CONTEXT_OPENED_EVENTS, manager::contextsOpened)
                .add(CounterType.CONTEXT_REFUSED_EVENTS, manager::contextsRefused)
                .add(CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS, manager::violations)
                .add(
                        CounterType.CONTEXT_CLOSED_NORMALLY_EVENTS,
                        () -> manager.contextsClosed(CloseReason.DETACHED))
                .add(
                        CounterType.CONTEXT_CLOSED_DEAD_EVENTS,
                        () -> manager.contextsClosed(CloseReason.GONE))
                .add(
                        CounterType.CONTEXT_CLOSED_BY_NODE_EVENTS,
                        () -> manager.contextsClosed(CloseReason.NODE_CLOSED))
                .add(CounterType.CONTEXT_ATTACH_ACCEPTED_EVENTS, manager::attachmentsAccepted)
                .add(CounterType.CONTEXT_ATTACH_REFUSED_EVENTS, manager::attachmentsRefused);
        builder.add(
                        CounterType.CONTEXT_LIMITED_CONNECTIONS_EVENTS,
                        limited(ResourceShare.CONNECTIONS))
                .add(CounterType.CONTEXT_LIMITED_CONTEXTS_EVENTS, limited(ResourceShare.CONTEXTS))
                .add(CounterType.CONTEXT_LIMITED_MEMORY_EVENTS, limited(ResourceShare.MEMORY_BYTES))
                .add(CounterType.CONTEXT_LIMITED_REGIONS_EVENTS, limited(ResourceShare.REGIONS))
                .add(
                        CounterType.CONTEXT_LIMITED_BUFFERS_EVENTS,
                        limited(ResourceShare.HELD_BUFFERS))
                .add(CounterType.CONTEXT_LIMITED_FLOWS_EVENTS, limited(ResourceShare.FLOWS))
                .add(CounterType.CONTEXT_LIMITED_MESSAGES_EVENTS, limited(ResourceShare.MESSAGES));
        final RemoteCounters remote = manager.remoteCounters();
        builder.add(CounterType.REMOTE_PERFORMED_OPERATIONS, remote::performed)
                .add(CounterType.REMOTE_REFUSED_REQUESTS, remote::refused)
                .add(CounterType.REMOTE_MALFORMED_RECORDS, remote::malformed)
                .add(CounterType.REMOTE_WRITTEN_BYTES, remote::writtenBytes)
                .add(CounterType.REMOTE_READ_BYTES, remote::readBytes)
                .add(CounterType.COLLECTIVE_COMPLETED_OPERATIONS, groups::operations)
                .add(CounterType.COLLECTIVE_ENDED_GROUPS, groups::failed)
                .add(CounterType.COLLECTIVE_MALFORMED_MESSAGES, groups::malformed);
    }

    private LongSupplier limited(final ResourceShare share) {
        return () -> manager.sharesRefused(share);
    }

    @Override
    public LinkEventSink linkEvents() {
        return new LinkEventSink.OfPage(manager.linkEvents(), manager::onLinkEvents);
    }
}
