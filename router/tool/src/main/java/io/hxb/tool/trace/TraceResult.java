package io.hxb.tool.trace;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.frame.TracedFlyweight;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.report.TextTable;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What traced frames have shown: hop by hop, and path by path. Immutable. */
final class TraceResult {
    private static final String UNKNOWN = "?";

    private final ClusterConfig config;
    private final NodeNames names;
    private final TracePlan plan;
    private final int frames;
    private final int arrived;
    private final int untold;
    private final List<HopResult> hops;
    private final List<PathResult> paths;

    private TraceResult(
            final ClusterConfig config, final TracePlan plan, final List<TracedFrames.Frame> all) {
        this.config = config;
        names = new NodeNames(config);
        this.plan = plan;
        frames = all.size();
        arrived = (int) all.stream().filter(TraceResult::isArrived).count();
        final Map<String, HopResult> byHop = new TreeMap<>();
        final Map<String, PathResult> byPath = new LinkedHashMap<>();
        int missing = 0;
        for (final TracedFrames.Frame frame : all) {
            final List<TracedFrames.Hop> inOrder = inOrder(frame);
            missing += isArrived(frame) ? links(inOrder) - inOrder.size() : 0;
            inOrder.forEach(hop -> hop(byHop, hop).add(this, hop));
            final String path = path(frame, inOrder);
            byPath.computeIfAbsent(path, PathResult::new).add(frame, inOrder);
        }
        untold = missing;
        hops = List.copyOf(byHop.values());
        paths =
                byPath.values().stream()
                        .sorted(Comparator.comparingInt(PathResult::frames).reversed())
                        .toList();
    }

    /** Evaluates frames. */
    static TraceResult of(
            final ClusterConfig config, final TracePlan plan, final TracedFrames frames) {
        return new TraceResult(config, plan, frames.all());
    }

    private static boolean isArrived(final TracedFrames.Frame frame) {
        return frame.hops().stream().anyMatch(hop -> hop.kind() == TracedFlyweight.ARRIVED);
    }

    private static List<TracedFrames.Hop> inOrder(final TracedFrames.Frame frame) {
        return frame.hops().stream()
                .sorted(Comparator.comparingInt(TracedFrames.Hop::hopLimit).reversed())
                .toList();
    }

    private int links(final List<TracedFrames.Hop> inOrder) {
        return number(inOrder.getLast());
    }

    // Links crossed until there.
    private int number(final TracedFrames.Hop hop) {
        return config.frame().hopLimit() - hop.hopLimit() + 1;
    }

    private HopResult hop(final Map<String, HopResult> byHop, final TracedFrames.Hop hop) {
        final String key = String.format(Locale.ROOT, "%03d %09d", number(hop), hop.node());
        return byHop.computeIfAbsent(key, _ -> new HopResult(number(hop), hop.node()));
    }

    // The links by which nodes sent it; where a report is missing, the link that the next names.
    private String path(final TracedFrames.Frame frame, final List<TracedFrames.Hop> inOrder) {
        final List<String> words = new ArrayList<>();
        words.add(name(plan.from()));
        words.add(link(plan.from(), frame.leftOn()));
        int expected = 1;
        for (final TracedFrames.Hop hop : inOrder) {
            while (expected < number(hop)) {
                words.add(UNKNOWN);
                words.add(expected + 1 < number(hop) ? UNKNOWN : link(hop.node(), hop.arrivedOn()));
                expected++;
            }
            words.add(name(hop.node()));
            if (hop.leftOn() != TracedFlyweight.NO_LINK) {
                words.add(link(hop.node(), hop.leftOn()));
            } else if (hop.kind() == TracedFlyweight.NOT_RELAYED) {
                words.add("not relayed");
            }
            expected++;
        }
        if (!isArrived(frame) && !words.getLast().equals("not relayed")) {
            words.add("lost");
        }
        return String.join(" ", words);
    }

    private String name(final int node) {
        final Shape shape = config.shape();
        return node >= 0 && node < shape.nodeCount()
                ? shape.format(shape.coordinates(node))
                : UNKNOWN;
    }

    /** The same for people: its host name, if the file has one. */
    private String called(final int node) {
        return names.host(node).orElseGet(() -> name(node));
    }

    // Nodes and links alternate in a path.
    private String called(final String path) {
        final String[] words = path.split(" ", -1);
        for (int i = 0; i < words.length; i += 2) {
            if (words[i].matches("\\d+(,\\d+)*")) {
                words[i] = called(config.shape().node(config.shape().parseCoordinates(words[i])));
            }
        }
        return String.join(" ", words);
    }

    private String link(final int node, final int index) {
        return config.links(node).stream()
                .filter(link -> link.index() == index)
                .map(LinkConfig::label)
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** True if every frame has arrived, and all could be sent. */
    boolean isOk() {
        return arrived == plan.frames();
    }

    /** The ways of the frames, the one of the most frames first. */
    List<TracedPath> ways() {
        return paths.stream()
                .map(path -> new TracedPath(path.path, path.frames(), percent(path)))
                .toList();
    }

    private long percent(final PathResult path) {
        return Math.round(100.0 * path.frames() / frames);
    }

    /** For people. */
    String text() {
        final StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%s -> %s: %d frames of %d bytes, %d arrived%s%n",
                        called(plan.from()),
                        called(plan.to()),
                        frames,
                        plan.frameBytes(),
                        arrived,
                        frames == plan.frames()
                                ? ""
                                : ", " + (plan.frames() - frames) + " not sent"));
        final TextTable table =
                new TextTable(
                        "hop",
                        "node",
                        "frames",
                        "relayed by",
                        "arrives on",
                        "leaves on",
                        "there us",
                        "max",
                        "round trip us",
                        "max");
        hops.forEach(hop -> table.row(hop.cells(called(hop.node))));
        text.append('\n').append(table).append('\n');
        final TextTable list = new TextTable("path", "frames", "share", "round trip us", "max");
        for (final PathResult path : paths) {
            list.row(
                    called(path.path),
                    path.frames(),
                    percent(path) + "%",
                    Times.us(path.trips.median()),
                    Times.us(path.trips.max()));
        }
        text.append(list);
        if (untold > 0) {
            text.append("reports of relays that are missing: ").append(untold).append('\n');
        }
        return text.toString();
    }

    /** For programs. */
    Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk());
        report.put("from", name(plan.from()));
        report.put("to", name(plan.to()));
        report.put("frame_bytes", plan.frameBytes());
        report.put("frames", frames);
        report.put("not_sent", plan.frames() - frames);
        report.put("arrived", arrived);
        report.put("missing_reports", untold);
        report.put("hops", hops.stream().map(hop -> hop.report(name(hop.node))).toList());
        report.put("paths", paths.stream().map(path -> path.report(frames)).toList());
        return report;
    }

    /** What was reported of one hop. */
    private static final class HopResult {
        private final int number;
        private final int node;
        private final Map<String, Integer> by = new TreeMap<>();
        private final Map<String, Integer> arrivedOn = new TreeMap<>();
        private final Map<String, Integer> leftOn = new TreeMap<>();
        private final Times stays = new Times();
        private final Times trips = new Times();

        HopResult(final int number, final int node) {
            this.number = number;
            this.node = node;
        }

        void add(final TraceResult result, final TracedFrames.Hop hop) {
            arrivedOn.merge(result.link(node, hop.arrivedOn()), 1, Integer::sum);
            trips.add(hop.tripNs());
            if (hop.kind() == TracedFlyweight.ARRIVED) {
                return;
            }
            by.merge(relayedBy(hop.kind()), 1, Integer::sum);
            if (hop.leftOn() != TracedFlyweight.NO_LINK) {
                leftOn.merge(result.link(node, hop.leftOn()), 1, Integer::sum);
                stays.add(hop.stayNs());
            }
        }

        private static String relayedBy(final int kind) {
            return switch (kind) {
                case TracedFlyweight.RELAYED -> "node";
                case TracedFlyweight.RELAYED_IN_KERNEL -> "kernel";
                default -> "nobody";
            };
        }

        Object[] cells(final String name) {
            return new Object[] {
                number,
                name,
                trips.count(),
                list(by),
                list(arrivedOn),
                list(leftOn),
                Times.us(stays.median()),
                Times.us(stays.max()),
                Times.us(trips.median()),
                Times.us(trips.max())
            };
        }

        private static String list(final Map<String, Integer> counts) {
            if (counts.isEmpty()) {
                return "-";
            }
            return counts.size() == 1
                    ? counts.keySet().iterator().next()
                    : counts.entrySet().stream()
                            .map(entry -> entry.getKey() + ":" + entry.getValue())
                            .collect(Collectors.joining(" "));
        }

        Map<String, Object> report(final String name) {
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("hop", number);
            report.put("node", name);
            report.put("frames", trips.count());
            report.put("relayed_by", by);
            report.put("arrived_on", arrivedOn);
            report.put("left_on", leftOn);
            report.put("there_us", stays.report());
            report.put("rtt_us", trips.report());
            return report;
        }
    }

    /** Frames that went one way. */
    private static final class PathResult {
        private final String path;
        private final Times trips = new Times();
        private int frames;

        PathResult(final String path) {
            this.path = path;
        }

        int frames() {
            return frames;
        }

        void add(final TracedFrames.Frame frame, final List<TracedFrames.Hop> inOrder) {
            frames++;
            if (isArrived(frame)) {
                trips.add(inOrder.getLast().tripNs());
            }
        }

        Map<String, Object> report(final int all) {
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("path", path);
            report.put("frames", frames);
            report.put("share", (double) frames / all);
            report.put("rtt_us", trips.report());
            return report;
        }
    }
}
