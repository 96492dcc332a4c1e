package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.FlowRights;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.CloseReason;
import io.hxb.remote.RemoteEndpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Opens and closes the contexts of a node for applications, by their loops. Any thread. */
final class ContextOpener {
    /** Context of the node itself. */
    private static final int NODE_CONTEXT = 0;

    private static final long OPEN_TIMEOUT_MS = 4_000;

    private final ContextParts parts;
    private final NodeMemory node;
    private final UserShares shares;
    private final ContextLoopProxy[] loops;
    private final CounterBlock[] counters;
    private final AtomicInteger incarnations;
    private final AtomicLong contextsRefused = new AtomicLong();

    /**
     * Opens contexts of a node.
     *
     * @param loops of the node, by index.
     * @param counters of the loops, by index, which are there when contexts are opened.
     */
    ContextOpener(
            final ContextParts parts,
            final NodeMemory node,
            final UserShares shares,
            final ContextLoopProxy[] loops,
            final CounterBlock[] counters) {
        this.parts = parts;
        this.node = node;
        this.shares = shares;
        this.loops = loops.clone();
        this.counters = counters;
        incarnations = new AtomicInteger(parts.incarnation());
    }

    /** Contexts that could not be opened: too many, or the number was taken. */
    long contextsRefused() {
        return contextsRefused.get();
    }

    /**
     * Opens a context. Blocks until its loop has done so, at most 4 seconds.
     *
     * @param memory of its application; given back if it cannot be opened.
     * @throws PmException if it cannot be opened; the message gives the reason.
     */
    ContextEndpoint open(
            final EndpointMemory memory,
            final int contextId,
            final long peerWaitNs,
            final NodeInvoker invoker)
            throws PmException {
        try {
            return tryOpen(memory, contextId, peerWaitNs, invoker);
        } catch (final PmException e) {
            contextsRefused.incrementAndGet();
            throw e;
        }
    }

    private ContextEndpoint tryOpen(
            final EndpointMemory memory,
            final int contextId,
            final long peerWaitNs,
            final NodeInvoker invoker)
            throws PmException {
        final AttachedProcess attachedProcess = memory.application();
        try {
            check(attachedProcess, contextId);
            attachedProcess.account().charge(ResourceShare.CONTEXTS, 1);
        } catch (final PmException e) {
            memory.unuse();
            unuseIfLocal(memory);
            throw e;
        }
        final ContextEndpoint endpoint =
                new ContextEndpoint(
                        parts,
                        node,
                        memory,
                        contextId,
                        nextIncarnation(),
                        peerWaitNs,
                        rights(attachedProcess, contextId));
        attachedProcess.add(endpoint);
        final CompletableFuture<ContextEndpoint> opened = loop(contextId).open(endpoint);
        try {
            return await(opened, invoker);
        } catch (final PmException e) {
            // Opened or not, the loop sees this command after the first one.
            abandon(endpoint, opened);
            throw e;
        }
    }

    /**
     * Lets a context use remote memory. Blocks until its loop has done so, at most 4 seconds.
     *
     * @param memory lent for it, in the size that the request needs; given back if it cannot be.
     * @throws PmException if it cannot be; the message gives the reason.
     */
    void openRemote(
            final ContextEndpoint endpoint,
            final RemoteRequest request,
            final LentMemory memory,
            final NodeInvoker invoker)
            throws PmException {
        final int mtuBytes = parts.mtuBytes();
        final int contextId = endpoint.contextId();
        final RemoteEndpoint remote =
                new RemoteEndpoint(
                        contextId,
                        new RemoteEndpoint.Size(parts.nodeCount(), parts.contexts(), mtuBytes),
                        new RemoteContext(endpoint),
                        endpoint.application().grants(),
                        counters[parts.loopIndex(contextId)],
                        request.area(memory.address(), mtuBytes));
        final CompletableFuture<ContextEndpoint> opened =
                loop(contextId).openRemote(endpoint, remote, memory);
        final CompletableFuture<?> _ =
                opened.whenComplete(
                        (done, failure) -> {
                            if (failure != null) {
                                endpoint.application().giveBack(memory);
                            }
                        });
        await(opened, invoker);
    }

    private void check(final AttachedProcess attachedProcess, final int contextId)
            throws PmException {
        if (contextId < 0 || contextId >= parts.contexts()) {
            throw new PmException(
                    "the node has contexts 0 to " + (parts.contexts() - 1) + ", not " + contextId);
        }
        if (contextId == NODE_CONTEXT && !attachedProcess.isLocal()) {
            throw new PmException("context 0 is the node's own: open another one");
        }
        attachedProcess.account().checkContext(contextId);
    }

    private void abandon(
            final ContextEndpoint endpoint, final CompletableFuture<ContextEndpoint> opened) {
        final CompletableFuture<?> _ =
                opened.whenComplete(
                        (done, failure) -> {
                            if (failure == null) {
                                close(endpoint);
                            } else {
                                endpoint.memory().unuse();
                                endpoint.application().onClosed(endpoint);
                            }
                            unuseIfLocal(endpoint.memory());
                        });
    }

    private static void unuseIfLocal(final EndpointMemory memory) {
        if (memory.application().isLocal()) {
            memory.unuse();
        }
    }

    private static ContextEndpoint await(
            final CompletableFuture<ContextEndpoint> opened, final NodeInvoker invoker)
            throws PmException {
        try {
            while (invoker != null && !opened.isDone()) {
                invoker.run(0);
            }
            return opened.get(OPEN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PmException("interrupted while the context was opened", e);
        } catch (final ExecutionException e) {
            final Throwable cause = e.getCause();
            final String why = cause.getMessage() != null ? cause.getMessage() : cause.toString();
            throw cause instanceof NodeStopsException
                    ? PmException.nodeMissing(why, e)
                    : new PmException(why, e);
        } catch (final TimeoutException e) {
            throw new PmException(
                    "the node has not opened the context within "
                            + OPEN_TIMEOUT_MS
                            + " ms: it is overloaded or hangs",
                    e);
        }
    }

    /** Asks the loop of a context to close it; any thread, does not block. */
    void close(final ContextEndpoint endpoint) {
        close(endpoint, CloseReason.DETACHED);
    }

    private void close(final ContextEndpoint endpoint, final CloseReason reason) {
        loop(endpoint.contextId()).close(endpoint, reason);
    }

    /** An application is gone: closes its contexts; any thread, does not block. */
    void detach(final AttachedProcess attachedProcess) {
        attachedProcess.contexts().forEach(context -> close(context, CloseReason.GONE));
        attachedProcess.detach();
    }

    private int nextIncarnation() {
        final int next = incarnations.incrementAndGet();
        return next != 0 ? next : incarnations.incrementAndGet();
    }

    /** What a context's flows may do: the node's own context may answer everybody. */
    private FlowRights rights(final AttachedProcess attachedProcess, final int contextId) {
        return attachedProcess.isLocal() && contextId == NODE_CONTEXT
                ? shares.service()
                : attachedProcess.account();
    }

    private ContextLoopProxy loop(final int contextId) {
        return loops[parts.loopIndex(contextId)];
    }
}
