package io.hxb.tool.stat;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Dimensions;
import io.hxb.counter.CounterKind;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterScope;
import io.hxb.counter.CounterType;
import io.hxb.counter.NodeFinding;
import io.hxb.counter.ResourceUses;
import io.hxb.counter.TimeBuckets;
import io.hxb.observe.live.NameFilter;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.observe.live.NodeState;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.Selection;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** {@code hxb stat}: counters of nodes, alive or dead. Picocli makes it. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        header = "Show the counters of the nodes of this machine.",
        description =
                "Read the counters from the files of the nodes, also of a node that "
                        + "hangs or has died. The exit status is 1 when a node is dead: neither "
                        + "running nor stopped in order.")
public final class StatCommand implements Callable<Integer> {
    private static final long MAX_INTERVAL_NS = 3_600_000_000_000L;
    private static final long MS_PER_S = 1000;

    @Mixin private ClusterFile cluster;
    @Mixin private Selection selection;
    @Mixin private Output output;

    @Option(names = "--zero", description = "show counters that are 0, too")
    private boolean isZero;

    @Option(
            names = "--counter",
            paramLabel = "NAME",
            split = ",",
            description =
                    "show only counters of this name, such as hxb_flow_sent_frames or "
                            + "hxb_flow_*")
    private List<String> counters = List.of();

    @Option(
            names = "--per-link",
            description =
                    "show only the traffic of each link and of the virtual NIC; with --interval"
                            + " its present rate")
    private boolean isLinks;

    @Option(
            names = "--per-neighbour",
            description =
                    "show only the traffic with each neighbour, on links whose line has more than"
                            + " two nodes; with --interval its present rate")
    private boolean isNeighbours;

    @Option(
            names = "--per-user",
            description =
                    "show only what users and tenants have of the node, and what they may "
                            + "have")
    private boolean isUsers;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description =
                    "show the counters again this often, with rates, until Ctrl-C "
                            + "(default: once; with --count every 1s)")
    private String interval;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "stop after showing them this many times; 0: never (default: "
                            + "${DEFAULT-VALUE})")
    private int count;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "read these counter files (default: those of all nodes of the cluster)")
    private List<Path> files = List.of();

    private final Map<Path, Seen> seen = new HashMap<>();
    private long intervalNs;
    private UnaryOperator<String> naming = UnaryOperator.identity();

    /** Picocli makes it. */
    StatCommand() {}

    @Override
    public Integer call() throws IOException {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        intervalNs = TimeOption.parseNs("--interval", wantedInterval(), 0, MAX_INTERVAL_NS);
        checkViews();
        selection.check();
        final List<Path> chosen = chosen();
        boolean isOk = true;
        for (int round = 0;
                round == 0 || (intervalNs > 0 && (count == 0 || round < count));
                round++) {
            if (round > 0) {
                pause();
            }
            isOk = look(chosen, round > 0);
        }
        return ExitStatus.of(isOk);
    }

    private void checkViews() {
        final List<String> views = new ArrayList<>();
        if (isLinks) {
            views.add("--per-link");
        }
        if (isNeighbours) {
            views.add("--per-neighbour");
        }
        if (isUsers) {
            views.add("--per-user");
        }
        if (!views.isEmpty() && (!counters.isEmpty() || isZero)) {
            final String option = views.getFirst();
            final String other = isZero ? "--zero" : "--counter";
            throw new UsageException(
                    option + " shows no counters: leave " + other + " out, or " + option);
        }
        if (views.size() > 1) {
            throw new UsageException(
                    String.join(" and ", views) + " show only one thing: choose one");
        }
    }

    private List<Path> chosen() {
        if (files.isEmpty()) {
            final ClusterConfig config = cluster.config();
            final NodeNames names = new NodeNames(config);
            selection.resolve(names);
            naming = names::in;
            return ClusterFile.counterFiles(config);
        }
        cluster.requireNone();
        return files;
    }

    /** Without an interval there is one look; several are a second apart. */
    private String wantedInterval() {
        if (interval != null) {
            return interval;
        }
        return count > 1 ? "1" : "0";
    }

    private boolean look(final List<Path> chosen, final boolean hasLast) throws IOException {
        final Map<Path, NodeSample> all = new LinkedHashMap<>();
        for (final Path file : chosen) {
            all.put(file, seen.computeIfAbsent(file, key -> new Seen()).read(file));
        }
        if (!hasLast) {
            selection.check(List.copyOf(all.values()));
            checkCounters();
        }
        final List<Map<String, Object>> nodes = new ArrayList<>();
        for (final Map.Entry<Path, NodeSample> node : all.entrySet()) {
            final Optional<NodeSample> wanted = selection.of(node.getValue());
            if (wanted.isPresent()) {
                nodes.add(show(seen.get(node.getKey()), wanted.get(), hasLast));
            }
        }
        final boolean isOk =
                nodes.stream()
                        .noneMatch(node -> NodeState.DEAD.toString().equals(node.get("state")));
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("nodes", nodes);
        output.report(report);
        return isOk;
    }

    private void checkCounters() {
        for (final String name : counters) {
            final NameFilter filter = NameFilter.of(List.of(name));
            if (isOfNeighbours(filter)) {
                // Those of a node without such links, or without traffic, are none.
                continue;
            }
            if (seen.values().stream()
                    .flatMap(node -> node.reader.samples().stream())
                    .noneMatch(sample -> filter.matches(sample.name()))) {
                throw new UsageException(
                        "--counter " + name + ": no such counter; hxb stat --zero shows them all");
            }
        }
    }

    private static boolean isOfNeighbours(final NameFilter filter) {
        return Stream.of(CounterType.values())
                .filter(type -> type.scope() == CounterScope.NEIGHBOUR)
                .anyMatch(type -> filter.matches(type.exportName()));
    }

    private void pause() {
        final long untilNs = System.nanoTime() + intervalNs;
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private Map<String, Object> show(
            final Seen node, final NodeSample sample, final boolean hasLast) {
        output.text()
                .println(
                        naming.apply(
                                String.format(
                                        Locale.ROOT,
                                        "cluster %s node %d (%s) %s, pid %d",
                                        sample.cluster(),
                                        sample.node(),
                                        sample.coordinates(),
                                        sample.stateText(),
                                        node.reader.pid())));
        final Map<String, Object> values = new LinkedHashMap<>();
        final TextTable table = counters(node, sample, hasLast, values);
        if (isLinks) {
            output.text().print(node.traffic.table(node.reader, sample.links(), System.nanoTime()));
            sample.ip()
                    .map(ip -> hasLast ? IpTable.perSecond(ip) : IpTable.inAll(ip))
                    .ifPresent(output.text()::print);
        } else if (isNeighbours) {
            output.text()
                    .print(node.neighbours.table(node.reader, sample.links(), System.nanoTime()));
        } else if (!isUsers) {
            output.text().print(table);
        }
        if (isUsers || hasUsersToShow(node)) {
            output.text().print(UserTable.text(node.uses));
        }
        node.findings.forEach(finding -> output.text().println("finding: " + finding));
        output.text().println();
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("cluster", sample.cluster());
        report.put("node", sample.node());
        report.put("coordinates", sample.coordinates());
        report.put("state", sample.state().toString());
        if (sample.state() != NodeState.RUNNING) {
            report.put("silent_s", sample.silentMs() / MS_PER_S);
        }
        report.put("pid", node.reader.pid());
        report.put("start_ms", node.reader.startMs());
        report.put("findings", node.findings);
        report.put("shares", UserTable.report(node.uses));
        report.put("shares_left_out", node.uses.leftOut());
        sample.ip().ifPresent(ip -> report.put("ip", ip.counts().report()));
        report.put("neighbours", NeighbourTable.report(node.reader, sample.links()));
        report.put("counters", values);
        return report;
    }

    // Who asks for single counters or links wants nothing else.
    private boolean hasUsersToShow(final Seen node) {
        return !isLinks
                && !isNeighbours
                && counters.isEmpty()
                && !selection.isOfLinks()
                && !node.uses.uses().isEmpty();
    }

    private TextTable counters(
            final Seen node,
            final NodeSample sample,
            final boolean hasLast,
            final Map<String, Object> values) {
        final TextTable table =
                hasLast
                        ? new TextTable("counter", "value", "a second")
                        : new TextTable("counter", "value");
        final CounterLabels labels = node.reader.labels();
        for (final CounterSample counter : node.reader.samples()) {
            if (!isWanted(counter, labels, sample)) {
                continue;
            }
            final String name = name(counter, labels);
            values.put(name, counter.value());
            final Long before = node.last.put(name, counter.value());
            if (counter.value() == 0 && !isZero) {
                continue;
            }
            if (hasLast) {
                table.row(name, counter.value(), rate(counter, before));
            } else {
                table.row(name, counter.value());
            }
        }
        return table;
    }

    private boolean isWanted(
            final CounterSample counter, final CounterLabels labels, final NodeSample sample) {
        if (!NameFilter.of(counters).matches(counter.name())) {
            return false;
        }
        final boolean isNamedOnly =
                counter.scope() == CounterScope.BUCKET || counter.scope() == CounterScope.NEIGHBOUR;
        if (isNamedOnly && counters.isEmpty()) {
            return false;
        }
        if (counter.scope() != CounterScope.LINK && counter.scope() != CounterScope.NEIGHBOUR) {
            return !selection.isOfLinks();
        }
        final CounterLabels.LinkLabel own =
                counter.scope() == CounterScope.LINK
                        ? labels.links().get(counter.instance())
                        : labels.linkOf(counter.instance());
        final String label = NodeSampler.label(own);
        return sample.links().stream().anyMatch(link -> link.label().equals(label));
    }

    private String rate(final CounterSample sample, final Long before) {
        return sample.kind() == CounterKind.LEVEL || before == null
                ? ""
                : Long.toString(Math.round((sample.value() - before) * 1e9 / intervalNs));
    }

    /** The counter with its label as Prometheus writes it. */
    static String name(final CounterSample sample, final CounterLabels labels) {
        if (sample.scope() == CounterScope.LINK) {
            final CounterLabels.LinkLabel link = labels.links().get(sample.instance());
            final String label = Dimensions.name(link.dimension()) + "." + link.number();
            return sample.name() + "{link=\"" + label + "\"}";
        }
        if (sample.scope() == CounterScope.NEIGHBOUR) {
            return sample.name()
                    + "{link=\""
                    + NodeSampler.label(labels.linkOf(sample.instance()))
                    + "\",peer=\""
                    + labels.neighbour(sample.instance())
                    + "\"}";
        }
        if (sample.scope() == CounterScope.BUCKET) {
            return sample.name() + "{le=\"" + TimeBuckets.maxSeconds(sample.instance()) + "\"}";
        }
        return sample.scope() == CounterScope.DIMENSION
                ? sample.name() + "{dimension=\"" + Dimensions.name(sample.instance()) + "\"}"
                : sample.name();
    }

    /** What was read of one node, now and before. */
    private static final class Seen {
        private final Map<String, Long> last = new HashMap<>();
        private final LinkTraffic traffic = new LinkTraffic();
        private final NeighbourTable neighbours = new NeighbourTable();
        private final NodeSampler sampler = new NodeSampler();
        private CounterReader reader;
        private List<String> findings = List.of();
        private ResourceUses uses = ResourceUses.NONE;

        private NodeSample read(final Path file) throws IOException {
            // What was read stays in memory when the file is closed.
            try (CounterReader opened = CounterReader.open(file)) {
                reader = opened;
                findings = opened.findings().stream().map(NodeFinding::sentence).toList();
                uses = opened.shares();
                return sampler.sample(opened, System.nanoTime());
            }
        }
    }
}
