package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.config.IpConfig;
import io.hxb.flow.order.FlowMap;
import io.hxb.flow.route.RouteTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * All flows of one node. Made once; its loops do the work. Each method states which thread may call
 * it.
 *
 * <p>Memory: a peer with one flow each way takes {@link #bytesPerPeer()} bytes of heap, made when
 * the flow opens; frames in flight lie in each loop's fixed native memory (see {@link FlowSizes}),
 * received ones in the buffer pool. With the default window that is about 5 KB a peer.
 */
public final class FlowTable implements AutoCloseable {
    private static final int GENERATIONS = 1 << 10;
    private static final int INDEX_BITS = 21;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

    private final FlowConfig config;
    private final int packetWeight;
    private final FlowSizes sizes;
    private final FlowCookies flowCookies;
    private final Tombstones tombstones;
    private final Shape shape;
    private final long ownCoordinates;
    private final BufferPool pool;
    private final FlowListener listener;
    private final AtomicReferenceArray<FlowContext> contexts;
    private final FlowMap<ReceiveFlow> receiveFlows;
    private final FlowMap<SendFlow> sendFlows;
    private final AtomicReferenceArray<ReceiveFlow> handles;
    private final int[] freeHandles;
    private final short[] generations;
    private final int[] inboxLinks;
    private final Arena arena = Arena.ofShared();
    private final CreditSizes creditSizes;
    private final CreditPool credit;
    private final GuaranteePool guarantees;
    private int freeHandleCount;

    /**
     * Makes the flows of one node.
     *
     * @param config times and thresholds, as the cluster has them.
     * @param ip of the virtual NIC, for the weight of its packets.
     * @param sizes of everything that they have.
     * @param ownCoordinates coordinates of the node in {@code shape}.
     * @param pool where received frames lie.
     * @param listener called when something arrives; see there for its threads.
     */
    public FlowTable(
            final FlowConfig config,
            final IpConfig ip,
            final FlowSizes sizes,
            final Shape shape,
            final long ownCoordinates,
            final BufferPool pool,
            final FlowListener listener) {
        this(
                config,
                ip,
                sizes,
                shape,
                ownCoordinates,
                pool,
                listener,
                new FlowCookies(config.peerTimeoutNs()));
    }

    /** As the other constructor, with first sequences from {@code flowCookies}. */
    FlowTable(
            final FlowConfig config,
            final IpConfig ip,
            final FlowSizes sizes,
            final Shape shape,
            final long ownCoordinates,
            final BufferPool pool,
            final FlowListener listener,
            final FlowCookies flowCookies) {
        this.config = config;
        packetWeight = ip.weight();
        this.sizes = sizes;
        this.flowCookies = flowCookies;
        tombstones =
                new Tombstones(
                        sizes.maxFlows(), config.idleTimeoutNs() + 2 * config.peerTimeoutNs());
        this.shape = shape;
        this.ownCoordinates = ownCoordinates;
        this.pool = pool;
        this.listener = listener;
        contexts =
                new AtomicReferenceArray<>(
                        ContextKind.PACKETS * sizes.maxContexts() + ContextKind.PACKET_ENDS);
        receiveFlows = new FlowMap<>(sizes.maxFlows());
        sendFlows = new FlowMap<>(sizes.maxFlows());
        // A flow that ended keeps its handle while the application holds frames of it.
        final int handleCount = 2 * sizes.maxFlows();
        handles = new AtomicReferenceArray<>(handleCount);
        freeHandles = new int[handleCount];
        generations = new short[handleCount];
        for (int index = handleCount - 1; index >= 0; index--) {
            assert freeHandleCount < freeHandles.length : "a handle was freed twice";
            freeHandles[freeHandleCount++] = index;
        }
        inboxLinks = new int[pool.bufferCount()];
        final int free = Math.max(1, pool.bufferCount() - sizes.reservedBuffers());
        creditSizes = CreditSizes.of(free, sizes.maxContexts());
        credit = new CreditPool(creditSizes.lentFrames());
        guarantees = new GuaranteePool(creditSizes);
    }

    /**
     * Opens a context for its owner loop, or before the loops start.
     *
     * @param contextId a number of 0 to {@link FlowSizes#maxContexts()} - 1, of any {@link
     *     ContextKind}; not open.
     * @param incarnation not 0; later than that of any earlier opening, in serial arithmetic.
     * @param inbox of the loop that sends for the context and answers its sources.
     * @param recall of that loop.
     */
    FlowContext openContext(
            final int contextId,
            final int incarnation,
            final LoopInbox inbox,
            final CreditRecallTimer recall,
            final ContextTerms terms) {
        final int index = index(contextId);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "contextId must be 0.." + (sizes.maxContexts() - 1) + ": " + contextId);
        }
        if (incarnation == 0) {
            throw new IllegalArgumentException("incarnation must not be 0");
        }
        final FlowContext before = contexts.get(index);
        if (before != null && before.isOpen()) {
            throw new IllegalStateException("context is open already: " + contextId);
        }
        final CreditSizes guarantee =
                ContextKind.of(contextId) == ContextKind.MESSAGES
                        ? creditSizes
                        : creditSizes.withoutGuarantee();
        final ContextCredit quota = new ContextCredit(recall, guarantee, guarantees, credit, terms);
        final FlowContext context =
                new FlowContext(contextId, incarnation, inbox, quota, terms, before);
        contexts.setRelease(index, context);
        return context;
    }

    /**
     * The flow of a frame that a context holds or held.
     *
     * @param flowHandle as given to {@link FlowListener#onFrame}.
     * @return null if the flow is forgotten.
     */
    ReceiveFlow flowOf(final int flowHandle) {
        final ReceiveFlow flow = handles.getAcquire(flowHandle & INDEX_MASK);
        return flow != null && flow.ends.flowHandle() == flowHandle ? flow : null;
    }

    /** Flows that have state for sending. Any thread. */
    public int sendingFlows() {
        return sendFlows.size();
    }

    /** Flows that have state for receiving. Any thread. */
    public int receivingFlows() {
        return receiveFlows.size();
    }

    /**
     * Pool buffers in ordering arrays, of flows that have ended too: for reports. Any thread; exact
     * only while nothing moves.
     */
    public int storedBuffers() {
        int buffers = 0;
        for (int index = 0; index < handles.length(); index++) {
            final ReceiveFlow flow = handles.getAcquire(index);
            buffers += flow == null ? 0 : flow.array.storedFrames();
        }
        return buffers;
    }

    /** The frames that contexts borrow beyond what is guaranteed to each; any thread. */
    public CreditPool credit() {
        return credit;
    }

    /** The frames that are guaranteed to open contexts beyond the floor of each. */
    GuaranteePool guarantees() {
        return guarantees;
    }

    /** Bytes of heap that one flow each way with a peer takes at most, with its table entries. */
    public int bytesPerPeer() {
        final int entryBytes = 2 * 4 * 8;
        return SendFlow.bytes(config.windowFrames())
                + ReceiveFlow.bytes(config.windowFrames())
                + entryBytes;
    }

    /** Bytes of native memory that each loop takes, whatever the number of peers. */
    public long bytesPerLoop() {
        return TxPool.bytes(sizes, config.windowFrames());
    }

    /** Frees the loops' native memory; after links have given every frame back. */
    @Override
    public void close() {
        arena.close();
    }

    /** Memory of the loops, which lasts as long as this. */
    Arena arena() {
        return arena;
    }

    /** The links of frames in inboxes, [buffers of the pool]. */
    int[] inboxLinks() {
        return inboxLinks;
    }

    /** Weight of packets of the virtual NIC beside messages, {@link KindShares}. */
    int packetWeight() {
        return packetWeight;
    }

    FlowConfig config() {
        return config;
    }

    FlowSizes sizes() {
        return sizes;
    }

    /** What the first sequences of receiving flows are made from. */
    FlowCookies cookies() {
        return flowCookies;
    }

    /** What contexts that are closed had of their flows. */
    Tombstones tombstones() {
        return tombstones;
    }

    Shape shape() {
        return shape;
    }

    long ownCoordinates() {
        return ownCoordinates;
    }

    BufferPool pool() {
        return pool;
    }

    FlowListener listener() {
        return listener;
    }

    FlowMap<ReceiveFlow> receiveFlows() {
        return receiveFlows;
    }

    FlowMap<SendFlow> sendFlows() {
        return sendFlows;
    }

    /** The context if it is open, else null; any number. */
    FlowContext context(final int contextId) {
        final int index = index(contextId);
        final FlowContext context = index >= 0 ? contexts.getAcquire(index) : null;
        return context != null && context.isOpen() ? context : null;
    }

    /** Where the context of any kind lies in the table; -1 if there is no such number. */
    private int index(final int contextId) {
        final int kind = ContextKind.of(contextId);
        final int number = ContextKind.number(contextId);
        final int count =
                kind == ContextKind.PACKETS ? ContextKind.PACKET_ENDS : sizes.maxContexts();
        return kind >= 0 && kind < ContextKind.COUNT && number < count
                ? kind * sizes.maxContexts() + number
                : -1;
    }

    int queuedFrames(final int contextId) {
        final FlowContext context = contexts.getAcquire(index(contextId));
        return context == null ? 0 : context.queuedFrames();
    }

    /** True if {@code context} may have another receiving flow. */
    boolean hasRoom(final FlowContext context) {
        return isShare(context.receiveFlowCount(), sizes.maxFlows() - receiveFlows.size());
    }

    /**
     * True if a context that has {@code count} may have another when {@code free} are left: if it
     * has fewer than are left. So one context alone gets half of all, several get equal parts, and
     * something is always left for the next one. Source: Choudhury and Hahne, Dynamic queue length
     * thresholds for shared-memory packet switches, 1998.
     */
    private static boolean isShare(final int count, final int free) {
        return count < free;
    }

    /** True if fewer than half of the flows are free that {@code context} could have. */
    boolean isShort(final FlowContext context) {
        return 2 * context.sendFlowCount() >= sizes.maxFlows() - sendFlows.size()
                || 2 * context.receiveFlowCount() >= sizes.maxFlows() - receiveFlows.size();
    }

    /**
     * A new receiving flow for {@code frame} from {@code node}, one of the first frames of it.
     *
     * @param issueNs when the ticket was issued that the frame shows.
     * @return null when there are too many.
     */
    ReceiveFlow newReceiveFlow(
            final FlowContext context,
            final int node,
            final FrameHeaderFlyweight frame,
            final long issueNs) {
        if (!hasRoom(context) || !context.rights.takeFlow()) {
            return null;
        }
        final int handle = newHandle(context.handles());
        if (handle < 0) {
            context.rights.giveBackFlow();
            return null;
        }
        final ReceiveFlow flow =
                new ReceiveFlow(
                        context,
                        node,
                        frame,
                        flowCookies.first(context, frame, issueNs),
                        issueNs,
                        config.windowFrames(),
                        handle);
        handles.setRelease(handle & INDEX_MASK, flow);
        if (!receiveFlows.put(flow)) {
            freeHandle(flow);
            context.rights.giveBackFlow();
            return null;
        }
        context.add(flow);
        flow.join(sendFlows.get(flow.key));
        return flow;
    }

    /** A new sending flow; null when the node or the context has too many. */
    SendFlow newSendFlow(
            final FlowContext context,
            final int node,
            final int peerContext,
            final RouteTable routes) {
        if (!isShare(context.sendFlowCount(), sizes.maxFlows() - sendFlows.size())
                || !context.rights.takeFlow()) {
            return null;
        }
        final SendFlow flow = new SendFlow(this, context, node, peerContext, routes);
        if (!sendFlows.put(flow)) {
            context.rights.giveBackFlow();
            return null;
        }
        context.add(flow);
        final ReceiveFlow receiving = receiveFlows.get(flow.key);
        if (receiving != null) {
            receiving.join(flow);
        }
        return flow;
    }

    /**
     * Forgets a handle; true the first time. Handles are made and freed only when flows come and
     * go, so a lock is fast enough.
     */
    synchronized boolean freeHandle(final ReceiveFlow flow) {
        final int index = flow.ends.flowHandle() & INDEX_MASK;
        if (handles.get(index) != flow) {
            return false;
        }
        handles.set(index, null);
        assert freeHandleCount < freeHandles.length : "a handle was freed twice";
        freeHandles[freeHandleCount++] = index;
        return true;
    }

    /** A handle for a context that has {@code count} of them; -1 for none. */
    private synchronized int newHandle(final int count) {
        if (!isShare(count, freeHandleCount)) {
            return -1;
        }
        final int index = freeHandles[--freeHandleCount];
        generations[index] = (short) ((generations[index] + 1) % GENERATIONS);
        return generations[index] << INDEX_BITS | index;
    }
}
