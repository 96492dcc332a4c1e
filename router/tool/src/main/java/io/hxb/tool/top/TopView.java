package io.hxb.tool.top;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Draws the screen and handles keys: pure functions of their arguments. Stateless. */
final class TopView {
    private static final int FRAME_LINES = 3;
    private static final int MIN_IP_HEIGHT = 8;
    private static final String NODE_HELP =
            "q quit  Enter links  a all links  arrows: move, sort  r reverse  p pause";
    private static final String LINK_HELP =
            "q quit  Esc nodes  a all links  arrows: move, sort  r reverse  p pause";

    private static final Table<NodeSample> NODES =
            new Table<>(
                    List.of(
                            TopColumn.words("node", TopView::name)
                                    .by(Comparator.comparingInt(NodeSample::node)),
                            TopColumn.words(
                                    "state", node -> node.state().toString(), TopView::tone),
                            new TopColumn<>(
                                    "links",
                                    false,
                                    node -> node.goodLinks() + "/" + node.links().size(),
                                    TopView::linksTone,
                                    Comparator.comparingLong(
                                            node -> node.goodLinks() - node.links().size())),
                            TopColumn.megabytes("in MB/s", NodeSample::inMegabytes),
                            TopColumn.megabytes("out MB/s", NodeSample::outMegabytes),
                            TopColumn.count("msg in/s", node -> node.messages().delivered()),
                            TopColumn.count("out/s", node -> node.messages().sent()),
                            TopColumn.count("relay/s", node -> node.frames().relayed()),
                            TopColumn.trouble("again/s", node -> node.frames().resent()),
                            TopColumn.trouble("detour/s", node -> node.frames().detoured()),
                            TopColumn.trouble("troubled", node -> node.routes().troubled()),
                            TopColumn.count("failures", NodeSample::failures),
                            TopColumn.count("silent", node -> node.routes().silent()),
                            TopColumn.count("broken", node -> node.routes().brokenHops()),
                            TopColumn.words("cluster", NodeSample::cluster)),
                    TopModel::key);

    private static final Table<TopModel.NodeLink> LINKS =
            new Table<>(
                    List.of(
                            TopColumn.words(
                                            "link",
                                            (TopModel.NodeLink row) ->
                                                    name(row.node()) + " " + row.link().label())
                                    .by(
                                            Comparator.comparing(
                                                            (TopModel.NodeLink row) ->
                                                                    row.link().label())
                                                    .thenComparingInt(row -> row.node().node())),
                            new TopColumn<>(
                                    "state",
                                    true,
                                    row -> row.link().state(),
                                    row -> tone(row.link().condition()),
                                    Comparator.comparing(
                                                    (TopModel.NodeLink row) ->
                                                            row.link().condition())
                                            .reversed()),
                            TopColumn.megabytes("in MB/s", row -> row.link().in().megabytes()),
                            TopColumn.megabytes("out MB/s", row -> row.link().out().megabytes()),
                            TopColumn.count("in f/s", row -> row.link().in().frames()),
                            TopColumn.count("out f/s", row -> row.link().out().frames()),
                            TopColumn.count("weight", row -> row.link().weightPercent()),
                            TopColumn.count("fails", row -> row.link().failures()),
                            TopColumn.count("heals", row -> row.link().recoveries()),
                            TopColumn.words("nic", row -> row.link().nic()),
                            TopColumn.words("last reason", row -> row.link().lastReason())),
                    TopModel::key);

    private TopView() {}

    private static String name(final NodeSample node) {
        return "(" + node.coordinates() + ")";
    }

    private static TextStyle tone(final NodeSample node) {
        return switch (node.state()) {
            case RUNNING -> TextStyle.GOOD;
            case STOPPED -> TextStyle.WARNING;
            case DEAD -> TextStyle.BAD;
        };
    }

    private static TextStyle linksTone(final NodeSample node) {
        if (node.links().stream().anyMatch(link -> tone(link.condition()) == TextStyle.BAD)) {
            return TextStyle.BAD;
        }
        return node.goodLinks() == node.links().size() ? TextStyle.GOOD : TextStyle.WARNING;
    }

    private static TextStyle tone(final LinkCondition condition) {
        return switch (condition) {
            case GOOD -> TextStyle.GOOD;
            case WEAK, ALONE -> TextStyle.WARNING;
            case FAILED, DOWN -> TextStyle.BAD;
        };
    }

    /** Makes sure that the selection exists and is visible on a screen of that height. */
    static TopState settle(final TopModel model, final int height, final TopState state) {
        TopState settled = state;
        if (state.view() == TopState.View.LINKS
                && model.links(state.nodes().selected()).isEmpty()) {
            settled = state.view(TopState.View.NODES);
        }
        return settled.list(settled.list().settle(keys(model, settled), rows(model, height)));
    }

    /**
     * What a key changes.
     *
     * @param state settled.
     */
    static TopState press(
            final TopModel model, final int height, final TopState state, final TopKey key) {
        final boolean isOfNodes = state.view() == TopState.View.NODES;
        final int page = Math.max(1, rows(model, height) - 1);
        final TopState next =
                switch (key) {
                    case UP -> move(model, state, -1);
                    case DOWN -> move(model, state, 1);
                    case PAGE_UP -> move(model, state, -page);
                    case PAGE_DOWN -> move(model, state, page);
                    case FIRST -> move(model, state, Integer.MIN_VALUE);
                    case LAST -> move(model, state, Integer.MAX_VALUE);
                    case OPEN -> isOfNodes ? state.view(TopState.View.LINKS) : state;
                    case BACK -> isOfNodes ? state : state.view(TopState.View.NODES);
                    case ALL_LINKS ->
                            state.view(
                                    state.view() == TopState.View.ALL_LINKS
                                            ? TopState.View.NODES
                                            : TopState.View.ALL_LINKS);
                    case SORT_LEFT -> state.list(state.list().sortBy(-1, columns(state)));
                    case SORT_RIGHT -> state.list(state.list().sortBy(1, columns(state)));
                    case REVERSE -> state.list(state.list().reverse());
                    case PAUSE -> state.pause();
                    case QUIT -> state.end();
                    case NONE -> state;
                };
        return settle(model, height, next);
    }

    private static TopState move(final TopModel model, final TopState state, final long rows) {
        return state.list(state.list().move(keys(model, state), rows));
    }

    private static int columns(final TopState state) {
        return state.view() == TopState.View.NODES
                ? NODES.columns().size()
                : LINKS.columns().size();
    }

    private static List<String> keys(final TopModel model, final TopState state) {
        return state.view() == TopState.View.NODES
                ? NODES.keys(model.nodes(), state.nodes())
                : LINKS.keys(links(model, state), state.links());
    }

    private static List<TopModel.NodeLink> links(final TopModel model, final TopState state) {
        return model.links(state.view() == TopState.View.LINKS ? state.nodes().selected() : "");
    }

    private static int rows(final TopModel model, final int height) {
        return Math.max(0, height - FRAME_LINES - ipLines(model, height));
    }

    // A line for the virtual NIC of the selected node, where nodes have any.
    private static int ipLines(final TopModel model, final int height) {
        return height >= MIN_IP_HEIGHT
                        && model.nodes().stream().anyMatch(node -> node.ip().isPresent())
                ? 1
                : 0;
    }

    private static String ipLine(final TopModel model, final TopState state) {
        final String selected =
                state.view() == TopState.View.ALL_LINKS
                        ? state.links().selected()
                        : state.nodes().selected();
        return model.nodes().stream()
                .filter(node -> (selected + " ").startsWith(TopModel.key(node) + " "))
                .findFirst()
                .flatMap(node -> node.ip().map(ip -> name(node) + " " + ip.text()))
                .orElse("");
    }

    /**
     * Draws the screen.
     *
     * @param width columns of the screen, 1 or more.
     * @param height lines of the screen, 1 or more.
     * @param state settled for that height.
     * @return at most {@code height} lines of at most {@code width} characters.
     */
    static List<ScreenLine> draw(
            final TopModel model, final int width, final int height, final TopState state) {
        final List<ScreenLine> lines = new ArrayList<>();
        lines.add(ScreenLine.of(title(model, state), TextStyle.TITLE).cut(width));
        if (height > 1) {
            final int room = Math.max(1, height - 2 - ipLines(model, height));
            lines.addAll(
                    state.view() == TopState.View.NODES
                            ? NODES.draw(model.nodes(), width, room, state.nodes())
                            : LINKS.draw(links(model, state), width, room, state.links()));
        }
        if (model.nodes().isEmpty() && height > FRAME_LINES) {
            lines.add(
                    ScreenLine.of("no node or link is as wanted now", TextStyle.WARNING)
                            .cut(width));
        }
        if (height > 2) {
            final int ipLines = ipLines(model, height);
            while (lines.size() < height - 1 - ipLines) {
                lines.add(ScreenLine.of("", TextStyle.PLAIN));
            }
            if (ipLines > 0) {
                lines.add(ScreenLine.of(ipLine(model, state), TextStyle.PLAIN).cut(width));
            }
            final String help = state.view() == TopState.View.NODES ? NODE_HELP : LINK_HELP;
            lines.add(ScreenLine.of(help, TextStyle.TITLE).cut(width));
        }
        return lines;
    }

    private static String title(final TopModel model, final TopState state) {
        final long links = model.nodes().stream().mapToLong(node -> node.links().size()).sum();
        final long good = model.nodes().stream().mapToLong(NodeSample::goodLinks).sum();
        final long running =
                model.nodes().stream().filter(node -> node.state() == NodeState.RUNNING).count();
        final StringBuilder text = new StringBuilder("hxb top ").append(model.clock());
        text.append(state.isPaused() ? " PAUSED" : "");
        place(model, state).ifPresent(place -> text.append("  ").append(place));
        return text.append("  nodes running ")
                .append(running + "/" + model.nodes().size())
                .append(", links good ")
                .append(good + "/" + links)
                .toString();
    }

    private static Optional<String> place(final TopModel model, final TopState state) {
        return switch (state.view()) {
            case NODES -> Optional.empty();
            case ALL_LINKS -> Optional.of("links of all nodes");
            case LINKS ->
                    model.nodes().stream()
                            .filter(node -> TopModel.key(node).equals(state.nodes().selected()))
                            .findFirst()
                            .map(node -> "links of node " + name(node));
        };
    }
}
