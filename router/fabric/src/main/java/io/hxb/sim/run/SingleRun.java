package io.hxb.sim.run;

import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.flit.Simulator;
import io.hxb.sim.measure.Meter;
import io.hxb.sim.measure.RunResult;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** One run at one load. Used by one thread. */
public final class SingleRun {
    private static final int BATCHES = 20;

    /** How often to look for deadlocks, which costs less than a hundredth of the run. */
    private static final long SLICE_CYCLES = 8192;

    private static final int SETTLED_WINDOWS = 3;
    private static final double SETTLED = 0.03;

    private final Experiment experiment;
    private final double load;
    private final Monitor monitor;
    private final Meter meter = new Meter();
    private final Simulator simulator;
    private Consumer<Simulator> afterSlice = simulated -> {};
    private String deadlock;
    private boolean isStopped;
    private long nanos;

    /** Prepares a run. */
    public SingleRun(
            final Experiment experiment,
            final PreparedRoutes routes,
            final double load,
            final Monitor monitor) {
        this.experiment = experiment;
        this.load = load;
        this.monitor = monitor;
        final long seed = experiment.seed();
        this.simulator =
                new Simulator(
                        experiment.graph(),
                        experiment.network(),
                        routes.function(),
                        experiment
                                .selection()
                                .on(experiment.graph(), experiment.network().lanes(), seed + 1),
                        experiment.traffic().source(experiment.graph(), load, seed),
                        meter,
                        seed + 2);
    }

    /** Calls a check after every slice of the run. */
    SingleRun afterSlice(final Consumer<Simulator> check) {
        afterSlice = check;
        return this;
    }

    /** Runs to the end, or until the monitor or a deadlock stops it. */
    public RunResult run() {
        final long warmup =
                experiment.warmupCycles() == Experiment.AUTOMATIC
                        ? runUntilSteady()
                        : advance(experiment.warmupCycles());
        final long offered = simulator.offeredFlits();
        final long accepted = simulator.acceptedFlits();
        final long refused = simulator.refusedFlits();
        final long[] flits = simulator.flitsOfLanes();
        meter.start();
        final long start = simulator.cycle();
        final long batch = Math.max(1, (experiment.cycles() - start) / BATCHES);
        while (simulator.cycle() < experiment.cycles() && !isEnded()) {
            final long before = simulator.cycle();
            advance(Math.min(experiment.cycles(), before + batch));
            if (simulator.cycle() > before) {
                meter.endBatch(simulator.cycle() - before, experiment.graph().hostCount());
            }
        }
        return result(
                warmup,
                simulator.offeredFlits() - offered,
                simulator.acceptedFlits() - accepted,
                simulator.refusedFlits() - refused,
                flits);
    }

    /** The distribution of latency, for those who want more than its mean. */
    public Meter meter() {
        return meter;
    }

    private boolean isEnded() {
        return isStopped || deadlock != null;
    }

    /** Advances to a cycle; returns the one reached. */
    private long advance(final long end) {
        while (simulator.cycle() < end && !isEnded()) {
            final long before = simulator.cycle();
            final long started = System.nanoTime();
            final boolean hasMore = simulator.runUntil(Math.min(end, before + SLICE_CYCLES));
            nanos += System.nanoTime() - started;
            deadlock = simulator.findDeadlock();
            afterSlice.accept(simulator);
            if (!hasMore) {
                isStopped = true;
            }
            if (!monitor.onProgress(simulator.cycle() - before, experiment.cycles())) {
                isStopped = true;
            }
        }
        return simulator.cycle();
    }

    /** Advances until the latency of three windows is that of the three before. */
    private long runUntilSteady() {
        final long window = Math.max(500, experiment.cycles() / 100);
        double before = Double.NaN;
        double sum = 0;
        int count = 0;
        while (simulator.cycle() + window <= experiment.cycles() / 2 && !isEnded()) {
            advance(simulator.cycle() + window);
            sum += meter.windowLatency();
            if (++count == SETTLED_WINDOWS) {
                if (Math.abs(sum - before) <= SETTLED * before) {
                    break;
                }
                before = sum;
                sum = 0;
                count = 0;
            }
        }
        return simulator.cycle();
    }

    private RunResult result(
            final long warmup,
            final long offeredFlits,
            final long acceptedFlits,
            final long refusedFlits,
            final long[] flitsBefore) {
        final double cycles = Math.max(1, simulator.cycle() - warmup);
        final double perHost = cycles * experiment.graph().hostCount();
        final double packetFlits = experiment.traffic().packetFlits();
        // The number of packets made varies by its root; twice that is not a sign of saturation.
        final double noise = 2 * Math.sqrt(offeredFlits / packetFlits) * packetFlits;
        // A deadlock, after which nothing arrives, may come before anything could be measured.
        final boolean isSaturated =
                deadlock != null
                        || acceptedFlits < 0.95 * offeredFlits - noise
                        || refusedFlits > 0.05 * offeredFlits;
        return new RunResult(
                load,
                offeredFlits / perHost,
                acceptedFlits / perHost,
                meter.acceptedHalfWidth(),
                meter.latency(),
                meter.hops(),
                isSaturated,
                deadlock,
                simulator.cycle(),
                warmup,
                nanos / 1e9,
                simulator.flitMoves(),
                meter.packets(),
                offeredFlits == 0 ? 0 : (double) refusedFlits / offeredFlits,
                meter.messageLatency(),
                use(flitsBefore, cycles));
    }

    private RunResult.Use use(final long[] flitsBefore, final double cycles) {
        final SwitchGraph graph = experiment.graph();
        final int lanes = experiment.network().lanes();
        final long[] flits = simulator.flitsOfLanes();
        final Map<String, Double> channels = new LinkedHashMap<>();
        final long[] sums = new long[lanes];
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            long own = 0;
            for (int v = 0; v < lanes; v++) {
                final long sent = flits[channel * lanes + v] - flitsBefore[channel * lanes + v];
                sums[v] += sent;
                own += sent;
            }
            final String name =
                    graph.switchName(graph.source(channel))
                            + ">"
                            + graph.switchName(graph.target(channel));
            String free = name;
            for (int i = 2; channels.containsKey(free); i++) {
                free = name + "#" + i;
            }
            channels.put(free, own / cycles);
        }
        final double all = cycles * Math.max(1, graph.channelCount());
        return new RunResult.Use(
                Collections.unmodifiableMap(channels),
                Arrays.stream(sums).mapToObj(sum -> sum / all).toList());
    }
}
