package io.hxb.bench.lab;

import io.hxb.bench.harness.BusyTime;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two hosts between which C programs have connections of TCP or MPTCP, whatever joins them.
 * Immutable.
 *
 * @param from network namespace of the host that sends, or asks.
 * @param to that of the other.
 */
record TcpHosts(String from, String to) {
    private static final String BULK_PORT = "5201";
    private static final String ASK_PORT = "5202";
    private static final double LIMIT_SECONDS = 60;

    /** Programs start, connect and fill the links in this time. */
    private static final long LEAD_NS = 2_500_000_000L;

    /** How long a client goes on after the last sample, at most. */
    private static final double TAIL_SECONDS = 3;

    private static final String TCP = "tcp";
    private static final String MPTCP = "mptcp";

    /**
     * Which connection.
     *
     * @param isMptcp whether it is one of MPTCP.
     * @param address of the other host, by which its way is chosen.
     */
    record Route(boolean isMptcp, String address) {}

    /** What is done while bulk data flow. */
    @FunctionalInterface
    interface Meanwhile {
        /** Does it; samples begin at {@code startNs} of System.nanoTime(), which is to come. */
        void run(long startNs) throws Exception;
    }

    /** Bulk data over one connection: {@code MBps}, {@code cost}. */
    Map<String, Double> bulk(final Route route, final double seconds) throws Exception {
        return bulk(route, seconds, startNs -> {});
    }

    /** The same, and something else at the same time, which should take as long. */
    Map<String, Double> bulk(final Route route, final double seconds, final Meanwhile meanwhile)
            throws Exception {
        final BusyTime[] busy = new BusyTime[2];
        final long[] samples =
                samples(
                        route,
                        seconds,
                        10,
                        startNs -> {
                            BulkFigures.sleepUntil(startNs);
                            busy[0] = BusyTime.now();
                            meanwhile.run(startNs);
                            BulkFigures.sleepUntil(startNs + (long) (seconds * 1e9));
                            busy[1] = BusyTime.now();
                        });
        return BulkFigures.figures(megabytesPerSecond(samples, seconds), busy[0], busy[1]);
    }

    /** Rate of what arrived in samples. */
    static double megabytesPerSecond(final long[] samples, final double seconds) {
        double bytes = 0;
        for (final long sample : samples) {
            bytes += sample;
        }
        return bytes / seconds / 1e6;
    }

    /**
     * Bulk data over one connection.
     *
     * @param seconds of samples.
     * @param sampleMs length of a sample.
     * @param meanwhile is called as soon as the programs run, and returns after the last sample.
     * @return bytes that the receiving program got in each sample.
     */
    long[] samples(
            final Route route, final double seconds, final int sampleMs, final Meanwhile meanwhile)
            throws Exception {
        final long startNs = System.nanoTime() + LEAD_NS;
        final Program server =
                Program.start(
                                to,
                                "",
                                burst(
                                        route,
                                        "server",
                                        seconds,
                                        "-b",
                                        Integer.toString(sampleMs),
                                        "-t",
                                        Long.toString(startNs),
                                        "0.0.0.0",
                                        BULK_PORT))
                        .ready();
        final Program client =
                Program.start(
                        from,
                        "",
                        burst(route, "client", seconds + TAIL_SECONDS, route.address, BULK_PORT));
        try {
            meanwhile.run(startNs);
            client.last(LIMIT_SECONDS);
            final JsonNode found = server.last(LIMIT_SECONDS).get("samples");
            final long[] samples = new long[found.size()];
            for (int i = 0; i < samples.length; i++) {
                samples[i] = found.get(i).asLong();
            }
            return samples;
        } finally {
            client.close();
            server.close();
        }
    }

    private static List<String> burst(
            final Route route, final String mode, final double seconds, final String... rest) {
        final List<String> command = new ArrayList<>(Peers.c("tcp_burst", "-m", mode));
        if (route.isMptcp) {
            command.add("-M");
        }
        command.addAll(List.of("-S", BulkFigures.text(seconds)));
        command.addAll(List.of(rest));
        return command;
    }

    /**
     * Round trips of one byte, whose ends sleep while they wait: {@code p50_us}, {@code p99_us}.
     *
     * @param warmUpSeconds before those that count.
     */
    Map<String, Double> roundTrips(
            final Route route, final double warmUpSeconds, final double seconds)
            throws IOException, InterruptedException {
        final Program server = Program.start(to, "", pingPong(route, "server", "0.0.0.0")).ready();
        final JsonNode found =
                Program.served(
                        server,
                        Program.start(
                                from,
                                "",
                                pingPong(
                                        route,
                                        "client",
                                        "-W",
                                        BulkFigures.text(warmUpSeconds),
                                        "-S",
                                        BulkFigures.text(seconds),
                                        route.address)),
                        warmUpSeconds + seconds + LIMIT_SECONDS);
        if (found.get("count").asLong() == 0) {
            throw new IOException("no answer came from " + route.address);
        }
        final Map<String, Double> figures = new LinkedHashMap<>();
        for (final String name : List.of("p50_us", "p99_us")) {
            figures.put(name, found.get(name).asDouble());
        }
        return figures;
    }

    private static List<String> pingPong(
            final Route route, final String mode, final String... rest) {
        final List<String> command =
                new ArrayList<>(
                        Peers.c(
                                "socket_pingpong",
                                "-m",
                                mode,
                                "-p",
                                route.isMptcp ? MPTCP : TCP,
                                "-w",
                                "block",
                                "-s",
                                "1"));
        command.addAll(List.of(rest));
        command.add(ASK_PORT);
        return command;
    }
}
