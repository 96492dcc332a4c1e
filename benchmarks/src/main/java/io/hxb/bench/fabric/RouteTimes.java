package io.hxb.bench.fabric;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verifier;
import io.hxb.tool.graph.GraphFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * A child process: computes the routes of one graph first cold, then again and again, and prints
 * one line of JSON with times in ms. One thread.
 */
public final class RouteTimes {
    private final SwitchGraph graph;
    private final RoutingAlgorithm algorithm;
    private final RoutingOptions options;
    private Routing routing;
    private RouteSet routes;

    private RouteTimes(
            final SwitchGraph graph,
            final RoutingAlgorithm algorithm,
            final RoutingOptions options) {
        this.graph = graph;
        this.algorithm = algorithm;
        this.options = options;
    }

    /**
     * Measures.
     *
     * @param arguments graph, algorithm, selection, seconds of warming up, repetitions to measure,
     *     of which the median counts; 0 for the cold time alone.
     */
    public static void main(final String[] arguments) throws IOException {
        final SwitchGraph graph = GraphFile.read(arguments[0], 4);
        final PathSelection selection =
                PathSelection.valueOf(arguments[2].toUpperCase(Locale.ROOT).replace('-', '_'));
        final RoutingOptions options = RoutingOptions.DEFAULTS.withRoot(0).withSelection(selection);
        new RouteTimes(graph, RoutingAlgorithm.of(arguments[1]), options)
                .measure(Double.parseDouble(arguments[3]), Integer.parseInt(arguments[4]));
    }

    private void measure(final double warmUpSeconds, final int repetitions) throws IOException {
        final double cold = onceMs();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < warmUpSeconds * 1e9) {
            onceMs();
        }
        final double[] times = new double[repetitions];
        for (int i = 0; i < times.length; i++) {
            times[i] = onceMs();
        }
        Arrays.sort(times);
        final int[] loads = ChannelLoads.paths(routes);
        final long verifyNs = System.nanoTime();
        final boolean isOk = Verifier.verify(routing, routes).isOk();
        final double verifyMs = (System.nanoTime() - verifyNs) / 1e6;
        System.out.printf(
                Locale.ROOT,
                "{\"cold\":%.3f,\"warm\":%.4f,\"verify\":%.3f,\"ok\":%b,\"layers\":%d,"
                        + "\"busiest\":%d,\"sum\":%d,\"routes\":%d,\"peak\":%d}%n",
                cold,
                times.length == 0 ? cold : times[times.length / 2],
                verifyMs,
                isOk,
                routing.virtualChannels(),
                Arrays.stream(loads).max().orElse(0),
                routes.sumLinks(),
                routes.sizeBytes(),
                peakBytes());
    }

    private double onceMs() {
        final long startNs = System.nanoTime();
        routing = algorithm.routing(graph, options);
        routes = routing.routes(options.selection(), options.seed());
        return (System.nanoTime() - startNs) / 1e6;
    }

    /** The largest resident size that this process has had. Source: proc_pid_status(5), VmHWM. */
    private static long peakBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(0);
    }
}
