package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.tool.lab.LabWire;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** What a GB costs the CPUs of both ends over shaped links. One thread. */
@Command(
        name = "bulk-cost",
        mixinStandardHelpOptions = true,
        description =
                "Measure CPU-seconds a GB of bulk data over shaped links: HXB over link.udp "
                        + "and link.raw beside C programs, and MPTCP.")
final class BulkCost implements Callable<Integer> {
    private static final String TRAINS = "C, UDP trains";
    private static final String SINGLE = "C, UDP frame by frame";
    private static final String RAW_TRAINS = "C, raw, IP trains";
    private static final String RAW_LONG = "C, raw, TCP long frames";
    private static final String RAW_SINGLE = "C, raw, Ethernet";
    private static final String MPTCP = "MPTCP";
    private static final String ATTACHED = ", attached";
    private static final String BESIDE = ", beside round trips";

    @Mixin private LabExperiments.Settings settings;

    @Option(
            names = "--wiring",
            paramLabel = "KIND",
            split = ",",
            defaultValue = "whole,cut",
            description =
                    "wire the links so that trains cross them whole, as with NICs that cut and"
                            + " join; that the kernel cuts and joins them (cut); or that it does so"
                            + " frame by frame at the rate of the link (paced); separated by commas"
                            + " (default: ${DEFAULT-VALUE})")
    private List<String> wirings;

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
            defaultValue = "6",
            description = "make this many links (default: ${DEFAULT-VALUE})")
    private int links;

    @Option(
            names = "--mbit",
            paramLabel = "MBIT/S",
            defaultValue = "1000",
            description =
                    "shape each link to this rate; 0: not at all (default: " + "${DEFAULT-VALUE})")
    private int mbit;

    @Option(
            names = "--sizes",
            paramLabel = "SIZE",
            split = ",",
            defaultValue = "65536",
            description =
                    "have HXB send messages of these sizes in bytes, each a contestant, separated"
                            + " by commas; frame: the longest in a frame of the MTU (default:"
                            + " ${DEFAULT-VALUE})")
    private List<String> sizes;

    @Option(
            names = "--relay",
            description =
                    "have a node of HXB between the ends relay everything; only HXB over "
                            + "raw links takes part")
    private boolean hasRelay;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description =
                    "send for this long before each measurement of HXB (default: "
                            + "${DEFAULT-VALUE})")
    private double warmUp;

    @Option(
            names = "--wait",
            paramLabel = "WAIT",
            defaultValue = "hybrid",
            description =
                    "have the ends of HXB wait by block or hybrid (default: " + "${DEFAULT-VALUE})")
    private String waiting;

    @Option(
            names = "--flush-timeout",
            paramLabel = "US",
            defaultValue = "0",
            description =
                    "have the kernel wait this long at each NIC for frames to join "
                            + "(gro_flush_timeout) (default: ${DEFAULT-VALUE})")
    private int flushTimeoutUs;

    @Mixin private LabExperiments.Chosen chosen;

    @Override
    public Integer call() throws Exception {
        sizes.forEach(BulkSize::parse);
        final Report report =
                new Report(
                                "bulk-cost",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "links",
                                        links,
                                        "mbit",
                                        mbit,
                                        "relays",
                                        hasRelay ? 1 : 0,
                                        "wait",
                                        waiting,
                                        "flushTimeoutUs",
                                        flushTimeoutUs))
                        .columns(
                                "links",
                                "MTU",
                                "who",
                                "goodput MB/s",
                                "CPU-s a GB",
                                "cost / that of the first",
                                "pieces a frame",
                                "round trip us",
                                "99 % us");
        for (final String wiring : wirings) {
            for (final int mtu : mtus) {
                measure(report, wiring, mtu);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final String wiring, final int mtu) throws Exception {
        final LabWire wire = LabWire.valueOf(wiring.toUpperCase(Locale.ROOT));
        final BulkNetwork.Between between =
                hasRelay ? BulkNetwork.Between.RELAY : BulkNetwork.Between.CABLES;
        try (BulkNetwork network = new BulkNetwork(wire, links, mtu, mbit, between);
                BulkLine line = new BulkLine(network, waiting, warmUp, settings.seconds())) {
            if (!hasRelay) {
                network.flushTimeout(flushTimeoutUs);
            }
            final Contest contest =
                    hasRelay ? new Contest() : peers(new BulkPeers(network, settings.seconds()));
            if (settings.hasHxb()) {
                sizes.forEach(size -> addHxb(contest, line, BulkSize.parse(size)));
            }
            final String name = wiring + " " + mtu;
            final Contest.Results results =
                    chosen.of(contest).run(settings.rounds(), Progress.of(name));
            report.keep(name, results);
            final String first = results.series().keySet().iterator().next();
            for (final String who : results.series().keySet()) {
                report.line(
                        wiring,
                        Integer.toString(mtu),
                        who,
                        results.of(who, "MBps").format(),
                        results.of(who, "cost").format(),
                        results.ratio(who, first, "cost").format(),
                        results.series().get(who).containsKey(BulkFigures.PIECES)
                                ? results.of(who, BulkFigures.PIECES).format()
                                : "",
                        who.endsWith(BESIDE) ? results.of(who, "p50_us").format() : "",
                        who.endsWith(BESIDE) ? results.of(who, "p99_us").format() : "");
            }
        }
    }

    private void addHxb(final Contest contest, final BulkLine line, final BulkSize size) {
        for (final BulkWay way : BulkWay.values()) {
            if (!way.isRaw() && hasRelay) {
                continue;
            }
            final String name = way.label() + size.label();
            contest.add(name, () -> line.hxb(way, size));
            contest.add(name + ATTACHED, () -> line.attached(way, size));
            for (final String loop : chosen.loops()) {
                contest.add(
                        name + ATTACHED + ", nodes " + loop, () -> line.attached(way, size, loop));
            }
            contest.add(name + BESIDE, () -> line.beside(way, size));
        }
    }

    private static Contest peers(final BulkPeers peers) {
        return new Contest()
                .add(TRAINS, () -> peers.plain(true))
                .add(SINGLE, () -> peers.plain(false))
                .add(RAW_TRAINS, () -> peers.raw(BulkPeers.RawDress.UDP_TRAINS))
                .add(RAW_LONG, () -> peers.raw(BulkPeers.RawDress.TCP_SEGMENTS))
                .add(RAW_SINGLE, () -> peers.raw(BulkPeers.RawDress.ETHERNET))
                .add(MPTCP, peers::mptcp);
    }
}
