package io.hxb.tool.top;

import io.hxb.tool.live.LinkCondition;
import io.hxb.tool.live.NodeSample;
import io.hxb.tool.live.NodeState;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Draws the screen and handles keys: pure functions of their arguments. Stateless. */
final class TopView {
    private static final int FRAME_LINES = 3;
    private static final String NODE_HELP =
            "q quit  Enter links  a all links  arrows: move, sort  r reverse  p pause";
    private static final String LINK_HELP =
            "q quit  Esc nodes  a all links  arrows: move, sort  r reverse  p pause";

    private static final Table<NodeSample> NODES =
            new Table<>(
                    List.of(
                            Column.words("node", TopView::name)
                                    .by(Comparator.comparingInt(NodeSample::node)),
                            Column.words("state", node -> node.state().toString(), TopView::tone),
                            new Column<>(
                                    "links",
                                    false,
                                    node -> node.goodLinks() + "/" + node.links().size(),
                                    TopView::linksTone,
                                    Comparator.comparingLong(
                                            node -> node.goodLinks() - node.links().size())),
                            Column.megabytes("in MB/s", NodeSample::inMegabytes),
                            Column.megabytes("out MB/s", NodeSample::outMegabytes),
                            Column.count("msg in/s", node -> node.messages().delivered()),
                            Column.count("out/s", node -> node.messages().sent()),
                            Column.count("relay/s", node -> node.frames().relayed()),
                            Column.trouble("again/s", node -> node.frames().resent()),
                            Column.trouble("detour/s", node -> node.frames().detoured()),
                            Column.trouble("troubled", node -> node.routes().troubled()),
                            Column.count("failures", NodeSample::failures),
                            Column.count("silent", node -> node.routes().silent()),
                            Column.count("broken", node -> node.routes().brokenHops()),
                            Column.words("cluster", NodeSample::cluster)),
                    TopModel::key);

    private static final Table<TopModel.NodeLink> LINKS =
            new Table<>(
                    List.of(
                            Column.words(
                                            "link",
                                            (TopModel.NodeLink row) ->
                                                    name(row.node()) + " " + row.link().label())
                                    .by(
                                            Comparator.comparing(
                                                            (TopModel.NodeLink row) ->
                                                                    row.link().label())
                                                    .thenComparingInt(row -> row.node().node())),
                            new Column<>(
                                    "state",
                                    true,
                                    row -> row.link().state(),
                                    row -> tone(row.link().condition()),
                                    Comparator.comparing(
                                                    (TopModel.NodeLink row) ->
                                                            row.link().condition())
                                            .reversed()),
                            Column.megabytes("in MB/s", row -> row.link().in().megabytes()),
                            Column.megabytes("out MB/s", row -> row.link().out().megabytes()),
                            Column.count("in f/s", row -> row.link().in().frames()),
                            Column.count("out f/s", row -> row.link().out().frames()),
                            Column.count("weight", row -> row.link().weightPercent()),
                            Column.count("fails", row -> row.link().failures()),
                            Column.count("heals", row -> row.link().recoveries()),
                            Column.words("nic", row -> row.link().nic()),
                            Column.words("last reason", row -> row.link().lastReason())),
                    TopModel::key);

    private TopView() {}

    private static String name(final NodeSample node) {
        return "(" + node.coordinates() + ")";
    }

    private static Tone tone(final NodeSample node) {
        return switch (node.state()) {
            case RUNNING -> Tone.GOOD;
            case STOPPED -> Tone.WARNING;
            case DEAD -> Tone.BAD;
        };
    }

    private static Tone linksTone(final NodeSample node) {
        if (node.links().stream().anyMatch(link -> tone(link.condition()) == Tone.BAD)) {
            return Tone.BAD;
        }
        return node.goodLinks() == node.links().size() ? Tone.GOOD : Tone.WARNING;
    }

    private static Tone tone(final LinkCondition condition) {
        return switch (condition) {
            case GOOD -> Tone.GOOD;
            case WEAK, ALONE -> Tone.WARNING;
            case FAILED, DOWN -> Tone.BAD;
        };
    }

    /** Makes sure that the selection exists and is visible on a screen of that height. */
    static TopState settle(final TopModel model, final int height, final TopState state) {
        TopState settled = state;
        if (state.view() == TopState.View.LINKS
                && model.links(state.nodes().selected()).isEmpty()) {
            settled = state.view(TopState.View.NODES);
        }
        return settled.list(settled.list().settle(keys(model, settled), rows(height)));
    }

    /**
     * What a key changes.
     *
     * @param state settled.
     */
    static TopState press(
            final TopModel model, final int height, final TopState state, final Key key) {
        final boolean isOfNodes = state.view() == TopState.View.NODES;
        final int page = Math.max(1, rows(height) - 1);
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

    private static int rows(final int height) {
        return Math.max(0, height - FRAME_LINES);
    }

    /**
     * Draws the screen.
     *
     * @param width columns of the screen, 1 or more.
     * @param height lines of the screen, 1 or more.
     * @param state settled for that height.
     * @return at most {@code height} lines of at most {@code width} characters.
     */
    static List<Line> draw(
            final TopModel model, final int width, final int height, final TopState state) {
        final List<Line> lines = new ArrayList<>();
        lines.add(Line.of(title(model, state), Tone.TITLE).cut(width));
        if (height > 1) {
            final int room = Math.max(1, height - 2);
            lines.addAll(
                    state.view() == TopState.View.NODES
                            ? NODES.draw(model.nodes(), width, room, state.nodes())
                            : LINKS.draw(links(model, state), width, room, state.links()));
        }
        if (model.nodes().isEmpty() && height > FRAME_LINES) {
            lines.add(Line.of("no node or link is as wanted now", Tone.WARNING).cut(width));
        }
        if (height > 2) {
            while (lines.size() < height - 1) {
                lines.add(Line.of("", Tone.PLAIN));
            }
            final String help = state.view() == TopState.View.NODES ? NODE_HELP : LINK_HELP;
            lines.add(Line.of(help, Tone.TITLE).cut(width));
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
