package io.hxb.tool.option;

import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import picocli.CommandLine.Option;

import java.util.List;

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

    /** Node id of the receiver in a lab. */
    public int to(final LabSpec lab) {
        if (to != null) {
            return lab.shape().node(lab.shape().parseCoordinates(to));
        }
        return distances(lab, from(lab.shape())).getLast().to();
    }

    /** From a node of a lab to one at each distance, the nearest first. */
    public static List<Pair> distances(final LabSpec lab, final int from) {
        return lab.cabling()
                .map(cabling -> Pair.oneOfEachDistance(cabling.distances(from), from))
                .orElseGet(() -> Pair.oneOfEachDistance(lab.shape(), from));
    }
}
