package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.tool.lab.LabWire;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Bulk data over links with the delays of DSL, mobile networks and satellites, as a share of the
 * sum of their rates. One thread.
 */
@Command(
        name = "long-links",
        mixinStandardHelpOptions = true,
        description =
                "Measure bulk data of attached programs, and of MPTCP, over slow links with"
                        + " long, unequal delays, and how often a node leaves one out.")
final class LongLinks implements Callable<Integer> {
    private static final String HXB = "HXB, attached";
    private static final String MPTCP = "MPTCP";
    private static final int MAX_LINKS = 8;
    private static final double BITS_PER_BYTE = 8;
    private static final int SAMPLE_MS = 100;

    @Spec private CommandSpec spec;

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--delays",
            paramLabel = "MS",
            split = ",",
            defaultValue = "20,80",
            description =
                    "make a link for each of these delays, in ms in each direction; 60-90: every"
                            + " frame another one, in order (default: ${DEFAULT-VALUE})")
    private List<String> delays;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "50",
            description = "shape each link to this rate (default: ${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description = "set this MTU (default: ${DEFAULT-VALUE})")
    private int mtu;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "send for this long before each measurement (default: ${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--sizes",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "65536",
            description = "have HXB send messages of these sizes (default: ${DEFAULT-VALUE} bytes)")
    private List<String> sizes;

    @Mixin private LabExperiments.Chosen chosen;

    /** How long a link is. Immutable. */
    private record Delay(double ms, double jitterMs) {
        static Delay parse(final String text) {
            final String[] bounds = text.split("-", -1);
            final double least = Double.parseDouble(bounds[0]);
            final double most = bounds.length == 1 ? least : Double.parseDouble(bounds[1]);
            if (bounds.length > 2 || least < 0 || most < least || most > DelayBox.MAX_DELAY_MS) {
                throw new NumberFormatException(text);
            }
            return new Delay(least, most - least);
        }
    }

    private List<Delay> delays() {
        try {
            if (delays.size() <= MAX_LINKS && mbit > 0) {
                return delays.stream().map(Delay::parse).toList();
            }
        } catch (final NumberFormatException e) {
            // What is wrong with which is in the message below.
        }
        throw new ParameterException(
                spec.commandLine(),
                "--delays has one to eight delays of 0 to %d ms such as 20 or 60-90, and --mbit at"
                                .formatted(DelayBox.MAX_DELAY_MS)
                        + " least 1: "
                        + String.join(",", delays)
                        + ", "
                        + mbit);
    }

    @Override
    public Integer call() throws Exception {
        final List<Delay> cables = delays();
        sizes.forEach(BulkSize::parse);
        final Map<String, Object> setting = new LinkedHashMap<>();
        setting.put("rounds", settings.rounds());
        setting.put("seconds", settings.seconds());
        setting.put("warmup", warmUp);
        setting.put("delays", String.join(",", delays));
        setting.put("mbit", mbit);
        setting.put("mtu", mtu);
        final Report report =
                new Report("long-links", setting)
                        .columns("who", "goodput MB/s", "share of the links %", "exclusions");
        try (BulkNetwork network =
                        new BulkNetwork(
                                LabWire.CUT,
                                cables.size(),
                                mtu,
                                mbit,
                                BulkNetwork.Between.LONG_CABLES);
                BulkLine line = new BulkLine(network, "block", warmUp, settings.seconds())) {
            for (int link = 0; link < cables.size(); link++) {
                network.delay(link, cables.get(link).ms(), cables.get(link).jitterMs());
            }
            final Contest.Results results =
                    chosen.of(contest(network, line))
                            .run(settings.rounds(), Progress.of(String.join(",", delays)));
            report.keep(String.join(",", delays), results);
            for (final String who : results.series().keySet()) {
                report.line(
                        who,
                        results.of(who, "MBps").format(),
                        results.of(who, "share").format(),
                        results.of(who, BulkLine.EXCLUSIONS).format());
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private Contest contest(final BulkNetwork network, final BulkLine line) throws Exception {
        final Contest contest = new Contest();
        network.prepareMptcp();
        contest.add(MPTCP, () -> share(mptcp(network)));
        if (settings.hasHxb()) {
            for (final String size : sizes) {
                final BulkSize bytes = BulkSize.parse(size);
                contest.add(HXB + bytes.label(), () -> share(line.watched(BulkWay.RAW_TCP, bytes)));
            }
        }
        return contest;
    }

    private Map<String, Double> mptcp(final BulkNetwork network) throws Exception {
        final double all = warmUp + settings.seconds();
        final long[] samples =
                network.hosts()
                        .samples(
                                new TcpHosts.Route(true, BulkNetwork.address(BulkNetwork.RIGHT, 0)),
                                all,
                                SAMPLE_MS,
                                startNs -> BulkFigures.sleepUntil(startNs + (long) (all * 1e9)));
        final int first = (int) (warmUp * 1e3 / SAMPLE_MS);
        return Map.of(
                "MBps",
                TcpHosts.megabytesPerSecond(
                        Arrays.copyOfRange(samples, first, samples.length), settings.seconds()));
    }

    private Map<String, Double> share(final Map<String, Double> figures) {
        final Map<String, Double> all = new LinkedHashMap<>(figures);
        all.put("share", 100 * figures.get("MBps") * BITS_PER_BYTE / (mbit * delays.size()));
        all.putIfAbsent(BulkLine.EXCLUSIONS, 0.0);
        return all;
    }
}
