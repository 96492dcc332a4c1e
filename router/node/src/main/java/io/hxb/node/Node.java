package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.context.ContextManager;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowTable;
import io.hxb.link.LinkProvider;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.node.loop.LoopStuckException;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.Capabilities;
import io.hxb.os.ServiceManager;
import io.hxb.pm.PmDevice;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.StopCause;
import io.hxb.trunk.discovery.Discovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * One running node of a hyper-crossbar: its links, forwarding, flows, contexts and the socket by
 * which applications attach. Started and closed by one thread; the accessors may be called by any.
 */
public final class Node implements AutoCloseable {
    private static final long NEIGHBOUR_POLL_NS = 1_000_000;

    private final NodeOptions options;
    private final NodeThreads threads;
    private final LinkProvider provider;
    private final NodeLinks links;
    private final Discovery discovery;
    private final FlowTable flows;
    private final Counters counters;
    private final ContextManager contexts;
    private final ResourceStack resources;

    /** Takes over what a {@link NodeBuilder} has opened. */
    Node(
            final NodeOptions options,
            final NodeThreads threads,
            final LinkProvider provider,
            final NodeParts parts,
            final ContextManager contexts,
            final ResourceStack resources) {
        this.options = options;
        this.threads = threads;
        this.provider = provider;
        links = parts.links();
        discovery = parts.neighbourhood().discovery();
        flows = parts.flows();
        counters = parts.counters();
        this.contexts = contexts;
        this.resources = resources;
    }

    /**
     * Starts a node. Returns when its links are open; neighbours are found a little later, see
     * {@link #awaitNeighbours}.
     *
     * @throws IOException if a link cannot be opened or the socket's path is in use; the message
     *     names it and explains what to do, and nothing stays open.
     */
    public static Node start(final NodeOptions options) throws IOException {
        final ResourceStack resources = new ResourceStack();
        try {
            final NodeThreads threads =
                    options.threads() == null
                            ? resources.push(NodeThreads.start(options.config().loop()))
                            : options.threads();
            return new NodeBuilder(options, threads, resources).build();
        } catch (final IOException | RuntimeException | Error e) {
            try {
                resources.close();
            } catch (final LoopStuckException stuck) {
                e.addSuppressed(stuck);
            }
            throw inWords(e);
        }
    }

    // Some files are opened by libraries, each with its own messages.
    private static IOException inWords(final Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            final boolean isOurs =
                    cause instanceof LinuxException linux && linux.errno() == Errno.EMFILE;
            if (isOurs || String.valueOf(cause.getMessage()).contains("Too many open files")) {
                return new IOException(
                        "the node cannot start: " + Errno.describe(Errno.EMFILE), thrown);
            }
        }
        return switch (thrown) {
            case IOException e -> e;
            case UncheckedIOException e -> e.getCause();
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> new IOException(thrown);
        };
    }

    /**
     * Continues as a service: gives up rights that it no longer needs, and lets its loops show the
     * service manager that they turn. Called once, for a node with loops of its own.
     *
     * <p>The loops keep what their kind of links needs, and CAP_NET_ADMIN and CAP_BPF while the
     * kernel relays, for NICs that come back. They give up the rest, and the thread that calls this
     * gives up all. All other threads of a node never have any, whether it is a service or not;
     * those of the JVM keep what the process had.
     */
    public void serve(final ServiceManager manager) {
        final long kept = Capabilities.DAC_READ_SEARCH | neededByLoops();
        for (int i = 0; i < threads.count(); i++) {
            threads.driver(i).runSoon(() -> Capabilities.keepOnlyIfPossible(kept));
        }
        Capabilities.keepOnlyIfPossible(Capabilities.DAC_READ_SEARCH);
        if (manager.watchdogNs() > 0) {
            threads.driver(0).add(new WatchdogTask(manager, threads));
        }
    }

    private long neededByLoops() {
        final long relaying = isRelayedByKernel() ? Capabilities.NET_ADMIN | Capabilities.BPF : 0;
        return provider.neededCapabilities() | relaying;
    }

    /** Records why it ends; before {@link #close}, by any thread. */
    public void onEnding(final StopCause cause) {
        counters.recorder().ofOthers().record(RecordedEvent.NODE_ENDING, cause.code());
    }

    /** Its node id. */
    public int nodeId() {
        return options.nodeId();
    }

    /** The cluster it belongs to. */
    public ClusterConfig config() {
        return options.config();
    }

    /** Its counters. */
    public Counters counters() {
        return counters;
    }

    /** A device of this node for this process; the caller closes it before the node. */
    public PmDevice device() {
        final NodeInvoker invoker = threads.isInvoker() ? threads::run : null;
        return PmDevice.over(contexts.attach(invoker));
    }

    /**
     * True if the kernel relays for it, so that it sees only the frames that the kernel leaves to
     * it.
     */
    public boolean isRelayedByKernel() {
        return links.isRelayedByKernel();
    }

    /** Neighbours heard on all links together. */
    public int knownNeighbours() {
        return discovery.knownNeighbours();
    }

    /** True when every neighbour on every link has been heard. */
    public boolean hasAllNeighbours() {
        return knownNeighbours() == discovery.expectedNeighbours();
    }

    /**
     * Waits until every neighbour on every link has been heard; runs the loop if the caller has to.
     *
     * @return false if some are still silent when the time is up.
     */
    public boolean awaitNeighbours(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (!hasAllNeighbours()) {
            if (System.nanoTime() - deadlineNs > 0) {
                return false;
            }
            if (threads.isInvoker()) {
                threads.run(0);
            } else {
                LockSupport.parkNanos(NEIGHBOUR_POLL_NS);
            }
        }
        return true;
    }

    /** Lines for people about what is wrong in the neighbourhood. */
    public List<String> silentNeighbours() {
        return discovery.silentNeighbours();
    }

    /** Where the receive buffers are; exact only while there is no traffic. */
    public BufferBooks bufferBooks() {
        return new BufferBooks(
                links.outstandingBuffers(),
                links.heldBuffers(),
                flows.storedBuffers(),
                contexts.heldBuffers());
    }

    /**
     * Stops the node; applications see that it is gone, neighbours no longer hear it.
     *
     * @throws LoopStuckException if a loop has not stopped within 5 s: what it may use, the memory
     *     of the node above all, stays open until the process ends.
     */
    @Override
    public void close() {
        resources.close();
    }

    /**
     * Where the receive buffers of a node are. Immutable; exact only if there was no traffic
     * meanwhile.
     *
     * @param outstanding buffers out of the pool.
     * @param inLinks of these, ready for frames in the links.
     * @param inFlows of these, in ordering arrays.
     * @param inContexts of these, delivered and not released by applications.
     */
    public record BufferBooks(int outstanding, int inLinks, int inFlows, int inContexts) {
        /**
         * Buffers that are in use for a moment: control frames between loops, frames that links
         * have not sent yet. 0 in a node without traffic.
         */
        public int onTheWay() {
            return outstanding - inLinks - inFlows - inContexts;
        }
    }
}
