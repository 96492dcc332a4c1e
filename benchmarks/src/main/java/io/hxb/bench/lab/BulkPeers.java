package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.BusyTime;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.Trials;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Peers that HXB is compared with when it carries bulk data: C programs that send datagrams or
 * Ethernet frames over all links, and MPTCP. Used by one thread.
 */
final class BulkPeers {
    private static final String LEFT = BulkNetwork.LEFT;
    private static final String RIGHT = BulkNetwork.RIGHT;
    private static final String PORT = "20000";
    private static final String MPTCP_PORT = "5201";
    private static final double LIMIT_SECONDS = 60;

    private final BulkNetwork network;
    private final double seconds;

    /**
     * Prepares the network.
     *
     * @param network without a relay.
     * @param seconds in which figures count.
     */
    BulkPeers(final BulkNetwork network, final double seconds)
            throws IOException, InterruptedException {
        this.network = network;
        this.seconds = seconds;
        if (!BenchNetwork.isLoopback()) {
            tryMptcp();
        }
    }

    // Not every kernel has it: under a limit of time, the others are measured without.
    private void tryMptcp() throws IOException, InterruptedException {
        try {
            prepareMptcp();
        } catch (final IOException e) {
            if (!Trials.isLimited()) {
                throw e;
            }
            System.err.println("no MPTCP: " + e.getMessage());
        }
    }

    // The server announces its addresses, and the client joins them.
    private void prepareMptcp() throws IOException, InterruptedException {
        for (final String host : List.of(LEFT, RIGHT)) {
            network.exec(host, "ip mptcp limits set subflows 8 add_addr_accepted 8".split(" "));
        }
        for (int i = 0; i < network.links(); i++) {
            final String endpoint =
                    "ip mptcp endpoint add "
                            + BulkNetwork.address(RIGHT, i)
                            + " dev "
                            + BulkNetwork.nic(i);
            network.exec(RIGHT, (endpoint + " signal").split(" "));
        }
    }

    /**
     * Datagrams of a C program, whose ends sleep for half a millisecond when they have nothing to
     * do.
     */
    Map<String, Double> plain(final boolean hasTrains) throws Exception {
        final List<String> receive =
                bulk(
                        "udp_bulk",
                        "server",
                        hasTrains,
                        "-w",
                        BulkFigures.text(1),
                        "-S",
                        BulkFigures.text(seconds),
                        PORT);
        final String size = Integer.toString(network.mtu() - BulkNetwork.DATAGRAM_HEADER_BYTES);
        final List<String> send = bulk("udp_bulk", "client", hasTrains, "-s", size, PORT);
        receive.addAll(network.addresses(RIGHT));
        send.addAll(network.addresses(RIGHT));
        return between(receive, send);
    }

    /** The same over packet sockets: UDP over IPv4 in trains, or Ethernet frames one by one. */
    Map<String, Double> raw(final boolean hasTrains) throws Exception {
        final List<String> receive =
                bulk(
                        "raw_bulk",
                        "server",
                        hasTrains,
                        "-w",
                        BulkFigures.text(1),
                        "-S",
                        BulkFigures.text(seconds));
        final String size =
                Integer.toString(
                        network.mtu() - (hasTrains ? BulkNetwork.DATAGRAM_HEADER_BYTES : 0));
        final List<String> send = bulk("raw_bulk", "client", hasTrains, "-s", size);
        receive.addAll(network.nics());
        send.addAll(network.nics());
        return between(receive, send);
    }

    private Map<String, Double> between(final List<String> receive, final List<String> send)
            throws Exception {
        final Program server = Program.start(network.name(RIGHT), "", receive).ready();
        final Program client = Program.start(network.name(LEFT), "", send);
        try {
            server.next(LIMIT_SECONDS);
            final BusyTime start = BusyTime.now();
            final double rate = server.next(LIMIT_SECONDS).get("MBps").asDouble();
            return BulkFigures.figures(rate, start, BusyTime.now());
        } finally {
            client.close();
            server.close();
        }
    }

    private static List<String> bulk(
            final String program,
            final String mode,
            final boolean hasTrains,
            final String... rest) {
        final List<String> command = new ArrayList<>(Peers.c(program, "-m", mode, "-p", "500"));
        if (hasTrains) {
            command.add("-g");
        }
        command.addAll(List.of(rest));
        return command;
    }

    /** One MPTCP connection with a subflow over each link. */
    Map<String, Double> mptcp() throws Exception {
        final long startNs = System.nanoTime() + 2_500_000_000L;
        final String length = BulkFigures.text(seconds);
        final Program server =
                Program.start(
                                network.name(RIGHT),
                                "",
                                Peers.c(
                                        "tcp_burst",
                                        "-m",
                                        "server",
                                        "-M",
                                        "-S",
                                        length,
                                        "-t",
                                        Long.toString(startNs),
                                        "0.0.0.0",
                                        MPTCP_PORT))
                        .ready();
        final Program client =
                Program.start(
                        network.name(LEFT),
                        "",
                        Peers.c(
                                "tcp_burst",
                                "-m",
                                "client",
                                "-M",
                                "-S",
                                BulkFigures.text(seconds + 3),
                                BulkNetwork.address(RIGHT, 0),
                                MPTCP_PORT));
        try {
            BulkFigures.sleepUntil(startNs);
            final BusyTime start = BusyTime.now();
            BulkFigures.sleepUntil(startNs + (long) (seconds * 1e9));
            final BusyTime end = BusyTime.now();
            client.last(LIMIT_SECONDS);
            double bytes = 0;
            for (final JsonNode sample : server.last(LIMIT_SECONDS).get("samples")) {
                bytes += sample.asDouble();
            }
            return BulkFigures.figures(bytes / seconds / 1e6, start, end);
        } finally {
            client.close();
            server.close();
        }
    }
}
