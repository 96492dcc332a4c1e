package io.hxb.fabric;

import java.util.List;

/** A graph that cannot be used; the message has a line for each problem with its remedy. */
public final class GraphException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private static final int MAX_LINES = 20;

    /** Reports one problem. */
    public GraphException(final String problem) {
        super(problem);
    }

    /**
     * Reports several problems, the first 20 in full.
     *
     * @param problems one line each, at least one.
     */
    public GraphException(final List<String> problems) {
        super(text(problems));
    }

    private static String text(final List<String> problems) {
        final int rest = problems.size() - MAX_LINES;
        return String.join("\n", problems.subList(0, Math.min(problems.size(), MAX_LINES)))
                + (rest > 0 ? "\nand " + rest + " more" : "");
    }
}
