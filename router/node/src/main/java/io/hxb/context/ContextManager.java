package io.hxb.context;

import io.hxb.config.ContextConfig;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantPlan;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowRights;
import io.hxb.link.BufferPool;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmException;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.LinkEventRing;
import io.hxb.pm.shm.NodePage;
import io.hxb.remote.RemoteEndpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * All contexts of a node. Flows deliver into it from any loop; applications are attached by any
 * thread; each loop serves its contexts by its {@link ContextLoop}.
 */
public final class ContextManager implements FlowListener, AutoCloseable {
    /** Context of the node itself. */
    private static final int NODE_CONTEXT = 0;

    private static final long OPEN_TIMEOUT_MS = 4_000;
    private static final int SEALS =
            SharedMemory.SEAL_SHRINK
                    | SharedMemory.SEAL_GROW
                    | SharedMemory.SEAL_FUTURE_WRITE
                    | SharedMemory.SEAL_SEALS;

    /** Processes that may be attached at once. */
    static final int MAX_CONNECTIONS = 2_048;

    private final ContextParts parts;
    private final UserShares shares;
    private final BufferPool pool;
    private final SharedMemory receivePool;
    private final SharedMemory nodePage;
    private final NodePage page;
    private final BufferLedger books;
    private final AtomicReferenceArray<ContextEndpoint> endpoints;
    private final DirectOffers directOffers;
    private final ContextLoopProxy[] loops;
    private final CounterBlock[] counters;
    private final MemoryReclaimer memoryReclaimer;
    private final AtomicInteger incarnations;
    // This object and the attachments in this process, which all use the node page.
    private final AtomicInteger localUsers = new AtomicInteger(1);
    private final AtomicLong eventsLost = new AtomicLong();
    private final AtomicLong framesRefused = new AtomicLong();
    private final AtomicLong contextsRefused = new AtomicLong();
    private final AtomicLong attachmentsAccepted = new AtomicLong();
    private final AtomicLong attachmentsRefused = new AtomicLong();

    /**
     * Makes the contexts of a node.
     *
     * @param pool lies over {@code receivePool}.
     * @param receivePool made by {@link #createReceivePool}; the caller closes it, after this.
     */
    public ContextManager(
            final ContextParts parts, final BufferPool pool, final SharedMemory receivePool)
            throws LinuxException {
        this(
                parts,
                pool,
                receivePool,
                UserShares.of(parts.cluster(), MAX_CONNECTIONS),
                new MemoryReclaimer());
    }

    /**
     * As the other constructor, with the shares of its users and the thread that gives memory back.
     */
    ContextManager(
            final ContextParts parts,
            final BufferPool pool,
            final SharedMemory receivePool,
            final UserShares shares,
            final MemoryReclaimer memoryReclaimer)
            throws LinuxException {
        this.parts = parts;
        this.shares = shares;
        this.pool = pool;
        this.receivePool = receivePool;
        loops = ContextLoopProxy.ofLoops(parts.loops());
        counters = new CounterBlock[loops.length];
        nodePage = createNodePage(loops);
        page = new NodePage(nodePage.address());
        page.initialize(
                new NodePage.Facts(
                        parts.nodeId(),
                        parts.nodeCount(),
                        parts.cluster().shape().toString(),
                        parts.mtuBytes(),
                        parts.contexts(),
                        pool.bufferCount(),
                        pool.bufferBytes(),
                        parts.incarnation(),
                        parts.loops()));
        books = new BufferLedger(pool.bufferCount());
        endpoints = new AtomicReferenceArray<>(parts.contexts());
        directOffers = new DirectOffers(this, parts.mtuBytes());
        this.memoryReclaimer = memoryReclaimer;
        incarnations = new AtomicInteger(parts.incarnation());
    }

    private static SharedMemory createNodePage(final ContextLoopProxy[] loops)
            throws LinuxException {
        try {
            final SharedMemory memory = SharedMemory.create("hxb-node", NodePage.LENGTH_BYTES);
            memory.seal(SEALS);
            return memory;
        } catch (final LinuxException e) {
            for (final ContextLoopProxy loop : loops) {
                loop.close();
            }
            throw e;
        }
    }

    /**
     * Makes the memory of a receive pool, which only this process can ever write.
     *
     * @param lengthBytes 1 or more; of huge pages a multiple of 2 MB.
     * @param isHuge whether to use huge pages.
     * @throws LinuxException if there is not enough memory, or not enough huge pages.
     */
    public static SharedMemory createReceivePool(final long lengthBytes, final boolean isHuge)
            throws LinuxException {
        final SharedMemory memory =
                isHuge
                        ? SharedMemory.createHuge("hxb-receive", lengthBytes)
                        : SharedMemory.create("hxb-receive", lengthBytes);
        memory.seal(SEALS);
        return memory;
    }

    /**
     * Makes the agent of loop {@code index}; once for each, before applications attach.
     *
     * @param port the flows of the same loop.
     * @param loopCounters of the same loop.
     */
    public ContextLoop newLoop(
            final int index, final FlowPort port, final CounterBlock loopCounters) {
        counters[index] = loopCounters;
        return new ContextLoop(this, index, port, loops[index], loopCounters);
    }

    /**
     * Attaches this process: any thread, any number of times.
     *
     * @param invoker runs the node's loop, when the application's thread has to; else null.
     */
    public Attachment attach(final NodeInvoker invoker) {
        return new LocalAttachment(this, invoker);
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        final boolean isMessages = ContextKind.of(ends.contextId()) == ContextKind.MESSAGES;
        final ContextEndpoint endpoint = endpoints.get(ContextKind.number(ends.contextId()));
        if (endpoint != null && endpoint.incarnation() == ends.incarnation()) {
            final int answer =
                    isMessages
                            ? endpoint.deliver(
                                    ends, bufferId, bodyAddress, bodyLengthBytes, messageCount)
                            : endpoint.remote().onFrame(ends, bodyAddress, messageCount);
            if (answer != FULL) {
                return answer;
            }
        }
        framesRefused.incrementAndGet();
        return FULL;
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        final ContextEndpoint endpoint = endpoints.get(ContextKind.number(contextId));
        if (endpoint != null) {
            if (ContextKind.of(contextId) == ContextKind.MESSAGES) {
                endpoint.sends().onSendDone(sendSlot, status);
            } else {
                endpoint.remote().onSendDone(contextId, sendSlot, status);
            }
        }
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        final ContextEndpoint endpoint = endpoints.get(contextId);
        if (endpoint != null) {
            endpoint.sends().onRunDone(firstSlot, messages, status);
        }
    }

    @Override
    public void onSendsFailed(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        // Each of those messages is an event for the application.
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        // Operations on remote memory end by their own outcomes.
        if (ContextKind.of(contextId) != ContextKind.MESSAGES) {
            return;
        }
        final ContextEndpoint endpoint = endpoints.get(contextId);
        if (endpoint != null && !endpoint.onPeerStatus(peerNode, peerContext, status)) {
            eventsLost.incrementAndGet();
        }
    }

    /** Events that were not reported because the application had not taken earlier ones. */
    public long eventsLost() {
        return eventsLost.get();
    }

    /** Frames refused because the application's delivery ring was full at that time. */
    public long framesRefused() {
        return framesRefused.get();
    }

    /**
     * Receive buffers of the node that applications hold or have not looked at; for reports, any
     * thread.
     */
    public int heldBuffers() {
        return books.heldBuffers();
    }

    /** Contexts that could not be opened: too many, or the number was taken. */
    public long contextsRefused() {
        return contextsRefused.get();
    }

    /** Applications of other processes that have attached. */
    public long attachmentsAccepted() {
        return attachmentsAccepted.get();
    }

    /** Applications that were refused, or detached because they broke the protocol. */
    public long attachmentsRefused() {
        return attachmentsRefused.get();
    }

    void onAttachAccepted() {
        attachmentsAccepted.incrementAndGet();
    }

    /** Counts a refusal; returns how many there have been. */
    long onAttachRefused() {
        return attachmentsRefused.incrementAndGet();
    }

    /**
     * Distinguishes one opening of a context from the next; any thread.
     *
     * @param contextId any number.
     * @return 0 if nobody has it open.
     */
    public int incarnation(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint == null ? 0 : endpoint.incarnation();
    }

    /**
     * Number of the tenant whose user has a context open; any thread.
     *
     * @param contextId any number.
     * @return that of nobody if the context is not open.
     */
    public int tenant(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint == null ? TenantPlan.NO_TENANT : endpoint.application().account().tenant();
    }

    /**
     * True if a context is open and its tenant may talk with itself; any thread.
     *
     * @param contextId any number.
     */
    public boolean mayTalkWithItself(final int contextId) {
        final ContextEndpoint endpoint = endpoint(contextId);
        return endpoint != null && endpoint.application().account().mayTalkWithItself();
    }

    /** How often users were refused more of a share than they may have; any thread. */
    public long sharesRefused(final ResourceShare share) {
        return shares.refused(share);
    }

    /** Number of contexts that are open or being closed. */
    public int openContexts() {
        int count = 0;
        for (int i = 0; i < endpoints.length(); i++) {
            count += endpoints.get(i) == null ? 0 : 1;
        }
        return count;
    }

    /**
     * Opens a context. Blocks until its loop has done so, at most 4 seconds.
     *
     * @param memory of its application; given back if it cannot be opened.
     * @throws PmException if it cannot be opened; the message says why.
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
                new ContextEndpoint(this, memory, contextId, nextIncarnation(), peerWaitNs);
        attachedProcess.add(endpoint);
        final CompletableFuture<ContextEndpoint> opened = loop(contextId).open(endpoint);
        try {
            return await(opened, invoker);
        } catch (final PmException e) {
            // Opened or not, the loop sees this command behind the first one.
            abandon(endpoint, opened);
            throw e;
        }
    }

    /**
     * Lets a context use remote memory. Blocks until its loop has done so, at most 4 seconds.
     *
     * @param memory lent for it, in the size that the request needs; given back if it cannot be.
     * @throws PmException if it cannot be; the message says why.
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
                        counters[loopIndex(contextId)],
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

    /** The rings by which contexts send to each other directly. */
    DirectOffers directOffers() {
        return directOffers;
    }

    /** The open context with a number; null if there is none. */
    ContextEndpoint endpoint(final int contextId) {
        final ContextEndpoint endpoint =
                contextId >= 0 && contextId < endpoints.length() ? endpoints.get(contextId) : null;
        return endpoint == null || endpoint.isClosing() ? null : endpoint;
    }

    /** True from the opening of a context until it is closed completely. */
    boolean isRegistered(final ContextEndpoint endpoint) {
        return endpoints.get(endpoint.contextId()) == endpoint;
    }

    /** Tells a context that there is a change of its direct rings; any thread. */
    void onDirectChange(final ContextEndpoint endpoint, final boolean isReceiverGone) {
        loop(endpoint.contextId()).onDirectChange(endpoint, isReceiverGone);
    }

    private ContextLoopProxy loop(final int contextId) {
        return loops[loopIndex(contextId)];
    }

    int loopIndex(final int contextId) {
        return contextId % loops.length;
    }

    void onAttached() {
        localUsers.incrementAndGet();
    }

    void onDetached() {
        if (localUsers.decrementAndGet() == 0) {
            nodePage.close();
        }
    }

    /**
     * Enters a context under its number; called by its loop.
     *
     * @return false if the number is still being given up.
     * @throws IllegalStateException if it is in use; the message says by whom.
     */
    boolean register(final ContextEndpoint endpoint) {
        final int contextId = endpoint.contextId();
        if (endpoints.compareAndSet(contextId, null, endpoint)) {
            return true;
        }
        final ContextEndpoint other = endpoints.get(contextId);
        if (!other.isClosing()) {
            throw new IllegalStateException(
                    "context " + contextId + " is in use by " + other.application().name());
        }
        return false;
    }

    void unregister(final ContextEndpoint endpoint) {
        endpoints.set(endpoint.contextId(), null);
    }

    /** Receive buffers that each context of an application has of its own; 0 if it has none. */
    int ownBuffers(final AttachedProcess attachedProcess) {
        final ContextConfig context = parts.cluster().context();
        return context.isolation() == ContextConfig.Isolation.SHARED || attachedProcess.isLocal()
                ? 0
                : context.ownBuffers();
    }

    /** Where received frames lie. */
    BufferPool pool() {
        return pool;
    }

    long bufferAddress(final int bufferId) {
        return pool.address(bufferId);
    }

    MemoryReclaimer memoryReturn() {
        return memoryReclaimer;
    }

    ContextParts parts() {
        return parts;
    }

    /** What a context's flows may do: the node's own context may answer everybody. */
    FlowRights rights(final AttachedProcess attachedProcess, final int contextId) {
        return attachedProcess.isLocal() && contextId == NODE_CONTEXT
                ? shares.service()
                : attachedProcess.account();
    }

    UserShares shares() {
        return shares;
    }

    BufferLedger books() {
        return books;
    }

    /** Where applications find changes of the node's links; one writer. */
    public LinkEventRing linkEvents() {
        return page.linkEvents();
    }

    /** Wakes the applications that sleep, after something was put there; any thread. */
    public void onLinkEvents() {
        for (final ContextLoopProxy loop : loops) {
            loop.onLinkEvent();
        }
    }

    NodePage page() {
        return page;
    }

    SharedMemory nodePageMemory() {
        return nodePage;
    }

    SharedMemory receivePoolMemory() {
        return receivePool;
    }

    /**
     * Tells applications that the node is gone. After all loops have been closed; devices in this
     * process are closed before, because the receive pool goes away.
     */
    @Override
    public void close() {
        if (page.state() == NodePage.ALIVE) {
            page.state(NodePage.CLOSED);
            for (final ContextLoopProxy loop : loops) {
                loop.close();
            }
            memoryReclaimer.close();
            onDetached();
        }
    }
}
