package io.hxb.tool.plan.routes;

import io.hxb.fabric.EdgeList;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.verify.OpenSmCabling;
import io.hxb.fabric.verify.OpenSmTables;
import io.hxb.tool.graph.DotGraph;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.graph.GraphPicture;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Writes routes to files by their ending. Stateless. */
final class RouteOutput {
    private RouteOutput() {}

    private static String ending(final String file) {
        return file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    /**
     * Refuses files of an unknown ending, or that cannot be written, before any work is done.
     *
     * @param words the file or words of the graph.
     * @throws UsageException naming what is in the way.
     */
    static void check(final List<String> files, final String words) throws IOException {
        for (final String file : files) {
            if (!ending(file).matches("svg|dot|gv|json|edges|lfts")) {
                throw new UsageException(
                        "--out ends in .svg, .dot, .json, .edges or .lfts, not '" + file + "'");
            }
            if (ending(file).equals("lfts") && !hasAddresses(words)) {
                throw new UsageException(
                        "--out FILE.lfts needs the addresses of the network: give --graph the"
                                + " output of ibnetdiscover or opensm-subnet.lst");
            }
            OutputFiles.check("--out", Path.of(file));
        }
    }

    private static boolean hasAddresses(final String words) throws IOException {
        return Files.exists(Path.of(words)) && OpenSmCabling.matches(GraphFile.text(words));
    }

    /**
     * Writes one file.
     *
     * @param loads shown in pictures, or null for the number of paths.
     * @param tables the paths of a JSON file.
     * @param traffic estimates by the name of the traffic.
     * @param words the file or words of the graph.
     * @throws ToolException with the reason when it cannot be written.
     */
    static void write(
            final String file,
            final RouteRun run,
            final ChannelLoads loads,
            final StaticTables tables,
            final Map<String, Object> traffic,
            final String words) {
        final SwitchGraph graph = run.routes().graph();
        final Path path = Path.of(file);
        OutputFiles.write(
                path,
                () -> {
                    switch (ending(file)) {
                        case "svg" -> {
                            final String title = graph + ", " + run.routing().name();
                            Files.writeString(
                                    path, GraphPicture.svg(graph, shown(run, loads), title));
                        }
                        case "dot", "gv" ->
                                Files.writeString(path, DotGraph.format(graph, shown(run, loads)));
                        case "json" -> writeJson(path, run, tables, traffic, words);
                        case "lfts" -> Files.writeString(path, lfts(tables, words));
                        default -> Files.writeString(path, EdgeList.format(graph));
                    }
                });
    }

    private static String lfts(final StaticTables tables, final String words) throws IOException {
        final OpenSmCabling cabling = OpenSmCabling.parse(words, GraphFile.text(words));
        return OpenSmTables.format(cabling, tables.routes());
    }

    private static double[] shown(final RouteRun run, final ChannelLoads loads) {
        return loads == null
                ? Arrays.stream(ChannelLoads.paths(run.routes())).asDoubleStream().toArray()
                : loads.loads();
    }

    private static void writeJson(
            final Path file,
            final RouteRun run,
            final StaticTables tables,
            final Map<String, Object> traffic,
            final String words)
            throws IOException {
        final RouteSet routes = tables.routes();
        final SwitchGraph graph = routes.graph();
        final int[] paths = tables.paths();
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("{\"summary\":" + Json.line(run.fields()));
            out.write(",\"tables\":" + Json.line(tables.fields()));
            out.write(",\"traffic\":" + Json.line(traffic));
            if (GraphSpec.isSpec(words)) {
                out.write(",\"graph\":" + Json.line(words));
            }
            out.write(",\"switches\":" + Json.line(switches(graph)));
            out.write(",\"channels\":[");
            for (int channel = 0; channel < graph.channelCount(); channel++) {
                out.write(
                        (channel == 0 ? "\n" : ",\n") + Json.line(channel(graph, channel, paths)));
            }
            out.write("],\"hosts\":[");
            for (int host = 0; host < graph.hostCount(); host++) {
                out.write((host == 0 ? "\n" : ",\n") + Json.line(host(graph, host)));
            }
            out.write("],\"paths\":[");
            String separator = "\n";
            for (int from = 0; from < graph.switchCount(); from++) {
                for (int to = 0; routes.isSource(from) && to < routes.destinationCount(); to++) {
                    out.write(separator);
                    separator = ",\n";
                    writePath(out, routes, from, to);
                }
            }
            out.write("]}\n");
        }
    }

    private static List<String> switches(final SwitchGraph graph) {
        final List<String> names = new ArrayList<>();
        for (int node = 0; node < graph.switchCount(); node++) {
            names.add(graph.switchName(node));
        }
        return names;
    }

    private static Map<String, Object> channel(
            final SwitchGraph graph, final int channel, final int[] paths) {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("from", graph.switchName(graph.source(channel)));
        fields.put("from_port", graph.sourcePort(channel));
        fields.put("to", graph.switchName(graph.target(channel)));
        fields.put("to_port", graph.targetPort(channel));
        fields.put("rate_bps", graph.linkRateBps(SwitchGraph.link(channel)));
        fields.put("paths", paths[channel]);
        return fields;
    }

    private static Map<String, Object> host(final SwitchGraph graph, final int host) {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", graph.hostName(host));
        fields.put("switch", graph.switchName(graph.hostSwitch(host)));
        fields.put("port", graph.hostPort(host));
        fields.put("rate_bps", graph.hostRateBps(host));
        return fields;
    }

    /** A path as channel numbers, and its virtual channels where there are several. */
    private static void writePath(
            final Writer out, final RouteSet routes, final int from, final int to)
            throws IOException {
        final List<Integer> channels = new ArrayList<>();
        final List<Integer> lanes = new ArrayList<>();
        final List<Integer> ejections = new ArrayList<>();
        for (int i = 0; i < routes.length(from, to); i++) {
            channels.add(routes.channel(from, to, i));
            lanes.add(routes.step(from, to, i) % routes.virtualChannels());
            if (routes.isReinjected(from, to, i)) {
                ejections.add(i);
            }
        }
        out.write("{\"from\":" + from + ",\"to\":" + routes.destinationSwitch(to));
        out.write((routes.isPerHost() ? ",\"host\":" + to : "") + ",\"channels\":" + channels);
        out.write(routes.virtualChannels() > 1 ? ",\"vcs\":" + lanes : "");
        out.write(ejections.isEmpty() ? "}" : ",\"reinjected\":" + ejections + "}");
    }

    /**
     * The paths of a pair as text, several where the hosts of the destination have their own.
     *
     * @param pair {@code from,to} by number or name; the second may be a host's name.
     */
    static List<String> describe(final RouteSet routes, final String pair) {
        final String[] ends = pair.split(",", -1);
        if (ends.length != 2) {
            throw new UsageException(
                    "--path is two switches, such as 0,5 or s0,s5, not '" + pair + "'");
        }
        final SwitchGraph graph = routes.graph();
        final int from = node(graph, ends[0]);
        final int host = graph.findSwitch(ends[1]) < 0 ? graph.findHost(ends[1]) : -1;
        if (host >= 0) {
            return List.of(describe(routes, from, routes.destinationOf(host)));
        }
        final int node = node(graph, ends[1]);
        return IntStream.range(0, routes.destinationCount())
                .filter(to -> routes.destinationSwitch(to) == node)
                .mapToObj(to -> describe(routes, from, to))
                .toList();
    }

    private static String describe(final RouteSet routes, final int from, final int to) {
        return routes.isSource(from)
                ? routes.describe(from, to)
                : routes.graph().switchName(from) + " has no hosts, so no path starts there";
    }

    private static int node(final SwitchGraph graph, final String word) {
        final int named = graph.findSwitch(word);
        if (named >= 0) {
            return named;
        }
        if (word.matches("\\d{1,6}") && Integer.parseInt(word) < graph.switchCount()) {
            return Integer.parseInt(word);
        }
        throw new UsageException(
                "there is no switch '" + word + "'; numbers are 0.." + (graph.switchCount() - 1));
    }
}
