package io.hxb.config.yaml;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ClusterKeys;
import io.hxb.config.ConfigKey;
import io.hxb.config.Dimensions;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.config.ResourceShare;
import io.hxb.config.TenantConfig;
import io.hxb.config.ValueType;
import io.hxb.os.nic.NicFinder;
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
        line("", ClusterKeys.NAME, config);
        line("", ClusterKeys.ID, config);
        if (config.shape().isAnyCabling()) {
            line("cabling", "any");
            line("maxNodes", config.shape().nodeCount());
        } else {
            line("shape", config.shape());
        }
        line("", ClusterKeys.BACKEND, config);
        if (!config.shape().isAnyCabling()) {
            line("orders", orders());
        }
        links();
        ClusterKeys.PARTS.forEach(this::part);
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

    private <S extends Record> void part(final ClusterKeys.Part<S> part) {
        section(part.section().name());
        final S record = part.accessor().apply(config);
        part.section().keys().forEach(key -> line("  ", key, record));
    }

    /** Writes the value of a key, unless it is none by default. */
    private <R, V> void line(final String indent, final ConfigKey<R, V> key, final R record) {
        final ValueType<V> type = key.type();
        final V value = key.of(record);
        if (type.isText() && value instanceof final List<?> texts) {
            line(indent + key.name(), texts.stream().map(each -> quote(each.toString())).toList());
        } else if (!type.isText()) {
            line(indent + key.name(), type.format(value));
        } else if (!type.format(value).isEmpty() || !value.equals(key.fallback())) {
            line(indent + key.name(), quote(type.format(value)));
        }
    }

    private void links() {
        final LinkPlan links = config.links();
        final String key = config.shape().isAnyCabling() ? "nics" : "links";
        line(key, endpoints(links.endpoints()));
        line("", ClusterKeys.NETNS, links);
        section("udp");
        line("  ", ClusterKeys.UDP_HOST, links);
        line("  ", ClusterKeys.UDP_BASE_PORT, links);
        if (links.nodes().isEmpty()) {
            return;
        }
        section("nodes");
        for (final Map.Entry<Long, LinkPlan.NodeOverride> entry : links.nodes().entrySet()) {
            final LinkPlan.NodeOverride node = entry.getValue();
            section("  " + quote(config.shape().format(entry.getKey())));
            if (!node.endpoints().isEmpty()) {
                line("    " + key, endpoints(node.endpoints()));
            }
            line("    host", quote(node.host()));
            line("    netns", quote(node.netns()));
        }
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
            limits.forEach((share, limit) -> line("      " + share.key(), share.write(limit)));
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

    private String endpoints(final List<List<String>> endpoints) {
        if (config.shape().isAnyCabling()) {
            return nics(endpoints.getFirst());
        }
        final StringBuilder out = new StringBuilder();
        for (int dimension = 0; dimension < endpoints.size(); dimension++) {
            final List<String> trunk = endpoints.get(dimension);
            out.append(dimension == 0 ? "{" : ", ").append(Dimensions.name(dimension)).append(": ");
            out.append(
                    trunk.stream().allMatch(String::isEmpty)
                            ? Integer.toString(trunk.size())
                            : nics(trunk));
        }
        return out.append('}').toString();
    }

    private static String nics(final List<String> trunk) {
        return trunk.stream()
                .map(ClusterWriter::endpoint)
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String endpoint(final String endpoint) {
        if (NicFinder.isByMac(endpoint)) {
            return "{mac: '" + endpoint.substring(NicFinder.MAC_PREFIX.length()) + "'}";
        }
        return NicFinder.isByPath(endpoint)
                ? "{path: '" + endpoint.substring(NicFinder.PATH_PREFIX.length()) + "'}"
                : quote(endpoint);
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
