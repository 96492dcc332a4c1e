package io.hxb.tool.top;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;
import io.hxb.observe.live.Urgency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The data of which the screen shows a part. Immutable.
 *
 * @param clock time of day, as it is shown.
 * @param nodes the nodes.
 * @param extras what belongs to them.
 */
record TopModel(String clock, List<NodeSample> nodes, TopExtras extras) {
    private static final int BAR_COLUMNS = 12;

    /** Copies the list. */
    TopModel {
        nodes = List.copyOf(nodes);
    }

    /** With samples alone. */
    TopModel(final String clock, final List<NodeSample> nodes) {
        this(clock, nodes, TopExtras.NONE);
    }

    /**
     * A node as a line shows it. Immutable.
     *
     * @param node the node.
     * @param host name of its host, or nothing.
     * @param bars its last rates.
     */
    record NodeRow(NodeSample node, String host, String bars) {
        String name() {
            return TopModel.name(node) + (host.isEmpty() ? "" : " " + host);
        }
    }

    /**
     * A link with its node. Immutable.
     *
     * @param node the node.
     * @param link one of its links.
     * @param partner who is heard on it, or nothing.
     * @param bars its last rates.
     */
    record NodeLink(NodeSample node, LinkSample link, String partner, String bars) {}

    /** The nodes with that text in their names or states, in any case. */
    List<NodeRow> rows(final String filter) {
        final double max = max(nodes.stream().map(TopModel::key).toList());
        final List<NodeRow> rows = new ArrayList<>();
        for (final NodeSample node : nodes) {
            final NodeRow row = new NodeRow(node, detail(node).host(), bars(key(node), max));
            if (isWanted(filter, row.name() + " " + node.stateWord() + " " + node.cluster())) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The links with that text in them, of the node with that key, or of all nodes. */
    List<NodeLink> links(final String nodeKey, final String filter) {
        final List<NodeSample> wanted =
                nodes.stream()
                        .filter(node -> nodeKey.isEmpty() || key(node).equals(nodeKey))
                        .toList();
        final double max =
                max(
                        wanted.stream()
                                .flatMap(node -> node.links().stream().map(link -> key(node, link)))
                                .toList());
        final List<NodeLink> links = new ArrayList<>();
        for (final NodeSample node : wanted) {
            for (final LinkSample link : node.links()) {
                if (filter.isEmpty() || isWanted(filter, words(node, link))) {
                    final String partner = detail(node).partners().getOrDefault(link.label(), "");
                    links.add(new NodeLink(node, link, partner, bars(key(node, link), max)));
                }
            }
        }
        return links;
    }

    private String words(final NodeSample node, final LinkSample link) {
        return String.join(
                " ",
                name(node),
                detail(node).host(),
                link.label(),
                link.state(),
                link.nic(),
                link.lastReason());
    }

    /** The nodes that need attention, the most severe first, then the others, by their ids. */
    static List<NodeSample> troubledFirst(final List<NodeSample> nodes) {
        return nodes.stream()
                .sorted(
                        Comparator.comparing(
                                        TopModel::urgency,
                                        Comparator.nullsFirst(Comparator.naturalOrder()))
                                .reversed()
                                .thenComparingInt(NodeSample::node))
                .toList();
    }

    // Null for a node that needs no attention.
    private static Urgency urgency(final NodeSample node) {
        if (node.state() != NodeState.RUNNING) {
            return node.urgency();
        }
        return node.links().stream()
                .map(LinkSample::condition)
                .filter(condition -> condition != LinkCondition.GOOD)
                .map(LinkCondition::urgency)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    NodeDetail detail(final NodeSample node) {
        return extras.details().getOrDefault(key(node), NodeDetail.NONE);
    }

    private static boolean isWanted(final String filter, final String words) {
        return filter.isEmpty()
                || words.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT));
    }

    private String bars(final String key, final double max) {
        return extras.glyphs().bars(extras.rates().getOrDefault(key, List.of()), max, BAR_COLUMNS);
    }

    private double max(final List<String> keys) {
        return keys.stream()
                .flatMap(key -> extras.rates().getOrDefault(key, List.of()).stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
    }

    static String name(final NodeSample node) {
        return "(" + node.coordinates() + ")";
    }

    static String key(final NodeSample node) {
        return node.cluster() + " " + node.node();
    }

    static String key(final NodeSample node, final LinkSample link) {
        return key(node) + " " + link.label();
    }

    static String key(final NodeRow row) {
        return key(row.node());
    }

    static String key(final NodeLink row) {
        return key(row.node(), row.link());
    }
}
