package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Two namespaces joined by one veth pair, for round trips without a relay. Used by one thread. */
final class DirectLine implements AutoCloseable {
    private static final String LEFT = "left";
    private static final String RIGHT = "right";

    private final BenchNetwork network;
    private final String wait;

    /**
     * Makes the network.
     *
     * @param wait how the ends wait, an argument of pingpong: block, epoll or spin.
     */
    DirectLine(final String wait) throws Exception {
        this.wait = wait;
        network = BenchNetwork.of("direct" + wait, LEFT, RIGHT);
        network.join(LEFT, "x0", RIGHT, "x0", 9000);
    }

    /**
     * Round trips between two raw sockets of C programs.
     *
     * @param clientCpu CPU of the end that asks, when the ends do not spin; the other is on 1.
     */
    Map<String, Double> roundTrip(final int size, final double seconds, final int clientCpu)
            throws Exception {
        final String[] ends = {
            "-s", Integer.toString(size), "-S", String.format(Locale.ROOT, "%.2f", seconds)
        };
        final List<String> client =
                new java.util.ArrayList<>(
                        Peers.c("pingpong", "-m", wait.equals("spin") ? "both" : "client"));
        client.addAll(List.of(ends));
        if (wait.equals("spin")) {
            client.addAll(
                    List.of(
                            "-w",
                            "spin",
                            network.name(LEFT) + "/x0",
                            network.mac(RIGHT, "x0"),
                            network.name(RIGHT) + "/x0",
                            network.mac(LEFT, "x0")));
            try (Program ping = Program.start("", "0", client)) {
                return RelayLine.figures(ping.last(seconds + 10));
            }
        }
        client.addAll(List.of("-w", wait, "x0", network.mac(RIGHT, "x0")));
        final List<String> server =
                Peers.c(
                        "pingpong",
                        "-m",
                        "server",
                        "-s",
                        Integer.toString(size),
                        "-w",
                        wait,
                        "x0",
                        network.mac(LEFT, "x0"));
        final Program pong = Program.start(network.name(RIGHT), "1", server).ready();
        final Program ping = Program.start(network.name(LEFT), Integer.toString(clientCpu), client);
        return RelayLine.figures(Program.served(pong, ping, seconds + 10));
    }

    @Override
    public void close() {
        network.close();
    }
}
