package io.hxb.config.yaml;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ClusterKeys;
import io.hxb.config.ConfigKey;
import io.hxb.config.ConfigSection;
import io.hxb.config.Dimensions;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.snakeyaml.engine.v2.nodes.Node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes a configuration of the nodes of one file. Used once, by one thread. */
final class ClusterReader {
    /** With which a frame lists seven hops, and a ring of four PCs is not the end. */
    private static final int DEFAULT_MAX_NODES = 63;

    private final YamlSection root;

    ClusterReader(final Problems problems, final Node node) {
        root = new YamlSection(problems, "", 1, node);
    }

    /** The configuration; null when problems were found. */
    ClusterConfig read() {
        final String name = root.read(ClusterKeys.NAME);
        final Integer clusterId = root.read(ClusterKeys.ID);
        final Shape shape = shape();
        final boolean isAny = shape != null && shape.isAnyCabling();
        final Backend given = root.read(ClusterKeys.BACKEND);
        final Backend backend = isAny && !given.usesNics() ? Backend.RAW : given;
        if (backend != given && root.has(ClusterKeys.BACKEND.name())) {
            root.problem(
                    ClusterKeys.BACKEND.name(), "must be raw with cabling: any: cables join NICs");
        }
        final LinkPlan links = new LinkReader(root, shape, backend).read();
        final OrderConfig orders = orders(shape);
        final ClusterConfig base = base(shape, backend, links);
        final ClusterConfig.Builder builder =
                new ClusterConfig.Builder(name, base.shape(), backend, base.links());
        ClusterKeys.PARTS.forEach(part -> read(part, base, builder));
        builder.tenants(
                new TenantReader(builder.context().maxContexts()).read(root.section("tenants")));
        builder.hosts(hosts(shape, root.section("hosts")));
        root.finish(ClusterReader::place);
        if (shape == null || links == null || orders == null) {
            return null;
        }
        builder.orders(orders);
        if (clusterId != null) {
            builder.clusterId(clusterId);
        }
        return root.build(null, builder::build);
    }

    /** The shape; null if there is none. */
    private Shape shape() {
        final boolean isAny = root.value("cabling", false, ClusterReader::isAnyCabling);
        if (isAny) {
            for (final String key : List.of("shape", "links", "orders")) {
                if (root.take(key) != null) {
                    root.problem(
                            key,
                            "is of cabling: hyper-crossbar; with cabling: any the file has "
                                    + (key.equals("links") ? "nics" : "no " + key));
                }
            }
            return root.value(
                    "maxNodes", Shape.ofAnyCabling(DEFAULT_MAX_NODES), ClusterReader::anyCabling);
        }
        for (final String key : List.of("maxNodes", "nics")) {
            if (root.take(key) != null) {
                root.problem(key, "is of cabling: any");
            }
        }
        if (!root.has("shape")) {
            root.problem(
                    "shape",
                    "is missing; write one such as shape: 2x2x2, or cabling: any for nodes that are"
                            + " joined by cables in another way");
        }
        return root.value("shape", null, Shape::parse);
    }

    private static boolean isAnyCabling(final String text) {
        if (text.equals("any") || text.equals("hyper-crossbar")) {
            return text.equals("any");
        }
        throw new IllegalArgumentException("must be hyper-crossbar or any, not '" + text + "'");
    }

    private static Shape anyCabling(final String text) {
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("must be a number of nodes, not '" + text + "'");
        }
        return Shape.ofAnyCabling(Integer.parseInt(text));
    }

    /** Where a key of a section belongs that stands at the top, in any notation. */
    private static String place(final String key) {
        final Map<String, List<String>> sections = new LinkedHashMap<>();
        sections.put("udp", List.of(ClusterKeys.UDP_HOST.name(), ClusterKeys.UDP_BASE_PORT.name()));
        ClusterKeys.PARTS.forEach(
                part ->
                        sections.put(
                                part.section().name(),
                                part.section().keys().stream().map(ConfigKey::name).toList()));
        final List<String> places = new ArrayList<>();
        sections.forEach(
                (section, keys) -> {
                    for (final String known : keys) {
                        final String own = YamlSection.letters(known);
                        final String all = YamlSection.letters(section) + own;
                        if (List.of(own, all).contains(YamlSection.letters(key))) {
                            places.add(section + ": {" + known + ": ...}");
                        }
                    }
                });
        return String.join(" or ", places);
    }

    /** A cluster with the defaults that hold for these links, or for any others if they failed. */
    private static ClusterConfig base(
            final Shape shape, final Backend backend, final LinkPlan links) {
        return shape == null || links == null
                ? ClusterConfig.of("hxb", Shape.of(1), backend, LinkPlan.udp(1, 1, 1))
                : ClusterConfig.of("hxb", shape, backend, links);
    }

    private <S extends Record> void read(
            final ClusterKeys.Part<S> part,
            final ClusterConfig base,
            final ClusterConfig.Builder builder) {
        final ConfigSection<S> keys = part.section();
        part.setter()
                .accept(builder, root.section(keys.name()).read(keys, part.accessor().apply(base)));
    }

    private OrderConfig orders(final Shape shape) {
        final List<String> words = root.texts("orders", List.of("default"));
        if (shape == null || shape.isAnyCabling() || words.equals(List.of("default"))) {
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
