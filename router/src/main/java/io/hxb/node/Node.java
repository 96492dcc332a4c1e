package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.PoolConfig;
import io.hxb.context.AttachAccess;
import io.hxb.context.AttachServer;
import io.hxb.context.ContextLoop;
import io.hxb.context.ContextManager;
import io.hxb.context.ContextSettings;
import io.hxb.context.FlowLoopPort;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowTable;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.raw.LinkMonitor;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.node.loop.LoopDriver;
import io.hxb.node.loop.NodeThreads;
import io.hxb.node.service.ServiceTask;
import io.hxb.os.HostName;
import io.hxb.pm.PmDevice;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.attach.RunFolders;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Complaints;
import io.hxb.trunk.discovery.Discovery;

import org.agrona.concurrent.SystemEpochClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One node of a hyper-crossbar, running: its links, forwarding, flows, contexts and the socket by
 * which applications attach. Started and closed by one thread; the accessors may be called by any.
 */
public final class Node implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Node.class);
    private static final int CONTEXT_SHARE_OF_POOL = 4;
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final long STOP_LIMIT_MS = 5_000;

    private final NodeOptions options;
    private final NodeThreads threads;
    private final boolean ownsThreads;
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final List<NodeLoop> loops = new ArrayList<>();
    private NodeParts parts;
    private ContextManager contexts;
    private ServiceTask service;
    private boolean isClosed;

    private Node(final NodeOptions options) {
        this.options = options;
        ownsThreads = options.threads() == null;
        threads = ownsThreads ? NodeThreads.start(options.config().loop()) : options.threads();
    }

    /**
     * Starts a node. Returns when its links are open; neighbours are found a little later, see
     * {@link #awaitNeighbours}.
     *
     * @throws IOException if a link cannot be opened or the socket's path is in use; the message
     *     says where and what to do, and nothing stays open.
     */
    public static Node start(final NodeOptions options) throws IOException {
        final Node node = new Node(options);
        try {
            node.open();
            return node;
        } catch (final IOException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private void open() throws IOException {
        final ClusterConfig config = options.config();
        final SharedMemory memory = keep(receivePool(config.pool()));
        final BufferPool pool =
                new BufferPool(
                        memory.address(), config.pool().bufferCount(), config.pool().bufferBytes());
        final BufferPool.Share[] shares = new BufferPool.Share[threads.count()];
        Arrays.setAll(shares, i -> pool.newShare());
        final Link[] links = openLinks(config, pool, shares);
        final List<Port> ports = NodeParts.ports(config, options.nodeId(), links);
        final int mtuBytes = Arrays.stream(links).mapToInt(Link::mtuBytes).min().orElseThrow();
        final int incarnation = incarnation();
        contexts = new ContextManager(contextSettings(mtuBytes, incarnation, pool), pool, memory);
        resources.add(contexts);
        // Before the counters, whose file is a running node's if that has the socket's path.
        final AttachServer applications = options.attaches() ? keep(attachServer()) : null;
        final FlowTable flows =
                keep(NodeParts.flows(config, options.nodeId(), mtuBytes, pool, contexts));
        parts = parts(pool, ports, flows, incarnation);
        for (int i = 0; i < threads.count(); i++) {
            loops.add(newLoop(i, shares[i], links, flows));
        }
        for (int i = 0; i < loops.size(); i++) {
            threads.driver(i).add(loops.get(i));
        }
        if (applications != null) {
            // Once more, so that it is closed first.
            resources.add(applications.start());
        }
        service = ServiceTask.open(device(), contexts, NodeThreads.errorHandler());
        threads.driver(0).add(service);
    }

    private AttachServer attachServer() throws IOException {
        final ClusterConfig config = options.config();
        RunFolders.ofThisProcess().prepare(config.attach().directory());
        return new AttachServer(
                contexts,
                config.ownSocketPath(options.nodeId()),
                AttachAccess.ownUserAnd(
                        config.attach().allowedUids(), config.attach().allowedGids()));
    }

    private static SharedMemory receivePool(final PoolConfig pool) throws IOException {
        final long lengthBytes = (long) pool.bufferCount() * pool.bufferBytes();
        if (pool.hugePages() != PoolConfig.HugePages.OFF) {
            final long hugeBytes = (lengthBytes + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
            try {
                return ContextManager.createReceivePool(hugeBytes, true);
            } catch (final LinuxException e) {
                if (pool.hugePages() == PoolConfig.HugePages.ON) {
                    throw new IOException(
                            "pool.hugePages is on, but there are not "
                                    + hugeBytes / HUGE_PAGE_BYTES
                                    + " free huge pages: sysctl vm.nr_hugepages, or set it to auto",
                            e);
                }
            }
        }
        return ContextManager.createReceivePool(lengthBytes, false);
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        resources.add(resource);
        return resource;
    }

    private Link[] openLinks(
            final ClusterConfig config, final BufferPool pool, final BufferPool.Share[] shares)
            throws IOException {
        final BufferPool.Share[] dealt =
                new BufferPool.Share[config.links(options.nodeId()).size()];
        Arrays.setAll(dealt, i -> shares[i % shares.length]);
        final Link[] links = LinkFactory.open(config, options.nodeId(), pool, dealt);
        for (int i = 0; i < links.length; i++) {
            links[i] = keep(options.wrapper().apply(links[i]));
        }
        return links;
    }

    private NodeParts parts(
            final BufferPool pool,
            final List<Port> ports,
            final FlowTable flows,
            final int incarnation)
            throws IOException {
        final ClusterConfig config = options.config();
        final String hostName = HostName.ofThisMachine();
        final Complaints complaints = new Complaints();
        final Discovery discovery =
                NodeParts.discovery(
                        config, options.nodeId(), incarnation, hostName, ports, complaints);
        return new NodeParts(
                config,
                options.nodeId(),
                incarnation,
                hostName,
                pool,
                ports,
                complaints,
                discovery,
                kernelRelay(config, ports),
                flows,
                keep(counters(config, ports)),
                linkMonitor(config),
                SystemEpochClock.INSTANCE,
                NodeThreads.errorHandler());
    }

    // After the links, so that it is closed before them.
    private KernelRelay kernelRelay(final ClusterConfig config, final List<Port> ports)
            throws IOException {
        final KernelRelay relay = KernelRelays.open(config, options.nodeId(), ports);
        return relay == null ? null : keep(relay);
    }

    private LinkMonitor linkMonitor(final ClusterConfig config) throws IOException {
        if (config.backend() != io.hxb.config.Backend.RAW) {
            return null;
        }
        final String namespace = config.netns(options.nodeId());
        return keep(LinkMonitor.open(namespace.isEmpty() ? null : namespace));
    }

    private NodeLoop newLoop(
            final int index,
            final BufferPool.Share share,
            final Link[] links,
            final FlowTable flows)
            throws IOException {
        final List<Link> received = new ArrayList<>();
        for (int i = index; i < links.length; i += threads.count()) {
            received.add(links[i]);
        }
        final NodeLoop loop = new NodeLoop(parts, index, share, received.toArray(new Link[0]));
        final ContextLoop served =
                contexts.newLoop(index, new FlowLoopPort(flows, loop.flows(), share));
        loop.contexts(new LoopContexts(served), contexts);
        return loop;
    }

    private ContextSettings contextSettings(
            final int mtuBytes, final int incarnation, final BufferPool pool) {
        final ClusterConfig config = options.config();
        final int held = config.context().maxHeldBuffers();
        return new ContextSettings(
                options.nodeId(),
                config.shape().nodeCount(),
                config.shape().toString(),
                mtuBytes - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH,
                config.context().maxContexts(),
                threads.count(),
                incarnation,
                held > 0 ? held : Math.max(1, pool.bufferCount() / CONTEXT_SHARE_OF_POOL),
                ContextSettings.DEFAULT_MAX_MEMORY_BYTES);
    }

    private Counters counters(final ClusterConfig config, final List<Port> ports) {
        final CounterLabels labels =
                new CounterLabels(
                        config.name(),
                        config.clusterId(),
                        options.nodeId(),
                        config.shape().coordinates(options.nodeId()),
                        config.shape().dimensions(),
                        config.links(options.nodeId()).stream()
                                .map(link -> label(link, ports.get(link.index())))
                                .toList());
        return options.keepsCounters()
                ? Counters.create(
                        config.ownCountersPath(options.nodeId()),
                        labels,
                        threads.count(),
                        LOGGER::warn)
                : Counters.inMemory(labels, threads.count());
    }

    private static CounterLabels.LinkLabel label(final LinkConfig link, final Port port) {
        return new CounterLabels.LinkLabel(link.dimension(), link.number(), port.link().name());
    }

    // Differs from any earlier start within the last weeks: hundredths of a second.
    private static int incarnation() {
        final int started = (int) (System.currentTimeMillis() / 10) << 4;
        return started == 0 ? 1 : started;
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
        return parts.counters();
    }

    /** A device of this node for this process; the caller closes it before the node. */
    public PmDevice device() {
        final NodeInvoker invoker = threads.isInvoker() ? threads::run : null;
        return PmDevice.over(contexts.attach(invoker));
    }

    /** True if the kernel relays for it, so that it sees only what the kernel leaves to it. */
    public boolean isRelayedByKernel() {
        return parts.kernelRelay() != null;
    }

    /** Neighbours heard on all links together. */
    public int knownNeighbours() {
        return parts.discovery().knownNeighbours();
    }

    /** True when every neighbour on every link has been heard. */
    public boolean hasAllNeighbours() {
        return knownNeighbours() == parts.discovery().expectedNeighbours();
    }

    /**
     * Waits until every neighbour on every link has been heard; runs the loop when the caller has
     * to.
     *
     * @return false if some are silent when the time is up.
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
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
        }
        return true;
    }

    /** Lines for people about what is wrong in the neighbourhood. */
    public List<String> silentNeighbours() {
        return parts.discovery().silentNeighbours();
    }

    /** Where the receive buffers are; exact only while nothing moves. */
    public BufferBooks bufferBooks() {
        return new BufferBooks(
                parts.pool().outstanding(),
                parts.ports().stream().mapToInt(port -> port.link().heldBuffers()).sum(),
                parts.flows().storedBuffers(),
                contexts.heldBuffers());
    }

    /** Stops the node; applications see that it is gone, neighbours hear no more of it. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        stopLoops();
        if (ownsThreads) {
            threads.close();
        }
        for (int i = resources.size() - 1; i >= 0; i--) {
            try {
                resources.get(i).close();
            } catch (final Exception e) {
                LOGGER.warn("node {} closes on after: {}", nodeId(), e.toString());
            }
        }
    }

    private void stopLoops() {
        if (service != null) {
            threads.driver(0).adopt();
            threads.driver(0).remove(service, () -> {});
        }
        final CountDownLatch stopped = new CountDownLatch(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            final LoopDriver driver = threads.driver(i);
            driver.adopt();
            driver.remove(loops.get(i), stopped::countDown);
        }
        try {
            if (!stopped.await(STOP_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                LOGGER.warn("a loop of node {} did not stop", nodeId());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Where the receive buffers of a node are. Immutable; exact only if nothing moved while it was
     * made.
     *
     * @param outstanding buffers out of the pool.
     * @param inLinks of these, ready for frames in the links.
     * @param inFlows of these, in ordering arrays.
     * @param inContexts of these, delivered and not released by applications.
     */
    public record BufferBooks(int outstanding, int inLinks, int inFlows, int inContexts) {
        /**
         * Buffers that are out for a moment: control frames between loops, frames that links have
         * not sent yet. 0 in a node where nothing moves.
         */
        public int onTheWay() {
            return outstanding - inLinks - inFlows - inContexts;
        }
    }
}
