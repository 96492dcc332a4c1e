package io.hxb.tool.measure;

import io.hxb.pm.PmContext;
import io.hxb.tool.cluster.Cluster;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Round trips of several pairs: in turns, one round in each interval, or back to back, one pair
 * after the other. Owned by the thread that measures.
 */
final class Pings implements AutoCloseable {
    /** So many losses in a row end the back-to-back round trips of a pair. */
    private static final int GIVE_UP_AFTER = 3;

    /** Of more pairs than this, round trips are kept with two digits instead of three. */
    private static final int MANY_PAIRS = 64;

    private final int digits;
    private final List<PingTally> tallies;
    private final PingPlan plan;
    private final StopRequest stop;
    private final Opener opener;
    private final Map<Integer, PingRun> runs = new HashMap<>();
    private long durationNs;

    /** Opens contexts. */
    interface Opener {
        /** Opens one on a node. */
        PmContext open(int node) throws IOException;
    }

    Pings(
            final List<Pair> pairs,
            final PingPlan plan,
            final StopRequest stop,
            final Opener opener) {
        digits = pairs.size() > MANY_PAIRS ? 2 : 3;
        tallies = pairs.stream().map(pair -> new PingTally(pair, digits)).toList();
        this.plan = plan;
        this.stop = stop;
        this.opener = opener;
    }

    /** Asks every pair once in each interval, and reports each answer. Blocks until the end. */
    void paced(final PingListener listener) throws IOException {
        final long startNs = System.nanoTime();
        long number = 0;
        while (number != plan.count() || plan.count() == 0) {
            stop.parkUntil(startNs + number * plan.intervalNs());
            number++;
            for (final PingTally tally : tallies) {
                final PingRun run = run(tally.pair().from());
                final long tripNs = stop.isStopped() ? PingRun.STOPPED : run.roundTrip(tally);
                if (tripNs == PingRun.STOPPED) {
                    durationNs = System.nanoTime() - startNs;
                    return;
                }
                if (tripNs == PingRun.LOST) {
                    listener.onLoss(tally.pair(), number, run.problem());
                } else {
                    listener.onAnswer(tally.pair(), number, tripNs);
                }
            }
        }
        durationNs = System.nanoTime() - startNs;
    }

    /** Asks one pair after the other as fast as the answers come. Blocks until the end. */
    void flood() throws IOException {
        for (final PingTally tally : tallies) {
            if (stop.isStopped()) {
                return;
            }
            final PingRun run = run(tally.pair().from());
            flood(run, new PingTally(tally.pair(), digits), plan.warmUp());
            final long startNs = System.nanoTime();
            flood(run, tally, plan);
            durationNs += System.nanoTime() - startNs;
        }
    }

    private void flood(final PingRun run, final PingTally tally, final PingPlan part) {
        final long startNs = System.nanoTime();
        int lostInARow = 0;
        long made = 0;
        while (part.isAnotherDue(made, System.nanoTime() - startNs)
                && lostInARow < GIVE_UP_AFTER
                && !stop.isStopped()) {
            lostInARow = run.roundTrip(tally) == PingRun.LOST ? lostInARow + 1 : 0;
            made++;
        }
    }

    private PingRun run(final int node) throws IOException {
        PingRun run = runs.get(node);
        if (run == null) {
            run = new PingRun(opener.open(node), plan, stop);
            runs.put(node, run);
        }
        return run;
    }

    private static Integer hops(final Cluster cluster, final Pair pair) {
        final OptionalInt hops = cluster.hops(pair.from(), pair.to());
        return hops.isPresent() ? hops.getAsInt() : null;
    }

    /** What was found. */
    RoundTripResult trips(final Cluster cluster, final long relays) {
        final Shape shape = cluster.config().shape();
        final RoundTripHistogram all = new RoundTripHistogram(3);
        final List<RoundTripResult.Trip> trips = new ArrayList<>();
        for (final PingTally tally : tallies) {
            all.add(tally.histogram());
            final Pair pair = tally.pair();
            trips.add(
                    new RoundTripResult.Trip(
                            shape.format(shape.coordinates(pair.from())),
                            shape.format(shape.coordinates(pair.to())),
                            hops(cluster, pair),
                            tally.sent(),
                            tally.lost(),
                            RoundTrips.of(tally.histogram())));
        }
        final Result result =
                new Result(
                        shape.nodeCount(),
                        tallies.size(),
                        tallies.stream().mapToLong(PingTally::bytes).sum(),
                        2 * all.count(),
                        tallies.stream().mapToLong(PingTally::lost).sum(),
                        tallies.stream().mapToLong(PingTally::duplicated).sum(),
                        0,
                        tallies.stream().mapToLong(PingTally::corrupt).sum(),
                        relays,
                        durationNs / 1e9,
                        RoundTrips.of(all));
        return new RoundTripResult(
                result, tallies.stream().mapToLong(PingTally::late).sum(), trips);
    }

    @Override
    public void close() {
        runs.values().forEach(PingRun::close);
    }
}
