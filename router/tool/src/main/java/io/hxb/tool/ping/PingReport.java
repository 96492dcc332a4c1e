package io.hxb.tool.ping;

import io.hxb.config.Quantity;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.PingListener;
import io.hxb.tool.measure.PingPlan;
import io.hxb.tool.measure.RoundTripResult;
import io.hxb.tool.measure.RoundTrips;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Measures round trips and prints them, for {@code ping} and {@code lab run ping}. Owned by the
 * command's thread.
 */
public final class PingReport implements PingListener {
    /** Maximum number of nodes whose round trips among all fit into a square table. */
    private static final int SQUARE_NODES = 12;

    private final Cluster cluster;
    private final Shape shape;
    private final PingPlan plan;
    private final Output output;

    private PingReport(final Cluster cluster, final PingPlan plan, final Output output) {
        this.cluster = cluster;
        this.shape = cluster.config().shape();
        this.plan = plan;
        this.output = output;
    }

    /**
     * Measures and prints until everything is done or Ctrl-C is pressed.
     *
     * @param isNew whether the nodes have only just been started, so that it waits for them.
     * @return the exit status: 0 if every message was answered.
     */
    public static int run(
            final Cluster cluster,
            final List<Pair> pairs,
            final PingPlan plan,
            final boolean isNew,
            final Output output)
            throws IOException {
        final PingReport report = new PingReport(cluster, plan, output);
        final RunMeasurement measurement = new RunMeasurement(cluster);
        if (isNew) {
            measurement.awaitReady(pairs);
        }
        report.begin(pairs);
        final RoundTripResult roundTripResult;
        try (StopRequest stop = StopRequest.onInterrupt()) {
            roundTripResult = measurement.ping(pairs, plan, report, stop);
        }
        report.print(roundTripResult, pairs, PingWays.of(cluster, pairs, roundTripResult));
        return ExitStatus.of(roundTripResult.result().isOk());
    }

    private void begin(final List<Pair> pairs) {
        if (plan.isPaced()) {
            output.text()
                    .printf(
                            "%d bytes from %s to %s, every %s, %s%n",
                            plan.lengthBytes(),
                            coordinates(pairs.getFirst().from()),
                            pairs.size() == 1
                                    ? coordinates(pairs.getFirst().to())
                                    : pairs.size() + " nodes",
                            Quantity.formatDuration(plan.intervalNs()),
                            plan.count() == 0
                                    ? "until Ctrl-C"
                                    : plan.count() + " times (--count 0: until Ctrl-C)");
        }
    }

    private String hops(final Pair pair) {
        final OptionalInt hops = cluster.hops(pair.from(), pair.to());
        return hops.isPresent() ? " hops=" + hops.getAsInt() : "";
    }

    @Override
    public void onAnswer(final Pair pair, final long number, final long tripNs) {
        final double tripUs = Math.round(tripNs / 10.0) / 100.0;
        output.text()
                .printf(
                        Locale.ROOT,
                        "%d bytes from %s: seq=%d%s time=%.2f us%n",
                        plan.lengthBytes(),
                        coordinates(pair.to()),
                        number,
                        hops(pair),
                        tripUs);
        final Map<String, Object> reply = reply(pair, number, true);
        reply.put("rtt_us", tripUs);
        output.report(reply);
    }

    @Override
    public void onLoss(final Pair pair, final long number, final String problem) {
        output.text()
                .printf(
                        Locale.ROOT,
                        "%s: seq=%d%s %s%n",
                        coordinates(pair.to()),
                        number,
                        hops(pair),
                        problem);
        final Map<String, Object> reply = reply(pair, number, false);
        reply.put("error", problem);
        output.report(reply);
    }

    private Map<String, Object> reply(final Pair pair, final long number, final boolean isOk) {
        final Map<String, Object> reply = new LinkedHashMap<>();
        reply.put("type", "reply");
        reply.put("ok", isOk);
        reply.put("from", coordinates(pair.from()));
        reply.put("to", coordinates(pair.to()));
        reply.put("sequence", number);
        return reply;
    }

    private void print(
            final RoundTripResult roundTripResult,
            final List<Pair> pairs,
            final List<PingWays> ways) {
        if (plan.isPaced()) {
            output.text().println();
        }
        final boolean isFromAll = pairs.stream().map(Pair::from).distinct().count() > 1;
        if (!isFromAll || pairs.size() <= SQUARE_NODES) {
            printPairs(roundTripResult);
        } else if (shape.nodeCount() <= SQUARE_NODES) {
            printSquare(roundTripResult, pairs);
        } else {
            printSenders(roundTripResult);
        }
        output.text()
                .printf(
                        Locale.ROOT,
                        "%d bytes, %d round trips, lost %d%s%n",
                        plan.lengthBytes(),
                        roundTripResult.result().messages() / 2,
                        roundTripResult.result().lost(),
                        roundTripResult.late() == 0
                                ? ""
                                : ", of which " + roundTripResult.late() + " came late");
        ways.forEach(each -> output.text().print(each.text()));
        lostTo(roundTripResult)
                .ifPresent(
                        ends ->
                                output.text()
                                        .println(
                                                "'hxb trace "
                                                        + ends
                                                        + "' shows how far frames get"));
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("type", "summary");
        summary.putAll(roundTripResult.result().fields());
        summary.put("late", roundTripResult.late());
        summary.put("size", plan.lengthBytes());
        summary.put("trips", roundTripResult.trips());
        summary.put("ways", ways);
        output.report(summary);
    }

    /** The ends between which the most was lost; empty if nothing was. */
    private static Optional<String> lostTo(final RoundTripResult roundTripResult) {
        return roundTripResult.trips().stream()
                .filter(trip -> trip.lost() > 0)
                .max(Comparator.comparingLong(RoundTripResult.Trip::lost))
                .map(trip -> trip.from() + " " + trip.to());
    }

    private void printPairs(final RoundTripResult roundTripResult) {
        final TextTable table =
                new TextTable(
                        "from -> to",
                        "hops",
                        "sent",
                        "lost",
                        "min",
                        "median",
                        "99%",
                        "99.9%",
                        "max",
                        "mean",
                        "mdev us");
        for (final RoundTripResult.Trip trip : roundTripResult.trips()) {
            final RoundTrips rtt = trip.rttUs();
            final boolean isKnown = trip.sent() > trip.lost();
            table.row(
                    trip.from() + " -> " + trip.to(),
                    trip.hops() == null ? "-" : trip.hops(),
                    trip.sent(),
                    trip.lost(),
                    isKnown ? rtt.min() : "-",
                    isKnown ? rtt.median() : "-",
                    isKnown ? rtt.p99() : "-",
                    isKnown ? rtt.p999() : "-",
                    isKnown ? rtt.max() : "-",
                    isKnown ? rtt.mean() : "-",
                    isKnown ? rtt.deviation() : "-");
        }
        output.text().print(table);
    }

    /** Medians of all pairs, a line for each sender. */
    private void printSquare(final RoundTripResult roundTripResult, final List<Pair> pairs) {
        final List<String> heading = new ArrayList<>(List.of("median us"));
        for (int to = 0; to < shape.nodeCount(); to++) {
            heading.add(coordinates(to));
        }
        final TextTable table = new TextTable(heading.toArray(String[]::new));
        for (int from = 0; from < shape.nodeCount(); from++) {
            final List<Object> cells = new ArrayList<>(List.of(coordinates(from)));
            for (int to = 0; to < shape.nodeCount(); to++) {
                final int index = pairs.indexOf(new Pair(from, to));
                cells.add(index < 0 ? "" : median(roundTripResult.trips().get(index)));
            }
            table.row(cells.toArray());
        }
        output.text().print(table);
    }

    /** A line for each sender, if a square would be too wide. */
    private void printSenders(final RoundTripResult roundTripResult) {
        final TextTable table =
                new TextTable("from", "sent", "lost", "fastest to", "us", "slowest to", "us");
        for (int from = 0; from < shape.nodeCount(); from++) {
            final String sender = coordinates(from);
            final List<RoundTripResult.Trip> own =
                    roundTripResult.trips().stream()
                            .filter(trip -> trip.from().equals(sender))
                            .sorted(
                                    (left, right) ->
                                            Double.compare(
                                                    left.rttUs().median(), right.rttUs().median()))
                            .toList();
            final List<RoundTripResult.Trip> answered =
                    own.stream().filter(trip -> trip.sent() > trip.lost()).toList();
            table.row(
                    sender,
                    own.stream().mapToLong(RoundTripResult.Trip::sent).sum(),
                    own.stream().mapToLong(RoundTripResult.Trip::lost).sum(),
                    answered.isEmpty() ? "-" : answered.getFirst().to(),
                    answered.isEmpty() ? "-" : median(answered.getFirst()),
                    answered.isEmpty() ? "-" : answered.getLast().to(),
                    answered.isEmpty() ? "-" : median(answered.getLast()));
        }
        output.text().print(table);
    }

    private static String median(final RoundTripResult.Trip trip) {
        final String value =
                trip.sent() > trip.lost()
                        ? String.format(Locale.ROOT, "%.1f", trip.rttUs().median())
                        : "-";
        return trip.lost() == 0 ? value : value + "!";
    }

    private String coordinates(final int node) {
        return shape.format(shape.coordinates(node));
    }
}
