package io.hxb.tool.sim;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.Switching;
import io.hxb.sim.route.RingRule;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PathChoice;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.select.SelectionKind;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.graph.TrafficFile;
import io.hxb.tool.report.UsageException;

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
                "the network: a file (.edges, .yaml, .dot, .json) or words such as torus:8x8,",
                "random:64,4,1 or hyper-crossbar:4x4x2 (hxb plan routes --help lists them)"
            })
    private String graph;

    @Option(
            names = "--hosts",
            paramLabel = "H",
            defaultValue = "4",
            description =
                    "hosts on each switch when the graph names none; default ${DEFAULT-VALUE}")
    private int hosts;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "updown-bfs",
            description = "routing algorithm of hxb plan; default ${DEFAULT-VALUE}")
    private String algorithm;

    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            defaultValue = "-1",
            description = "root of spanning trees; default: the algorithm's choice")
    private int root;

    @Option(
            names = "--paths",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "adaptive, or one path a pair: low-port, random, sancho, high-physical; default"
                            + " ${DEFAULT-VALUE}: adaptive, but for lash and in-transit, which"
                            + " choose one path a pair by themselves")
    private String paths;

    @Option(
            names = "--osf",
            paramLabel = "NAME",
            defaultValue = "random",
            description =
                    "output selection: random, dimension-order, zigzag, lfu, sp, mm, ldsf, lru,"
                            + " mmlru; default ${DEFAULT-VALUE}")
    private String selection;

    @Option(
            names = "--vcs",
            paramLabel = "R",
            defaultValue = "1",
            description = "virtual channels of each channel; default ${DEFAULT-VALUE}")
    private int lanes;

    @Option(
            names = "--free-vcs",
            description =
                    "with more virtual channels than the routing needs: take any at every switch;"
                            + " default: each pair keeps to one")
    private boolean hasFreeCopies;

    @Option(
            names = "--ties",
            paramLabel = "NAME",
            defaultValue = "free",
            description =
                    "dimension-order in a torus: of two ways round a ring that are as short, the"
                            + " one that is free (free), either by chance (random) or the one"
                            + " towards the higher coordinate (positive); default ${DEFAULT-VALUE}")
    private String ties;

    @Option(
            names = "--ring-vcs",
            paramLabel = "NAME",
            defaultValue = "change",
            description =
                    "dimension-order in a torus: packets change their virtual channel where the"
                            + " ring closes (change), or keep to one that only those have that will"
                            + " pass there (keep); default ${DEFAULT-VALUE}")
    private String ringChannels;

    @Option(
            names = "--buffer",
            paramLabel = "FLITS",
            defaultValue = "128",
            description = "buffer of each virtual channel; default ${DEFAULT-VALUE}")
    private int buffer;

    @Option(
            names = "--packet",
            paramLabel = "FLITS",
            defaultValue = "128",
            description = "flits of a packet; default ${DEFAULT-VALUE}")
    private int packet;

    @Option(
            names = "--message",
            paramLabel = "FLITS,...",
            defaultValue = "",
            description =
                    "lengths of messages, any with the same chance, cut into packets; default one"
                            + " packet")
    private String messages;

    @Option(
            names = "--switching",
            paramLabel = "NAME",
            defaultValue = "vct",
            description =
                    "wh wormhole, vct cut-through, sf store and forward; default ${DEFAULT-VALUE}")
    private String switching;

    @Option(
            names = "--reuse",
            paramLabel = "WHEN",
            description =
                    "a virtual channel takes the next packet once the tail is sent (tail) or its"
                            + " buffer is empty (empty); default empty for wh, else tail")
    private String reuse;

    @Option(
            names = "--switch-cycles",
            paramLabel = "N",
            defaultValue = "2",
            description = "cycles of a header in a switch; default ${DEFAULT-VALUE}")
    private int switchCycles;

    @Option(
            names = "--allocation-cycles",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "cycles from getting a virtual channel until flits move; default"
                            + " ${DEFAULT-VALUE}")
    private int allocationCycles;

    @Option(
            names = "--link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles on a link; default ${DEFAULT-VALUE}")
    private int linkCycles;

    @Option(
            names = "--host-link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles on a host's link; default ${DEFAULT-VALUE}")
    private int hostLinkCycles;

    @Option(
            names = "--credit-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles of a credit on its way back; default ${DEFAULT-VALUE}")
    private int creditCycles;

    @Option(
            names = "--link-width",
            paramLabel = "X",
            defaultValue = "1",
            description =
                    "flits a cycle on links between switches, at most 1; default ${DEFAULT-VALUE}")
    private double linkWidth;

    @Option(
            names = "--multiplexing",
            paramLabel = "NAME",
            defaultValue = "flit",
            description =
                    "packets on one channel take turns by flit, or by packet until blocked;"
                            + " default ${DEFAULT-VALUE}")
    private String multiplexing;

    @Option(
            names = "--arbitration",
            paramLabel = "NAME",
            defaultValue = "round-robin",
            description = "round-robin, oldest or random; default ${DEFAULT-VALUE}")
    private String arbitration;

    @Option(
            names = "--vc-crossbar",
            description = "all virtual channels of an input may send in one cycle")
    private boolean hasLaneCrossbar;

    @Option(
            names = "--queue",
            paramLabel = "PACKETS",
            defaultValue = "0",
            description =
                    "packets that a host's queue holds, more are refused; 0: any number; default"
                            + " ${DEFAULT-VALUE}")
    private int queue;

    @Option(
            names = "--traffic",
            paramLabel = "NAME|FILE",
            defaultValue = "uniform",
            description = {
                "uniform, bit-reversal, bit-complement, shuffle, shift:N, hotspot:HOST,PERCENT,",
                "all-to-all, kernel-cg; by coordinates: transpose, tornado, neighbour; by the",
                "numbers of hosts: host-transpose, host-tornado, host-neighbour; a file of lines"
                        + " 'from to amount'; or",
                "a trace: '# trace', then lines 'cycle from to flits'; default ${DEFAULT-VALUE}"
            })
    private String traffic;

    @Option(
            names = "--self",
            description = "hosts also send to themselves where the pattern says so")
    private boolean hasSelf;

    @Option(
            names = "--burst",
            paramLabel = "MESSAGES",
            defaultValue = "0",
            description = "mean messages in a burst; 0: Poisson; default ${DEFAULT-VALUE}")
    private double burst;

    @Option(
            names = "--step",
            paramLabel = "CYCLES",
            defaultValue = "0",
            description =
                    "hosts make their messages only every so many cycles, all at once; 0: at any"
                            + " time; default ${DEFAULT-VALUE}")
    private long step;

    @Option(
            names = "--cycles",
            paramLabel = "N",
            defaultValue = "100000",
            description = "cycles, warm-up included; default ${DEFAULT-VALUE}")
    private long cycles;

    @Option(
            names = "--warmup",
            paramLabel = "N|auto",
            defaultValue = "auto",
            description =
                    "cycles before measuring; auto: until the latency has settled,"
                            + " none for a trace; default ${DEFAULT-VALUE}")
    private String warmup;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "of everything random; default ${DEFAULT-VALUE}")
    private long seed;

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
            throw new UsageException("--hosts must be 0..1024: " + hosts);
        }
        final SwitchGraph switches = GraphFile.read(graph, hosts);
        final TrafficConfig messages = traffic();
        if (messages.text() == null && switches.hostCount() > 1) {
            // Says whether the pattern is defined on this graph before anything is computed.
            UsageException.check(() -> messages.source(switches, 0, seed));
        }
        return new Experiment(
                graph,
                switches,
                algorithm(algorithm),
                root,
                PathChoice.of(paths),
                hasFreeCopies,
                RingRule.of(ties, ringChannels),
                SelectionKind.of(selection),
                network(),
                messages,
                cycles,
                warmupCycles(messages),
                seed);
    }

    private NetworkConfig network() {
        final Switching mode = Switching.of(switching);
        return new NetworkConfig(
                lanes,
                buffer,
                mode,
                switchCycles,
                allocationCycles,
                linkCycles,
                hostLinkCycles,
                creditCycles,
                linkWidth,
                isSecond("--multiplexing", multiplexing, "flit", "packet"),
                arbitration(),
                reuse == null
                        ? mode == Switching.WORMHOLE
                        : isSecond("--reuse", reuse, "tail", "empty"),
                hasLaneCrossbar,
                queue);
    }

    private NetworkConfig.Arbitration arbitration() {
        return switch (arbitration) {
            case "round-robin" -> NetworkConfig.Arbitration.ROUND_ROBIN;
            case "oldest" -> NetworkConfig.Arbitration.OLDEST;
            case "random" -> NetworkConfig.Arbitration.RANDOM;
            default ->
                    throw new UsageException(
                            "--arbitration must be round-robin, oldest or random, not '"
                                    + arbitration
                                    + "'");
        };
    }

    private static boolean isSecond(
            final String option, final String word, final String first, final String second) {
        if (!word.equals(first) && !word.equals(second)) {
            throw new UsageException(
                    option + " must be " + first + " or " + second + ", not '" + word + "'");
        }
        return word.equals(second);
    }

    /** The algorithm of a name. */
    static RoutingAlgorithm algorithm(final String name) {
        return UsageException.check(() -> RoutingAlgorithm.of(name));
    }

    private TrafficConfig traffic() throws IOException {
        final String text =
                TrafficConfig.isPattern(traffic)
                        ? null
                        : TrafficFile.text(traffic, TrafficConfig.patterns());
        return new TrafficConfig(traffic, text, hasSelf, packet, messages, burst, step);
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
