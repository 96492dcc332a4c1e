package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.SocketConfig;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Three namespaces in a line, with one relay in the middle that stays for all rounds: {@code left -
 * relay - right}. Used by one thread.
 */
final class RelayLine implements AutoCloseable {
    static final String LEFT = "left";
    static final String MIDDLE = "relay";
    static final String RIGHT = "right";

    private static final double SKIP_SECONDS = 0.3;

    private final BenchNetwork network;
    private final Program relay;
    private final RelayedFrames frames;
    private final Started started;
    private final boolean isSpinning;
    private final int links;

    /** Starts a relay in the middle namespace. */
    @FunctionalInterface
    interface Starter {
        Started start(BenchNetwork network) throws Exception;
    }

    /** A relay that runs: its process, what the ends have to know of it, and how to end it. */
    record Started(Program program, List<String> endOptions, Runnable closing) {}

    /**
     * Makes the network and starts the relay.
     *
     * @param links links on either side of the relay.
     */
    RelayLine(
            final String label,
            final int links,
            final int mtu,
            final boolean isSpinning,
            final Starter starter)
            throws Exception {
        this.links = links;
        this.isSpinning = isSpinning;
        frames = new RelayedFrames(links, mtu);
        network = BenchNetwork.of(label, LEFT, MIDDLE, RIGHT);
        try {
            for (int i = 0; i < links; i++) {
                network.join(LEFT, "x" + i, MIDDLE, "x" + i, mtu);
                network.join(RIGHT, "y" + i, MIDDLE, "y" + i, mtu);
            }
            started = starter.start(network);
            relay = started.program;
            if (isSpinning) {
                relay.freeze();
            }
        } catch (final Exception e) {
            network.close();
            throw e;
        }
    }

    /** An HXB node for this line that relays itself, or lets the kernel do it. */
    static Starter hxb(
            final int links,
            final String wait,
            final String cpus,
            final SocketConfig.KernelRelay kernelRelay) {
        return hxb(links, LabExperiments.loop("wait: " + wait), cpus, kernelRelay);
    }

    /** The same with the loops that are given. */
    static Starter hxb(
            final int links,
            final LoopConfig loop,
            final String cpus,
            final SocketConfig.KernelRelay kernelRelay) {
        return network -> {
            final ClusterConfig cluster = new RelayedFrames(links, 0).cluster();
            final HxbNode node =
                    HxbNode.start(
                            network.name(MIDDLE),
                            cpus,
                            cluster.withSocket(cluster.socket().withKernelRelay(kernelRelay)),
                            loop,
                            RelayedFrames.MIDDLE);
            return new Started(node.program(), List.of("-x"), node::close);
        };
    }

    /** A C relay for this line. */
    static Starter c(
            final int links, final String technique, final String wait, final String cpus) {
        return network -> {
            final List<String> command = Peers.c("relay", "-t", technique, "-w", wait);
            for (int i = 0; i < links; i++) {
                command.addAll(List.of("x" + i, network.mac(LEFT, "x" + i)));
                command.addAll(List.of("y" + i, network.mac(RIGHT, "y" + i)));
            }
            final Program program = Program.start(network.name(MIDDLE), cpus, command).ready();
            return new Started(program, List.of(), program::close);
        };
    }

    /** Frames at full speed from left to right; what arrives, and what the relay spends. */
    Map<String, Double> rate(final int size, final double seconds) throws Exception {
        thaw();
        final Program announcer =
                Program.start(network.name(RIGHT), "", blast(RIGHT, "y", 0, seconds + 3));
        final Program count = Program.start(network.name(RIGHT), "", count(seconds)).ready();
        final long cpuNs = relay.cpuNs();
        final long machineNs = Program.machineCpuNs();
        final Program blast =
                Program.start(
                        network.name(LEFT),
                        "",
                        blast(LEFT, "x", size, seconds + SKIP_SECONDS + 0.3));
        try {
            final JsonNode counted = count.last(seconds + 10);
            final double spentNs = relay.cpuNs() - cpuNs;
            final double machineSpentNs = Program.machineCpuNs() - machineNs;
            final JsonNode sent = blast.last(seconds + 10);
            final Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("kfps", counted.get("frames_per_s").asDouble() / 1e3);
            figures.put(
                    "offered_kfps",
                    sent.get("sent").asDouble() / sent.get("seconds").asDouble() / 1e3);
            figures.put("cpu_ns", spentNs / counted.get("total").asDouble());
            figures.put("machine_ns", machineSpentNs / counted.get("total").asDouble());
            return figures;
        } finally {
            blast.close();
            count.close();
            announcer.close();
            freeze();
        }
    }

    /**
     * The same from a sender for each link, which takes a CPU each; what arrives is counted by the
     * NICs.
     */
    Map<String, Double> rateOfMany(final int size, final double seconds) throws Exception {
        frames.restartEnds();
        final List<Program> senders = new ArrayList<>();
        try {
            senders.add(Program.start(network.name(RIGHT), "", blast(RIGHT, "y", 0, seconds + 3)));
            for (int i = 0; i < links; i++) {
                senders.add(
                        Program.start(
                                network.name(LEFT),
                                "",
                                blast(LEFT, "x", i, i + 1, size, seconds + 3)));
            }
            LockSupport.parkNanos((long) (2 * SKIP_SECONDS * 1e9));
            final long startNs = System.nanoTime();
            final long arrived = arrived();
            final long cpuNs = relay.cpuNs();
            final long machineNs = Program.machineCpuNs();
            LockSupport.parkNanos((long) (seconds * 1e9));
            final double frameCount = arrived() - arrived;
            final double spentNs = System.nanoTime() - startNs;
            final Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("kfps", frameCount / spentNs * 1e6);
            figures.put("cpu_ns", (relay.cpuNs() - cpuNs) / frameCount);
            figures.put("machine_ns", (Program.machineCpuNs() - machineNs) / frameCount);
            return figures;
        } finally {
            senders.forEach(Program::close);
        }
    }

    private long arrived() throws IOException, InterruptedException {
        final String counts =
                network.exec(RIGHT, "sh", "-c", "cat /sys/class/net/y*/statistics/rx_packets");
        return counts.lines().mapToLong(count -> Long.parseLong(count.strip())).sum();
    }

    private static List<String> count(final double seconds) {
        return Peers.c("count", "-S", text(seconds), "-k", text(SKIP_SECONDS), "any");
    }

    // Size 0 only announces the end.
    private List<String> blast(
            final String end, final String nic, final int size, final double seconds)
            throws IOException, InterruptedException {
        return blast(end, nic, 0, links, size, seconds);
    }

    private List<String> blast(
            final String end,
            final String nic,
            final int first,
            final int limit,
            final int size,
            final double seconds)
            throws IOException, InterruptedException {
        final List<String> command =
                with(
                        Peers.c("blast", "-s", Integer.toString(size), "-S", text(seconds)),
                        List.of("-n", Integer.toString(first)),
                        List.of("-H", frames.data(RelayedFrames.LEFT, RelayedFrames.RIGHT)),
                        List.of("-A", end.equals(LEFT) ? leftHello() : rightHello()),
                        started.endOptions);
        for (int i = first; i < limit; i++) {
            command.add(nic + i);
            command.add(network.mac(MIDDLE, nic + i));
        }
        return command;
    }

    /** Round trips from left to right and back, through the relay twice. */
    Map<String, Double> roundTrip(final int size, final double seconds) throws Exception {
        thaw();
        try {
            return isSpinning ? spinning(size, seconds) : blocking(size, seconds);
        } finally {
            freeze();
        }
    }

    // Both ends spin in one thread on CPU 0 and leave CPU 1 to the relay.
    private Map<String, Double> spinning(final int size, final double seconds) throws Exception {
        final List<String> command =
                with(
                        Peers.c("pingpong", "-m", "both", "-w", "spin"),
                        ends(size, seconds),
                        List.of("-R", frames.data(RelayedFrames.RIGHT, RelayedFrames.LEFT)),
                        List.of("-A", leftHello()),
                        List.of("-a", rightHello()),
                        started.endOptions,
                        List.of(
                                network.name(LEFT) + "/x0",
                                network.mac(MIDDLE, "x0"),
                                network.name(RIGHT) + "/y0",
                                network.mac(MIDDLE, "y0")));
        try (Program ping = Program.start("", "0", command)) {
            return figures(ping.last(seconds + 10));
        }
    }

    // All on one CPU: waking another CPU would cost more than what is measured.
    private Map<String, Double> blocking(final int size, final double seconds) throws Exception {
        final List<String> server =
                with(
                        Peers.c("pingpong", "-m", "server", "-s", Integer.toString(size)),
                        List.of("-R", frames.data(RelayedFrames.RIGHT, RelayedFrames.LEFT)),
                        List.of("-a", rightHello()),
                        started.endOptions,
                        List.of("y0", network.mac(MIDDLE, "y0")));
        final List<String> client =
                with(
                        Peers.c("pingpong", "-m", "client"),
                        ends(size, seconds),
                        List.of("-A", leftHello()),
                        started.endOptions,
                        List.of("x0", network.mac(MIDDLE, "x0")));
        final Program pong = Program.start(network.name(RIGHT), "1", server).ready();
        final Program ping = Program.start(network.name(LEFT), "1", client);
        return figures(Program.served(pong, ping, seconds + 10));
    }

    private List<String> ends(final int size, final double seconds) {
        return List.of(
                "-s",
                Integer.toString(size),
                "-S",
                text(seconds),
                "-H",
                frames.data(RelayedFrames.LEFT, RelayedFrames.RIGHT));
    }

    static Map<String, Double> figures(final JsonNode histogram) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        for (final String name :
                List.of("p50_us", "p99_us", "p999_us", "max_us", "lost", "cpu_ns")) {
            figures.put(name, histogram.get(name).asDouble());
        }
        return figures;
    }

    private String leftHello() {
        return frames.hello(RelayedFrames.LEFT, 0, 0);
    }

    private String rightHello() {
        return frames.hello(RelayedFrames.RIGHT, 1, 0);
    }

    @SafeVarargs
    private static List<String> with(final List<String>... parts) {
        final List<String> all = new ArrayList<>();
        for (final List<String> part : parts) {
            all.addAll(part);
        }
        return all;
    }

    private static String text(final double seconds) {
        return String.format(Locale.ROOT, "%.2f", seconds);
    }

    private void thaw() throws IOException, InterruptedException {
        frames.restartEnds();
        if (isSpinning) {
            relay.thaw();
        }
    }

    private void freeze() throws IOException, InterruptedException {
        if (isSpinning) {
            relay.freeze();
        }
    }

    @Override
    public void close() {
        started.closing.run();
        network.close();
    }
}
