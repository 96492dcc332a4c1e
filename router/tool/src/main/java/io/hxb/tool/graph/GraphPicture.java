package io.hxb.tool.graph;

import io.hxb.fabric.SwitchGraph;

import java.util.Locale;

/**
 * An SVG picture of a graph: every link is two lines, one per channel, each on the right in its
 * direction, coloured and as wide as its load; hosts are dots at their switch. Stateless.
 */
public final class GraphPicture {
    private static final double UNIT = 90;
    private static final double MARGIN = 70;

    private GraphPicture() {}

    /**
     * Draws a graph.
     *
     * @param loads of channels, {@code [channels]}.
     * @param title above the picture.
     */
    public static String svg(final SwitchGraph graph, final double[] loads, final String title) {
        final GraphLayout layout = GraphLayout.of(graph);
        double left = Double.MAX_VALUE;
        double top = Double.MAX_VALUE;
        double right = -Double.MAX_VALUE;
        double bottom = -Double.MAX_VALUE;
        for (int node = 0; node < graph.switchCount(); node++) {
            left = Math.min(left, layout.x(node));
            right = Math.max(right, layout.x(node));
            top = Math.min(top, layout.y(node));
            bottom = Math.max(bottom, layout.y(node));
        }
        final double width = (right - left) * UNIT + 2 * MARGIN;
        final double height = (bottom - top) * UNIT + 2 * MARGIN + 50;
        final StringBuilder text = new StringBuilder();
        add(
                text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
                        + " font-family=\"sans-serif\" font-size=\"11\">\n",
                Math.max(420, width),
                height);
        add(text, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
        add(text, "<text x=\"10\" y=\"20\" font-size=\"14\">%s</text>\n", escape(title));
        final double[] xs = new double[graph.switchCount()];
        final double[] ys = new double[graph.switchCount()];
        for (int node = 0; node < xs.length; node++) {
            xs[node] = (layout.x(node) - left) * UNIT + MARGIN;
            ys[node] = (layout.y(node) - top) * UNIT + MARGIN + 20;
        }
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            addChannel(text, graph, loads, channel, xs, ys);
        }
        final int[] hosts = graph.hostCounts();
        for (int node = 0; node < xs.length; node++) {
            addSwitch(text, graph.switchName(node), hosts[node], xs[node], ys[node]);
        }
        addLegend(text, LinkLoads.max(loads), height);
        return text.append("</svg>\n").toString();
    }

    private static void addChannel(
            final StringBuilder text,
            final SwitchGraph graph,
            final double[] loads,
            final int channel,
            final double[] xs,
            final double[] ys) {
        final int from = graph.source(channel);
        final int to = graph.target(channel);
        final double dx = xs[to] - xs[from];
        final double dy = ys[to] - ys[from];
        final double length = Math.max(1, Math.hypot(dx, dy));
        // Links that pass over other switches of a row, as those that wrap around, are bent.
        final double bend = length > 1.5 * UNIT && (dx == 0 || dy == 0) ? 0.12 * length : 0;
        final double side = 3 + 6 * parallels(graph, channel);
        final double ox = -dy / length;
        final double oy = dx / length;
        final double share = LinkLoads.max(loads) == 0 ? 0 : loads[channel] / LinkLoads.max(loads);
        final int sign = from < to ? 1 : -1;
        add(
                text,
                "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\""
                        + " stroke-width=\"%.1f\"><title>%s: %s</title></path>\n",
                xs[from] + ox * side,
                ys[from] + oy * side,
                (xs[from] + xs[to]) / 2 + ox * (side + sign * bend * 2),
                (ys[from] + ys[to]) / 2 + oy * (side + sign * bend * 2),
                xs[to] + ox * side,
                ys[to] + oy * side,
                LinkLoads.colour(loads[channel], LinkLoads.max(loads)),
                1 + 3 * share,
                escape(graph.channelName(channel)),
                LinkLoads.text(loads[channel]));
    }

    /** Position among the links that join the same two switches. */
    private static int parallels(final SwitchGraph graph, final int channel) {
        final int from = graph.source(channel);
        int before = 0;
        for (int i = 0; i < graph.outgoingIndex(channel); i++) {
            before += graph.target(graph.outgoing(from, i)) == graph.target(channel) ? 1 : 0;
        }
        return before;
    }

    private static void addSwitch(
            final StringBuilder text,
            final String name,
            final int hosts,
            final double x,
            final double y) {
        final double width = Math.max(22, 7 * name.length() + 8);
        add(
                text,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"20\" rx=\"4\" fill=\"#f4f4f4\""
                        + " stroke=\"#333\"/>\n",
                x - width / 2,
                y - 10,
                width);
        add(
                text,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x,
                y + 4,
                escape(name));
        for (int host = 0; host < Math.min(hosts, 8); host++) {
            add(
                    text,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#555\"/>\n",
                    x - width / 2 + 4 + 6 * host,
                    y + 15);
        }
    }

    private static void addLegend(final StringBuilder text, final double max, final double height) {
        for (int i = 0; i <= 10; i++) {
            add(
                    text,
                    "<rect x=\"%d\" y=\"%.0f\" width=\"20\" height=\"10\" fill=\"%s\"/>\n",
                    10 + 20 * i,
                    height - 20,
                    LinkLoads.colour(i, 10));
        }
        add(
                text,
                "<text x=\"240\" y=\"%.0f\">load of a channel, 0 to %s</text>\n",
                height - 11,
                LinkLoads.text(max));
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(final StringBuilder text, final String format, final Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }

    private static String escape(final String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
