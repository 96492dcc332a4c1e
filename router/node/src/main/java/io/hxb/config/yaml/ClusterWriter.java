package io.hxb.config.yaml;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Dimensions;
import io.hxb.config.LinkPlan;
import io.hxb.config.ManagerConfig;
import io.hxb.config.OrderConfig;
import io.hxb.config.PathHealthConfig;
import io.hxb.config.Quantity;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.TrunkConfig;
import io.hxb.topology.Shape;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes one configuration as text. Used once, by one thread. */
final class ClusterWriter {
    private final ClusterConfig config;
    private final StringBuilder text = new StringBuilder();

    ClusterWriter(final ClusterConfig config) {
        this.config = config;
    }

    String write() {
        line("name", quote(config.name()));
        line("id", "0x" + Integer.toHexString(config.clusterId()));
        line("shape", config.shape());
        line("backend", lower(config.backend()));
        line("orders", orders());
        links();
        flow();
        trunk();
        node();
        manager();
        pathHealth();
        if (!config.tenants().isEmpty()) {
            section("tenants");
            config.tenants().tenants().forEach(this::tenant);
        }
        if (!config.hosts().isEmpty()) {
            section("hosts");
            config.hosts()
                    .forEach(
                            (host, coordinates) ->
                                    line(
                                            "  " + quote(host),
                                            quote(config.shape().format(coordinates))));
        }
        return text.toString();
    }

    private void links() {
        final LinkPlan links = config.links();
        line("links", endpoints(links.endpoints()));
        if (!links.netns().isEmpty()) {
            line("netns", quote(links.netns()));
        }
        section("udp");
        line("  host", quote(links.udpHost()));
        line("  basePort", links.udpBasePort());
        if (links.nodes().isEmpty()) {
            return;
        }
        section("nodes");
        for (final Map.Entry<Long, LinkPlan.NodeOverride> entry : links.nodes().entrySet()) {
            final LinkPlan.NodeOverride node = entry.getValue();
            section("  " + quote(config.shape().format(entry.getKey())));
            if (!node.endpoints().isEmpty()) {
                line("    links", endpoints(node.endpoints()));
            }
            line("    host", quote(node.host()));
            line("    netns", quote(node.netns()));
        }
    }

    private void flow() {
        section("flow");
        line("  windowFrames", config.flow().windowFrames());
        line("  ackEveryFrames", config.flow().ackEveryFrames());
        line("  ackDelay", Quantity.formatDuration(config.flow().ackDelayNs()));
        line("  reorderingThresholdFrames", config.flow().reorderingThresholdFrames());
        line("  minRetransmit", Quantity.formatDuration(config.flow().minRetransmitNs()));
        line("  maxRetransmit", Quantity.formatDuration(config.flow().maxRetransmitNs()));
        line("  peerTimeout", Quantity.formatDuration(config.flow().peerTimeoutNs()));
        line("  maxFlows", config.flow().maxFlows());
        line("  idleTimeout", Quantity.formatDuration(config.flow().idleTimeoutNs()));
        line("  routeSilence", Quantity.formatDuration(config.flow().routes().silenceNs()));
        line("  routeRetry", Quantity.formatDuration(config.flow().routes().retryNs()));
        line(
                "  partitionTimeout",
                Quantity.formatDuration(config.flow().routes().partitionTimeoutNs()));
        section("frame");
        line("  crc", config.frame().crc());
        line("  hopLimit", config.frame().hopLimit());
        line("  vlanTags", config.frame().vlanTags());
        line("  etherType", "0x" + Integer.toHexString(config.frame().etherType()));
        line("  relayEtherType", "0x" + Integer.toHexString(config.frame().relayEtherType()));
        line("  helloInterval", Quantity.formatDuration(config.frame().helloIntervalNs()));
        line("  encapsulation", lower(config.frame().encapsulation()));
    }

    private void trunk() {
        final TrunkConfig trunk = config.trunk();
        section("trunk");
        line("  failFrames", trunk.failFrames());
        line("  minFrames", trunk.minFrames());
        line("  heartbeat", Quantity.formatDuration(trunk.heartbeatNs()));
        line("  healBeats", trunk.healBeats());
        line("  lossPercent", trunk.lossPercent());
        line("  holdDown", Quantity.formatDuration(trunk.holdDownNs()));
        line("  maxHoldDown", Quantity.formatDuration(trunk.maxHoldDownNs()));
        line("  silence", Quantity.formatDuration(trunk.silenceNs()));
    }

    private void node() {
        section("pool");
        line("  buffers", config.pool().bufferCount());
        line("  bufferBytes", Quantity.formatSize(config.pool().bufferBytes()));
        line("  hugePages", lower(config.pool().hugePages()));
        section("loop");
        line("  loops", config.loop().loopCount());
        line("  wait", lower(config.loop().waiting()));
        line("  spinFor", Quantity.formatDuration(config.loop().spinForNs()));
        line("  batchFrames", config.loop().batchFrames());
        line("  cpus", config.loop().cpus());
        line("  priority", config.loop().priority());
        section("socket");
        line("  mtu", config.socket().mtuBytes());
        line("  receiveBuffer", Quantity.formatSize(config.socket().receiveBufferBytes()));
        line("  sendBuffer", Quantity.formatSize(config.socket().sendBufferBytes()));
        line("  relayRingFrames", config.socket().relayRingFrames());
        line("  kernelRelay", lower(config.socket().kernelRelay()));
        line("  segmentation", lower(config.socket().segmentation()));
        line("  senderQueueFrames", config.socket().senderQueueFrames());
        section("context");
        line("  maxContexts", config.context().maxContexts());
        line("  maxHeldBuffers", config.context().maxHeldBuffers());
        line("  isolation", lower(config.context().isolation()));
        line("  ownBuffers", config.context().ownBuffers());
        section("limits");
        for (final ResourceShare share : ResourceShare.values()) {
            line("  " + share.key(), limit(share, config.limits().limit(share)));
        }
        section("attach");
        line("  directory", quote(config.attach().directory().toString()));
        line("  countersDirectory", quote(config.attach().countersDirectory().toString()));
        line("  allowedUids", config.attach().allowedUids());
        line("  allowedGids", config.attach().allowedGids());
        section("security");
        line("  mode", lower(config.security().mode()));
        line(
                "  keys",
                config.security().keys().stream()
                        .map(ClusterWriter::quote)
                        .collect(Collectors.joining(", ", "[", "]")));
    }

    private void manager() {
        final ManagerConfig manager = config.manager();
        if (manager.equals(ManagerConfig.DEFAULT)) {
            return;
        }
        section("manager");
        if (manager.isWanted()) {
            line("  plan", quote(manager.plan()));
            line("  nic", quote(manager.nic()));
            line("  listen", quote(manager.listen()));
            line("  state", quote(manager.state()));
            line("  keep", quote(manager.keep()));
        }
        line("  tagger", lower(manager.tagger()));
        line("  spinFor", Quantity.formatDuration(manager.spinForNs()));
    }

    private void pathHealth() {
        final PathHealthConfig health = config.pathHealth();
        if (health.equals(PathHealthConfig.DEFAULT)) {
            return;
        }
        section("pathHealth");
        line("  enabled", health.isEnabled());
        line("  heartbeat", Quantity.formatDuration(health.heartbeatNs()));
        line("  spareHeartbeat", Quantity.formatDuration(health.spareHeartbeatNs()));
        line("  silence", Quantity.formatDuration(health.silenceNs()));
        line("  framesPerSecond", health.framesPerSecond());
        line("  healBeats", health.healBeats());
        line("  lossPercent", health.lossPercent());
        line("  holdDown", Quantity.formatDuration(health.holdDownNs()));
        line("  maxHoldDown", Quantity.formatDuration(health.maxHoldDownNs()));
    }

    private void tenant(final TenantConfig tenant) {
        section("  " + quote(tenant.name()));
        line("    uids", tenant.uids());
        line("    gids", tenant.gids());
        line("    contexts", tenant.contexts());
        line("    talksTo", tenant.talksTo().stream().map(ClusterWriter::quote).toList());
        limits("limits", tenant.limits());
        limits("userLimits", tenant.userLimits());
    }

    private void limits(final String key, final Map<ResourceShare, Long> limits) {
        if (!limits.isEmpty()) {
            section("    " + key);
            limits.forEach((share, limit) -> line("      " + share.key(), limit(share, limit)));
        }
    }

    private String orders() {
        final OrderConfig orders = config.orders();
        return orders.mode() == OrderConfig.Mode.EXPLICIT
                ? orders.orders().stream()
                        .map(this::order)
                        .collect(Collectors.joining(", ", "[", "]"))
                : lower(orders.mode());
    }

    private String order(final int order) {
        final StringBuilder names = new StringBuilder();
        for (int place = 0; place < Shape.MAX_DIMENSIONS; place++) {
            final int dimension = order >>> (4 * place) & 0xF;
            if (dimension < config.shape().dimensions()) {
                names.append(names.isEmpty() ? "" : "-").append(Dimensions.name(dimension));
            }
        }
        return names.toString();
    }

    private static String endpoints(final List<List<String>> endpoints) {
        final StringBuilder out = new StringBuilder();
        for (int dimension = 0; dimension < endpoints.size(); dimension++) {
            final List<String> trunk = endpoints.get(dimension);
            out.append(dimension == 0 ? "{" : ", ").append(Dimensions.name(dimension)).append(": ");
            out.append(
                    trunk.stream().allMatch(String::isEmpty)
                            ? Integer.toString(trunk.size())
                            : trunk.stream()
                                    .map(ClusterWriter::quote)
                                    .collect(Collectors.joining(", ", "[", "]")));
        }
        return out.append('}').toString();
    }

    private static String limit(final ResourceShare share, final long limit) {
        return share.isSize() ? Quantity.formatSize(limit) : Long.toString(limit);
    }

    private void section(final String key) {
        text.append(key).append(":\n");
    }

    private void line(final String key, final Object value) {
        text.append(key).append(": ").append(value).append('\n');
    }

    private static String lower(final Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String quote(final String value) {
        return value.matches("[a-zA-Z/][a-zA-Z0-9_./-]*") && !isSpecial(value)
                ? value
                : "'" + value.replace("'", "''") + "'";
    }

    private static boolean isSpecial(final String value) {
        return value.equals("null");
    }
}
