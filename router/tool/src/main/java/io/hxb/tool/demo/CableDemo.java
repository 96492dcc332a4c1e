package io.hxb.tool.demo;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.LabCables;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * What the demonstration shows of single cables: the sum of those of node 0, and a file that
 * arrives although a cable on its way is pulled out. Owned by the thread that runs it.
 */
final class CableDemo {
    private static final long SILENCE_NS = 30_000_000_000L;

    /** How long files take, so that there is a middle in which a cable can be pulled out. */
    private static final double SECONDS = 2;

    private static final long MIN_BYTES = 4 << 20;
    private static final long MAX_BYTES = 128 << 20;

    /** How much longer the next file is, if one was through before. */
    private static final int LONGER = 4;

    private final LabSession session;
    private final Cluster cluster;
    private final LabCabling cabling;
    private final LabCables cables;
    private final PrintStream out;

    /**
     * Makes one.
     *
     * @param session of a lab with cables of its own.
     * @param out where people read along.
     */
    CableDemo(final LabSession session, final PrintStream out) {
        this.session = session;
        cluster = session.cluster();
        cabling = session.spec().cabling().orElseThrow();
        cables = new LabCables(session.spec());
        this.out = out;
    }

    /**
     * What was found.
     *
     * @param isOk whether every byte arrived.
     * @param fields as JSON has it.
     */
    record Outcome(boolean isOk, Map<String, Object> fields) {}

    /** One run of files. */
    private record Transfer(int sent, int intact, long bytes, double seconds) {
        boolean isOk() {
            return sent == intact;
        }
    }

    /**
     * Runs it all.
     *
     * @param files what the files between all pairs took, which shows how large others have to be.
     */
    Outcome run(final Result files) throws IOException {
        final Map<String, Object> fields = new LinkedHashMap<>();
        final Transfer sum = sum(length(files.bytes(), files.seconds()), fields);
        final boolean isPullOk = pull(length(sum.bytes, sum.seconds), fields);
        return new Outcome(sum.isOk() && isPullOk, fields);
    }

    private static long length(final long bytes, final double seconds) {
        return Math.clamp((long) (SECONDS * bytes / Math.max(seconds, 1e-3)), MIN_BYTES, MAX_BYTES);
    }

    /** Files from node 0 to all its neighbours at once. */
    private Transfer sum(final long bytes, final Map<String, Object> fields) throws IOException {
        final List<Pair> pairs =
                cabling.neighbours(0).stream()
                        .map(end -> new Pair(0, end.node()))
                        .distinct()
                        .toList();
        try (CableTraffic traffic = new CableTraffic(cluster.config(), cabling)) {
            final long[] before = traffic.bytes();
            final Transfer sent = send(pairs, bytes / pairs.size(), arrived -> {});
            final long[] passed = traffic.bytesSince(before);
            out.printf(
                    Locale.ROOT,
                    "node 0 sends to its neighbours by all its cables, MB/s: %s%n",
                    rates(passed, sent.seconds, fields));
            return sent;
        }
    }

    private String rates(
            final long[] passed, final double seconds, final Map<String, Object> fields) {
        final Map<String, Double> rates = new LinkedHashMap<>();
        double sum = 0;
        for (int i = 0; i < passed.length; i++) {
            final LabCabling.Cable cable = cabling.cables().get(i);
            if (cable.first().node() == 0 || cable.second().node() == 0) {
                final double rate = Math.round(passed[i] / seconds / 1e5) / 10.0;
                rates.put(cable.toString(), rate);
                sum += rate;
            }
        }
        fields.put("cables_MBps", rates);
        final StringBuilder text = new StringBuilder();
        rates.forEach(
                (cable, rate) ->
                        text.append(text.isEmpty() ? "" : ", ")
                                .append(cable)
                                .append(" ")
                                .append(rate));
        return text + String.format(Locale.ROOT, "; in all %.1f", sum);
    }

    /** A file to the node farthest away, and a cable pulled out when a third has arrived. */
    private boolean pull(final long bytes, final Map<String, Object> fields) throws IOException {
        final Pair pair = Pair.oneOfEachDistance(cabling.distances(0), 0).getLast();
        final List<LabCabling.Cable> spare = cabling.spareCables(0, pair.to());
        if (spare.isEmpty()) {
            out.printf(
                    "no cable is pulled out: there is no other path from node 0 to node %d%n",
                    pair.to());
            return true;
        }
        for (long length = bytes; true; length *= LONGER) {
            final Optional<LabCabling.Cable> pulled = pull(pair, spare, length, fields);
            if (pulled.isPresent() || fields.get("pulled_intact").equals(false)) {
                return fields.get("pulled_intact").equals(true);
            }
            if (length * LONGER > MAX_BYTES) {
                return true;
            }
        }
    }

    /** The same with a file of that length; the cable, if the file was not through before. */
    private Optional<LabCabling.Cable> pull(
            final Pair pair,
            final List<LabCabling.Cable> spare,
            final long bytes,
            final Map<String, Object> fields)
            throws IOException {
        final int hops = cabling.distances(0)[pair.to()];
        out.printf(
                Locale.ROOT,
                "a file goes from node 0 to node %d, %s away%n",
                pair.to(),
                hops == 1 ? "one cable" : hops + " cables");
        try (CableTraffic traffic = new CableTraffic(cluster.config(), cabling)) {
            final Pull pull = new Pull(traffic, spare, bytes / 3);
            final Transfer sent;
            try {
                sent = send(List.of(pair), bytes, pull::tick);
            } finally {
                pull.pulled.ifPresent(cables::plug);
            }
            out.printf(
                    Locale.ROOT,
                    "  %s: %.1f MB in %.2f s%s%n",
                    sent.isOk() ? "it arrived intact (SHA-256)" : "IT DID NOT ARRIVE INTACT",
                    sent.bytes / 1e6,
                    sent.seconds,
                    pull.pulled.isPresent()
                            ? ", the rest by other cables"
                            : ", before a cable was pulled out");
            fields.put("pulled_cable", pull.pulled.map(LabCabling.Cable::toString).orElse(""));
            fields.put("pulled_intact", sent.isOk());
            fields.put("pulled_seconds", sent.seconds);
            return pull.pulled;
        }
    }

    /** Pulls the cable out that has carried the most of a file. */
    private final class Pull {
        private final CableTraffic traffic;
        private final List<LabCabling.Cable> spare;
        private final long atBytes;
        private final long[] before;
        private Optional<LabCabling.Cable> pulled = Optional.empty();

        Pull(final CableTraffic traffic, final List<LabCabling.Cable> spare, final long atBytes)
                throws IOException {
            this.traffic = traffic;
            this.spare = spare;
            this.atBytes = atBytes;
            before = traffic.bytes();
        }

        void tick(final long arrivedBytes) {
            if (pulled.isPresent() || arrivedBytes < atBytes) {
                return;
            }
            try {
                final long[] passed = traffic.bytesSince(before);
                final int busiest =
                        IntStream.range(0, passed.length)
                                .filter(i -> spare.contains(cabling.cables().get(i)))
                                .reduce((a, b) -> passed[b] > passed[a] ? b : a)
                                .orElseThrow();
                final LabCabling.Cable cable = cabling.cables().get(busiest);
                pulled = Optional.of(cable);
                cables.pull(cable);
                out.printf(
                        Locale.ROOT,
                        "  %.1f MB have arrived; the cable %s, which carried %.1f MB, is pulled"
                                + " out%n",
                        arrivedBytes / 1e6,
                        cable,
                        passed[busiest] / 1e6);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Transfer send(final List<Pair> pairs, final long bytes, final LongConsumer tick)
            throws IOException {
        final Path folder = Files.createDirectories(session.folder().resolve("cables"));
        final FileSet files = FileSet.generate(folder, pairs, bytes, System.nanoTime());
        try (FileTransfer transfer = new FileTransfer(cluster, files, folder)) {
            final long startNs = System.nanoTime();
            transfer.run(tick, SILENCE_NS);
            final double seconds = (System.nanoTime() - startNs) / 1e9;
            int intact = 0;
            for (final FileSet.Entry entry : transfer.arrived()) {
                if (FileSet.digest(transfer.received(entry)).equals(entry.digest())) {
                    intact++;
                }
                Files.delete(transfer.received(entry));
            }
            return new Transfer(files.entries().size(), intact, transfer.arrivedBytes(), seconds);
        } finally {
            for (final FileSet.Entry entry : files.entries()) {
                Files.delete(entry.file());
            }
        }
    }
}
