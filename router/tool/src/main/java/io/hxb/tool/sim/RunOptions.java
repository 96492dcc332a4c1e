package io.hxb.tool.sim;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** An experiment as options. Picocli fills it. */
final class RunOptions {
    @Option(
            names = "--graph",
            paramLabel = "FILE|WORDS",
            description = {
                "read the network from a file (.edges, .yaml, .dot, .json), or take "
                        + "words such as torus:8x8, random:64,4,1 or hyper-crossbar:4x4x2 (hxb "
                        + "plan routes --help lists them)"
            })
    private String graph;

    @Option(
            names = "--hosts-per-switch",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "connect this many hosts to each switch when the graph names none "
                            + "(default: ${DEFAULT-VALUE})")
    private int hosts;

    @Option(
            names = "--cycles",
            paramLabel = "N",
            defaultValue = "100000",
            description =
                    "simulate this many cycles, warm-up included (default: " + "${DEFAULT-VALUE})")
    private long cycles;

    @Option(
            names = "--warmup",
            paramLabel = "N|auto",
            defaultValue = "auto",
            description =
                    "measure after this many cycles; auto: when the latency has settled, "
                            + "at once for a trace (default: ${DEFAULT-VALUE})")
    private String warmup;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "seed everything random with this number (default: ${DEFAULT-VALUE})")
    private long seed;

    @Mixin private SimulatorRoutingOptions routing;
    @Mixin private NetworkOptions network;
    @Mixin private SimulatorTrafficOptions traffic;

    /** Picocli makes it. */
    RunOptions() {}

    /** The long names of the options that a command line has, such as {@code --osf}. */
    static Set<String> given(final ParseResult parsed) {
        return parsed.matchedOptionsSet().stream()
                .map(OptionSpec::longestName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Makes the routes of an experiment.
     *
     * @throws UsageException if the algorithm does not suit the graph, or an option that was given
     *     would do nothing.
     */
    static PreparedRoutes routes(final Experiment experiment, final Set<String> given) {
        final PreparedRoutes routes = routes(experiment);
        final Map<String, String> idle = IdleOptions.find(given, experiment, routes);
        if (!idle.isEmpty()) {
            throw new UsageException(String.join("; ", idle.values()));
        }
        return routes;
    }

    /** The same, whatever was given. */
    static PreparedRoutes routes(final Experiment experiment) {
        try {
            return PreparedRoutes.of(experiment);
        } catch (final GraphException e) {
            // The graph has been read: it is the algorithm or its options that do not suit it.
            throw new UsageException(e.getMessage(), e);
        }
    }

    /** Checks all options and reads the graph and the traffic. */
    Experiment experiment() throws IOException {
        if (graph == null) {
            throw new UsageException("--graph is missing; write a file of edges or torus:8x8");
        }
        if (hosts < 0 || hosts > 1024) {
            throw new UsageException("--hosts-per-switch must be 0..1024: " + hosts);
        }
        final SwitchGraph switches = GraphFile.read(graph, hosts);
        final TrafficConfig messages = traffic.config();
        if (messages.text() == null && switches.hostCount() > 1) {
            // Checks whether the pattern is defined on this graph before anything is computed.
            UsageException.check(() -> messages.source(switches, 0, seed));
        }
        return routing.addTo(
                        new Experiment.Builder(
                                graph, switches, routing.algorithm(), network.config(), messages))
                .cycles(cycles, warmupCycles(messages))
                .seed(seed)
                .build();
    }

    private long warmupCycles(final TrafficConfig of) {
        if (warmup.equals("auto")) {
            return of.isTrace() ? 0 : Experiment.AUTOMATIC;
        }
        if (!warmup.matches("\\d{1,13}")) {
            throw new UsageException("--warmup must be a number of cycles or auto: " + warmup);
        }
        return Long.parseLong(warmup);
    }
}
