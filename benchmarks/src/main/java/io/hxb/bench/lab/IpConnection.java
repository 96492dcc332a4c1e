package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.tool.lab.LabWire;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** What one TCP connection of any program gets over several shaped links. One thread. */
@Command(
        name = "ip",
        mixinStandardHelpOptions = true,
        description =
                "Measure one TCP connection over several shaped links: by the virtual NIC of HXB,"
                        + " beside MPTCP and plain TCP on the first of them.",
        footer = {
            "",
            "Rows: bulk: all links. relays: none, one and two between the ends, two links each."
                + " loss: frames of the first link are lost. slow: the first link has another rate."
                + " delayed: the first link is longer. pulled: one of two links is pulled, and put"
                + " back, again and again. rr: round trips of a byte over two links. unshaped: one"
                + " link without a rate. busy-rtt: round trips of a byte, alone and beside bulk"
                + " data.",
            "Rows loss, slow, delayed and busy-rtt take the first number of --links. loss takes"
                    + " wires that cut, so that single frames are lost."
        })
final class IpConnection implements Callable<Integer> {
    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--rows",
            paramLabel = "ROW",
            split = ",",
            defaultValue = "bulk,relays,loss,slow,delayed,pulled,rr,unshaped,busy-rtt",
            description = "measure these, separated by commas (default: ${DEFAULT-VALUE})")
    private List<IpRow> rows;

    @Option(
            names = "--wiring",
            paramLabel = "KIND",
            defaultValue = "whole",
            description = "wire the links as bulk-cost does (default: ${DEFAULT-VALUE})")
    private String wiring;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "9000,1500",
            description = "set these MTUs, separated by commas (default: ${DEFAULT-VALUE})")
    private List<Integer> mtus;

    @Option(
            names = "--links",
            paramLabel = "N",
            split = ",",
            defaultValue = "6,2",
            description = "make this many links, separated by commas (default: ${DEFAULT-VALUE})")
    private List<Integer> links;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "1000",
            description = "shape each link to this rate; 0: not at all (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--loss",
            paramLabel = "PERCENT",
            split = ",",
            defaultValue = "1,0.1",
            description =
                    "lose these shares of the frames of a link, separated by commas (default:"
                            + " ${DEFAULT-VALUE})")
    private List<Double> losses;

    @Option(
            names = "--slow",
            paramLabel = "MBIT/S",
            defaultValue = "500",
            description = "shape the slow link to this rate (default: ${DEFAULT-VALUE})")
    private int slowMbit;

    @Option(
            names = "--delay",
            paramLabel = "MS",
            defaultValue = "5",
            description =
                    "add this to what a frame needs on the long link, in each direction (default:"
                            + " ${DEFAULT-VALUE})")
    private double delayMs;

    @Option(
            names = "--pulls",
            paramLabel = "N",
            defaultValue = "20",
            description = "pull a link this often, every 3 s for 1 s (default: ${DEFAULT-VALUE})")
    private int pulls;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "send for this long before each measurement of HXB (default:"
                            + " ${DEFAULT-VALUE})")
    private double warmUp;

    @Mixin private LabExperiments.Chosen chosen;

    @Spec private CommandSpec command;

    @Override
    public Integer call() throws Exception {
        final List<String> problems = problems();
        if (!problems.isEmpty()) {
            throw new CommandLine.ParameterException(
                    command.commandLine(), String.join("; ", problems));
        }
        final Report report =
                new Report(
                        "ip",
                        Map.of(
                                "rounds", settings.rounds(),
                                "seconds", settings.seconds(),
                                "mbit", mbit,
                                "slow", slowMbit,
                                "delay", delayMs,
                                "pulls", pulls,
                                "warmUp", warmUp,
                                "wiring", wiring));
        final IpTable table = new IpTable();
        final IpScenarios scenarios =
                new IpScenarios(
                        wire(),
                        links,
                        mbit,
                        slowMbit,
                        delayMs,
                        losses,
                        pulls,
                        warmUp,
                        settings.seconds());
        for (final IpRow row : rows) {
            for (final int mtu : mtus) {
                if (row == IpRow.RELAYS) {
                    relays(report, table, mtu);
                } else {
                    for (final IpScenario scenario : scenarios.of(row, mtu)) {
                        measure(report, table, scenario);
                    }
                }
            }
        }
        table.write(report);
        report.finish(System.out, settings.results());
        return 0;
    }

    /** What is wrong with the numbers. */
    private List<String> problems() {
        final List<String> problems = new ArrayList<>();
        check(problems, links.stream().allMatch(each -> each >= 1), "--links", "1 or more", links);
        check(problems, mtus.stream().allMatch(each -> each >= 576), "--mtu", "576 or more", mtus);
        check(problems, mbit >= 0, "--mbit", "0 or more", mbit);
        check(problems, slowMbit >= 1, "--slow", "1 or more", slowMbit);
        check(
                problems,
                delayMs > 0 && delayMs <= DelayBox.MAX_DELAY_MS,
                "--delay",
                "more than 0 and at most " + DelayBox.MAX_DELAY_MS,
                delayMs);
        check(
                problems,
                losses.stream().allMatch(each -> each > 0 && each < 100),
                "--loss",
                "more than 0 and less than 100",
                losses);
        check(problems, pulls >= 1, "--pulls", "1 or more", pulls);
        check(problems, warmUp >= 0, "--warmup", "0 or more", warmUp);
        check(
                problems,
                Stream.of(LabWire.values()).anyMatch(each -> each.name().equals(upper(wiring))),
                "--wiring",
                "one of " + Arrays.toString(LabWire.values()).toLowerCase(Locale.ROOT),
                wiring);
        return problems;
    }

    private static void check(
            final List<String> problems,
            final boolean isValid,
            final String option,
            final String wanted,
            final Object value) {
        if (!isValid) {
            problems.add(option + " must be " + wanted + ": " + value);
        }
    }

    private static String upper(final String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    private LabWire wire() {
        return LabWire.valueOf(upper(wiring));
    }

    private void relays(final Report report, final IpTable table, final int mtu) throws Exception {
        if (settings.hasHxb()) {
            final IpRelays relays = new IpRelays(wire(), mtu, mbit, warmUp, settings.seconds());
            run(
                    report,
                    table,
                    "%s, %d links, MTU %d".formatted(IpRow.RELAYS, IpRelays.LINKS, mtu),
                    relays.contest());
        }
    }

    private void measure(final Report report, final IpTable table, final IpScenario scenario)
            throws Exception {
        try (BulkNetwork network = scenario.network();
                BulkCluster cluster = new BulkCluster(network)) {
            final IpContest contest = new IpContest(network, cluster, warmUp, settings.hasHxb());
            scenario.cast().add(network, contest);
            run(report, table, scenario.title(), contest.contest());
        }
    }

    private void run(
            final Report report, final IpTable table, final String title, final Contest contest)
            throws Exception {
        final Contest.Results results =
                chosen.of(contest).run(settings.rounds(), Progress.of(title));
        report.keep(title, results);
        table.add(title, results);
    }
}
