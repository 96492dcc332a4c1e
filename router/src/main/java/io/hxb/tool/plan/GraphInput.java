package io.hxb.tool.plan;

import io.hxb.fabric.EdgeList;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** The graph to plan for: a file, or the words of a generator. Picocli fills it. */
final class GraphInput {
    private static final String CROSSBAR = "hyper-crossbar:";

    @Option(
            names = "--graph",
            required = true,
            paramLabel = "FILE|SPEC",
            description =
                    "a file of edges, or a generated graph such as torus:4x4, mesh:8x8,"
                            + " fat-tree:2,4,2, vbft:4,4, myrinet-clos:4, hyper-crossbar:4x4")
    private String graph;

    @Option(
            names = "--hosts-per-switch",
            paramLabel = "HOSTS",
            defaultValue = "1",
            description =
                    "hosts on each switch, on each leaf of trees, when the graph does not say it"
                            + " (default 1)")
    private int hostsPerSwitch;

    /** Picocli makes it. */
    GraphInput() {}

    /** Reads or generates the graph. */
    SwitchGraph read() throws IOException {
        if (hostsPerSwitch < 0 || hostsPerSwitch > 4096) {
            throw new ToolException("--hosts-per-switch must be 0..4096: " + hostsPerSwitch);
        }
        if (GraphSpec.isSpec(graph)) {
            return GraphSpec.parse(graph, hostsPerSwitch);
        }
        try {
            return EdgeList.parse(graph, Files.readString(Path.of(graph)), hostsPerSwitch);
        } catch (final NoSuchFileException e) {
            throw new ToolException(
                    "there is no file '"
                            + graph
                            + "', and it is no generated graph; write one of "
                            + String.join(", ", GraphSpec.NOTATIONS),
                    e);
        }
    }

    /** The nodes when the graph is a generated hyper-crossbar, else null. */
    Lattice crossbar() {
        if (!graph.startsWith(CROSSBAR)) {
            return null;
        }
        return Lattice.mesh(
                Arrays.stream(graph.substring(CROSSBAR.length()).split("[x,]", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray());
    }
}
