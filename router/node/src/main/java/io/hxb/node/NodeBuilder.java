package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.PoolConfig;
import io.hxb.context.AttachAccess;
import io.hxb.context.AttachServer;
import io.hxb.context.ContextManager;
import io.hxb.context.ContextParts;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowRights;
import io.hxb.flow.FlowTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.gossip.Gossip;
import io.hxb.gossip.SummaryFile;
import io.hxb.gossip.SummaryReader;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkProvider;
import io.hxb.linkstate.LinkStates;
import io.hxb.linkstate.MapFile;
import io.hxb.linkstate.MapReader;
import io.hxb.linkstate.NodeLink;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.node.ip.IpDelivery;
import io.hxb.node.ip.IpService;
import io.hxb.node.ip.IpSetup;
import io.hxb.node.loop.NodeThreads;
import io.hxb.node.service.ServiceTask;
import io.hxb.os.HostName;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.SoftInterrupts;
import io.hxb.pm.attach.RunFolders;
import io.hxb.recorder.RecordedEvent;
import io.hxb.session.KeyFile;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.session.SessionsFile;
import io.hxb.tap.IpDevice;
import io.hxb.tap.IpPlan;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

import org.agrona.concurrent.SystemEpochClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Opens the parts of one node, from its memory up to its loops, and lets the loops drive it. Used
 * once, by the thread that starts the node.
 */
final class NodeBuilder {
    private static final Logger LOGGER = LoggerFactory.getLogger(Node.class);
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final long MS_PER_S = 1_000;

    private final NodeOptions options;
    private final ClusterConfig config;
    private final int nodeId;
    private final NodeThreads threads;
    private final ResourceStack resources;
    private final SecureRandom random = new SecureRandom();
    private KeyRing keys = KeyRing.NONE;
    private final LinkProvider provider;

    /**
     * Begins with nothing.
     *
     * @param resources takes everything that is opened; the caller closes it.
     */
    NodeBuilder(
            final NodeOptions options, final NodeThreads threads, final ResourceStack resources) {
        this.options = options;
        this.threads = threads;
        this.resources = resources;
        config = options.config();
        nodeId = options.nodeId();
        provider = LinkProviders.of(config, nodeId);
    }

    /** Opens everything and starts the loops. */
    Node build() throws IOException {
        keys = KeyFile.read(config.security(), System.getenv());
        final int buffers = config.pool().bufferCount();
        final int bufferBytes = config.bufferBytes();
        final SharedMemory memory =
                resources.push(
                        receivePool((long) buffers * bufferBytes, config.pool().hugePages()));
        final BufferPool pool = new BufferPool(memory.address(), buffers, bufferBytes);
        final BufferPool.Share[] shares = new BufferPool.Share[threads.count()];
        Arrays.setAll(shares, i -> pool.newShare());
        final Link[] links = openLinks(shares);
        final int linkBytes =
                Arrays.stream(links).mapToInt(Link::maxFrameBytes).min().orElseThrow();
        final int frameBytes = NodeParts.frameBytes(config, linkBytes);
        final int incarnation = incarnation();
        final ContextManager contexts =
                resources.push(
                        new ContextManager(
                                new ContextParts(
                                        config, nodeId, incarnation, threads.count(), frameBytes),
                                pool,
                                memory));
        // Before the counters: if a running node has the socket's path, their file is also its.
        final List<AttachServer> applications =
                options.attaches() ? List.of(resources.push(attachServer(contexts))) : List.of();
        final IpService ip =
                config.ip().isWanted()
                        ? ip(incarnation, frameBytes, contexts.packetRights(config.ip().tenant()))
                        : null;
        final FlowListener listener =
                ip == null ? contexts.delivery() : new IpDelivery(ip, contexts.delivery());
        final FlowTable flows =
                resources.push(NodeParts.flows(config, nodeId, frameBytes, pool, listener));
        final NodeParts parts =
                withGossip(parts(incarnation, pool, links, flows, contexts).withIp(ip));
        publishSessions(parts);
        publishMap(parts);
        // Pushed once more, so that they are closed before those, but after the loops, which close
        // the contexts.
        applications.forEach(resources::push);
        final NodeTasks tasks = resources.push(new NodeTasks(nodeId, threads));
        final NodeLoop[] loops = new NodeLoop[threads.count()];
        for (int i = 0; i < loops.length; i++) {
            loops[i] = newLoop(parts, i, shares[i], links);
            tasks.add(i, loops[i]);
        }
        tasks.start();
        applications.forEach(server -> server.start(parts.counters()::shares));
        final Node node = new Node(options, threads, provider, parts, contexts, resources);
        tasks.add(
                0,
                ServiceTask.open(
                        threads.driver(0),
                        node.device(),
                        contexts,
                        loops[0].forwarder().tracer(),
                        parts.counters().ofLoop(0)));
        tasks.start();
        return node;
    }

    private static SharedMemory receivePool(
            final long lengthBytes, final PoolConfig.HugePages hugePages) throws IOException {
        if (hugePages != PoolConfig.HugePages.OFF) {
            final long hugeBytes = (lengthBytes + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
            try {
                return ContextManager.createReceivePool(hugeBytes, true);
            } catch (final LinuxException e) {
                if (hugePages == PoolConfig.HugePages.ON) {
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

    private Link[] openLinks(final BufferPool.Share[] shares) throws IOException {
        final List<LinkConfig> plan = config.links(nodeId);
        final BufferPool.Share[] dealt = new BufferPool.Share[plan.size()];
        Arrays.setAll(dealt, i -> shares[i % shares.length]);
        final Link[] links = LinkProviders.open(provider, plan, dealt);
        for (int i = 0; i < links.length; i++) {
            links[i] = resources.push(options.wrapper().apply(links[i]));
        }
        pushIfAny(provider.claim());
        return links;
    }

    private IpService ip(final int incarnation, final int frameBytes, final FlowRights rights)
            throws IOException {
        final int nodes = config.shape().nodeCount();
        final int messageBytes =
                frameBytes - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH;
        final IpDevice device =
                resources.push(
                        IpDevice.open(
                                config.netns(nodeId),
                                new IpDevice.Settings(
                                        config.ip().device(),
                                        nodeId,
                                        config.ip().prefixes(),
                                        config.ipMtuBytes(),
                                        messageBytes,
                                        config.ip().routes())));
        final String named = config.netns(nodeId);
        NetworkNamespace.run(
                named.isEmpty() ? null : named,
                () -> {
                    device.claimSpeed(TrunkSpeed.megabits(config.links(nodeId)));
                    return null;
                });
        final IpService service =
                new IpService(
                        device,
                        new IpPlan(nodes, nodeId, config.ip().prefixes()),
                        new IpSetup(
                                nodeId,
                                config.shape(),
                                incarnation,
                                messageBytes,
                                config.ip().repairNs(),
                                rights));
        final AutoCloseable memory = service::free;
        resources.push(memory);
        return service;
    }

    private AttachServer attachServer(final ContextManager contexts) throws IOException {
        RunFolders.ofThisProcess().prepare(config.attach().directory());
        return new AttachServer(contexts, config.ownSocketPath(nodeId), AttachAccess.of(config));
    }

    private NodeParts parts(
            final int incarnation,
            final BufferPool pool,
            final Link[] links,
            final FlowTable flows,
            final ContextManager contexts)
            throws IOException {
        final List<Port> ports = NodeLinks.ports(config, nodeId, links);
        final Counters counters = resources.push(counters(ports));
        counters.recorder()
                .ofOthers()
                .record(
                        RecordedEvent.NODE_STARTED,
                        ProcessHandle.current().pid(),
                        config.fingerprint());
        final NodeIdentity self =
                NodeParts.identity(config, nodeId, incarnation, HostName.ofThisMachine());
        final NeighbourLinks neighbourLinks =
                NeighbourLinks.of(
                        config,
                        self,
                        NodeParts.sessions(config, self, keys, random),
                        random,
                        resources.push(SoftInterrupts.open(Path.of("/proc")))::isWaiting,
                        ports.toArray(new Port[0]),
                        counters);
        pushIfAny(provider.follow(neighbourLinks.discovery()::isHeard));
        // After the links, so that the relay is closed before them.
        final NodeLinks all =
                new NodeLinks(
                        pool,
                        ports,
                        resources.push(provider.watch()),
                        resources.push(KernelRelays.open(config, nodeId, provider, ports)));
        final NodeParts parts =
                new NodeParts(
                        config,
                        self,
                        all,
                        neighbourLinks,
                        flows,
                        new ManagedContexts(contexts),
                        counters,
                        SystemEpochClock.INSTANCE);
        return config.shape().isAnyCabling() ? parts.withCabling(cabling(self)) : parts;
    }

    private Cabling cabling(final NodeIdentity self) {
        final Path file =
                IdentityFile.path(
                        config, nodeId, System.getenv(), System.getProperty("user.name", ""));
        return new Cabling(
                new LinkStates(
                        nodeId,
                        config.shape().nodeCount(),
                        new LinkStates.Self(
                                IdentityFile.readOrMake(file, random),
                                (int) (SystemEpochClock.INSTANCE.time() / MS_PER_S),
                                self.incarnation(),
                                self.hostName()),
                        NodeBuilder::onClaimedTwice));
    }

    private static void onClaimedTwice(final int node, final long kept, final long refused) {
        LOGGER.warn(
                "two machines say that they are node {}: the one with identity {} stays, the one"
                        + " with identity {} is not heard of; start it with another --node",
                node,
                HexFormat.of().toHexDigits(kept),
                HexFormat.of().toHexDigits(refused));
    }

    // Where nobody looks nothing is told.
    private NodeParts withGossip(final NodeParts parts) {
        final int nodes = config.shape().nodeCount();
        if (!options.keepsCounters()
                || !config.observe().isWanted()
                || nodes == 1
                || nodes > Gossip.MAX_NODES) {
            return parts;
        }
        final Gossip gossip =
                new Gossip(
                        config.shape(),
                        nodeId,
                        parts.links().ports().size(),
                        (int) (parts.epochClock().time() / MS_PER_S));
        final Path path = SummaryReader.fileBeside(config.ownCountersPath(nodeId));
        try {
            final SummaryFile file =
                    resources.push(
                            SummaryFile.create(
                                    path, gossip, System::nanoTime, parts.epochClock()::time));
            parts.counters().publishAlso(file);
        } catch (final IOException e) {
            LOGGER.warn(
                    "other nodes are not kept in {} ({}): the live page shows those of this"
                            + " machine alone",
                    path,
                    e.getMessage());
        }
        return parts.withGossip(gossip);
    }

    // What root needs, besides the key, to open captured frames.
    private void publishSessions(final NodeParts parts) {
        final Sessions sessions = parts.neighbourhood().sessions();
        if (!options.keepsCounters() || !sessions.isEncrypting()) {
            return;
        }
        final Path path = SessionsFile.beside(config.ownCountersPath(nodeId));
        try {
            parts.counters().publishAlso(resources.push(SessionsFile.create(path, sessions)));
        } catch (final IOException e) {
            LOGGER.warn(
                    "sessions are not kept in {} ({}): hxb key export will not find them",
                    path,
                    e.getMessage());
        }
    }

    // What hxb map shows.
    private void publishMap(final NodeParts parts) {
        if (!options.keepsCounters() || parts.cabling() == null) {
            return;
        }
        final Path path = MapReader.fileBeside(config.ownCountersPath(nodeId));
        final int[] megabits = TrunkSpeed.ofEach(config, nodeId);
        try {
            final MapFile file =
                    resources.push(
                            MapFile.create(
                                    path,
                                    parts.cabling().states(),
                                    () -> seenLinks(parts, megabits),
                                    System::nanoTime,
                                    parts.epochClock()::time));
            parts.counters().publishAlso(file);
        } catch (final IOException e) {
            LOGGER.warn(
                    "the map of cables is not kept in {} ({}): hxb map will not find it",
                    path,
                    e.getMessage());
        }
    }

    private static List<NodeLink> seenLinks(final NodeParts parts, final int... megabits) {
        final int nodes = parts.config().shape().nodeCount();
        final List<NodeLink> links = new ArrayList<>();
        for (final Port port : parts.links().ports()) {
            links.add(
                    new NodeLink(
                            port.link().mtuBytes(),
                            megabits[links.size()],
                            IntStream.range(0, nodes).filter(port::isUsable).boxed().toList()));
        }
        return links;
    }

    private void pushIfAny(final AutoCloseable resource) {
        if (resource != null) {
            resources.push(resource);
        }
    }

    private NodeLoop newLoop(
            final NodeParts parts,
            final int index,
            final BufferPool.Share share,
            final Link[] links) {
        final List<Link> received = new ArrayList<>();
        for (int i = index; i < links.length; i += threads.count()) {
            received.add(links[i]);
        }
        return new NodeLoop(
                parts, index, threads.driver(index), share, received.toArray(new Link[0]));
    }

    private Counters counters(final List<Port> ports) {
        final CounterLabels labels =
                new CounterLabels(
                        config.name(),
                        config.clusterId(),
                        nodeId,
                        config.shape().coordinates(nodeId),
                        config.shape().dimensions(),
                        config.links(nodeId).stream()
                                .map(link -> label(link, ports.get(link.index())))
                                .toList());
        return options.keepsCounters()
                ? Counters.create(
                        config.ownCountersPath(nodeId), labels, threads.count(), LOGGER::warn)
                : Counters.inMemory(labels, threads.count());
    }

    private CounterLabels.LinkLabel label(final LinkConfig link, final Port port) {
        final Shape shape = config.shape();
        return new CounterLabels.LinkLabel(
                link.dimension(),
                link.number(),
                port.link().name(),
                shape.extent(link.dimension()),
                shape.step(link.dimension()));
    }

    // It cannot be predicted, and differs from any earlier start.
    private int incarnation() {
        int incarnation = random.nextInt();
        while (incarnation == 0) {
            incarnation = random.nextInt();
        }
        return incarnation;
    }
}
