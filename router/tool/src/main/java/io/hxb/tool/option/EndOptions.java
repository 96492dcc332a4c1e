package io.hxb.tool.option;

import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

/** Options that select the nodes of a lab between which messages flow. Picocli fills it. */
public final class EndOptions {
    @Option(
            names = "--from",
            paramLabel = "COORD",
            description = "send from this node (default: node 0)")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "COORD",
            description = "send to this node (default: the farthest node)")
    private String to;

    /** Picocli makes it. */
    public EndOptions() {}

    /** True if one of them was given. */
    public boolean isGiven() {
        return from != null || to != null;
    }

    /** Node id of the sender. */
    public int from(final Shape shape) {
        return from == null ? 0 : shape.node(shape.parseCoordinates(from));
    }

    /** Node id of the receiver. */
    public int to(final Shape shape) {
        return to == null
                ? Pair.oneOfEachDistance(shape, from(shape)).getLast().to()
                : shape.node(shape.parseCoordinates(to));
    }
}
