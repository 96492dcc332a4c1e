package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.tool.chart.CirclePicture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A map as a picture: its nodes in a circle. Stateless. */
final class MapPicture {
    private MapPicture() {}

    /** Draws it to a file. */
    static void draw(final Path file, final CableMap map) throws IOException {
        final List<PublishedMap.KnownNode> nodes = map.map().nodes();
        final List<Integer> numbers = nodes.stream().map(PublishedMap.KnownNode::number).toList();
        final List<CirclePicture.Line> lines = new ArrayList<>();
        for (final NodeGraph.Edge edge : map.map().edges()) {
            final String rate =
                    edge.capacityMbps() > edge.links() ? Sentences.rate(edge.capacityMbps()) : "";
            final String count = edge.links() > 1 ? Sentences.counted(edge.links(), "cable") : "";
            lines.add(
                    new CirclePicture.Line(
                            numbers.indexOf(edge.one()),
                            numbers.indexOf(edge.other()),
                            edge.links(),
                            count + (count.isEmpty() || rate.isEmpty() ? "" : ", ") + rate));
        }
        CirclePicture.draw(
                file,
                "cluster " + map.cluster() + ", map of node " + map.here(),
                nodes.stream().map(MapPicture::point).toList(),
                lines);
    }

    private static CirclePicture.Point point(final PublishedMap.KnownNode node) {
        return new CirclePicture.Point(
                Integer.toString(node.number()), MapText.host(node), node.isReached());
    }
}
