package io.hxb.tool.measure;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmException;
import io.hxb.tool.report.ToolException;

import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs round trips and throughput on a cluster and sums them up. Owned by the thread that measures.
 */
public final class Measurement {
    /** Context that measurements open on the nodes they send from. */
    public static final int CONTEXT = 2;

    private static final long READY_NS = 15_000_000_000L;
    private static final long RETRY_PAUSE_NS = 100_000_000L;
    private static final long TIMEOUT_NS = 2_000_000_000L;
    private static final int WARM_UP = 200;

    private final Cluster cluster;

    /** Makes measurements on a cluster. */
    public Measurement(final Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Round trips of one pair. Immutable; the JSON fields are the components.
     *
     * @param from coordinates of the sender.
     * @param to coordinates of the receiver.
     * @param hops links between them.
     * @param rttUs round trips.
     */
    public record Trip(
            String from, String to, int hops, @JsonProperty("rtt_us") RoundTrips rttUs) {}

    /**
     * What throughput is measured with. Immutable.
     *
     * @param lengthBytes payload of a message, 4 or more.
     * @param checkEvery of one message of so many every byte is written by its sender and compared
     *     by its receiver, of the others only the number; 1 or more.
     * @param warmUpNs how long to send before, so that the code measured is compiled; its faults
     *     count, its messages do not.
     * @param sendNs how long to send.
     * @param limitMessages most messages of each pair.
     */
    public record Load(
            int lengthBytes, long checkEvery, long warmUpNs, long sendNs, long limitMessages) {}

    /**
     * What round trips were found.
     *
     * @param result all pairs together.
     * @param trips each pair.
     */
    public record Trips(Result result, List<Trip> trips) {}

    /** Waits until every pair can exchange messages; so long neighbours are still being found. */
    public void awaitReady(final List<Pair> pairs) throws IOException {
        for (final Pair pair : pairs) {
            final long deadlineNs = System.nanoTime() + READY_NS;
            boolean isReady = false;
            while (!isReady) {
                try (PmContext context = open(pair.from())) {
                    final PingRun run = new PingRun(context);
                    run.run(pair.to(), 64, 0, 1, 0, TIMEOUT_NS);
                    isReady = run.lost() == 0;
                } catch (final ToolException e) {
                    if (!isNodeMissing(e) || System.nanoTime() - deadlineNs > 0) {
                        throw e;
                    }
                    LockSupport.parkNanos(RETRY_PAUSE_NS);
                }
                if (!isReady && System.nanoTime() - deadlineNs > 0) {
                    throw new ToolException(
                            "node "
                                    + pair.to()
                                    + " did not answer node "
                                    + pair.from()
                                    + " within 15 s: see hxb doctor");
                }
            }
        }
    }

    // Only a node that is not there yet may come; one that refuses will refuse again.
    private static boolean isNodeMissing(final ToolException e) {
        return e.getCause() instanceof final PmException refusal && refusal.isNodeMissing();
    }

    /** Measures round trips of each pair, one after the other. */
    public Trips ping(
            final List<Pair> pairs, final int lengthBytes, final int count, final long intervalNs)
            throws IOException {
        final List<Trip> trips = new ArrayList<>();
        final Histogram all = new Histogram(10_000_000_000L, 3);
        long bytes = 0;
        long lost = 0;
        long duplicated = 0;
        long corrupt = 0;
        long durationNs = 0;
        try (ClusterCounters counters = new ClusterCounters(cluster.config())) {
            final long relaysBefore = counters.read().sum(CounterType.FORWARD_RELAYED_FRAMES);
            for (final Pair pair : pairs) {
                try (PmContext context = open(pair.from())) {
                    final PingRun run = new PingRun(context);
                    run.run(
                            pair.to(),
                            lengthBytes,
                            Math.min(WARM_UP, count),
                            count,
                            intervalNs,
                            TIMEOUT_NS);
                    all.add(run.histogram());
                    bytes += run.bytes();
                    lost += run.lost();
                    duplicated += run.duplicated();
                    corrupt += run.corrupt();
                    durationNs += run.durationNs();
                    trips.add(
                            new Trip(
                                    coordinates(pair.from()),
                                    coordinates(pair.to()),
                                    pair.hops(cluster.config().shape()),
                                    RoundTrips.of(run.histogram())));
                }
            }
            final long relays =
                    settled(counters).sum(CounterType.FORWARD_RELAYED_FRAMES) - relaysBefore;
            return new Trips(
                    new Result(
                            cluster.config().shape().nodeCount(),
                            pairs.size(),
                            bytes,
                            2 * all.getTotalCount(),
                            lost,
                            duplicated,
                            0,
                            corrupt,
                            relays,
                            durationNs / 1e9,
                            RoundTrips.of(all)),
                    trips);
        }
    }

    /**
     * Measures throughput of all pairs at once.
     *
     * @param roundTrips measured before, to be reported along.
     */
    public Throughput perf(final List<Pair> pairs, final Load load, final RoundTrips roundTrips)
            throws IOException {
        final Result warmUp = load.warmUpNs > 0 ? send(pairs, load, load.warmUpNs) : Result.NONE;
        try (ClusterCounters counters = new ClusterCounters(cluster.config())) {
            final ClusterCounters.Reading before = counters.read();
            final long cpuBeforeNs = CpuTime.ofNs(cluster.pids());
            final Result result = send(pairs, load, load.sendNs);
            final long cpuNs = CpuTime.ofNs(cluster.pids()) - cpuBeforeNs;
            final ClusterCounters.Reading after = settled(counters);
            final long relays = difference(before, after, CounterType.FORWARD_RELAYED_FRAMES);
            return new Throughput(
                    result.with(relays, roundTrips).withFaultsOf(warmUp),
                    difference(before, after, CounterType.LINK_RECEIVED_FRAMES),
                    difference(before, after, CounterType.FLOW_RESENT_FRAMES),
                    after.dropped() - before.dropped(),
                    cpuNs);
        }
    }

    private Result send(final List<Pair> pairs, final Load load, final long sendNs)
            throws IOException {
        final boolean isOneFrame =
                load.lengthBytes <= cluster.device(pairs.getFirst().from()).mtuBytes();
        return isOneFrame ? small(pairs, load, sendNs) : large(pairs, load, sendNs);
    }

    private Result small(final List<Pair> pairs, final Load load, final long sendNs)
            throws IOException {
        final Map<Integer, PmContext> contexts = new HashMap<>();
        try {
            final PerfRun run = new PerfRun(load.lengthBytes, load.checkEvery);
            for (final Pair pair : pairs) {
                PmContext context = contexts.get(pair.from());
                if (context == null) {
                    context =
                            cluster.device(pair.from())
                                    .openContext(
                                            CONTEXT,
                                            ContextWaiting.sending(cluster.config().loop()));
                    contexts.put(pair.from(), context);
                }
                run.add(context, pair.to());
            }
            run.run(sendNs, load.limitMessages);
            return run.result(cluster.config().shape().nodeCount());
        } finally {
            contexts.values().forEach(PmContext::close);
        }
    }

    private Result large(final List<Pair> pairs, final Load load, final long sendNs)
            throws IOException {
        try (LargePerfRun run =
                new LargePerfRun(cluster, pairs, load.lengthBytes, load.checkEvery)) {
            run.run(sendNs, load.limitMessages);
            return run.result();
        }
    }

    private static long difference(
            final ClusterCounters.Reading before,
            final ClusterCounters.Reading after,
            final CounterType type) {
        return after.sum(type) - before.sum(type);
    }

    /** Counter files lag behind by some milliseconds: reads until two readings are the same. */
    static ClusterCounters.Reading settled(final ClusterCounters counters) throws IOException {
        ClusterCounters.Reading last = counters.read();
        for (int tries = 0; tries < 20; tries++) {
            LockSupport.parkNanos(60_000_000);
            final ClusterCounters.Reading next = counters.read();
            if (next.sum(CounterType.FORWARD_RELAYED_FRAMES)
                    == last.sum(CounterType.FORWARD_RELAYED_FRAMES)) {
                return next;
            }
            last = next;
        }
        return last;
    }

    private PmContext open(final int node) throws IOException {
        return cluster.device(node)
                .openContext(CONTEXT, ContextWaiting.options(cluster.config().loop()));
    }

    private String coordinates(final int node) {
        return cluster.config().shape().format(cluster.config().shape().coordinates(node));
    }
}
