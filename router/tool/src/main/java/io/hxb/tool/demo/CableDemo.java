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
import java.util.stream.IntStream;

/**
 * What the demonstration shows of single cables: the sum of those of node 0, and a file that
 * arrives although a cable on its way is pulled out. Owned by the thread that runs it.
 */
final class CableDemo {
    private static final long SILENCE_NS = 30_000_000_000L;
    private static final double SECONDS = 2;
    private static final long MIN_BYTES = 4 << 20;
    private static final long MAX_BYTES = 256 << 20;

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
    private record Transfer(int sent, int intact, double seconds) {
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
        final double perSecond = files.bytes() / Math.max(files.seconds(), 1e-3);
        final long bytes = Math.clamp((long) (SECONDS * perSecond), MIN_BYTES, MAX_BYTES);
        final Map<String, Object> fields = new LinkedHashMap<>();
        final boolean isSumOk = sum(bytes, fields);
        return new Outcome(isSumOk & pull(bytes, fields), fields);
    }

    /** Files from node 0 to all its neighbours at once. */
    private boolean sum(final long bytes, final Map<String, Object> fields) throws IOException {
        final List<Pair> pairs =
                cabling.neighbours(0).stream()
                        .map(end -> new Pair(0, end.node()))
                        .distinct()
                        .toList();
        try (CableTraffic traffic = new CableTraffic(cluster.config(), cabling)) {
            final long[] before = traffic.bytes();
            final Transfer sent = send("sum", pairs, bytes / pairs.size(), arrived -> {});
            final long[] passed = traffic.bytesSince(before);
            out.printf(
                    Locale.ROOT,
                    "node 0 sends to its neighbours by all its cables: %s%n",
                    rates(passed, sent.seconds, fields));
            return sent.isOk();
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
                        text.append(text.isEmpty() ? "" : ", ").append(cable).append(" ").append(rate));
        return text + String.format(Locale.ROOT, "; in all %.1f MB/s", sum);
    }

    /** A file to the node farthest away, and a cable pulled out when a third has arrived. */
    private boolean pull(final long bytes, final Map<String, Object> fields) throws IOException {
        final Pair pair = Pair.oneOfEachDistance(cabling.distances(0), 0).getLast();
        final List<LabCabling.Cable> spare =
                cabling.cables().stream()
                        .filter(cable -> cabling.isJoinedWithout(cable, 0, pair.to()))
                        .toList();
        if (spare.isEmpty()) {
            out.printf(
                    "no cable is pulled out: without any of them nothing would reach node %d%n",
                    pair.to());
            return true;
        }
        out.printf(
                Locale.ROOT,
                "a file of %.1f MB goes from node 0 to node %d, %d cables away%n",
                bytes / 1e6,
                pair.to(),
                cabling.distances(0)[pair.to()]);
        try (CableTraffic traffic = new CableTraffic(cluster.config(), cabling)) {
            final Pull pull = new Pull(traffic, spare, bytes / 3);
            final Transfer sent;
            try {
                sent = send("pulled", List.of(pair), bytes, pull::tick);
            } finally {
                pull.pulled.ifPresent(cables::plug);
            }
            final String cable = pull.pulled.map(LabCabling.Cable::toString).orElse("");
            out.printf(
                    Locale.ROOT,
                    "%s after %.2f s%s%n",
                    sent.isOk() ? "it arrived intact (SHA-256)" : "IT DID NOT ARRIVE INTACT",
                    sent.seconds,
                    cable.isEmpty() ? ", before a cable was pulled out" : " by the others");
            fields.put("pulled_cable", cable);
            fields.put("pulled_intact", sent.isOk());
            fields.put("pulled_seconds", sent.seconds);
            return sent.isOk();
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

    private Transfer send(
            final String name,
            final List<Pair> pairs,
            final long bytes,
            final java.util.function.LongConsumer tick)
            throws IOException {
        final Path folder = Files.createDirectories(session.folder().resolve(name));
        final FileSet files = FileSet.generate(folder, pairs, bytes, System.nanoTime());
        try (FileTransfer transfer =
                new FileTransfer(
                        cluster, files, Files.createDirectories(folder.resolve("received")))) {
            final long startNs = System.nanoTime();
            transfer.run(tick, SILENCE_NS);
            final double seconds = (System.nanoTime() - startNs) / 1e9;
            int intact = 0;
            for (final FileSet.Entry entry : transfer.arrived()) {
                if (FileSet.digest(transfer.received(entry)).equals(entry.digest())) {
                    intact++;
                }
            }
            return new Transfer(files.entries().size(), intact, seconds);
        }
    }
}
