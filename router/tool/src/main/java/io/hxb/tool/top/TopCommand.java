package io.hxb.tool.top;

import io.hxb.config.ClusterConfig;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.os.Terminals;
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
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb top}: the nodes of this machine, live. Picocli makes it. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        header = "Show what the nodes of this machine do now, live.",
        description = {
            "Show a line for each node: its state, its links, the traffic on them, "
                    + "and what needs attention. Enter shows the selected node and its "
                    + "links; / filters, t traces, ? names the other keys; q ends.",
            "With --cluster, nodes that need attention come first. Of other machines it shows what"
                    + " each node reports to the others: its state, its links and their traffic.",
            "Colours are left out where NO_COLOR is set or CLICOLOR is 0, and characters beyond "
                    + "ASCII where the locale is not UTF-8.",
            "Where standard output is not a terminal, and with --count or --json, "
                    + "tables are printed one after the other."
        })
public final class TopCommand implements Callable<Integer> {
    private static final int STANDARD_INPUT = 0;
    private static final long MIN_INTERVAL_NS = 100_000_000L;
    private static final long MAX_INTERVAL_NS = 3_600_000_000_000L;
    private static final int STANDARD_OUTPUT = 1;
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

    @Mixin private ClusterFile cluster;

    @Mixin private Selection selection;

    @Mixin private Output output;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            defaultValue = "1s",
            description =
                    "refresh this often, at least 100ms apart (default: " + "${DEFAULT-VALUE})")
    private String interval;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description = "print this many times and stop; 0: never (default: ${DEFAULT-VALUE})")
    private int count;

    @Option(
            names = "--cluster",
            description =
                    "show all nodes of the cluster: those of other machines as the nodes of this "
                            + "one have heard of them")
    private boolean isOfCluster;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "read these counter files (default: those of all nodes of the cluster)")
    private List<Path> files = List.of();

    private final RateHistory history = new RateHistory();
    private ClusterConfig config;
    private TopLook looks;
    private boolean isChecked;

    /** Picocli makes it. */
    TopCommand() {}

    @Override
    public Integer call() throws IOException {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        final long intervalNs =
                TimeOption.parseNs("--interval", interval, MIN_INTERVAL_NS, MAX_INTERVAL_NS);
        selection.check();
        if (!files.isEmpty()) {
            cluster.requireNone();
            if (isOfCluster) {
                throw new UsageException("--cluster: not with files, which are of this machine");
            }
        }
        if (isOnScreen()) {
            final Glyphs glyphs = Glyphs.of(System.getenv());
            try (TopScreen screen = TopScreen.open(glyphs.isColoured());
                    TopTraces traces = new TopTraces()) {
                if (screen != null) {
                    screen.run(source(glyphs, traces), intervalNs);
                    return ExitStatus.OK;
                }
            }
        }
        print(intervalNs);
        return ExitStatus.OK;
    }

    private TopScreen.Source source(final Glyphs glyphs, final TopTraces traces) {
        return new TopScreen.Source() {
            @Override
            public TopModel look() throws IOException {
                final List<NodeSample> nodes = TopCommand.this.look();
                history.add(nodes);
                return new TopModel(
                        LocalTime.now(ZoneId.systemDefault()).format(CLOCK),
                        isOfCluster ? TopModel.troubledFirst(nodes) : nodes,
                        new TopExtras(glyphs, history.rates(), looks.details(), traces.lines()));
            }

            @Override
            public TopModel again(final TopModel last) {
                final TopExtras extras = last.extras();
                return new TopModel(
                        last.clock(),
                        last.nodes(),
                        new TopExtras(glyphs, extras.rates(), extras.details(), traces.lines()));
            }

            @Override
            public void trace(final TopState.TraceWish wish) {
                traces.begin(config, wish);
            }
        };
    }

    private boolean isOnScreen() {
        return !output.isJson()
                && count == 0
                && Terminals.isTerminal(STANDARD_INPUT)
                && Terminals.isTerminal(STANDARD_OUTPUT);
    }

    private void print(final long intervalNs) throws IOException {
        // The first sample only gives the values with which the second is compared.
        look();
        for (int round = 0; count == 0 || round < count; round++) {
            pause(intervalNs);
            final List<NodeSample> nodes = look();
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("ok", true);
            report.put("time_ms", System.currentTimeMillis());
            report.put("nodes", nodes.stream().map(NodeSample::report).toList());
            final String text = text(nodes);
            output.text().print(config == null ? text : new NodeNames(config).in(text));
            output.report(report);
        }
    }

    private List<NodeSample> look() throws IOException {
        if (config == null && files.isEmpty()) {
            config = cluster.config();
            selection.resolve(new NodeNames(config));
        }
        if (looks == null) {
            looks = new TopLook(config, isOfCluster);
        }
        final List<NodeSample> nodes =
                looks.look(files.isEmpty() ? ClusterFile.counterFiles(config) : files);
        if (!isChecked) {
            selection.check(nodes);
            isChecked = true;
        }
        return nodes.stream().flatMap(node -> selection.of(node).stream()).toList();
    }

    private static void pause(final long intervalNs) {
        final long untilNs = System.nanoTime() + intervalNs;
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private static String text(final List<NodeSample> nodes) {
        final StringBuilder text = new StringBuilder();
        for (final NodeSample node : nodes) {
            text.append("node " + node.node())
                    .append(" (" + node.coordinates() + ") " + node.stateText())
                    .append(": messages out " + node.messages().sent())
                    .append("/s, in " + node.messages().delivered())
                    .append("/s; frames relayed " + node.frames().relayed())
                    .append("/s, sent again " + node.frames().resent())
                    .append("/s, on detours " + node.frames().detoured())
                    .append("/s; destinations in trouble " + node.routes().troubled())
                    .append('\n');
            text.append(links(node));
            node.ip().ifPresent(ip -> text.append(ip.text()).append('\n'));
            text.append('\n');
        }
        return text.toString();
    }

    private static TextTable links(final NodeSample node) {
        final TextTable table =
                new TextTable(
                        "link",
                        "nic",
                        "state",
                        "weight %",
                        "in f/s",
                        "in MB/s",
                        "out f/s",
                        "out MB/s",
                        "failures",
                        "recoveries",
                        "last reason");
        for (final LinkSample link : node.links()) {
            table.row(
                    link.label(),
                    link.nic(),
                    link.state(),
                    link.weightPercent(),
                    link.in().frames(),
                    link.in().megabytes(),
                    link.out().frames(),
                    link.out().megabytes(),
                    link.failures(),
                    link.recoveries(),
                    link.lastReason());
        }
        return table;
    }
}
