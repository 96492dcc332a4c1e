package io.hxb.tool.demo;

import io.hxb.counter.CounterType;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.cluster.ClusterCounters;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.RoundTripResult;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.measure.Throughput;
import io.hxb.tool.report.TextTable;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The demonstration: files between all pairs of nodes with their digests checked and the traffic of
 * each link shown meanwhile, then bandwidth and round trips at each distance. Owned by the thread
 * that runs it.
 */
public final class DemoRun {
    private static final int TRIP_BYTES = 64;
    private static final int TRIPS = 1000;
    private static final int SMALL_BYTES = 32;
    private static final int ATTACHED_TRIPS = 5000;
    private static final long MAX_WARM_UP_NS = 1_000_000_000L;
    private static final long SILENCE_NS = 10_000_000_000L;
    private static final int BLOCK_BYTES = 8192;

    private final Cluster cluster;
    private final List<Pair> distances;
    private final Path folder;
    private final PrintStream out;

    /**
     * Makes one.
     *
     * @param distances pairs to measure, the nearest first.
     * @param folder for the files; the caller removes it.
     * @param out where people read along.
     */
    public DemoRun(
            final Cluster cluster,
            final List<Pair> distances,
            final Path folder,
            final PrintStream out) {
        this.cluster = cluster;
        this.distances = List.copyOf(distances);
        this.folder = folder;
        this.out = out;
    }

    /**
     * What the demonstration found.
     *
     * @param result of the files; its round trips are those of all distances.
     * @param fields everything, as JSON has it.
     */
    public record Outcome(Result result, Map<String, Object> fields) {}

    /** What an attached program has measured over one hop. */
    private record Attached(double medianUs, double p99Us, long messagesPerSecond, long lost) {}

    /** One line of the table: a pair, and what {@code hxb perf} found of it. */
    private record Distance(RoundTripResult.Trip trip, JsonNode throughput) {
        long count(final String field) {
            return throughput.path(field).asLong();
        }
    }

    /** How the files went. */
    private record Transfer(
            int intact,
            long bytes,
            long duplicated,
            double seconds,
            long relays,
            long frames,
            long resent,
            long dropped,
            OptionalDouble cpuPerFrameUs) {}

    /**
     * Runs it all.
     *
     * @param meanBytes mean length of the files.
     * @param sendNs how long to measure each rate; half as long that of small messages.
     */
    public Outcome run(final long meanBytes, final long sendNs) throws IOException {
        final RunMeasurement measurement = new RunMeasurement(cluster);
        measurement.awaitReady(distances);
        final FileSet files =
                FileSet.generate(
                        Files.createDirectories(folder.resolve("sent")),
                        Pair.all(cluster.config().shape()),
                        meanBytes,
                        System.nanoTime());
        out.printf(
                Locale.ROOT,
                "sending %d files, %.1f MB, between all pairs of nodes%n",
                files.entries().size(),
                files.lengthBytes() / 1e6);
        final Transfer transfer = transfer(files);
        final RoundTripResult roundTripResult = measurement.ping(distances, TRIP_BYTES, TRIPS);
        final int size = Math.min(BLOCK_BYTES, cluster.device(0).mtuBytes());
        final AttachedProgram programs =
                new AttachedProgram(
                        LabCluster.file(folder), roundTripResult.trips().getFirst().from());
        final List<Distance> lines = perf(programs, roundTripResult.trips(), size, sendNs);
        final Attached attached = attached(programs, roundTripResult.trips().getFirst(), sendNs);
        print(lines, size, attached);
        return outcome(files, transfer, roundTripResult, lines, attached);
    }

    /** Throughput to each distance, sender and receiver being processes of their own. */
    private static List<Distance> perf(
            final AttachedProgram programs,
            final List<RoundTripResult.Trip> trips,
            final int size,
            final long sendNs) {
        final String targets =
                trips.stream().map(RoundTripResult.Trip::to).collect(Collectors.joining(" "));
        final List<JsonNode> found =
                programs.run("perf " + targets + times(sendNs) + " --interval 0 --size " + size);
        final List<Distance> lines = new ArrayList<>();
        for (int i = 0; i < trips.size(); i++) {
            lines.add(new Distance(trips.get(i), found.get(i)));
        }
        return lines;
    }

    private static String times(final long sendNs) {
        final long warmUpNs = Math.min(sendNs, MAX_WARM_UP_NS);
        return " --warmup " + warmUpNs + "ns --seconds " + sendNs / 1e9;
    }

    /** What a program in a process of its own gets over one hop, from its start. */
    private static Attached attached(
            final AttachedProgram programs, final RoundTripResult.Trip pair, final long sendNs) {
        final JsonNode trips =
                programs.run("ping " + pair.to() + " --flood --count " + ATTACHED_TRIPS).getLast();
        final JsonNode rate =
                programs.run("perf " + pair.to() + times(sendNs) + " --size " + SMALL_BYTES)
                        .getLast();
        return new Attached(
                trips.at("/rtt_us/median").asDouble(),
                trips.at("/rtt_us/p99").asDouble(),
                rate.at("/messages_per_s").asLong(),
                trips.at("/lost").asLong() + rate.at("/lost").asLong());
    }

    private Transfer transfer(final FileSet files) throws IOException {
        try (ClusterCounters counters = new ClusterCounters(cluster.config());
                FileTransfer transfer =
                        new FileTransfer(
                                cluster,
                                files,
                                Files.createDirectories(folder.resolve("received")))) {
            final ClusterCounters.Reading before = counters.read();
            final OptionalLong cpuBeforeNs = counters.cpuNs();
            final TrafficLines traffic = new TrafficLines(counters, files.lengthBytes(), out);
            final long startNs = System.nanoTime();
            transfer.run(traffic::tick, SILENCE_NS);
            final double seconds = (System.nanoTime() - startNs) / 1e9;
            final OptionalLong cpuNs = counters.cpuNsSince(cpuBeforeNs);
            final ClusterCounters.Reading after = counters.settled();
            int intact = 0;
            long bytes = 0;
            for (final FileSet.Entry entry : transfer.arrived()) {
                if (FileSet.digest(transfer.received(entry)).equals(entry.digest())) {
                    intact++;
                    bytes += entry.lengthBytes();
                } else {
                    out.println(
                            "DAMAGED: the file from node "
                                    + entry.pair().from()
                                    + " at "
                                    + entry.pair().to());
                }
            }
            out.printf(
                    Locale.ROOT,
                    "%d of %d files arrived intact (SHA-256): %.1f MB in %.2f s, %.1f MB/s%n%n",
                    intact,
                    files.entries().size(),
                    bytes / 1e6,
                    seconds,
                    bytes / 1e6 / seconds);
            final long frames = after.since(before, CounterType.LINK_RECEIVED_FRAMES);
            return new Transfer(
                    intact,
                    bytes,
                    transfer.duplicated(),
                    seconds,
                    after.since(before, CounterType.FORWARD_RELAYED_FRAMES),
                    frames,
                    after.since(before, CounterType.FLOW_RESENT_FRAMES),
                    after.dropped() - before.dropped(),
                    Throughput.cpuPerFrameUs(cpuNs, frames));
        }
    }

    private void print(final List<Distance> lines, final int size, final Attached attached) {
        final TextTable table =
                new TextTable(
                        "from -> to",
                        "hops",
                        "MB/s",
                        "messages/s",
                        "rtt min",
                        "median",
                        "99%",
                        "max us",
                        "relayed",
                        "CPU us/frame",
                        "lost",
                        "resent");
        for (final Distance line : lines) {
            table.row(
                    line.trip().from() + " -> " + line.trip().to(),
                    line.trip().hops(),
                    line.throughput().path("bandwidth_MBps").asDouble(),
                    line.count("messages_per_s"),
                    line.trip().rttUs().min(),
                    line.trip().rttUs().median(),
                    line.trip().rttUs().p99(),
                    line.trip().rttUs().max(),
                    line.count("relays"),
                    line.throughput().path("cpu_us_per_frame").asString("-"),
                    line.count("lost"),
                    line.count("resent"));
        }
        out.print(table);
        out.printf(
                Locale.ROOT,
                "bandwidth with messages of %d bytes, round trips of %d%n",
                size,
                TRIP_BYTES);
        out.printf(
                Locale.ROOT,
                "a program in a process of its own: round trip %.1f us (99 %%: %.1f), %d messages/s"
                        + " of %d bytes over one hop%n",
                attached.medianUs(),
                attached.p99Us(),
                attached.messagesPerSecond(),
                SMALL_BYTES);
    }

    private Outcome outcome(
            final FileSet files,
            final Transfer transfer,
            final RoundTripResult roundTripResult,
            final List<Distance> lines,
            final Attached attached) {
        long lost =
                files.entries().size()
                        - transfer.intact()
                        + roundTripResult.result().lost()
                        + attached.lost();
        long duplicated = transfer.duplicated() + roundTripResult.result().duplicated();
        long reordered = 0;
        long corrupt = roundTripResult.result().corrupt();
        for (final Distance line : lines) {
            lost += line.count("lost");
            duplicated += line.count("duplicated");
            reordered += line.count("reordered");
            corrupt += line.count("corrupt");
        }
        final Result result =
                new Result(
                        cluster.config().shape().nodeCount(),
                        files.entries().size(),
                        transfer.bytes(),
                        transfer.intact(),
                        lost,
                        duplicated,
                        reordered,
                        corrupt,
                        transfer.relays(),
                        transfer.seconds(),
                        roundTripResult.result().roundTrips());
        final Map<String, Object> fields = result.fields();
        fields.put("files", files.entries().size());
        fields.put("files_intact", transfer.intact());
        fields.put("messages_per_s", attached.messagesPerSecond());
        fields.put("attached_rtt_median_us", attached.medianUs());
        fields.put("attached_rtt_p99_us", attached.p99Us());
        fields.put("attached_messages_per_s", attached.messagesPerSecond());
        fields.put("frames", transfer.frames());
        fields.put("resent", transfer.resent());
        fields.put("dropped", transfer.dropped());
        transfer.cpuPerFrameUs().ifPresent(cpuUs -> fields.put("cpu_us_per_frame", cpuUs));
        fields.put("trips", roundTripResult.trips());
        fields.put(
                "bandwidths_MBps",
                lines.stream()
                        .map(line -> line.throughput().path("bandwidth_MBps").asDouble())
                        .toList());
        return new Outcome(result, fields);
    }
}
