package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * C programs over the wires of a lab: a sender, relays, a receiver, joined by shaped links of which
 * each crosses a bridge. What is sent is neither acknowledged nor put in order. Used by one thread.
 */
final class ShapedChain implements AutoCloseable {
    private static final String SWITCH = "switch";
    private static final int MTU = 9000;
    private static final double START_SECONDS = 0.5;

    private final BenchNetwork network;
    private final List<Program> relays = new ArrayList<>();
    private final int hops;
    private final int links;

    /**
     * Makes the network and starts the relays.
     *
     * @param hops 1 or more: one more than there are relays.
     * @param links from each node to the next, 1 to 16.
     * @param mbit rate of each link.
     */
    ShapedChain(final int hops, final int links, final int mbit) throws Exception {
        this.hops = hops;
        this.links = links;
        final List<String> names = new ArrayList<>(List.of(SWITCH));
        for (int node = 0; node <= hops; node++) {
            names.add(node(node));
        }
        network = BenchNetwork.of("chain", names.toArray(String[]::new));
        try {
            for (int hop = 0; hop < hops; hop++) {
                for (int link = 0; link < links; link++) {
                    join(hop, link, mbit);
                }
            }
            for (int node = 1; node < hops; node++) {
                relays.add(relay(node));
            }
        } catch (final Exception e) {
            close();
            throw e;
        }
    }

    private void join(final int hop, final int link, final int mbit)
            throws IOException, InterruptedException {
        network.joinByBridge(
                node(hop), "r" + link, node(hop + 1), "l" + link, SWITCH, "h" + hop + link, MTU);
        network.shape(node(hop), "r" + link, mbit * 1_000_000L);
    }

    private Program relay(final int node) throws Exception {
        final List<String> command = Peers.c("relay", "-t", "v2", "-w", "block");
        for (int link = 0; link < links; link++) {
            command.addAll(List.of("l" + link, network.mac(node(node - 1), "r" + link)));
            command.addAll(List.of("r" + link, network.mac(node(node + 1), "l" + link)));
        }
        return Program.start(network.name(node(node)), "", command).ready();
    }

    /** Frames of the longest size that arrive in a second. */
    double framesPerSecond(final double seconds) throws Exception {
        final List<String> receiver = Peers.c("recvcost", "-S", text(seconds));
        final List<String> sender =
                Peers.c(
                        "blast",
                        "-s",
                        Integer.toString(MTU),
                        "-B",
                        Integer.toString(1 << 20),
                        "-S",
                        text(seconds + START_SECONDS));
        for (int link = 0; link < links; link++) {
            receiver.add("l" + link);
            sender.addAll(List.of("r" + link, network.mac(node(1), "l" + link)));
        }
        try (Program count = Program.start(network.name(node(hops)), "", receiver).ready();
                Program blast = Program.start(network.name(node(0)), "", sender)) {
            final double rate = count.last(seconds + 10).get("frames_per_s").asDouble();
            blast.last(seconds + 10);
            return rate;
        }
    }

    private static String node(final int index) {
        return "n" + index;
    }

    private static String text(final double seconds) {
        return String.format(Locale.ROOT, "%.2f", seconds);
    }

    @Override
    public void close() {
        relays.forEach(Program::close);
        network.close();
    }
}
