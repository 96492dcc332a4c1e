package io.hxb.config.yaml;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.Dimensions;
import io.hxb.config.FlowConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LimitConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.ManagerConfig;
import io.hxb.config.OrderConfig;
import io.hxb.config.PathHealthConfig;
import io.hxb.config.PoolConfig;
import io.hxb.config.Quantity;
import io.hxb.config.ResourceShare;
import io.hxb.config.RouteConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.config.SocketConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.config.TenantPlan;
import io.hxb.config.TrunkConfig;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.snakeyaml.engine.v2.nodes.Node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes a configuration of the nodes of one file. Used once, by one thread. */
final class ClusterReader {
    private final YamlSection root;

    ClusterReader(final Problems problems, final Node node) {
        root = new YamlSection(problems, "", 1, node);
    }

    /** The configuration; null when problems were found. */
    ClusterConfig read() {
        final String name = root.text("name", "hxb");
        final int clusterId = root.value("id", ClusterConfig.idOf(name), ClusterReader::parseId);
        final Shape shape = root.value("shape", null, Shape::parse);
        final Backend backend = root.choice("backend", Backend.UDP);
        if (!root.has("shape")) {
            root.problem("shape", "is missing; write one such as shape: 2x2x2");
        }
        final LinkPlan links = new LinkReader(root, shape, backend).read();
        final OrderConfig orders = orders(shape);
        final FlowConfig flow = flow(root.section("flow"));
        final TrunkConfig trunk = trunk(root.section("trunk"));
        final PoolConfig pool = pool(root.section("pool"), links == null ? 1 : links.linkCount());
        final LoopConfig loop = loop(root.section("loop"));
        final SocketConfig socket = socket(root.section("socket"));
        final FrameConfig frame = frame(root.section("frame"));
        final ContextConfig context = context(root.section("context"));
        final LimitConfig limits = limits(root.section("limits"));
        final TenantPlan tenants =
                new TenantReader(context.maxContexts()).read(root.section("tenants"));
        final AttachConfig attach = attach(root.section("attach"));
        final SecurityConfig security = security(root.section("security"));
        final PathHealthConfig health = pathHealth(root.section("pathHealth"));
        final ManagerConfig manager = manager(root.section("manager"));
        final Map<String, Long> hosts = hosts(shape, root.section("hosts"));
        root.finish();
        if (shape == null || links == null || orders == null) {
            return null;
        }
        final ClusterConfig.Builder builder =
                new ClusterConfig.Builder(name, shape, backend, links)
                        .clusterId(clusterId)
                        .orders(orders)
                        .flow(flow)
                        .trunk(trunk)
                        .pool(pool)
                        .loop(loop)
                        .socket(socket)
                        .frame(frame)
                        .context(context)
                        .limits(limits)
                        .tenants(tenants)
                        .attach(attach)
                        .security(security)
                        .manager(manager)
                        .pathHealth(health)
                        .hosts(hosts);
        return root.build(null, builder::build);
    }

    private static int parseId(final String text) {
        try {
            final long id = Long.decode(text);
            if (id >= Integer.MIN_VALUE && id < 1L << 32) {
                return (int) id;
            }
        } catch (final NumberFormatException e) {
            // Falls through to the message that also fits numbers out of range.
        }
        throw new IllegalArgumentException(
                "must be a number of 32 bits such as 7 or 0x1f, not '" + text + "'");
    }

    private OrderConfig orders(final Shape shape) {
        final List<String> words = root.texts("orders", List.of("default"));
        if (shape == null || words.equals(List.of("default"))) {
            return OrderConfig.DEFAULT;
        }
        if (words.equals(List.of("all"))) {
            return OrderConfig.all(shape.dimensions());
        }
        final List<Integer> orders = new ArrayList<>();
        for (final String word : words) {
            final int order = parseOrder(shape, word);
            if (order == 0) {
                root.problem(
                        "orders",
                        "must be default, all or a list of orders that name each dimension once,"
                                + " such as [x-y-z, z-y-x], not '"
                                + word
                                + "'");
            } else {
                orders.add(order);
            }
        }
        return orders.size() < words.size()
                ? null
                : root.build(null, () -> new OrderConfig(OrderConfig.Mode.EXPLICIT, orders));
    }

    // No order is 0: that would name dimension 0 eight times.
    private static int parseOrder(final Shape shape, final String word) {
        final String[] names = word.split(word.contains("-") ? "-" : "(?!^)(?!$)", -1);
        final int[] dimensions = new int[names.length];
        for (int place = 0; place < names.length; place++) {
            dimensions[place] = Dimensions.parse(names[place]);
            if (dimensions[place] < 0 || dimensions[place] >= shape.dimensions()) {
                return 0;
            }
        }
        try {
            return names.length == shape.dimensions() ? DimensionOrder.of(dimensions) : 0;
        } catch (final IllegalArgumentException e) {
            return 0;
        }
    }

    private static FlowConfig flow(final YamlSection section) {
        final FlowConfig.Builder flow = new FlowConfig.Builder();
        section.count("windowFrames", flow::windowFrames);
        section.count("ackEveryFrames", flow::ackEveryFrames);
        section.durationNs("ackDelay", flow::ackDelayNs);
        section.count("reorderingThresholdFrames", flow::reorderingThresholdFrames);
        section.durationNs("minRetransmit", flow::minRetransmitNs);
        section.durationNs("maxRetransmit", flow::maxRetransmitNs);
        section.durationNs("peerTimeout", flow::peerTimeoutNs);
        section.count("maxFlows", flow::maxFlows);
        section.durationNs("idleTimeout", flow::idleTimeoutNs);
        flow.routes(routes(section));
        section.finish();
        return section.build(FlowConfig.DEFAULT, flow::build);
    }

    private static RouteConfig routes(final YamlSection section) {
        final RouteConfig fallback = RouteConfig.DEFAULT;
        final long silenceNs = section.durationNs("routeSilence", fallback.silenceNs());
        final long retryNs = section.durationNs("routeRetry", fallback.retryNs());
        final long partitionTimeoutNs =
                section.durationNs("partitionTimeout", fallback.partitionTimeoutNs());
        return section.build(
                fallback, () -> new RouteConfig(silenceNs, retryNs, partitionTimeoutNs));
    }

    private static TrunkConfig trunk(final YamlSection section) {
        final TrunkConfig fallback = TrunkConfig.DEFAULT;
        final int failFrames = section.count("failFrames", fallback.failFrames());
        final int minFrames = section.count("minFrames", fallback.minFrames());
        final long heartbeatNs = section.durationNs("heartbeat", fallback.heartbeatNs());
        final int healBeats = section.count("healBeats", fallback.healBeats());
        final int lossPercent = section.count("lossPercent", fallback.lossPercent());
        final long holdDownNs = section.durationNs("holdDown", fallback.holdDownNs());
        final long maxHoldDownNs =
                section.durationNs("maxHoldDown", Math.max(holdDownNs, fallback.maxHoldDownNs()));
        final long silenceNs = section.durationNs("silence", fallback.silenceNs());
        section.finish();
        return section.build(
                fallback,
                () ->
                        new TrunkConfig(
                                failFrames,
                                minFrames,
                                heartbeatNs,
                                healBeats,
                                lossPercent,
                                holdDownNs,
                                maxHoldDownNs,
                                silenceNs));
    }

    private static PoolConfig pool(final YamlSection section, final int linkCount) {
        final PoolConfig fallback = PoolConfig.ofLinks(linkCount);
        final int bufferCount = section.count("buffers", fallback.bufferCount());
        final int bufferBytes = section.sizeBytes("bufferBytes", fallback.bufferBytes());
        final PoolConfig.HugePages hugePages = section.choice("hugePages", fallback.hugePages());
        section.finish();
        return section.build(fallback, () -> new PoolConfig(bufferCount, bufferBytes, hugePages));
    }

    private static LoopConfig loop(final YamlSection section) {
        final LoopConfig fallback = LoopConfig.DEFAULT;
        final int loopCount = section.count("loops", fallback.loopCount());
        final LoopConfig.Waiting waiting = section.choice("wait", fallback.waiting());
        final long spinForNs = section.durationNs("spinFor", fallback.spinForNs());
        final int batchFrames = section.count("batchFrames", fallback.batchFrames());
        final List<Integer> cpus = section.counts("cpus", fallback.cpus());
        final int priority = section.count("priority", fallback.priority());
        section.finish();
        return section.build(
                fallback,
                () -> new LoopConfig(loopCount, waiting, spinForNs, batchFrames, cpus, priority));
    }

    private static SocketConfig socket(final YamlSection section) {
        final SocketConfig fallback = SocketConfig.DEFAULT;
        final int mtuBytes = section.sizeBytes("mtu", fallback.mtuBytes());
        final int receiveBytes = section.sizeBytes("receiveBuffer", fallback.receiveBufferBytes());
        final int sendBytes = section.sizeBytes("sendBuffer", fallback.sendBufferBytes());
        final int ringFrames = section.count("relayRingFrames", fallback.relayRingFrames());
        final SocketConfig.KernelRelay kernelRelay =
                section.choice("kernelRelay", fallback.kernelRelay());
        final SocketConfig.Segmentation segmentation =
                section.choice("segmentation", fallback.segmentation());
        final int queueFrames = section.count("senderQueueFrames", fallback.senderQueueFrames());
        section.finish();
        return section.build(
                fallback,
                () ->
                        new SocketConfig(
                                mtuBytes,
                                receiveBytes,
                                sendBytes,
                                ringFrames,
                                kernelRelay,
                                segmentation,
                                queueFrames));
    }

    private static FrameConfig frame(final YamlSection section) {
        final FrameConfig fallback = FrameConfig.DEFAULT;
        final boolean crc = section.flag("crc", fallback.crc());
        final int hopLimit = section.count("hopLimit", fallback.hopLimit());
        final boolean vlanTags = section.flag("vlanTags", fallback.vlanTags());
        final int etherType = section.count("etherType", fallback.etherType());
        final int relayEtherType =
                section.count(
                        "relayEtherType",
                        etherType == fallback.relayEtherType()
                                ? fallback.etherType()
                                : fallback.relayEtherType());
        final long helloIntervalNs =
                section.durationNs("helloInterval", fallback.helloIntervalNs());
        final FrameConfig.Encapsulation encapsulation =
                section.choice("encapsulation", fallback.encapsulation());
        section.finish();
        return section.build(
                fallback,
                () ->
                        new FrameConfig(
                                crc,
                                hopLimit,
                                etherType,
                                relayEtherType,
                                helloIntervalNs,
                                vlanTags,
                                encapsulation));
    }

    private static ContextConfig context(final YamlSection section) {
        final ContextConfig fallback = ContextConfig.DEFAULT;
        final int maxContexts = section.count("maxContexts", fallback.maxContexts());
        final int maxHeld = section.count("maxHeldBuffers", fallback.maxHeldBuffers());
        final ContextConfig.Isolation isolation = section.choice("isolation", fallback.isolation());
        final int ownBuffers = section.count("ownBuffers", fallback.ownBuffers());
        section.finish();
        return section.build(
                fallback, () -> new ContextConfig(maxContexts, maxHeld, isolation, ownBuffers));
    }

    private static LimitConfig limits(final YamlSection section) {
        final Map<ResourceShare, Long> limits = shares(section);
        section.finish();
        return section.build(LimitConfig.DEFAULT, () -> LimitConfig.of(limits));
    }

    /** The limits that a section gives; all within what an int holds, except for sizes. */
    static Map<ResourceShare, Long> shares(final YamlSection section) {
        final Map<ResourceShare, Long> limits = new EnumMap<>(ResourceShare.class);
        for (final ResourceShare share : ResourceShare.values()) {
            final Long limit =
                    share.isSize()
                            ? section.value(share.key(), null, Quantity::parseSizeBytes)
                            : section.value(
                                    share.key(), null, text -> (long) YamlSection.parseCount(text));
            if (limit != null) {
                limits.put(share, limit);
            }
        }
        return limits;
    }

    private static AttachConfig attach(final YamlSection section) {
        final AttachConfig fallback = AttachConfig.DEFAULT;
        final Path directory = section.value("directory", fallback.directory(), Path::of);
        final Path counters =
                section.value("countersDirectory", fallback.countersDirectory(), Path::of);
        final List<Integer> uids = section.counts("allowedUids", fallback.allowedUids());
        final List<Integer> gids = section.counts("allowedGids", fallback.allowedGids());
        section.finish();
        return section.build(fallback, () -> new AttachConfig(directory, counters, uids, gids));
    }

    private static ManagerConfig manager(final YamlSection section) {
        final ManagerConfig fallback = ManagerConfig.DEFAULT;
        final String plan = section.text("plan", fallback.plan());
        final String nic = section.text("nic", fallback.nic());
        final String listen = section.text("listen", fallback.listen());
        final String state = section.text("state", fallback.state());
        final String keep = section.text("keep", fallback.keep());
        final TaggerChoice tagger = section.choice("tagger", fallback.tagger());
        final long spinForNs = section.durationNs("spinFor", fallback.spinForNs());
        section.finish();
        return section.build(
                fallback,
                () -> new ManagerConfig(plan, nic, listen, state, keep, tagger, spinForNs));
    }

    private static PathHealthConfig pathHealth(final YamlSection section) {
        final PathHealthConfig fallback = PathHealthConfig.DEFAULT;
        final boolean isEnabled = section.flag("enabled", fallback.isEnabled());
        final long heartbeatNs = section.durationNs("heartbeat", fallback.heartbeatNs());
        final long spareNs = section.durationNs("spareHeartbeat", fallback.spareHeartbeatNs());
        final long silenceNs = section.durationNs("silence", fallback.silenceNs());
        final int frames = section.count("framesPerSecond", fallback.framesPerSecond());
        final int healBeats = section.count("healBeats", fallback.healBeats());
        final int lossPercent = section.count("lossPercent", fallback.lossPercent());
        final long holdNs = section.durationNs("holdDown", fallback.holdDownNs());
        final long maxHoldNs = section.durationNs("maxHoldDown", fallback.maxHoldDownNs());
        section.finish();
        return section.build(
                fallback,
                () ->
                        new PathHealthConfig(
                                isEnabled,
                                heartbeatNs,
                                spareNs,
                                silenceNs,
                                frames,
                                healBeats,
                                lossPercent,
                                holdNs,
                                maxHoldNs));
    }

    private static SecurityConfig security(final YamlSection section) {
        final SecurityConfig fallback = SecurityConfig.DEFAULT;
        final SecurityConfig.Mode mode = section.choice("mode", fallback.mode());
        final List<String> keys = section.texts("keys", fallback.keys());
        section.finish();
        return section.build(fallback, () -> new SecurityConfig(mode, keys));
    }

    private static Map<String, Long> hosts(final Shape shape, final YamlSection section) {
        final Map<String, Long> hosts = new LinkedHashMap<>();
        for (final String host : section.keys()) {
            final long coordinates =
                    section.value(
                            host, -1L, text -> shape == null ? -1L : shape.parseCoordinates(text));
            if (coordinates != -1 && hosts.containsValue(coordinates)) {
                section.problem(
                        host, "has the coordinates of another host; each node has one host");
            } else if (coordinates != -1) {
                hosts.put(host, coordinates);
            }
        }
        return hosts;
    }
}
