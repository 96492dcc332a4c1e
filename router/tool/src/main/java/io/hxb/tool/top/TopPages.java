package io.hxb.tool.top;

import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The lines of the screen that are not rows of a table. Stateless. */
final class TopPages {
    private static final List<String> KEYS =
            List.of(
                    "up, down, k, j    the row above, below",
                    "page up, down     a screen up, down (b, space)",
                    "home, end         the first, the last row (g, G)",
                    "Enter             the selected node and its links; Esc goes back",
                    "a                 the links of all nodes",
                    "w                 what needs attention, the most severe first",
                    "t                 trace from the selected node to another",
                    "/                 show only rows with a text; Esc shows all",
                    "left, right       sort by another column, marked by v (<, >)",
                    "r                 reverse the order",
                    "p                 pause, go on",
                    "q, Ctrl-C         quit");

    private TopPages() {}

    /** The first line: as much as fits of what the whole cluster does. */
    static ScreenLine title(final TopModel model, final TopState state, final int width) {
        final List<NodeSample> nodes = model.nodes();
        final long links = nodes.stream().mapToLong(node -> node.links().size()).sum();
        final long good = nodes.stream().mapToLong(NodeSample::goodLinks).sum();
        final long running =
                nodes.stream().filter(node -> node.state() == NodeState.RUNNING).count();
        final double rate = nodes.stream().mapToDouble(NodeSample::outMegabytes).sum();
        final List<String> clusters = nodes.stream().map(NodeSample::cluster).distinct().toList();
        final String place = place(model, state).map(text -> "  " + text).orElse("");
        final String pause = state.isPaused() ? " PAUSED" : "";
        final String start = "hxb top " + model.clock() + pause + place;
        final String runs = "nodes running " + running + "/" + nodes.size();
        final String works = "links good " + good + "/" + links;
        final long unknown = nodes.stream().mapToLong(NodeSample::unknownLinks).sum();
        final String fails = unknown == 0 ? works : works + " (unknown " + unknown + ")";
        final String sends = String.format(Locale.ROOT, "%.1f MB/s", rate);
        final String cluster = clusters.size() == 1 ? clusters.getFirst() + ": " : "";
        final String all = String.join(", ", runs, works, sends);
        final String text =
                List.of(
                                start + "  " + cluster + String.join(", ", runs, fails, sends),
                                start + "  " + cluster + all,
                                start + "  " + all,
                                start + "  " + runs + ", " + works,
                                "hxb top" + pause + place + "  " + runs + ", " + works,
                                "hxb top" + pause + place + " " + runs + " links " + good + "/"
                                        + links)
                        .stream()
                        .filter(each -> each.length() <= width)
                        .findFirst()
                        .orElse("hxb top" + pause + " " + running + "/" + nodes.size() + place);
        return ScreenLine.of(text, TextStyle.TITLE).cut(width);
    }

    private static Optional<String> place(final TopModel model, final TopState state) {
        return switch (state.view()) {
            case NODES, ATTENTION, HELP, TRACE -> Optional.empty();
            case ALL_LINKS -> Optional.of("links of all nodes");
            case LINKS ->
                    selected(model, state).map(node -> "links of node " + TopModel.name(node));
        };
    }

    /** The node that is selected, or whose link is. */
    static Optional<NodeSample> selected(final TopModel model, final TopState state) {
        final String selected =
                state.view() == TopState.View.ALL_LINKS
                        ? state.links().selected()
                        : state.nodes().selected();
        return model.nodes().stream()
                .filter(node -> (selected + " ").startsWith(TopModel.key(node) + " "))
                .findFirst();
    }

    /**
     * The last line: what is being typed, or the keys. It leaves the last cell of the screen free:
     * after lines have moved, the terminal library does not always write there.
     */
    static ScreenLine keys(final TopState state, final int width) {
        final String text =
                switch (state.prompt()) {
                    case FILTER -> "show rows with: " + state.typed() + "_";
                    case TRACE -> "trace to node: " + state.typed() + "_";
                    case NONE -> help(state);
                };
        return ScreenLine.of(text, TextStyle.TITLE).cut(Math.max(1, width - 1));
    }

    private static String help(final TopState state) {
        final String filter =
                state.filter().isEmpty() ? "/ filter" : "/ filter '" + state.filter() + "'";
        return switch (state.view()) {
            case NODES -> "q quit  ? help  Enter links  a all links  w wrong  t trace  " + filter;
            case LINKS, ALL_LINKS ->
                    "q quit  ? help  Esc nodes  a all links  w wrong  t trace  " + filter;
            case ATTENTION, HELP, TRACE -> "q quit  Esc back";
        };
    }

    /** The lines of a page. */
    static List<ScreenLine> page(final TopModel model, final TopState state, final int width) {
        return switch (state.view()) {
            case ATTENTION -> attention(model, width);
            case TRACE ->
                    model.extras().trace().stream()
                            .map(line -> ScreenLine.of(line, TextStyle.PLAIN).cut(width))
                            .toList();
            case NODES, LINKS, ALL_LINKS, HELP ->
                    KEYS.stream()
                            .map(line -> ScreenLine.of(line, TextStyle.PLAIN).cut(width))
                            .toList();
        };
    }

    private static List<ScreenLine> attention(final TopModel model, final int width) {
        final List<Attention> all = Attention.page(model);
        return all.isEmpty()
                ? List.of(Attention.line(all, width))
                : all.stream()
                        .map(each -> ScreenLine.of(each.text(), each.tone()).cut(width))
                        .toList();
    }
}
