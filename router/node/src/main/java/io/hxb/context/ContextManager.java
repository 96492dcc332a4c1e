package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowRights;
import io.hxb.link.BufferPool;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.shm.LinkEventRing;
import io.hxb.pm.shm.NodePage;

import java.util.concurrent.atomic.AtomicLong;

/**
 * All contexts of a node. Flows deliver into it from any loop; applications are attached by any
 * thread; each loop serves its contexts by its {@link ContextLoop}.
 */
public final class ContextManager implements AutoCloseable {
    /** Processes that may be attached at once. */
    static final int MAX_CONNECTIONS = 2_048;

    private final ContextParts parts;
    private final UserShares shares;
    private final NodeMemory memory;
    private final ContextTable table;
    private final ContextDelivery delivery;
    private final ContextOpener opener;
    private final DirectOffers directOffers;
    private final ContextLoopProxy[] loops;
    private final CounterBlock[] counters;
    private final FlowLists flowLists;
    private final MemoryReclaimer memoryReclaimer;
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
        this.memoryReclaimer = memoryReclaimer;
        loops = ContextLoopProxy.ofLoops(parts.loops());
        memory = memory(parts, pool, receivePool);
        table = new ContextTable(parts.contexts());
        delivery = new ContextDelivery(table);
        counters = new CounterBlock[loops.length];
        opener = new ContextOpener(parts, memory, shares, loops, counters);
        directOffers =
                new DirectOffers(
                        table,
                        (endpoint, isReceiverGone) ->
                                loops[parts.loopIndex(endpoint.contextId())].onDirectChange(
                                        endpoint, isReceiverGone),
                        parts.mtuBytes());
        flowLists = new FlowLists(parts, shares, table, directOffers, loops);
    }

    private NodeMemory memory(
            final ContextParts node, final BufferPool pool, final SharedMemory receivePool)
            throws LinuxException {
        try {
            return new NodeMemory(node, pool, receivePool);
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
        return NodeMemory.createReceivePool(lengthBytes, isHuge);
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
        return new ContextLoop(
                index,
                port,
                loops[index].commands(),
                loopCounters,
                table,
                directOffers,
                memory.page());
    }

    /**
     * What flows may do that carry packets of the node's virtual NIC. Called once, before the loops
     * run.
     *
     * @param tenant to whom they belong; empty for nobody.
     */
    public FlowRights packetRights(final String tenant) {
        return tenant.isEmpty()
                ? FlowRights.ALL
                : shares.virtualNic(parts.cluster().tenants().id(tenant));
    }

    /**
     * Attaches this process: any thread, any number of times.
     *
     * @param invoker runs the node's loop, when the application's thread has to; else null.
     */
    public Attachment attach(final NodeInvoker invoker) {
        final AttachedProcess process =
                new AttachedProcess(
                        true,
                        "this process",
                        (int) ProcessHandle.current().pid(),
                        shares.node(),
                        memoryReclaimer);
        return new LocalAttachment(parts, memory, opener, process, invoker);
    }

    /** Where flows deliver; called by any loop. */
    public FlowListener delivery() {
        return delivery;
    }

    /** Events that were not reported because the application had not taken earlier ones. */
    public long eventsLost() {
        return delivery.eventsLost();
    }

    /** Frames refused because the application's delivery ring was full at that time. */
    public long framesRefused() {
        return delivery.framesRefused();
    }

    /**
     * Receive buffers of the node that applications hold or have not looked at; for reports, any
     * thread.
     */
    public int heldBuffers() {
        return memory.books().heldBuffers();
    }

    /** Contexts that could not be opened: too many, or the number was taken. */
    public long contextsRefused() {
        return opener.contextsRefused();
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
        return table.incarnation(contextId);
    }

    /**
     * Number of the tenant whose user has a context open; any thread.
     *
     * @param contextId any number.
     * @return that of nobody if the context is not open.
     */
    public int tenant(final int contextId) {
        return table.tenant(contextId);
    }

    /**
     * True if a context is open and its tenant may talk with itself; any thread.
     *
     * @param contextId any number.
     */
    public boolean mayTalkWithItself(final int contextId) {
        return table.mayTalkWithItself(contextId);
    }

    /** Number of contexts that are open or being closed. */
    public int openContexts() {
        return table.openContexts();
    }

    /** How often users were refused more of a share than they may have; any thread. */
    public long sharesRefused(final ResourceShare share) {
        return shares.refused(share);
    }

    /** The rings by which contexts send to each other directly. */
    DirectOffers directOffers() {
        return directOffers;
    }

    /** Who talks to whom; for the attach thread. */
    FlowLists flowLists() {
        return flowLists;
    }

    /** The memory that all applications see. */
    NodeMemory memory() {
        return memory;
    }

    /** Opens and closes contexts. */
    ContextOpener opener() {
        return opener;
    }

    MemoryReclaimer memoryReturn() {
        return memoryReclaimer;
    }

    ContextParts parts() {
        return parts;
    }

    UserShares shares() {
        return shares;
    }

    /** Where applications find changes of the node's links; one writer. */
    public LinkEventRing linkEvents() {
        return memory.page().linkEvents();
    }

    /** Wakes the applications that sleep, after something was put there; any thread. */
    public void onLinkEvents() {
        for (final ContextLoopProxy loop : loops) {
            loop.onLinkEvent();
        }
    }

    /**
     * Notifies applications that the node is gone. After all loops have been closed; devices in
     * this process are closed before, because the receive pool goes away.
     */
    @Override
    public void close() {
        final NodePage page = memory.page();
        if (page.state() == NodePage.ALIVE) {
            page.state(NodePage.CLOSED);
            for (final ContextLoopProxy loop : loops) {
                loop.close();
            }
            memoryReclaimer.close();
            memory.unuse();
        }
    }
}
