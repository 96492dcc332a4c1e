package io.hxb.bench.fabric;

import io.hxb.fabric.SwitchGraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * OpenSM over ibsim, a simulator of InfiniBand fabrics, both from Debian. Each run starts both and
 * ends both. One thread.
 */
final class OpenSm {
    private static final Path LIBRARY =
            Path.of("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so");
    private static final long LIMIT_SECONDS = 30;
    private static final Pattern EVENT =
            Pattern.compile("\\w{3} \\d+ (\\d\\d:\\d\\d:\\d\\d) (\\d{6}) \\[\\w+\\] \\S+ -> (.*)");
    private static final Pattern LANES = Pattern.compile("lash_core: Lanes needed: (\\d+).*");

    private final Path folder;
    private final String firstHost;

    /**
     * What one run took.
     *
     * @param ms from the start of the route computation until all tables are made, by its own log.
     * @param lanes layers of LASH, 0 for other engines.
     */
    record Run(double ms, int lanes) {}

    /**
     * Writes the fabric down.
     *
     * @param graph one with hosts, on one of which OpenSM runs.
     * @param folder an empty one.
     */
    OpenSm(final SwitchGraph graph, final Path folder) throws IOException {
        this.folder = folder;
        this.firstHost = graph.hostName(0);
        Files.writeString(folder.resolve("fabric.net"), fabric(graph));
        // Switch 0 gets the first identifier that ibsim gives to switches.
        Files.writeString(folder.resolve("roots"), "0x0000000000200000\n");
    }

    /** {@return what is missing, or null} */
    static String missing() {
        for (final String program : List.of("/usr/sbin/opensm", "/usr/bin/ibsim")) {
            if (!Files.isExecutable(Path.of(program))) {
                return program + " is missing";
            }
        }
        return Files.exists(LIBRARY) ? null : LIBRARY + " is missing";
    }

    /** The fabric in the notation of ibsim. Source: ibsim(8). */
    private static String fabric(final SwitchGraph graph) {
        final StringBuilder text = new StringBuilder();
        final int[] hosts = graph.hostCounts();
        for (int node = 0; node < graph.switchCount(); node++) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "Switch %d \"%s\"%n",
                            graph.degree(node) + hosts[node],
                            graph.switchName(node)));
            for (int i = 0; i < graph.degree(node); i++) {
                final int channel = graph.outgoing(node, i);
                addPort(
                        text,
                        graph.sourcePort(channel),
                        graph.switchName(graph.target(channel)),
                        graph.targetPort(channel));
            }
            for (int host = 0; host < graph.hostCount(); host++) {
                if (graph.hostSwitch(host) == node) {
                    addPort(text, graph.hostPort(host), graph.hostName(host), "1");
                }
            }
            text.append('\n');
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            text.append("Hca 1 \"").append(graph.hostName(host)).append("\"\n");
            addPort(text, "1", graph.switchName(graph.hostSwitch(host)), graph.hostPort(host));
            text.append('\n');
        }
        return text.toString();
    }

    private static void addPort(
            final StringBuilder text, final String port, final String other, final String there) {
        text.append("[%s]\t\"%s\"[%s]\n".formatted(port, other, there));
    }

    /** Starts the simulator, lets OpenSM sweep once, and ends both. */
    Run run(final String engine) throws IOException, InterruptedException {
        final Path log = folder.resolve("osm.log");
        Files.deleteIfExists(log);
        // The simulator may spin on a CPU when its client has gone, so it never outlives a run.
        final Process simulator = start(List.of("ibsim", "-s", "-n", "fabric.net"), "ibsim.out");
        try {
            awaitStart(simulator);
            final List<String> command = new ArrayList<>(List.of("opensm", "-o", "-f"));
            command.addAll(List.of(log.toString(), "-D", "0x07", "-R", engine, "-a", "roots"));
            final Process manager = start(command, "opensm.out");
            if (!manager.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                end(manager);
                throw new IOException("opensm did not end in " + LIMIT_SECONDS + " s");
            }
        } finally {
            end(simulator);
        }
        return parse(engine, Files.readAllLines(log));
    }

    private Process start(final List<String> command, final String output) throws IOException {
        final List<String> all = new ArrayList<>(List.of("timeout", "60"));
        all.addAll(command);
        final ProcessBuilder builder = new ProcessBuilder(all).directory(folder.toFile());
        if (command.getFirst().equals("opensm")) {
            builder.environment().put("LD_PRELOAD", LIBRARY.toString());
            builder.environment().put("SIM_HOST", firstHost);
            builder.environment().put("OSM_TMP_DIR", folder.toString());
            builder.environment().put("OSM_CACHE_DIR", folder.toString());
        }
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve(output).toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
    }

    /** Ends a program under timeout(1), which alone would leave it running. */
    private static void end(final Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }

    /** The simulator takes connections once its abstract socket is there. */
    private static void awaitStart(final Process simulator)
            throws IOException, InterruptedException {
        final long endNs = System.nanoTime() + LIMIT_SECONDS * 1_000_000_000L;
        while (!Files.readString(Path.of("/proc/net/unix")).contains("sim:ctl")) {
            if (simulator.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > endNs) {
                throw new IOException("ibsim did not start");
            }
        }
    }

    /** Reads times and layers out of OpenSM's log. */
    static Run parse(final String engine, final List<String> log) throws IOException {
        LocalTime start = null;
        int lanes = 0;
        for (final String line : log) {
            final Matcher event = EVENT.matcher(line);
            if (!event.matches()) {
                continue;
            }
            final LocalTime time = LocalTime.parse(event.group(1) + "." + event.group(2));
            final String what = event.group(3);
            final Matcher needed = LANES.matcher(what);
            if (what.contains("building routing with '" + engine + "'")) {
                start = time;
            } else if (needed.matches()) {
                lanes = Integer.parseInt(needed.group(1));
            } else if (start != null && what.contains(engine + " tables configured")) {
                return new Run(Duration.between(start, time).toNanos() / 1e6, lanes);
            }
        }
        throw new IOException(
                "OpenSM made no routes by " + engine + "; its log has " + log.size() + " lines");
    }
}
