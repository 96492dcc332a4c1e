package io.hxb.tool.map;

import io.hxb.config.ClusterConfig;
import io.hxb.observe.live.NodeState;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;

/** {@code hxb map}: who is cabled to whom. Picocli makes it. */
@Command(
        name = "map",
        mixinStandardHelpOptions = true,
        header = "Show which nodes are cabled to which.",
        description = {
            "Read the map of a node of this machine, in a cluster with 'cabling: any': the nodes "
                    + "that it knows, the cables between them, and what is wrong with these. NICs "
                    + "are those of the nodes of this machine. A cable is shown while both its "
                    + "ends hear each other.",
            "The exit status is 1 when the node does not run; the map is its last one then."
        })
public final class MapCommand implements Callable<Integer> {
    @Mixin private ClusterFile cluster;
    @Mixin private Output output;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description =
                    "show the map of this node of this machine: a host name of the cluster file or "
                            + "its id (default: the first that runs here)")
    private String node;

    @Option(
            names = "--advise",
            description =
                    "show the cable that would help most, between two nodes with fewer than 8, and "
                            + "its gain")
    private boolean isAdvised;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "write a picture of the map to this file, too")
    private Path picture;

    @Option(
            names = "--export",
            paramLabel = "FILE",
            description =
                    "write the nodes that are reached and their cables to this file, too, as a "
                            + "graph for 'hxb plan' and 'hxb lab up': Graphviz if its name ends in "
                            + ".dot, otherwise a list of edges")
    private Path export;

    /** Picocli makes it. */
    MapCommand() {}

    @Override
    public Integer call() {
        if (picture != null) {
            OutputFiles.check("--svg", picture);
        }
        if (export != null) {
            MapExport.check(export);
            OutputFiles.check("--export", export);
        }
        final ClusterConfig config = cluster.config();
        final MapSource source = new MapSource(config);
        final NodeNames names = new NodeNames(config);
        final CableMap map =
                source.read(
                        node == null
                                ? OptionalInt.empty()
                                : OptionalInt.of(
                                        UsageException.check("--node", () -> names.node(node))));
        final CableGraph graph = CableGraph.of(map.map());
        final List<String> findings = MapFindings.of(map, graph);
        output.text().print(MapText.of(map));
        if (!findings.isEmpty()) {
            output.text().println();
            findings.forEach(output.text()::println);
        }
        final Map<String, Object> report = MapReport.of(map, findings);
        if (isAdvised) {
            final Optional<CableAdvice> advice = CableAdvice.best(graph);
            output.text()
                    .println(
                            "\n"
                                    + advice.map(CableAdvice::sentence)
                                            .orElse(
                                                    "no further cable joins nodes, shortens a way"
                                                            + " or adds one where there are the"
                                                            + " fewest"));
            report.put("advice", advice.map(CableAdvice::report).orElse(null));
        }
        if (picture != null) {
            OutputFiles.write(picture, () -> MapPicture.draw(picture, map));
        }
        if (export != null) {
            OutputFiles.write(export, () -> Files.writeString(export, MapExport.text(map, export)));
        }
        output.report(report);
        return ExitStatus.of(map.state() == NodeState.RUNNING);
    }
}
