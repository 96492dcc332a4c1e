package io.hxb.tool.measure;

import io.hxb.counter.CounterType;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmException;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.cluster.ClusterCounters;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Runs round trips and throughput on a cluster and sums them up. Owned by the thread that measures.
 */
public final class RunMeasurement {
    /** Context that measurements open on the nodes they send from. */
    public static final int CONTEXT = 2;

    private static final long READY_NS = 15_000_000_000L;
    private static final long RETRY_PAUSE_NS = 100_000_000L;
    private static final int TRIPS = 500;
    private static final long TRIPS_NS = 1_000_000_000L;
    private static final PingPlan KNOCK = new PingPlan(64, 1, 0, 2_000_000_000L);

    private final Cluster cluster;

    /** Makes measurements on a cluster. */
    public RunMeasurement(final Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Parameters of a measurement of throughput. Immutable.
     *
     * @param lengthBytes payload of a message, 1 to 2^30.
     * @param checkEvery in one of this number of messages every byte is written by its sender and
     *     compared by its receiver, of the others only the number; 1 or more.
     * @param warmUpNs how long to send before, so that the code measured is compiled; its faults
     *     count, its messages do not.
     * @param sendNs how long to send.
     * @param limitMessages maximum number of messages of each pair.
     */
    public record Load(
            int lengthBytes, long checkEvery, long warmUpNs, long sendNs, long limitMessages) {}

    /**
     * Waits until every pair can exchange messages; so long neighbours are still being found.
     *
     * @param notice notified at once, and only once, that a node of this machine is waited for.
     */
    public void awaitReady(final List<Pair> pairs, final Consumer<String> notice)
            throws IOException {
        boolean isNoticed = false;
        for (final Pair pair : pairs) {
            final long deadlineNs = System.nanoTime() + READY_NS;
            boolean isReady = false;
            while (!isReady) {
                ToolException missing = null;
                try (PingRun run = new PingRun(open(pair.from()), KNOCK, StopRequest.NEVER)) {
                    isReady = run.roundTrip(new PingTally(pair, 1)) >= 0;
                } catch (final ToolException e) {
                    if (!isNodeMissing(e)) {
                        throw e;
                    }
                    missing = e;
                }
                if (missing != null && !isNoticed) {
                    isNoticed = true;
                    notice.accept(missing.getMessage() + " (it is waited for, 15 s at most)");
                }
                if (!isReady) {
                    pause(pair, deadlineNs, missing);
                }
            }
        }
    }

    /** As the other one; standard error has the notice. */
    public void awaitReady(final List<Pair> pairs) throws IOException {
        awaitReady(pairs, text -> System.err.println("hxb: " + text));
    }

    private static void pause(final Pair pair, final long deadlineNs, final ToolException missing) {
        LockSupport.parkNanos(RETRY_PAUSE_NS);
        if (System.nanoTime() - deadlineNs <= 0) {
            return;
        }
        if (missing != null) {
            throw missing;
        }
        throw new ToolException(
                "node "
                        + pair.to()
                        + " did not answer node "
                        + pair.from()
                        + " within 15 s: see hxb doctor");
    }

    // Only a node that is not there yet may come; one that refuses will refuse again.
    private static boolean isNodeMissing(final ToolException e) {
        return e.getCause() instanceof final PmException refusal && refusal.isNodeMissing();
    }

    /**
     * Measures round trips of each pair.
     *
     * @param listener notified of each round trip when the plan is paced.
     * @param stop ends it with what was found until then.
     */
    public RoundTripResult ping(
            final List<Pair> pairs,
            final PingPlan plan,
            final PingListener listener,
            final StopRequest stop)
            throws IOException {
        try (ClusterCounters counters = new ClusterCounters(cluster.config());
                Pings pings = new Pings(pairs, plan, stop, this::open)) {
            final long relaysBefore = counters.read().sum(CounterType.FORWARD_RELAYED_FRAMES);
            if (plan.isPaced()) {
                pings.paced(listener);
            } else {
                pings.flood();
            }
            final long relays =
                    counters.settled().sum(CounterType.FORWARD_RELAYED_FRAMES) - relaysBefore;
            return pings.trips(cluster, relays);
        }
    }

    /** Measures that many round trips of each pair, one pair after the other. */
    public RoundTripResult ping(final List<Pair> pairs, final int lengthBytes, final long count)
            throws IOException {
        final PingPlan plan = new PingPlan(lengthBytes, count, 0, KNOCK.timeoutNs());
        return ping(pairs, plan, PingListener.NONE, StopRequest.NEVER);
    }

    /**
     * Measures 500 round trips of messages of up to 64 bytes; where they take long, as many as take
     * a second, and those before that do not count take a quarter of one.
     */
    public RoundTrips roundTrips(final Pair pair, final int lengthBytes) throws IOException {
        final int length = Math.min(lengthBytes, KNOCK.lengthBytes());
        final PingPlan plan = new PingPlan(length, TRIPS, 0, KNOCK.timeoutNs(), TRIPS_NS);
        return ping(List.of(pair), plan, PingListener.NONE, StopRequest.NEVER)
                .result()
                .roundTrips();
    }

    /**
     * The context of a program that receives at a node of another machine; 0 if there is none.
     *
     * @param pair to that node.
     */
    public int receiver(final Pair pair) throws IOException {
        try (PmContext context = open(pair.from())) {
            return PerfReceiver.find(context, pair.to());
        }
    }

    /**
     * Measures throughput of all pairs at once.
     *
     * @param roundTrips measured before, to be reported along.
     * @param watch notified of what happens meanwhile.
     * @param receivers what the messages are sent to.
     * @return also if an end could not go on, which {@link Throughput#ended} tells then.
     * @throws ToolException if that was before the first message that counts.
     */
    public Throughput perf(
            final List<Pair> pairs,
            final Load load,
            final RoundTrips roundTrips,
            final MeasurementWatch watch,
            final Receivers receivers)
            throws IOException {
        try (ClusterCounters counters = new ClusterCounters(cluster.config());
                PerfRun run = new PerfRun(cluster, pairs, load, receivers, counters)) {
            watch.observe(counters, true, load.lengthBytes);
            final Result warmUp = load.warmUpNs > 0 ? warmUp(run, load, watch) : Result.NONE;
            watch.observe(counters, false, load.lengthBytes);
            final ClusterCounters.Reading before = counters.read();
            final OptionalLong cpuBeforeNs = counters.cpuNs();
            final PerfRun.Outcome outcome = run.run(load.sendNs, watch);
            final OptionalLong cpuNs = counters.cpuNsSince(cpuBeforeNs);
            final ClusterCounters.Reading after = counters.settled();
            final long relays = after.since(before, CounterType.FORWARD_RELAYED_FRAMES);
            return new Throughput(
                    outcome.result().with(relays, roundTrips).withFaultsOf(warmUp),
                    counters.nodes(),
                    after.since(before, CounterType.LINK_RECEIVED_FRAMES),
                    after.since(before, CounterType.FLOW_RESENT_FRAMES),
                    after.dropped() - before.dropped(),
                    cpuNs,
                    outcome.cpu(),
                    outcome.ended());
        }
    }

    // Nothing of it counts, so that there is no result yet if an end is gone.
    private static Result warmUp(final PerfRun run, final Load load, final MeasurementWatch watch) {
        final PerfRun.Outcome outcome = run.run(load.warmUpNs, watch);
        if (outcome.ended().isPresent()) {
            throw new ToolException(outcome.ended().get() + ", during the warm-up");
        }
        return outcome.result();
    }

    private PmContext open(final int node) throws IOException {
        return cluster.device(node)
                .openContext(CONTEXT, ContextWaiting.options(cluster.config().loop()));
    }
}
