package io.hxb.tool.option;

import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;

/** Options that describe a lab. Picocli fills it. */
public final class LabOptions {
    private static final String SHAPE = "2x2x2";

    @Option(
            names = "--shape",
            paramLabel = "SHAPE",
            description = "make a cluster of this shape, such as 3x3x3 (default: " + SHAPE + ")")
    private String shape;

    @Option(
            names = "--graph",
            paramLabel = "FILE|WORDS",
            description =
                    "make nodes joined by single cables (cabling: any) instead, a node for each"
                        + " switch and a cable for each link of this graph, such as full:3, ring:4,"
                        + " chain:4, star:5 or another graph of 'hxb plan'; raw only")
    private String graph;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description = "with --graph: make this many cables for each link (default: 1)")
    private Integer parallel;

    @Mixin private LabLinkOptions links;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            description = "give the lab this name (default: lab; hxb demo takes one of its own)")
    private String name;

    /** Picocli makes it. */
    public LabOptions() {}

    /** The lab that was asked for; wrong values end the command as wrong usage. */
    public LabSpec spec() {
        return spec("lab");
    }

    /** The same, with another name when none was given. */
    public LabSpec spec(final String defaultName) {
        final String chosen = name == null ? defaultName : name;
        if (graph != null) {
            return links.spec(chosen, cabling());
        }
        if (parallel != null) {
            throw new UsageException("--parallel needs --graph; --links is for a --shape");
        }
        return links.spec(chosen, shape == null ? SHAPE : shape);
    }

    private LabCabling cabling() {
        if (shape != null) {
            throw new UsageException(
                    "--graph and --shape exclude each other: give the graph of the cables, or the"
                            + " shape of a hyper-crossbar");
        }
        try {
            final SwitchGraph read = GraphFile.read(graph, 0);
            return UsageException.check(
                    () -> LabCabling.of(graph, read, parallel == null ? 1 : parallel));
        } catch (final IOException e) {
            throw new ToolException("cannot read " + graph + ": " + e.getMessage(), e);
        }
    }

    /** The same for hosts that are joined by switches: a line of that many, with one NIC each. */
    public LabSpec hosts(final int count) {
        return links.hosts(name == null ? "lab" : name, count);
    }
}
