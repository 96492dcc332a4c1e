package io.hxb.tool.top;

import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;

import java.util.ArrayList;
import java.util.List;

/**
 * The data of which the screen shows a part. Immutable.
 *
 * @param clock time of day, as it is shown.
 * @param nodes the nodes.
 */
public record TopModel(String clock, List<NodeSample> nodes) {
    /** Copies the list. */
    public TopModel {
        nodes = List.copyOf(nodes);
    }

    /**
     * A link with its node. Immutable.
     *
     * @param node the node.
     * @param link one of its links.
     */
    record NodeLink(NodeSample node, LinkSample link) {}

    /** The links of the node with that key, or of all nodes. */
    List<NodeLink> links(final String nodeKey) {
        final List<NodeLink> links = new ArrayList<>();
        for (final NodeSample node : nodes) {
            if (nodeKey.isEmpty() || key(node).equals(nodeKey)) {
                node.links().forEach(link -> links.add(new NodeLink(node, link)));
            }
        }
        return links;
    }

    static String key(final NodeSample node) {
        return node.cluster() + " " + node.node();
    }

    static String key(final NodeLink row) {
        return key(row.node()) + " " + row.link().label();
    }
}
