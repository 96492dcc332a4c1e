package io.hxb.counter;

/** What a counter is counted for. */
public enum CounterScope {
    /** Once for the node. */
    NODE(0),

    /** Once for each link; label {@code link}. */
    LINK(1),

    /** Once for each dimension; label {@code dimension}. */
    DIMENSION(2),

    /** Once for each of the {@link TimeBuckets}; label {@code le}. */
    BUCKET(3),

    /**
     * Once for each neighbour on each link, where a line has more than two nodes; labels {@code
     * link} and {@code peer}. See {@link NeighbourPlaces}.
     */
    NEIGHBOUR(4);

    private final int code;

    CounterScope(final int code) {
        this.code = code;
    }

    /** The code in the file. */
    int code() {
        return code;
    }

    /** The scope with that code; null if there is none. */
    static CounterScope ofCode(final int code) {
        return switch (code) {
            case 0 -> NODE;
            case 1 -> LINK;
            case 2 -> DIMENSION;
            case 3 -> BUCKET;
            case 4 -> NEIGHBOUR;
            default -> null;
        };
    }
}
