package io.hxb.tool.top;

/**
 * What the user looks at. Immutable.
 *
 * @param view which list.
 * @param nodes position in the list of nodes.
 * @param links position in the list of links.
 * @param isPaused whether the display is paused.
 * @param isOver whether the user has ended it.
 */
record TopState(View view, ListState nodes, ListState links, boolean isPaused, boolean isOver) {
    static final TopState START =
            new TopState(View.NODES, ListState.START, ListState.START, false, false);

    /** The lists that can be shown. */
    enum View {
        /** A line for each node. */
        NODES,
        /** A line for each link of the selected node. */
        LINKS,
        /** A line for each link of all nodes. */
        ALL_LINKS
    }

    ListState list() {
        return view == View.NODES ? nodes : links;
    }

    TopState list(final ListState state) {
        return view == View.NODES
                ? new TopState(view, state, links, isPaused, isOver)
                : new TopState(view, nodes, state, isPaused, isOver);
    }

    TopState view(final View other) {
        return new TopState(
                other,
                nodes,
                new ListState("", 0, links.sortColumn(), links.isReversed()),
                isPaused,
                isOver);
    }

    TopState pause() {
        return new TopState(view, nodes, links, !isPaused, isOver);
    }

    TopState end() {
        return new TopState(view, nodes, links, isPaused, true);
    }
}
