package io.hxb.config;

import io.hxb.topology.Shape;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The configuration of a whole cluster, the same on all nodes. Immutable. Read from a file by
 * {@link io.hxb.config.yaml.ClusterConfigYaml}.
 *
 * @param name what people call the cluster.
 * @param clusterId number that its frames carry, not 0.
 * @param shape the shape of the hyper-crossbar, or how many nodes there may be with any cabling.
 * @param backend what links are made of.
 * @param links where each link is plugged in.
 * @param orders dimension orders of sources.
 * @param flow how flows keep order and repair losses.
 * @param trunk when links count as failed.
 * @param pool the receive pool of a node.
 * @param loop the receiving loops of a node.
 * @param socket the sockets of the links.
 * @param frame the content of frames.
 * @param context what applications may use.
 * @param limits what one user may have of a node.
 * @param tenants who shares the nodes, and who may talk to whom.
 * @param attach how applications reach the node.
 * @param security how frames are protected against forgery.
 * @param manager the network manager of each host.
 * @param pathHealth when paths through plain switches count as dead.
 * @param ip the virtual NIC of each node.
 * @param observe where metrics can be read.
 * @param hosts coordinate vector of each host name; may be empty.
 */
public record ClusterConfig(
        String name,
        int clusterId,
        Shape shape,
        Backend backend,
        LinkPlan links,
        OrderConfig orders,
        FlowConfig flow,
        TrunkConfig trunk,
        PoolConfig pool,
        LoopConfig loop,
        SocketConfig socket,
        FrameConfig frame,
        ContextConfig context,
        LimitConfig limits,
        TenantPlan tenants,
        AttachConfig attach,
        SecurityConfig security,
        ManagerConfig manager,
        PathHealthConfig pathHealth,
        IpConfig ip,
        ObserveConfig observe,
        Map<String, Long> hosts) {

    /** Where a message holds more: a round number below the largest MTU of a TAP device. */
    private static final int DEFAULT_IP_MTU = 65_000;

    /** Describes what a name may be. */
    public static final String NAME_RULE = "1 to 63 letters, digits, '_', '.' or '-'";

    /** Copies the map and checks the values of all sections. */
    public ClusterConfig {
        hosts = Collections.unmodifiableMap(new LinkedHashMap<>(hosts));
        final Check check = new Check();
        check.that(isName(name), "name", "must be " + NAME_RULE + ": '" + name + "'")
                .that(clusterId != 0, "id", "must not be 0")
                .section(FlowConfig.KEYS, flow)
                .section(TrunkConfig.KEYS, trunk)
                .section(FrameConfig.KEYS, frame)
                .section(PoolConfig.KEYS, pool)
                .section(LoopConfig.KEYS, loop)
                .section(SocketConfig.KEYS, socket)
                .section(ContextConfig.KEYS, context)
                .section(LimitConfig.KEYS, limits)
                .section(AttachConfig.KEYS, attach)
                .section(SecurityConfig.KEYS, security)
                .section(ManagerConfig.KEYS, manager)
                .section(PathHealthConfig.KEYS, pathHealth)
                .section(IpConfig.KEYS, ip)
                .section(ObserveConfig.KEYS, observe)
                .that(
                        links.endpoints().size() == shape.dimensions(),
                        "links",
                        "must be given for each of the "
                                + shape.dimensions()
                                + " dimensions, not "
                                + links.endpoints().size())
                .that(
                        shape.isAnyCabling() || links.isUniform(),
                        "nodes",
                        "must have as many links in each dimension as all nodes")
                .that(
                        !shape.isAnyCabling() || backend.usesNics(),
                        "cabling",
                        "must be hyper-crossbar where the backend is udp: cables join NICs")
                .that(
                        frame.hopLimit() >= shape.dimensions(),
                        "frame",
                        "needs a hopLimit of "
                                + shape.dimensions()
                                + " or more for as many dimensions: "
                                + frame.hopLimit())
                .that(
                        pool.bufferCount() >= minBuffers(links, context),
                        "pool",
                        "needs buffers: "
                                + minBuffers(links, context)
                                + " or more for "
                                + links.linkCount()
                                + " links and "
                                + context.minContexts()
                                + " contexts, not "
                                + pool.bufferCount())
                .that(
                        tenants.isEmpty()
                                || (attach.allowedUids().isEmpty()
                                        && attach.allowedGids().isEmpty()),
                        "attach",
                        "must not name allowedUids or allowedGids where there are tenants, whose"
                                + " users are those that may attach")
                .that(
                        socket.kernelRelay() != SocketConfig.KernelRelay.ON
                                || (backend.usesNics() && !frame.vlanTags()),
                        "socket",
                        "must not have kernelRelay: on with UDP links or frame.vlanTags, of which"
                                + " the kernel relays no frames");
        ip.check(check, shape.nodeCount(), tenants);
        new FrameLengths(frame, pool, security).check(check, socket, ip);
        check.done();
    }

    /** A cluster with defaults for everything else and the id derived from its name. */
    public static ClusterConfig of(
            final String name, final Shape shape, final Backend backend, final LinkPlan links) {
        return new Builder(name, shape, backend, links).build();
    }

    /** True if a cluster may have this name; see {@link #NAME_RULE}. */
    public static boolean isName(final String name) {
        return name.matches("[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}");
    }

    /** The cluster id derived from a name; never 0. */
    public static int idOf(final String name) {
        final int hash = hash(name);
        return hash == 0 ? 1 : hash;
    }

    /**
     * Header and body of the longest frame that the flows of a node may send where its links take
     * it: {@code frame.maxBytes}, by default as much as a message of 65,536 bytes needs, or as much
     * as a receive buffer of the configured size holds.
     *
     * <p>Lengths depend on each other in one direction: the {@code MTU} bounds what crosses a wire
     * in one piece, {@code frame.maxBytes} bounds what a flow sends as one frame, and a receive
     * buffer holds the longer of both, with what lies before and after it.
     */
    public int maxFrameBytes() {
        return lengths().maxFrameBytes();
    }

    private FrameLengths lengths() {
        return new FrameLengths(frame, pool, security);
    }

    /**
     * MTU of the nodes' virtual NICs: {@code ip.mtu}, by default 65,000, or what a message holds
     * with the headers of a packet.
     */
    public int ipMtuBytes() {
        return ip.mtuBytes() > 0
                ? ip.mtuBytes()
                : Math.min(DEFAULT_IP_MTU, lengths().maxPacketBytes());
    }

    /**
     * Bytes of a receive buffer: {@code pool.bufferBytes}, by default what the longest frame of any
     * node needs, sealed or not, since memory that no frame uses costs nothing. That is an odd
     * number of cache lines, so that the headers in successive buffers do not share a few sets of
     * the cache.
     */
    public int bufferBytes() {
        return lengths().bufferBytes();
    }

    private static int minBuffers(final LinkPlan links, final ContextConfig context) {
        return PoolConfig.BUFFERS_PER_LINK * links.linkCount() + context.minContexts();
    }

    /**
     * Contexts that may be open at once on a node, the node's own included: by default up to 1,280,
     * no more than a third of the buffers that applications may hold.
     */
    public int contexts() {
        final int room = pool.bufferCount() - PoolConfig.BUFFERS_PER_LINK * links.linkCount();
        return Math.min(room, context.contextsFor(applicationBuffers(0)));
    }

    /** Receive buffers that all applications of a node together may hold. */
    public int applicationBuffers() {
        return applicationBuffers(contexts());
    }

    private int applicationBuffers(final int contexts) {
        return pool.applicationBuffers(links.linkCount(), loop.loopCount(), contexts);
    }

    /** The links of one node, in the order of their index. */
    public List<LinkConfig> links(final int node) {
        return links.resolve(shape, backend, node);
    }

    /** Network namespace of {@code node}, or empty for that of the process. */
    public String netns(final int node) {
        return links.netns(shape, node);
    }

    /** Path at which this process makes the Unix socket of {@code node}. */
    public Path ownSocketPath(final int node) {
        return attach.directory().resolve(socketName(node));
    }

    /**
     * Path of the Unix socket by which applications attach to {@code node}: the one of a node on
     * this machine, if the file names no folder and another user runs that node.
     */
    public Path socketPath(final int node) {
        return attach.socket(socketName(node));
    }

    /** The nodes of this cluster that have a socket on this machine, in order. */
    public List<Integer> nodesWithSocket() {
        final Pattern ofNode = Pattern.compile(Pattern.quote(name) + "-(\\d{1,7})\\.sock");
        return attach.socketNames().stream()
                .map(ofNode::matcher)
                .filter(Matcher::matches)
                .map(matcher -> Integer.valueOf(matcher.group(1)))
                .filter(node -> node < shape.nodeCount())
                .sorted()
                .toList();
    }

    private String socketName(final int node) {
        return name + "-" + node + ".sock";
    }

    /** Path at which this process makes the counter file of {@code node}. */
    public Path ownCountersPath(final int node) {
        return attach.countersDirectory().resolve(countersName(node));
    }

    /** Path of the counter file of {@code node}, found as {@link #socketPath} is. */
    public Path countersPath(final int node) {
        return attach.counters(countersName(node));
    }

    private String countersName(final int node) {
        return name + "-" + node + ".counters";
    }

    /**
     * Hash of everything that has to be equal on all nodes; hello frames carry it, so that
     * neighbours with another file are found. The longest frame is part of it, because a node whose
     * receive buffers were shorter than another's frames would drop these.
     */
    public int fingerprint() {
        return hash(
                String.join(
                        "|",
                        name,
                        Integer.toString(clusterId),
                        shape.toString(),
                        backend.name(),
                        shape.isAnyCabling() ? "" : LinkPlan.counts(links.endpoints()).toString(),
                        Boolean.toString(frame.crc()),
                        Integer.toString(frame.etherType()),
                        Integer.toString(frame.relayEtherType()),
                        Integer.toString(maxFrameBytes()),
                        security.mode().name()));
    }

    /** The same with other orders. */
    public ClusterConfig withOrders(final OrderConfig value) {
        return new Builder(this).orders(value).build();
    }

    /** The same with other flows. */
    public ClusterConfig withFlow(final FlowConfig value) {
        return new Builder(this).flow(value).build();
    }

    /** The same with other judgement of links. */
    public ClusterConfig withTrunk(final TrunkConfig value) {
        return new Builder(this).trunk(value).build();
    }

    /** The same with another pool. */
    public ClusterConfig withPool(final PoolConfig value) {
        return new Builder(this).pool(value).build();
    }

    /** The same with other loops. */
    public ClusterConfig withLoop(final LoopConfig value) {
        return new Builder(this).loop(value).build();
    }

    /** The same with other sockets. */
    public ClusterConfig withSocket(final SocketConfig value) {
        return new Builder(this).socket(value).build();
    }

    /** The same with other frames. */
    public ClusterConfig withFrame(final FrameConfig value) {
        return new Builder(this).frame(value).build();
    }

    /** The same with other contexts. */
    public ClusterConfig withContext(final ContextConfig value) {
        return new Builder(this).context(value).build();
    }

    /** The same with other limits of users. */
    public ClusterConfig withLimits(final LimitConfig value) {
        return new Builder(this).limits(value).build();
    }

    /** The same with other tenants. */
    public ClusterConfig withTenants(final TenantPlan value) {
        return new Builder(this).tenants(value).build();
    }

    /** The same with other folders and rights. */
    public ClusterConfig withAttach(final AttachConfig value) {
        return new Builder(this).attach(value).build();
    }

    /** The same with other host names. */
    public ClusterConfig withHosts(final Map<String, Long> value) {
        return new Builder(this).hosts(value).build();
    }

    /** The same with other security. */
    public ClusterConfig withSecurity(final SecurityConfig value) {
        return new Builder(this).security(value).build();
    }

    /** The same with another network manager. */
    public ClusterConfig withManager(final ManagerConfig value) {
        return new Builder(this).manager(value).build();
    }

    /** The same with another virtual NIC of each node. */
    public ClusterConfig withIp(final IpConfig value) {
        return new Builder(this).ip(value).build();
    }

    /** The same with metrics elsewhere. */
    public ClusterConfig withObserve(final ObserveConfig value) {
        return new Builder(this).observe(value).build();
    }

    private static int hash(final String text) {
        final CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /**
     * Changes parts of a configuration, or of the defaults. Used by one thread.
     *
     * <p>This is the only place that lists the components by position.
     */
    public static final class Builder {
        private final String name;
        private final Shape shape;
        private final Backend backend;
        private final LinkPlan links;
        private int clusterId;
        private OrderConfig orders = OrderConfig.DEFAULT;
        private FlowConfig flow = FlowConfig.DEFAULT;
        private TrunkConfig trunk = TrunkConfig.DEFAULT;
        private PoolConfig pool;
        private LoopConfig loop = LoopConfig.DEFAULT;
        private SocketConfig socket = SocketConfig.DEFAULT;
        private FrameConfig frame = FrameConfig.DEFAULT;
        private ContextConfig context = ContextConfig.DEFAULT;
        private LimitConfig limits = LimitConfig.DEFAULT;
        private TenantPlan tenants = TenantPlan.NONE;
        private AttachConfig attach = AttachConfig.DEFAULT;
        private SecurityConfig security = SecurityConfig.DEFAULT;
        private ManagerConfig manager = ManagerConfig.DEFAULT;
        private PathHealthConfig pathHealth = PathHealthConfig.DEFAULT;
        private IpConfig ip = IpConfig.DEFAULT;
        private ObserveConfig observe = ObserveConfig.DEFAULT;
        private Map<String, Long> hosts = Map.of();

        /** Starts from the defaults and the id derived from the name. */
        public Builder(
                final String name, final Shape shape, final Backend backend, final LinkPlan links) {
            this.name = name;
            this.shape = shape;
            this.backend = backend;
            this.links = links;
            clusterId = idOf(name);
            pool = PoolConfig.ofLinks(links.linkCount());
            if (shape.isAnyCabling()) {
                // The longest path passes every node.
                frame = FrameConfig.DEFAULT.withHopLimit(shape.nodeCount());
            }
        }

        Builder(final ClusterConfig given) {
            this(given.name, given.shape, given.backend, given.links);
            clusterId = given.clusterId;
            orders = given.orders;
            flow = given.flow;
            trunk = given.trunk;
            pool = given.pool;
            loop = given.loop;
            socket = given.socket;
            frame = given.frame;
            context = given.context;
            limits = given.limits;
            tenants = given.tenants;
            attach = given.attach;
            security = given.security;
            manager = given.manager;
            pathHealth = given.pathHealth;
            ip = given.ip;
            observe = given.observe;
            hosts = given.hosts;
        }

        /** The number that frames carry, not 0. */
        public Builder clusterId(final int value) {
            clusterId = value;
            return this;
        }

        /** Dimension orders of sources. */
        public Builder orders(final OrderConfig value) {
            orders = value;
            return this;
        }

        /** How flows keep order and repair losses. */
        public Builder flow(final FlowConfig value) {
            flow = value;
            return this;
        }

        /** When links count as failed. */
        public Builder trunk(final TrunkConfig value) {
            trunk = value;
            return this;
        }

        /** The receive pool of a node. */
        public Builder pool(final PoolConfig value) {
            pool = value;
            return this;
        }

        /** The receiving loops of a node. */
        public Builder loop(final LoopConfig value) {
            loop = value;
            return this;
        }

        /** The sockets of the links. */
        public Builder socket(final SocketConfig value) {
            socket = value;
            return this;
        }

        /** What stands in frames. */
        public Builder frame(final FrameConfig value) {
            frame = value;
            return this;
        }

        /** What applications may use, as set so far. */
        public ContextConfig context() {
            return context;
        }

        /** What applications may use. */
        public Builder context(final ContextConfig value) {
            context = value;
            return this;
        }

        /** What one user may have of a node. */
        public Builder limits(final LimitConfig value) {
            limits = value;
            return this;
        }

        /** Who shares the nodes, and whom they may talk to. */
        public Builder tenants(final TenantPlan value) {
            tenants = value;
            return this;
        }

        /** How applications reach the node. */
        public Builder attach(final AttachConfig value) {
            attach = value;
            return this;
        }

        /** What frames carry against forgery. */
        public Builder security(final SecurityConfig value) {
            security = value;
            return this;
        }

        /** When paths through plain switches count as dead. */
        public Builder pathHealth(final PathHealthConfig value) {
            pathHealth = value;
            return this;
        }

        /** The virtual NIC of each node. */
        public Builder ip(final IpConfig value) {
            ip = value;
            return this;
        }

        /** Where metrics can be read. */
        public Builder observe(final ObserveConfig value) {
            observe = value;
            return this;
        }

        /** The network manager of each host. */
        public Builder manager(final ManagerConfig value) {
            manager = value;
            return this;
        }

        /** Coordinate vector of each host name. */
        public Builder hosts(final Map<String, Long> value) {
            hosts = value;
            return this;
        }

        /** The configuration, checked. */
        public ClusterConfig build() {
            return new ClusterConfig(
                    name,
                    clusterId,
                    shape,
                    backend,
                    links,
                    orders,
                    flow,
                    trunk,
                    pool,
                    loop,
                    socket,
                    frame,
                    context,
                    limits,
                    tenants,
                    attach,
                    security,
                    manager,
                    pathHealth,
                    ip,
                    observe,
                    hosts);
        }
    }
}
