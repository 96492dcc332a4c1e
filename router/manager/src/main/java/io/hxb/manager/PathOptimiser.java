package io.hxb.manager;

import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.vlan.HostTable;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Computes the best paths of a plan for measured traffic, on a thread of its own, one request after
 * the other. Owned by the manager's thread; the other thread has only the table and the traffic,
 * which do not change, and reads the plan each time.
 */
public final class PathOptimiser implements AutoCloseable {
    private static final long SEED = 1;
    private static final int IDLE_SECONDS = 10;

    private final PlanSource source;
    private final HostTable table;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    new DefaultThreadFactory("hxb-manager-paths", true));

    /**
     * The VID of two hosts in both directions.
     *
     * @param low the host with the lower number.
     * @param high the other.
     * @param vid one of the plan.
     */
    record Choice(int low, int high, int vid) {}

    /**
     * What was computed.
     *
     * @param choices of all pairs with traffic, by their hosts.
     * @param planned load of the busiest link by the plan's own table, in bytes.
     * @param load the same by these choices.
     * @param bound what no choice can stay below.
     */
    record Result(List<Choice> choices, long planned, long load, long bound) {}

    /**
     * Starts no thread yet.
     *
     * @param source of a host-tagged plan.
     * @param table of that plan.
     */
    public PathOptimiser(final PlanSource source, final HostTable table) {
        this.source = source;
        this.table = table;
        thread.allowCoreThreadTimeOut(true);
    }

    /** Hosts of the plan. */
    int hostCount() {
        return table.rows().size();
    }

    /** Begins to compute; at once, or after those that came before. */
    FutureTask<Result> start(final TrafficMatrix traffic) {
        final Callable<Result> computation = () -> compute(traffic);
        final FutureTask<Result> task = new FutureTask<>(computation);
        thread.execute(task);
        return task;
    }

    /** Nobody waits for this any more: it is not begun if it has not been yet. */
    void forget(final Future<Result> task) {
        task.cancel(false);
        thread.purge();
    }

    private Result compute(final TrafficMatrix traffic) throws IOException {
        final VlanPlan plan = source.read();
        if (HostTable.of(plan).fingerprint() != table.fingerprint()) {
            throw new IOException("the plan is not the one that the manager was started with");
        }
        final OptimisedPlan best = VidOptimiser.optimise(plan, traffic, SEED);
        final Set<VlanPlan.Pair> pairs = new TreeSet<>();
        for (int i = 0; i < traffic.size(); i++) {
            pairs.add(VlanPlan.Pair.of(traffic.source(i), traffic.destination(i)));
        }
        final List<Choice> choices = new ArrayList<>(pairs.size());
        for (final VlanPlan.Pair pair : pairs) {
            final int vlan = best.plan().vlanOf(pair.low(), pair.high());
            choices.add(new Choice(pair.low(), pair.high(), plan.vid(vlan)));
        }
        return new Result(
                choices,
                Math.round(best.loadBefore()),
                Math.round(best.load()),
                Math.round(best.lowerBound()));
    }

    /** Ends; what has not been begun never is. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
