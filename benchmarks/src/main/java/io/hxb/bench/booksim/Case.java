package io.hxb.bench.booksim;

import io.hxb.fabric.EdgeList;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One network with one traffic, in the notation of both simulators. Immutable.
 *
 * @param network its name in tables.
 * @param topology {@code mesh} or {@code torus} of 8x8 switches and a host each, or else a graph of
 *     four hosts each, which BookSim reads as an anynet: {@code torus4} or the name of a file of
 *     edges.
 * @param lanes virtual channels of each channel.
 * @param bufferFlits of each virtual channel.
 * @param packetFlits of each packet.
 * @param traffic the pattern's name, the same in both.
 * @param load flits a cycle and host.
 */
record Case(
        String network,
        String topology,
        int lanes,
        int bufferFlits,
        int packetFlits,
        String traffic,
        double load) {
    /** BookSim's {@code credit_delay}. */
    private static final int CREDIT_DELAY = 1;

    private static final int SIDE = 8;

    /** All cases: those of the table of latencies, and shallow buffers, and ties of rings. */
    static List<Case> all() {
        final List<Case> cases = new ArrayList<>();
        for (final double load : new double[] {0.05, 0.35}) {
            cases.add(new Case("mesh 8x8", "mesh", 2, 8, 1, "uniform", load));
        }
        for (final double load : new double[] {0.05, 0.30}) {
            cases.add(new Case("torus 8x8", "torus", 2, 8, 1, "uniform", load));
        }
        for (final double load : new double[] {0.05, 0.11}) {
            cases.add(new Case("torus 8x8, shuffle", "torus", 2, 8, 1, "shuffle", load));
        }
        for (final double load : new double[] {0.01, 0.05, 0.10}) {
            cases.add(new Case("mesh 8x8, buffers 1 x 4", "mesh", 1, 4, 8, "uniform", load));
        }
        for (final double load : new double[] {0.01, 0.05, 0.10}) {
            cases.add(new Case("irr64_0, 4 hosts", "irr64_0", 3, 128, 128, "uniform", load));
        }
        for (final double load : new double[] {0.01, 0.04}) {
            cases.add(new Case("irr64_0, 1 channel", "irr64_0", 1, 128, 128, "uniform", load));
        }
        for (final double load : new double[] {0.01, 0.05}) {
            cases.add(new Case("torus 8x8, 4 hosts", "torus4", 3, 128, 128, "uniform", load));
        }
        return List.copyOf(cases);
    }

    private boolean isAnynet() {
        return !topology.equals("mesh") && !topology.equals("torus");
    }

    /** BookSim's links of a torus take two cycles. */
    private int linkCycles() {
        return topology.equals("torus") ? 2 : 1;
    }

    /** The name of the case: {@code mesh 8x8 at 0.05}. */
    String title() {
        return network + String.format(Locale.ROOT, " at %.2f", load);
    }

    /**
     * Writes BookSim's configuration, and the network if it has no generator for it.
     *
     * @param cycles of each of three samples, the last of which is measured.
     * @return the file for BookSim's command line.
     */
    Path bookSimConfig(final Path folder, final Path graphs, final long cycles, final long seed)
            throws IOException {
        final List<String> lines = new ArrayList<>();
        if (isAnynet()) {
            final Path network = folder.resolve(topology + ".anynet");
            Files.writeString(network, anynet(graph(graphs)));
            lines.add("topology = anynet; routing_function = min; network_file = " + network + ";");
        } else {
            lines.add("topology = " + topology + "; k = " + SIDE + "; n = 2;");
            lines.add(
                    "routing_function = " + (topology.equals("mesh") ? "dor" : "dim_order") + ";");
        }
        lines.add("num_vcs = " + lanes + "; vc_buf_size = " + bufferFlits + ";");
        lines.add("packet_size = " + packetFlits + "; injection_rate_uses_flits = 1;");
        lines.add("traffic = " + traffic + "; injection_rate = " + load + ";");
        lines.add("vc_allocator = separable_input_first; sw_allocator = separable_input_first;");
        lines.add("routing_delay = 0; vc_alloc_delay = 1; sw_alloc_delay = 1;");
        lines.add("st_final_delay = 1; credit_delay = " + CREDIT_DELAY + ";");
        // Always three samples; each one with an odd number restarts its statistics.
        lines.add("sample_period = " + cycles + "; max_samples = 3; latency_thres = 1000000.0;");
        lines.add("warmup_thres = 0.0; acc_warmup_thres = 0.0; seed = " + seed + ";");
        final Path file = folder.resolve("booksim.config");
        Files.write(file, lines);
        return file;
    }

    /** The arguments of {@code hxb} for the same. */
    List<String> hxbArguments(final Path graphs, final long cycles, final long seed) {
        final List<String> words = new ArrayList<>(List.of("sim", "run", "--json"));
        if (isAnynet()) {
            final boolean isTorus = topology.equals("torus4");
            add(words, "--graph", isTorus ? "torus:8x8" : graphs.resolve(topology + ".edges"));
            add(words, "--hosts", 4);
            add(words, "--algorithm", "minimal");
            add(words, "--paths", "low-port");
        } else {
            add(words, "--graph", topology + ":" + SIDE + "x" + SIDE);
            add(words, "--hosts", 1);
            add(words, "--algorithm", "dimension-order");
        }
        if (topology.equals("torus")) {
            add(words, "--ties", "random");
            add(words, "--ring-vcs", "keep");
        }
        if (!topology.equals("torus") && lanes > 1) {
            words.add("--free-vcs");
        }
        add(words, "--vcs", lanes);
        add(words, "--buffer", bufferFlits);
        add(words, "--packet", packetFlits);
        add(words, "--traffic", traffic);
        words.add("--self");
        add(words, "--load", load);
        add(words, "--switching", "wh");
        add(words, "--reuse", "tail");
        add(words, "--switch-cycles", 2);
        add(words, "--allocation-cycles", 1);
        add(words, "--link-cycles", linkCycles());
        add(words, "--credit-cycles", linkCycles() + 1 + CREDIT_DELAY);
        add(words, "--cycles", 3 * cycles);
        add(words, "--warmup", 2 * cycles);
        add(words, "--seed", seed);
        return words;
    }

    private static void add(final List<String> words, final String option, final Object value) {
        words.add(option);
        words.add(String.valueOf(value));
    }

    private SwitchGraph graph(final Path graphs) throws IOException {
        return topology.equals("torus4")
                ? Lattice.torus(SIDE, SIDE).graph(4)
                : EdgeList.parse(
                        topology, Files.readString(graphs.resolve(topology + ".edges")), 4);
    }

    /** A graph in BookSim's notation: every switch with its hosts and its links. */
    static String anynet(final SwitchGraph graph) {
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < graph.switchCount(); node++) {
            text.append("router ").append(node);
            for (int host = 0; host < graph.hostCount(); host++) {
                if (graph.hostSwitch(host) == node) {
                    text.append(" node ").append(host);
                }
            }
            for (int i = 0; i < graph.degree(node); i++) {
                text.append(" router ").append(graph.target(graph.outgoing(node, i)));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
