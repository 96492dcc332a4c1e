package io.hxb.sim.run;

import io.hxb.sim.measure.RunResult;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Many runs on all cores. What is run does not depend on the number of cores, and so neither do the
 * results. Used by one thread.
 */
public final class Sweep implements AutoCloseable {
    /** Loads tried at once when the saturation is searched. */
    private static final int POINTS = 4;

    private static final int COARSE_POINTS = 6;
    private static final double TOLERANCE = 0.04;

    private final ExecutorService workers;
    private final Monitor monitor;

    /** Runs on that many threads. */
    public Sweep(final int threads, final Monitor monitor) {
        this.workers =
                Executors.newFixedThreadPool(
                        threads,
                        task -> {
                            final Thread thread = new Thread(task, "simulation");
                            thread.setDaemon(true);
                            return thread;
                        });
        this.monitor = monitor;
    }

    /** Runs an experiment at each load; the results are in the order of the loads. */
    public List<RunResult> run(
            final Experiment experiment, final PreparedRoutes routes, final List<Double> loads) {
        return all(
                loads.stream()
                        .<Supplier<RunResult>>map(
                                load ->
                                        () ->
                                                new SingleRun(experiment, routes, load, monitor)
                                                        .run())
                        .toList());
    }

    /** Runs tasks on all cores; the results are in the order of the tasks. */
    public <T> List<T> all(final List<Supplier<T>> tasks) {
        final List<Future<T>> futures = new ArrayList<>();
        for (final Supplier<T> task : tasks) {
            futures.add(workers.submit(task::get));
        }
        final List<T> results = new ArrayList<>();
        for (final Future<T> future : futures) {
            try {
                results.add(future.get());
            } catch (final ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while simulating", e);
            }
        }
        return results;
    }

    /**
     * Finds the saturation: doubles the load until less arrives than was sent, then narrows the gap
     * down to one twenty-fifth. The throughput is the highest accepted traffic of all runs.
     *
     * @return all runs, by load.
     */
    public List<RunResult> findSaturation(
            final Experiment experiment, final PreparedRoutes routes) {
        final List<RunResult> results = new ArrayList<>();
        final List<Double> coarse = new ArrayList<>();
        for (int i = 0; i < COARSE_POINTS; i++) {
            coarse.add(1.0 / (1 << (COARSE_POINTS - 1 - i)));
        }
        results.addAll(run(experiment, routes, coarse));
        while (!isStopped(results)) {
            final double low = lowest(results);
            final double high = highest(results);
            if (high - low <= TOLERANCE * high || high < 1e-4) {
                break;
            }
            final List<Double> loads = new ArrayList<>();
            for (int i = 1; i <= POINTS; i++) {
                loads.add(low + (high - low) * i / (POINTS + 1));
            }
            results.addAll(run(experiment, routes, loads));
        }
        results.sort(Comparator.comparingDouble(RunResult::load));
        return results;
    }

    private boolean isStopped(final List<RunResult> results) {
        return !monitor.isGoingOn() || results.isEmpty();
    }

    /** The highest load below every load that saturated, 0 when there is none. */
    private static double lowest(final List<RunResult> results) {
        final double high = highest(results);
        return results.stream()
                .mapToDouble(RunResult::load)
                .filter(load -> load < high)
                .max()
                .orElse(0);
    }

    /** The lowest load that saturated or ended in a deadlock, 1 when none did. */
    private static double highest(final List<RunResult> results) {
        return results.stream()
                .filter(RunResult::isSaturated)
                .mapToDouble(RunResult::load)
                .min()
                .orElse(1);
    }

    /** The throughput: the highest accepted traffic. */
    public static double throughput(final List<RunResult> results) {
        return results.stream().mapToDouble(RunResult::accepted).max().orElse(0);
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
