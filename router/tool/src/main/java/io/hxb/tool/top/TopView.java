package io.hxb.tool.top;

import java.util.ArrayList;
import java.util.List;

/** Draws the screen and handles keys: pure functions of their arguments. Stateless. */
final class TopView {
    /** Lines around the rows: the title, the heading and the keys. */
    private static final int FRAME_LINES = 3;

    /** Height of a screen with room for what needs attention, and for the virtual NIC. */
    private static final int MIN_HEIGHT = 8;

    /** Height of a screen with room for the details of a node. */
    private static final int MIN_DETAIL_HEIGHT = 12;

    private static final int MAX_TYPED = 40;
    private static final int ENTER = '\r';
    private static final int NEW_LINE = '\n';
    private static final int BACKSPACE = 8;
    private static final int DELETE = 127;
    private static final int ESCAPE = 27;

    private TopView() {}

    /** Makes sure that the selection exists and is visible on a screen of that height. */
    static TopState settle(final TopModel model, final int height, final TopState state) {
        TopState settled = state;
        if (state.view() == TopState.View.LINKS
                && model.links(state.nodes().selected(), "").isEmpty()) {
            settled = state.view(TopState.View.NODES);
        }
        return settled.list(
                settled.list().settle(keys(model, settled), rows(model, height, settled)));
    }

    /**
     * What a character changes that ends a word, or belongs to it, while the user types.
     *
     * @param state with a prompt.
     * @param character as it was read; 27 for ESC.
     */
    static TopState type(
            final TopModel model, final int height, final TopState state, final int character) {
        final boolean isFilter = state.prompt() == TopState.Prompt.FILTER;
        final String typed = state.typed();
        final TopState next =
                switch (character) {
                    case ESCAPE -> {
                        final TopState none = state.typing(TopState.Prompt.NONE, "");
                        yield isFilter ? none.filter("") : none;
                    }
                    case ENTER, NEW_LINE ->
                            isFilter || typed.isBlank()
                                    ? state.typing(TopState.Prompt.NONE, "")
                                    : state.trace(typed.strip());
                    case BACKSPACE, DELETE ->
                            typed(state, typed.substring(0, Math.max(0, typed.length() - 1)));
                    default ->
                            character < ' ' || character > '~' || typed.length() >= MAX_TYPED
                                    ? ending(state, character)
                                    : typed(state, typed + (char) character);
                };
        return settle(model, height, next);
    }

    // Ctrl-C, and the end of input.
    private static TopState ending(final TopState state, final int character) {
        return TopKey.of(character) == TopKey.QUIT && character < ' ' ? state.end() : state;
    }

    private static TopState typed(final TopState state, final String text) {
        final TopState next = state.typing(state.prompt(), text);
        return state.prompt() == TopState.Prompt.FILTER ? next.filter(text) : next;
    }

    /**
     * What a key changes.
     *
     * @param state settled.
     */
    static TopState press(
            final TopModel model, final int height, final TopState state, final TopKey key) {
        final boolean isOfNodes = state.view() == TopState.View.NODES;
        final int page = Math.max(1, rows(model, height, state) - 1);
        final TopState next =
                switch (key) {
                    case UP -> move(model, state, -1);
                    case DOWN -> move(model, state, 1);
                    case PAGE_UP -> move(model, state, -page);
                    case PAGE_DOWN -> move(model, state, page);
                    case FIRST -> move(model, state, Integer.MIN_VALUE);
                    case LAST -> move(model, state, Integer.MAX_VALUE);
                    case OPEN -> isOfNodes ? state.view(TopState.View.LINKS) : state;
                    case BACK -> isOfNodes ? state.filter("") : state.view(TopState.View.NODES);
                    case ALL_LINKS -> toggle(state, TopState.View.ALL_LINKS);
                    case ATTENTION -> toggle(state, TopState.View.ATTENTION);
                    case HELP -> toggle(state, TopState.View.HELP);
                    case FILTER -> state.typing(TopState.Prompt.FILTER, state.filter());
                    case TRACE ->
                            model.nodes().isEmpty()
                                    ? state
                                    : state.typing(TopState.Prompt.TRACE, "");
                    case SORT_LEFT -> state.list(state.list().sortBy(-1, columns(state)));
                    case SORT_RIGHT -> state.list(state.list().sortBy(1, columns(state)));
                    case REVERSE -> state.list(state.list().reverse());
                    case PAUSE -> state.pause();
                    case QUIT -> state.end();
                    case NONE -> state;
                };
        return settle(model, height, next);
    }

    private static TopState toggle(final TopState state, final TopState.View view) {
        return state.view(state.view() == view ? TopState.View.NODES : view);
    }

    private static TopState move(final TopModel model, final TopState state, final long rows) {
        return state.list(state.list().move(keys(model, state), rows));
    }

    private static boolean isOfLinks(final TopState state) {
        return state.view() == TopState.View.LINKS || state.view() == TopState.View.ALL_LINKS;
    }

    private static int columns(final TopState state) {
        return isOfLinks(state)
                ? TopTables.LINKS.columns().size()
                : TopTables.NODES.columns().size();
    }

    private static List<String> keys(final TopModel model, final TopState state) {
        return isOfLinks(state)
                ? TopTables.LINKS.keys(links(model, state), state.links())
                : TopTables.NODES.keys(model.rows(state.filter()), state.nodes());
    }

    private static List<TopModel.NodeLink> links(final TopModel model, final TopState state) {
        final boolean isOfOne = state.view() == TopState.View.LINKS;
        return model.links(isOfOne ? state.nodes().selected() : "", state.filter());
    }

    private static int rows(final TopModel model, final int height, final TopState state) {
        return Math.max(
                0, height - FRAME_LINES - upperLines(height, state) - ipLines(model, height));
    }

    private static int upperLines(final int height, final TopState state) {
        final boolean hasDetail =
                height >= MIN_DETAIL_HEIGHT && state.view() == TopState.View.LINKS;
        return (height >= MIN_HEIGHT ? 1 : 0) + (hasDetail ? NodeDetail.LINES : 0);
    }

    /** The lines between the title and the table, as many as {@link #upperLines} says. */
    private static List<ScreenLine> upper(
            final TopModel model, final int width, final int height, final TopState state) {
        final List<ScreenLine> lines = new ArrayList<>();
        if (height >= MIN_HEIGHT) {
            lines.add(Attention.line(Attention.page(model), width));
        }
        if (height >= MIN_DETAIL_HEIGHT && state.view() == TopState.View.LINKS) {
            TopPages.selected(model, state)
                    .ifPresent(
                            node ->
                                    model.detail(node).lines().stream()
                                            .map(line -> ScreenLine.of(line, TextStyle.PLAIN))
                                            .forEach(line -> lines.add(line.cut(width))));
        }
        return lines;
    }

    // A line for the virtual NIC of the selected node, where nodes have any.
    private static int ipLines(final TopModel model, final int height) {
        return height >= MIN_HEIGHT
                        && model.nodes().stream().anyMatch(node -> node.ip().isPresent())
                ? 1
                : 0;
    }

    private static String ipLine(final TopModel model, final TopState state) {
        return TopPages.selected(model, state)
                .flatMap(node -> node.ip().map(ip -> TopModel.name(node) + " " + ip.text()))
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
        lines.add(TopPages.title(model, state, width));
        final int ipLines = ipLines(model, height);
        final int end = Math.max(2, height - 1 - ipLines);
        if (height > 1) {
            lines.addAll(upper(model, width, height, state));
            lines.addAll(body(model, width, end - lines.size(), state));
        }
        if (height > 2) {
            while (lines.size() < end) {
                lines.add(ScreenLine.of("", TextStyle.PLAIN));
            }
            if (ipLines > 0) {
                lines.add(ScreenLine.of(ipLine(model, state), TextStyle.PLAIN).cut(width));
            }
            lines.add(TopPages.keys(state, width));
        }
        return lines;
    }

    private static List<ScreenLine> body(
            final TopModel model, final int width, final int room, final TopState state) {
        if (state.view().isPage()) {
            final List<ScreenLine> page = TopPages.page(model, state, width);
            return page.subList(0, Math.min(room, page.size()));
        }
        final List<ScreenLine> lines =
                new ArrayList<>(
                        isOfLinks(state)
                                ? TopTables.LINKS.draw(
                                        links(model, state), width, room, state.links())
                                : TopTables.NODES.draw(
                                        model.rows(state.filter()), width, room, state.nodes()));
        if (lines.size() == 1 && room > 1) {
            lines.add(
                    ScreenLine.of(
                                    model.nodes().isEmpty()
                                            ? "no node or link is as wanted now"
                                            : "no row has '" + state.filter() + "'; Esc: all rows",
                                    TextStyle.WARNING)
                            .cut(width));
        }
        return lines;
    }
}
