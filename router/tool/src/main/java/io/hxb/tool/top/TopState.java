package io.hxb.tool.top;

import java.util.Optional;

/**
 * What the user looks at. Immutable.
 *
 * @param view which list or page.
 * @param nodes position in the list of nodes.
 * @param links position in the list of links.
 * @param filter text that rows must have; empty for all.
 * @param prompt what is being typed.
 * @param typed what has been typed so far.
 * @param trace the trace that was asked for last; empty if none was.
 * @param isPaused whether the display is paused.
 * @param isOver whether the user has ended it.
 */
record TopState(
        View view,
        ListState nodes,
        ListState links,
        String filter,
        Prompt prompt,
        String typed,
        Optional<TraceWish> trace,
        boolean isPaused,
        boolean isOver) {
    static final TopState START =
            new TopState(
                    View.NODES,
                    ListState.START,
                    ListState.START,
                    "",
                    Prompt.NONE,
                    "",
                    Optional.empty(),
                    false,
                    false);

    /** The lists and pages that can be shown. */
    enum View {
        /** A line for each node. */
        NODES,
        /** A line for each link of the selected node. */
        LINKS,
        /** A line for each link of all nodes. */
        ALL_LINKS,
        /** What needs attention. */
        ATTENTION,
        /** The keys. */
        HELP,
        /** The hops of a trace. */
        TRACE;

        boolean isPage() {
            return this == ATTENTION || this == HELP || this == TRACE;
        }
    }

    /** What the user is typing. */
    enum Prompt {
        /** Nothing: keys are commands. */
        NONE,
        /** A filter. */
        FILTER,
        /** The node that a trace goes to. */
        TRACE
    }

    /**
     * A trace that the user wants. Immutable.
     *
     * @param number distinguishes it from the same one asked for before.
     * @param from key of the node where it begins.
     * @param to name of the node where it ends, as it was typed.
     */
    record TraceWish(int number, String from, String to) {}

    ListState list() {
        return view == View.LINKS || view == View.ALL_LINKS ? links : nodes;
    }

    TopState list(final ListState state) {
        return view == View.LINKS || view == View.ALL_LINKS
                ? with(view, nodes, state)
                : with(view, state, links);
    }

    /** Another view, in whose list of links nothing is selected yet. */
    TopState view(final View other) {
        return with(other, nodes, new ListState("", 0, links.sortColumn(), links.isReversed()));
    }

    private TopState with(
            final View otherView, final ListState otherNodes, final ListState otherLinks) {
        return new TopState(
                otherView, otherNodes, otherLinks, filter, prompt, typed, trace, isPaused, isOver);
    }

    /** Begins to type, or goes on with it. */
    TopState typing(final Prompt other, final String text) {
        return new TopState(view, nodes, links, filter, other, text, trace, isPaused, isOver);
    }

    /** Shows only rows with that text, and the first of them. */
    TopState filter(final String text) {
        return new TopState(view, nodes, links, text, prompt, typed, trace, isPaused, isOver);
    }

    /** Wants a trace from the selected node. */
    TopState trace(final String to) {
        final int number = trace.map(TraceWish::number).orElse(0) + 1;
        return new TopState(
                View.TRACE,
                nodes,
                links,
                filter,
                Prompt.NONE,
                "",
                Optional.of(new TraceWish(number, nodes.selected(), to)),
                isPaused,
                isOver);
    }

    TopState pause() {
        return new TopState(view, nodes, links, filter, prompt, typed, trace, !isPaused, isOver);
    }

    TopState end() {
        return new TopState(view, nodes, links, filter, prompt, typed, trace, isPaused, true);
    }
}
