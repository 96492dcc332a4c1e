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
            network.prepareMptcp();
        } catch (final IOException e) {
            if (!Trials.isLimited()) {
                throw e;
            }
            System.err.println("no MPTCP: " + e.getMessage());
        }
    }

    /**
     * Datagrams of a C program, whose ends sleep for half a millisecond when they have nothing to
     * do.
     */
    Map<String, Double> plain(final boolean hasTrains) throws Exception {
        final List<String> dress = hasTrains ? List.of("-g") : List.of();
        final List<String> receive =
                bulk(
                        "udp_bulk",
                        "server",
                        dress,
                        "-w",
                        BulkFigures.text(1),
                        "-S",
                        BulkFigures.text(seconds),
                        PORT);
        final String size = Integer.toString(network.mtu() - BulkNetwork.DATAGRAM_HEADER_BYTES);
        final List<String> send = bulk("udp_bulk", "client", dress, "-s", size, PORT);
        receive.addAll(network.addresses(RIGHT));
        send.addAll(network.addresses(RIGHT));
        return between(receive, send);
    }

    /** How frames of the C program over packet sockets are dressed. */
    enum RawDress {
        /** Ethernet frames one by one. */
        ETHERNET(0, ""),

        /** UDP over IPv4, in trains. */
        UDP_TRAINS(BulkNetwork.DATAGRAM_HEADER_BYTES, "-g"),

        /** Long frames, each as one segment of TCP over IPv4. */
        TCP_SEGMENTS(BulkNetwork.SEGMENT_HEADER_BYTES, "-t");

        private final int headerBytes;
        private final String option;

        RawDress(final int headerBytes, final String option) {
            this.headerBytes = headerBytes;
            this.option = option;
        }

        /** Options of the program. */
        List<String> options() {
            return option.isEmpty() ? List.of() : List.of(option);
        }

        /** Bytes of a frame, or of what a long one is cut into, below an MTU. */
        int sizeBelow(final int mtu) {
            return mtu - headerBytes;
        }
    }

    /** The same over packet sockets. */
    Map<String, Double> raw(final RawDress dress) throws Exception {
        final List<String> receive =
                bulk(
                        "raw_bulk",
                        "server",
                        dress.options(),
                        "-w",
                        BulkFigures.text(1),
                        "-S",
                        BulkFigures.text(seconds));
        final String size = Integer.toString(dress.sizeBelow(network.mtu()));
        final List<String> send = bulk("raw_bulk", "client", dress.options(), "-s", size);
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
            final JsonNode found = server.next(LIMIT_SECONDS);
            final BusyTime end = BusyTime.now();
            return BulkFigures.figures(found, start, end);
        } finally {
            client.close();
            server.close();
        }
    }

    private static List<String> bulk(
            final String program,
            final String mode,
            final List<String> dress,
            final String... rest) {
        final List<String> command = new ArrayList<>(Peers.c(program, "-m", mode, "-p", "500"));
        command.addAll(dress);
        command.addAll(List.of(rest));
        return command;
    }

    /** One MPTCP connection with a subflow over each link. */
    Map<String, Double> mptcp() throws Exception {
        return connection(true, BulkNetwork.address(RIGHT, 0), seconds);
    }

    /**
     * One connection of ordinary TCP.
     *
     * @param address of the right host, by which the way of the connection is chosen.
     */
    Map<String, Double> tcp(final String address) throws Exception {
        return tcp(address, seconds);
    }

    /** The same for another time. */
    Map<String, Double> tcp(final String address, final double length) throws Exception {
        return connection(false, address, length);
    }

    private Map<String, Double> connection(
            final boolean isMptcp, final String address, final double lengthSeconds)
            throws Exception {
        return network.hosts().bulk(new TcpHosts.Route(isMptcp, address), lengthSeconds);
    }
}
