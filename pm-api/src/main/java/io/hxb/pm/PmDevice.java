package io.hxb.pm;

import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RunFolders;
import io.hxb.pm.shm.LinkEventRing;
import io.hxb.pm.shm.NodePage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * An application's attachment to the node of its machine, from another process or from within the
 * node's. Any thread may call it; each {@link PmContext} it opens belongs to one thread.
 *
 * <pre>{@code
 * try (PmDevice device = PmDevice.attach();
 *         PmContext context = device.openContext(1)) {
 *     context.send(peerNode, 1, "hello".getBytes(US_ASCII), 42, SECOND_NS);
 *     PmMessage message = new PmMessage();
 *     if (context.receive(message, 10 * SECOND_NS) == PmStatus.OK) {
 *         System.out.println(message.buffer().getStringWithoutLengthAscii(0, message.lengthBytes()));
 *         context.release(message);
 *     }
 *     context.awaitAllSends(SECOND_NS);
 * }
 * }</pre>
 */
public final class PmDevice implements AutoCloseable {
    private final Attachment attachment;
    private final NodePage.Facts facts;
    private final int[] extents;
    private final List<PmContext> contexts = new ArrayList<>();
    private final LinkEventRing linkEvents;
    private volatile PmLinkListener linkListener;
    private volatile boolean isClosed;

    private PmDevice(final Attachment attachment) {
        this.attachment = attachment;
        final NodePage page = new NodePage(attachment.nodePageAddress());
        facts = page.facts();
        linkEvents = page.linkEvents();
        linkEvents.skip();
        final String[] parts = facts.shape().split("x", -1);
        extents = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            extents[i] = Integer.parseInt(parts[i]);
        }
    }

    /**
     * Attaches to the node of this machine: the one whose socket {@code HXB_SOCKET} names,
     * otherwise the only one that has its socket in the folder that {@code HXB_RUN} names; without
     * both, in the first of {@code /run/hxb}, {@code $XDG_RUNTIME_DIR/hxb} and {@code hxb-USER} in
     * the folder for temporary files that has a node's socket. A folder's labs count when it has no
     * other. Blocks for at most 5 seconds.
     *
     * @return the device, which the caller closes.
     * @throws IOException if there is no node, or more than one in that folder, which are then
     *     listed; otherwise as {@link #attach(Path)}.
     */
    public static PmDevice attach() throws IOException {
        checkNativeAccess();
        return attach(NodeSockets.find(System.getenv(), RunFolders.ofThisProcess().searched()));
    }

    /**
     * Attaches to the node that listens on a Unix socket. Blocks for at most 5 seconds.
     *
     * @param socket path of the node's socket.
     * @return the device, which the caller closes.
     * @throws IOException if no node listens there, it is of another version, or it refuses this
     *     user; the message explains what to do.
     */
    public static PmDevice attach(final Path socket) throws IOException {
        checkNativeAccess();
        return over(SocketAttachment.connect(socket));
    }

    // The JVM only warns by default, but it can be set to refuse.
    @SuppressWarnings("restricted")
    private static void checkNativeAccess() throws PmException {
        try {
            final MemorySegment ignored = MemorySegment.NULL.reinterpret(1);
        } catch (final IllegalCallerException e) {
            throw new PmException(
                    "this JVM refuses native access, by which HXB makes system calls: start it with"
                            + " --enable-native-access="
                            + Objects.requireNonNullElse(
                                    PmDevice.class.getModule().getName(), "ALL-UNNAMED"),
                    e);
        }
    }

    /**
     * Makes the device of a node in this process, which alone can make such an attachment.
     *
     * @param attachment closed by this device.
     * @return the device, which the caller closes.
     * @hidden
     */
    // Applications see neither the method, in Javadoc, nor its type, which is not exported.
    @SuppressWarnings({"exports", "InvalidBlockTag"})
    public static PmDevice over(final Attachment attachment) {
        return new PmDevice(attachment);
    }

    /** {@return the number of nodes in the cluster; node ids are 0 to this - 1} */
    public int nodeCount() {
        return facts.nodeCount();
    }

    /** {@return the id of the node this device is attached to} */
    public int nodeId() {
        return facts.nodeId();
    }

    /** {@return the shape of the cluster, such as {@code 3x3x3}} */
    public String shape() {
        return facts.shape();
    }

    /**
     * Coordinates of a node, dimension X first, {@code [dimensions]}.
     *
     * @param node node id, 0 to {@link #nodeCount()} - 1.
     * @return one number for each dimension of {@link #shape()}.
     * @throws IllegalArgumentException if there is no such node.
     */
    public int[] coordinates(final int node) {
        checkNode(node);
        final int[] coordinates = new int[extents.length];
        int rest = node;
        for (int i = 0; i < extents.length; i++) {
            coordinates[i] = rest % extents[i];
            rest /= extents[i];
        }
        return coordinates;
    }

    /**
     * Id of the node with these coordinates; the reverse of {@link #coordinates}.
     *
     * @param coordinates one for each dimension of {@link #shape()}, X first, each 0 to the shape's
     *     length there - 1.
     * @return node id, 0 to {@link #nodeCount()} - 1.
     * @throws IllegalArgumentException if there is no such node.
     */
    public int nodeId(final int... coordinates) {
        boolean isInside = coordinates.length == extents.length;
        int node = 0;
        for (int i = extents.length - 1; i >= 0 && isInside; i--) {
            isInside = coordinates[i] >= 0 && coordinates[i] < extents[i];
            node = node * extents[i] + coordinates[i];
        }
        if (!isInside) {
            throw new IllegalArgumentException(
                    "coordinates must be "
                            + extents.length
                            + " numbers of a node in "
                            + shape()
                            + ": "
                            + Arrays.toString(coordinates));
        }
        return node;
    }

    /**
     * {@return the longest message in bytes that is sent as one, without {@link PmLargeMessages}}
     */
    public int mtuBytes() {
        return facts.mtuBytes();
    }

    /** {@return the number of contexts of a node; context ids are 0 to this - 1} */
    public int contextCount() {
        return facts.contexts();
    }

    /**
     * Opens a context with default sizes; as {@link #openContext(int, PmContextOptions)}.
     *
     * @param contextId 0 to {@link #contextCount()} - 1.
     * @return the context, which the caller closes.
     * @throws IOException if it is in use on this node, or the node is gone.
     */
    public PmContext openContext(final int contextId) throws IOException {
        return openContext(contextId, PmContextOptions.DEFAULT);
    }

    /**
     * Opens a context: an address to which others send, with buffers and rings of its own. Blocks
     * for at most 5 seconds.
     *
     * @param contextId 0 to {@link #contextCount()} - 1.
     * @param options sizes and times.
     * @return the context, which the caller closes.
     * @throws IOException if it is in use on this node, or the node is gone.
     */
    public PmContext openContext(final int contextId, final PmContextOptions options)
            throws IOException {
        if (contextId < 0 || contextId >= facts.contexts()) {
            throw new IllegalArgumentException(
                    "contextId must be 0.." + (facts.contexts() - 1) + ": " + contextId);
        }
        final Attachment.ContextMemory memory =
                attachment.openContext(contextId, options.request());
        final int maxLengthBytes = options.maxLengthBytes(facts.mtuBytes());
        final PmContext context =
                new PmContext(this, attachment, memory, maxLengthBytes, options.spinNs());
        synchronized (contexts) {
            contexts.add(context);
            if (isClosed) {
                contexts.remove(context);
                context.detach();
            }
        }
        return context;
    }

    /**
     * Makes memory from which any context of this device sends without copying. This process
     * allocates all of it immediately and lends it to the node, which reads it; so it counts for
     * this process (and its cgroup), and the cluster file limits how much each user may lend
     * ({@code limits.memoryBytes}). Blocks while the memory is made, about 0.3 s for each GiB, and
     * for at most 5 seconds while the node does not answer.
     *
     * @param lengthBytes 1 to 2^40.
     * @return the region, which the caller closes.
     * @throws IOException if there is not that much memory, or the node refuses or is gone.
     */
    public PmRegion openRegion(final long lengthBytes) throws IOException {
        return openRegion(lengthBytes, false);
    }

    /**
     * Makes a region as {@link #openRegion} does that the node writes to, too: for remote memory
     * ({@code io.hxb.pm.rma}), where others write into it, or where what is read of others goes.
     *
     * @param lengthBytes 1 to 2^40.
     * @return the region, which the caller closes.
     * @throws IOException if there is not that much memory, or the node refuses, is gone, or is of
     *     an HXB without remote memory.
     */
    public PmRegion openWritableRegion(final long lengthBytes) throws IOException {
        return openRegion(lengthBytes, true);
    }

    private PmRegion openRegion(final long lengthBytes, final boolean isWritable)
            throws IOException {
        if (lengthBytes < 1 || lengthBytes > 1L << 40) {
            throw new IllegalArgumentException("lengthBytes must be 1..2^40: " + lengthBytes);
        }
        return new PmRegion(this, attachment.openRegion(lengthBytes, isWritable), isWritable);
    }

    /**
     * {@return true when the node is embedded and has no thread of its own: the application's
     * thread runs it by {@link #poll()}, and {@link PmContext#await} does so while it waits}
     */
    public boolean isInvoker() {
        return attachment.invoker() != null;
    }

    /**
     * Runs the embedded node's loop once, without blocking.
     *
     * @return how much work was done, 0 when idle or when the node has a thread of its own.
     */
    public int poll() {
        final NodeInvoker invoker = attachment.invoker();
        return invoker == null ? 0 : invoker.run(0);
    }

    /**
     * Sets the listener that is called when links of the node fail or recover; null ends it. It is
     * called within {@link PmContext#await}, {@link PmContext#arm} and {@link PmContext#pollEvent}
     * of any context of this device, by the thread that called these; a thread that sleeps in await
     * is woken for it. An application that calls none of these calls {@link #pollLinkEvents}.
     *
     * @param listener called for each change; null for none.
     */
    public void onLinkEvent(final PmLinkListener listener) {
        linkListener = listener;
    }

    /**
     * Reports to the listener which links have failed or recovered since the last call. Never
     * blocks; if there were more than 16 changes, the oldest are left out.
     *
     * @return the number of changes reported; 0 without a listener.
     */
    public int pollLinkEvents() {
        final PmLinkListener listener = linkListener;
        if (listener == null || isClosed || !linkEvents.isReady()) {
            return 0;
        }
        int count = 0;
        PmLinkEvent event = nextLinkEvent();
        while (event != null) {
            listener.onLinkEvent(event);
            count++;
            event = nextLinkEvent();
        }
        return count;
    }

    /** Runs the node's loop, if the threads of contexts have to; otherwise null. */
    NodeInvoker invoker() {
        return attachment.invoker();
    }

    /** True if {@link #pollLinkEvents} has something to report. */
    boolean hasLinkEvents() {
        return linkListener != null && !isClosed && linkEvents.isReady();
    }

    /**
     * {@return the number of changes of links since the node started: failures, recoveries, and
     * links found at start; 0 after {@link #close}}
     */
    public long linkEventCount() {
        return isClosed ? 0 : linkEvents.count();
    }

    private PmLinkEvent nextLinkEvent() {
        synchronized (linkEvents) {
            return linkEvents.take() ? PmLinkEvent.of(linkEvents) : null;
        }
    }

    /** {@return true if the node is still alive, and this device open} Makes a system call. */
    public boolean isNodeAlive() {
        return !isClosed && attachment.isNodeAlive();
    }

    /**
     * {@return the descriptor that becomes readable when the node dies, to be polled together with
     * {@link PmContext#descriptor()}; -1 when the node is in this process}
     */
    public int descriptor() {
        return attachment.descriptor();
    }

    /**
     * Detaches: ends all waits of contexts, remote memory and groups in other threads, which get
     * {@link PmStatus#CONTEXT_CLOSED} from then on. Any thread may call it, whatever others do: the
     * memory of messages, buffers and regions goes back, but reading what is left of it gives
     * zeros, until the owner of the context or region closes it or forgets it.
     */
    @Override
    public void close() {
        final List<PmContext> mine;
        synchronized (contexts) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            mine = isInvoker() ? List.copyOf(contexts) : List.of();
            if (!isInvoker()) {
                // Their owners may be using them, and close them when they have noticed.
                contexts.forEach(PmContext::detach);
                contexts.clear();
            }
        }
        // One thread runs them all, and the node.
        mine.forEach(PmContext::close);
        attachment.close();
    }

    NodePage.Facts facts() {
        return facts;
    }

    void checkDestination(final int destinationNode, final int destinationContext) {
        checkNode(destinationNode);
        if (destinationContext < 0 || destinationContext >= contextCount()) {
            throw new IllegalArgumentException(
                    "destinationContext must be 0.."
                            + (contextCount() - 1)
                            + ": "
                            + destinationContext);
        }
    }

    void checkNode(final int node) {
        if (node < 0 || node >= facts.nodeCount()) {
            throw new IllegalArgumentException(
                    "node must be 0.." + (facts.nodeCount() - 1) + ": " + node);
        }
    }

    /** A context closes itself. */
    void onClosed(final PmContext context) {
        synchronized (contexts) {
            contexts.remove(context);
        }
    }

    void closeRegion(final Attachment.RegionMemory memory) {
        attachment.closeRegion(memory);
    }
}
