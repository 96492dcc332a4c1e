package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Trials;
import io.hxb.os.NetworkNamespace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Who has one connection between two hosts: one of MPTCP, one of plain TCP on the first link, and
 * one by the virtual NICs of HXB. All figures come with the segments that TCP has sent again, and
 * those of HXB with what its nodes have counted. Used by one thread.
 */
final class IpContest {
    static final String MPTCP = "MPTCP";
    static final String TCP = "TCP on one link";

    private final BulkNetwork network;
    private final BulkCluster cluster;
    private final double warmUpSeconds;
    private final boolean hasHxb;
    private final Contest contest = new Contest();

    /**
     * Makes one without contestants.
     *
     * @param network without a relay.
     * @param warmUpSeconds for which HXB sends before each measurement.
     * @param hasHxb whether HXB may take part.
     */
    IpContest(
            final BulkNetwork network,
            final BulkCluster cluster,
            final double warmUpSeconds,
            final boolean hasHxb) {
        this.network = network;
        this.cluster = cluster;
        this.warmUpSeconds = warmUpSeconds;
        this.hasHxb = hasHxb;
    }

    /** One measurement of whoever it is. */
    @FunctionalInterface
    interface Measurement {
        /** Measures once; figures by name. */
        Map<String, Double> run(TcpHosts hosts, TcpHosts.Route route) throws Exception;
    }

    /** Adds MPTCP, where the kernel has it. */
    IpContest mptcp(final Measurement measurement) throws IOException, InterruptedException {
        try {
            network.prepareMptcp();
        } catch (final IOException e) {
            if (!Trials.isLimited()) {
                throw e;
            }
            System.err.println("no MPTCP: " + e.getMessage());
            return this;
        }
        return add(MPTCP, new TcpHosts.Route(true, firstAddress()), measurement);
    }

    /** Adds plain TCP on the first link. */
    IpContest tcp(final Measurement measurement) {
        return add(TCP, new TcpHosts.Route(false, firstAddress()), measurement);
    }

    private static String firstAddress() {
        return BulkNetwork.address(BulkNetwork.RIGHT, 0);
    }

    private IpContest add(
            final String name, final TcpHosts.Route route, final Measurement measurement) {
        contest.add(name, () -> counted(() -> measurement.run(network.hosts(), route)));
        return this;
    }

    /** Adds HXB, with fresh nodes at each measurement. */
    IpContest hxb(final BulkWay way, final Measurement measurement) {
        if (!hasHxb) {
            return this;
        }
        contest.add(
                way.label(),
                () -> {
                    try (IpNodes nodes = new IpNodes(network, cluster, way)) {
                        final TcpHosts hosts = network.hosts();
                        if (warmUpSeconds > 0) {
                            hosts.bulk(nodes.route(), warmUpSeconds);
                        }
                        return counted(nodes, () -> measurement.run(hosts, nodes.route()));
                    }
                });
        return this;
    }

    /** The contest of those who were added. */
    Contest contest() {
        return contest;
    }

    private Map<String, Double> counted(
            final IpNodes nodes, final Callable<Map<String, Double>> measurement) throws Exception {
        final IpCounts before = nodes.counts();
        final Map<String, Double> figures = counted(measurement);
        figures.putAll(nodes.counts().since(before));
        return figures;
    }

    private Map<String, Double> counted(final Callable<Map<String, Double>> measurement)
            throws Exception {
        final String sender = network.name(BulkNetwork.LEFT);
        final long before = resentSegments(sender);
        final Map<String, Double> figures = new LinkedHashMap<>(measurement.call());
        figures.put("resent", (double) (resentSegments(sender) - before));
        return figures;
    }

    /** Segments that TCP of a network namespace has sent again. */
    static long resentSegments(final String namespace) throws IOException {
        return resentSegments(
                NetworkNamespace.run(
                        namespace,
                        () -> Files.readAllLines(Path.of("/proc/thread-self/net/snmp"))));
    }

    // Column RetransSegs of TCP. Source: RFC 4022.
    static long resentSegments(final List<String> snmp) {
        final List<String> tcp = snmp.stream().filter(line -> line.startsWith("Tcp:")).toList();
        final int column = List.of(tcp.get(0).split(" ", -1)).indexOf("RetransSegs");
        return Long.parseLong(tcp.get(1).split(" ", -1)[column]);
    }
}
