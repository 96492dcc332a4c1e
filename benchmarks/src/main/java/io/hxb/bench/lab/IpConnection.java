package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Progress;
import io.hxb.bench.harness.Report;
import io.hxb.os.NetworkNamespace;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabWire;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** What one TCP connection of any program gets over several shaped links. One thread. */
@Command(
        name = "ip",
        mixinStandardHelpOptions = true,
        description =
                "Measure one TCP connection over several shaped links: by the virtual NIC of HXB,"
                        + " beside MPTCP and plain TCP on one of them.")
final class IpConnection implements Callable<Integer> {
    private static final String MPTCP = "MPTCP";
    private static final String TCP = "TCP on one link";
    private static final IpPrefix PREFIX = IpPrefix.parse("10.97.0.0/24");
    private static final double NODE_LIMIT_SECONDS = 180;

    @Mixin private LabExperiments.Settings settings;

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
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description =
                    "send for this long before each measurement of HXB (default:"
                            + " ${DEFAULT-VALUE})")
    private double warmUp;

    @Mixin private LabExperiments.Chosen chosen;

    @Override
    public Integer call() throws Exception {
        final Report report =
                new Report(
                                "ip",
                                Map.of(
                                        "rounds",
                                        settings.rounds(),
                                        "seconds",
                                        settings.seconds(),
                                        "mbit",
                                        mbit,
                                        "warmUp",
                                        warmUp,
                                        "wiring",
                                        wiring))
                        .columns(
                                "links",
                                "MTU",
                                "who",
                                "goodput MB/s",
                                "CPU-s a GB",
                                "segments sent again");
        for (final int count : links) {
            for (final int mtu : mtus) {
                measure(report, count, mtu);
            }
        }
        report.finish(System.out, settings.results());
        return 0;
    }

    private void measure(final Report report, final int count, final int mtu) throws Exception {
        final LabWire wire = LabWire.valueOf(wiring.toUpperCase(Locale.ROOT));
        try (BulkNetwork network = new BulkNetwork(wire, count, mtu, mbit, false);
                BulkCluster cluster = new BulkCluster(network)) {
            final BulkPeers peers = new BulkPeers(network, settings.seconds());
            final Contest contest =
                    new Contest()
                            .add(MPTCP, () -> counted(network, peers::mptcp))
                            .add(
                                    TCP,
                                    () ->
                                            counted(
                                                    network,
                                                    () ->
                                                            peers.tcp(
                                                                    BulkNetwork.address(
                                                                            BulkNetwork.RIGHT,
                                                                            0))));
            if (settings.hasHxb()) {
                for (final BulkWay way : List.of(BulkWay.RAW_TCP, BulkWay.RAW_IP)) {
                    contest.add(way.label(), () -> hxb(network, cluster, way, peers));
                }
            }
            final String name = count + " links, MTU " + mtu;
            final Contest.Results results =
                    chosen.of(contest).run(settings.rounds(), Progress.of(name));
            report.keep(name, results);
            for (final String who : results.series().keySet()) {
                report.line(
                        Integer.toString(count),
                        Integer.toString(mtu),
                        who,
                        results.of(who, "MBps").format(),
                        results.of(who, "cost").format(),
                        results.of(who, "resent").format());
            }
        }
    }

    private Map<String, Double> hxb(
            final BulkNetwork network,
            final BulkCluster cluster,
            final BulkWay way,
            final BulkPeers peers)
            throws Exception {
        cluster.write(way, "", List.of("ip: {prefix: [" + PREFIX + "]}"));
        final List<Program> nodes = new ArrayList<>();
        try {
            for (final String host : List.of(BulkNetwork.LEFT, BulkNetwork.RIGHT)) {
                nodes.add(node(network, cluster, way, host));
            }
            final String right = PREFIX.address(network.number(BulkNetwork.RIGHT));
            if (warmUp > 0) {
                peers.tcp(right, warmUp);
            }
            return counted(network, () -> peers.tcp(right));
        } finally {
            nodes.forEach(Program::close);
        }
    }

    private static Program node(
            final BulkNetwork network,
            final BulkCluster cluster,
            final BulkWay way,
            final String host)
            throws Exception {
        final int number = network.number(host);
        final Program node =
                Program.start(
                        network.name(host),
                        "",
                        Peers.hxb(
                                "node",
                                "--config",
                                cluster.file(way).toString(),
                                "--node",
                                Integer.toString(number),
                                "--json"));
        node.next(NODE_LIMIT_SECONDS);
        return node;
    }

    private static Map<String, Double> counted(
            final BulkNetwork network, final Callable<Map<String, Double>> measurement)
            throws Exception {
        final long before = resentSegments(network);
        final Map<String, Double> figures = measurement.call();
        figures.put("resent", (double) (resentSegments(network) - before));
        return figures;
    }

    // Column RetransSegs of TCP. Source: RFC 4022.
    private static long resentSegments(final BulkNetwork network) throws IOException {
        final List<String> tcp =
                NetworkNamespace.run(
                        network.name(BulkNetwork.LEFT),
                        () ->
                                Files.readAllLines(Path.of("/proc/thread-self/net/snmp")).stream()
                                        .filter(line -> line.startsWith("Tcp:"))
                                        .toList());
        final int column = List.of(tcp.get(0).split(" ", -1)).indexOf("RetransSegs");
        return Long.parseLong(tcp.get(1).split(" ", -1)[column]);
    }
}
