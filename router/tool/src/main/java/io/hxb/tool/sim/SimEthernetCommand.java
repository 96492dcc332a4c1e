package io.hxb.tool.sim;

import io.hxb.config.Quantity;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.sim.ethernet.EthernetConfig;
import io.hxb.sim.ethernet.EthernetNetwork;
import io.hxb.sim.ethernet.Forwarding;
import io.hxb.sim.ethernet.PathForwarding;
import io.hxb.sim.ethernet.RandomFrames;
import io.hxb.sim.ethernet.RoutedForwarding;
import io.hxb.sim.route.CrossbarRoutes;
import io.hxb.sim.run.PathChoice;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.graph.TrafficFile;
import io.hxb.tool.machine.ProcessMemory;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code hxb sim ethernet}: frames instead of flits. Picocli makes it. */
@Command(
        name = "ethernet",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Simulate Ethernet switches or a hyper-crossbar.",
        description =
                "Simulate switches that store and forward frames by static MAC tables "
                        + "of any routing, or the nodes of a hyper-crossbar that relay them, at "
                        + "one load.")
final class SimEthernetCommand implements Callable<Integer> {
    private static final String CROSSBAR = "hyper-crossbar:";
    private static final long MAX_SWITCH_DELAY_NS = 1_000_000_000;
    private static final long MAX_DURATION_NS = 3_600_000_000_000L;

    @Option(
            names = "--graph",
            required = true,
            paramLabel = "FILE|WORDS",
            description =
                    "read the network from a file or take words, such as "
                            + "hyper-crossbar:16x16x10 (PACS-CS) or vbft:4,4")
    private String graph;

    @Option(
            names = "--hosts-per-switch",
            defaultValue = "4",
            paramLabel = "N",
            description =
                    "connect this many hosts to each switch when the graph names none "
                            + "(default: ${DEFAULT-VALUE})")
    private int hosts;

    @Option(
            names = "--algorithm",
            defaultValue = "minimal",
            paramLabel = "NAME",
            description =
                    "route by this algorithm of hxb plan routes; a hyper-crossbar has "
                            + "dimension order (default: ${DEFAULT-VALUE})")
    private String algorithm;

    @Option(
            names = "--paths",
            paramLabel = "NAME",
            description =
                    "choose one path a pair by low-port, random, sancho or high-physical, or one a"
                        + " host by balanced (default: low-port; in-transit, fat-tree and dfsssp"
                        + " choose by themselves, lash also by balanced)")
    private String paths;

    @Option(
            names = "--traffic",
            defaultValue = "uniform",
            paramLabel = "NAME|FILE",
            description = "send this traffic, as in hxb sim run (default: ${DEFAULT-VALUE})")
    private String traffic;

    @Option(
            names = "--load",
            defaultValue = "0.1",
            paramLabel = "X",
            description =
                    "have each host send this share of its link, 0..1 (default: "
                            + "${DEFAULT-VALUE})")
    private double load;

    @Option(
            names = "--frame",
            defaultValue = "1500",
            paramLabel = "BYTES",
            description = "send frames of this length (default: ${DEFAULT-VALUE})")
    private int frameBytes;

    @Option(
            names = "--rate",
            defaultValue = "1gbit",
            paramLabel = "RATE",
            description =
                    "give links this rate where the graph gives none (default: "
                            + "${DEFAULT-VALUE})")
    private String rate;

    @Option(
            names = "--switch-delay",
            defaultValue = "3us",
            paramLabel = "TIME",
            description =
                    "hold a frame in a switch or relay for this time after its last byte "
                            + "(default: ${DEFAULT-VALUE})")
    private String switchDelay;

    @Option(
            names = "--port-bytes",
            defaultValue = "65536",
            paramLabel = "BYTES",
            description = "store this much of one port and drop more (default: ${DEFAULT-VALUE})")
    private int portBytes;

    @Option(
            names = "--pause",
            defaultValue = "none",
            paramLabel = "WHERE",
            description = "send PAUSE on none, all, hosts or switches (default: ${DEFAULT-VALUE})")
    private EthernetConfig.Pause pause;

    @Option(
            names = "--duration",
            defaultValue = "20ms",
            paramLabel = "TIME",
            description = "simulate for this long (default: ${DEFAULT-VALUE})")
    private String duration;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "seed the traffic with this number (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--allow-deadlock",
            description =
                    "report a deadlock of PAUSE as a result, instead of ending with status " + "1")
    private boolean allowsDeadlock;

    @Mixin private Output output;
    @Spec private CommandSpec spec;

    /** Picocli makes it. */
    SimEthernetCommand() {}

    @Override
    public Integer call() throws IOException {
        if (frameBytes < 64 || frameBytes > 9216) {
            throw new UsageException("--frame must be 64..9216 bytes: " + frameBytes);
        }
        final long switchDelayNs =
                TimeOption.parseNs("--switch-delay", switchDelay, 0, MAX_SWITCH_DELAY_NS);
        final long durationNs = TimeOption.parseNs("--duration", duration, 1, MAX_DURATION_NS);
        if (hosts < 0 || hosts > 1024) {
            throw new UsageException("--hosts-per-switch must be 0..1024: " + hosts);
        }
        refuseIdle(RunOptions.given(spec.commandLine().getParseResult()));
        final SwitchGraph switches = GraphFile.read(graph, hosts);
        final long rateBps = Quantity.parseRateBps(rate);
        final EthernetConfig config =
                new EthernetConfig(
                        rateBps,
                        switchDelayNs,
                        switchDelayNs / 10,
                        100,
                        portBytes,
                        pause,
                        portBytes / 2);
        final String text =
                TrafficConfig.isPattern(traffic)
                        ? null
                        : TrafficFile.text(traffic, TrafficConfig.patterns());
        final RandomFrames frames =
                new RandomFrames(
                        new TrafficConfig(traffic, text, false, frameBytes, "", 0)
                                .source(switches, load, seed),
                        switches.hostCount(),
                        8e9 / rateBps);
        final EthernetNetwork network =
                new EthernetNetwork(switches, config, forwarding(switches), frames);
        final long started = System.nanoTime();
        frames.run(network, durationNs);
        return report(network, frames, switches, durationNs, (System.nanoTime() - started) / 1e9);
    }

    private void refuseIdle(final Set<String> given) {
        final boolean isCrossbar = graph.startsWith(CROSSBAR);
        for (final String option : List.of("--hosts-per-switch", "--algorithm", "--paths")) {
            if (isCrossbar && given.contains(option)) {
                throw new UsageException(
                        option
                                + " would do nothing: a hyper-crossbar has a host on each node, and"
                                + " dimension order");
            }
        }
    }

    private Forwarding forwarding(final SwitchGraph switches) {
        if (graph.startsWith(CROSSBAR)) {
            requireNoPaths("dimension order on a hyper-crossbar");
            final int[] extents =
                    Arrays.stream(graph.substring(CROSSBAR.length()).split("[x,]", -1))
                            .mapToInt(Integer::parseInt)
                            .toArray();
            return new RoutedForwarding(
                    switches, new CrossbarRoutes(switches, Lattice.mesh(extents), 1));
        }
        final RoutingAlgorithm chosen = RoutingAlgorithm.of(algorithm);
        final PathSelection selection =
                switch (PathChoice.of(paths == null ? "low-port" : paths)) {
                    case LOW_PORT -> PathSelection.LOW_PORT;
                    case RANDOM -> PathSelection.RANDOM;
                    case SANCHO -> PathSelection.SANCHO;
                    case HIGH_PHYSICAL -> PathSelection.HIGH_PHYSICAL;
                    case BALANCED -> PathSelection.BALANCED;
                    default ->
                            throw new UsageException(
                                    "Ethernet switches keep to one path a pair: --paths must be"
                                            + " low-port, random, sancho, high-physical or"
                                            + " balanced, not '"
                                            + paths
                                            + "'");
                };
        if (!chosen.accepts(selection)) {
            requireNoPaths(algorithm);
        }
        try {
            return new PathForwarding(
                    chosen.routing(switches, RoutingOptions.DEFAULTS.withSelection(selection))
                            .staticRoutes(selection, seed));
        } catch (final GraphException e) {
            // The graph has been read: it is the algorithm that does not suit it.
            throw new UsageException(e.getMessage(), e);
        }
    }

    private void requireNoPaths(final String name) {
        if (paths != null) {
            throw new UsageException(
                    name + " chooses its paths by itself: --paths does nothing, leave it out");
        }
    }

    private int report(
            final EthernetNetwork network,
            final RandomFrames frames,
            final SwitchGraph switches,
            final long durationNs,
            final double seconds) {
        final double ns = durationNs;
        final double capacity = ns * switches.hostCount() / (8e9 / Quantity.parseRateBps(rate));
        final String deadlock = network.findDeadlock();
        output.text()
                .printf(Locale.ROOT, "%s, %s%n", switches, Quantity.formatDuration(durationNs));
        output.text()
                .printf(
                        Locale.ROOT,
                        "accepted  %.4f of %.4f of the hosts' links, %d frames dropped%n",
                        frames.deliveredBytes() / capacity,
                        frames.offeredBytes() / capacity,
                        network.droppedFrames());
        output.text()
                .printf(
                        Locale.ROOT,
                        "latency   mean %.1f, median %.1f, p99 %.1f us%n",
                        frames.latencyNs().getMean() / 1e3,
                        frames.latencyNs().getValueAtPercentile(50) / 1e3,
                        frames.latencyNs().getValueAtPercentile(99) / 1e3);
        output.text()
                .printf(
                        Locale.ROOT,
                        "speed     %d links crossed in %.2f s, %.2f million/s%n",
                        network.moves(),
                        seconds,
                        network.moves() / seconds / 1e6);
        final boolean isFine = deadlock == null || allowsDeadlock;
        if (deadlock != null) {
            output.text().println("deadlock  " + deadlock);
        }
        if (!isFine) {
            System.err.println(
                    "hxb: PAUSE ended in a deadlock: change --algorithm or --pause, or give"
                            + " --allow-deadlock if you expect it");
        }
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ok", isFine);
        fields.put("accepted", frames.deliveredBytes() / capacity);
        fields.put("offered", frames.offeredBytes() / capacity);
        fields.put("dropped", network.droppedFrames());
        fields.put("latency_us_mean", frames.latencyNs().getMean() / 1e3);
        fields.put("latency_us_p99", frames.latencyNs().getValueAtPercentile(99) / 1e3);
        fields.put("deadlocked", deadlock != null);
        fields.put("link_crossings", network.moves());
        fields.put("seconds", seconds);
        fields.put("peak_memory_mb", ProcessMemory.peakMb());
        output.report(fields);
        return isFine ? 0 : 1;
    }
}
