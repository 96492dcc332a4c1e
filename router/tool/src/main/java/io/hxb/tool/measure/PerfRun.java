package io.hxb.tool.measure;

import io.hxb.os.CpuTime;
import io.hxb.pm.PmDevice;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.cluster.ClusterCounters;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Measures throughput: each sending node has a thread of this process, and the receivers are
 * others' ({@link Receivers}). Owned by the thread that measures, which only watches.
 */
final class PerfRun implements AutoCloseable {
    private static final long LOOK_NS = 10_000_000L;

    /** A receiver that has ended is not always seen before what came of it. */
    private static final long ENDING_NS = 500_000_000L;

    private static final long END_S = 15;

    private final Cluster cluster;
    private final List<Pair> pairs;
    private final RunMeasurement.Load load;
    private final Receivers receivers;
    private final ClusterCounters counters;
    private final Map<Integer, PerfSender> senders = new LinkedHashMap<>();
    private final ExecutorService threads;
    private List<Future<?>> working = List.of();
    private long progressNs;
    private long progressMessages;
    // Read by the sending threads.
    private volatile boolean isAborted;

    /**
     * What one run found.
     *
     * @param ended why an end could not go on; empty if all was sent and counted. The result is
     *     then what was acknowledged until the last acknowledgement.
     */
    record Outcome(Result result, EndCpu cpu, Optional<String> ended) {}

    /**
     * Opens what it sends by.
     *
     * @param counters of the cluster; the caller closes them.
     * @throws ToolException if nobody receives messages of that length at a node.
     */
    PerfRun(
            final Cluster cluster,
            final List<Pair> pairs,
            final RunMeasurement.Load load,
            final Receivers receivers,
            final ClusterCounters counters)
            throws IOException {
        this.cluster = cluster;
        this.pairs = pairs;
        this.load = load;
        this.receivers = receivers;
        this.counters = counters;
        try {
            for (final Pair pair : pairs) {
                add(pair);
            }
            for (final PerfSender sender : senders.values()) {
                if (sender instanceof final LongSender longs) {
                    longs.open();
                }
            }
        } catch (final IOException | RuntimeException e) {
            senders.values().forEach(PerfSender::close);
            throw e;
        }
        threads =
                Executors.newFixedThreadPool(
                        senders.size(),
                        work -> {
                            final Thread thread = new Thread(work, "hxb-perf-send");
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    private void add(final Pair pair) throws IOException {
        final PmDevice device = cluster.device(pair.from());
        final boolean isLong = load.lengthBytes() > device.mtuBytes();
        final int context = receivers.context(pair.to());
        if (isLong && context == 0) {
            throw new ToolException(
                    "messages of more than "
                            + device.mtuBytes()
                            + " bytes need a receiver at node "
                            + pair.to()
                            + ": run 'hxb perf --receive' there");
        }
        if (!senders.containsKey(pair.from())) {
            senders.put(pair.from(), isLong ? longSender(device) : frameSender(device));
        }
        senders.get(pair.from()).add(new PerfStream(pair.to(), isLong ? context + 1 : context));
    }

    private PerfSender frameSender(final PmDevice device) throws IOException {
        return new FrameSender(
                device.openContext(
                        RunMeasurement.CONTEXT, ContextWaiting.sending(cluster.config().loop())),
                load.lengthBytes(),
                load.checkEvery());
    }

    private PerfSender longSender(final PmDevice device) throws IOException {
        return new LongSender(
                device,
                device.openContext(
                        RunMeasurement.CONTEXT, ContextWaiting.sending(cluster.config().loop())),
                load.lengthBytes(),
                load.checkEvery());
    }

    /**
     * Sends for some time, waits until all has arrived, and asks the receivers. Blocks until then,
     * or until an end cannot go on; nothing more can be sent afterwards.
     *
     * @param sendNs how long to send.
     * @throws ToolException if an end cannot go on before the first message.
     */
    Outcome run(final long sendNs, final MeasurementWatch watch) {
        await(all(PerfSender::begin), () -> {});
        final EndCpu before = cpu();
        final long startNs = System.nanoTime();
        watch.begin(startNs);
        progressNs = startNs;
        progressMessages = 0;
        try {
            await(
                    all(
                            sender ->
                                    sender.send(
                                            startNs + sendNs,
                                            load.limitMessages(),
                                            () -> isAborted || watch.isStopped())),
                    () -> look(watch));
            watch.end(System.nanoTime(), acknowledged());
            await(all(PerfSender::end), this::progress);
        } catch (final ToolException e) {
            final Result result = acknowledgedUntil(startNs, watch);
            return new Outcome(result, cpu().since(before), Optional.of(e.getMessage()));
        }
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        return new Outcome(result(seconds), received(cpu().since(before)), Optional.empty());
    }

    /** What is known of a run that was ended: its receivers have not told what they counted. */
    private Result acknowledgedUntil(final long startNs, final MeasurementWatch watch) {
        isAborted = true;
        final long endNs = System.nanoTime();
        while (!working.stream().allMatch(Future::isDone)
                && System.nanoTime() - endNs < ENDING_NS) {
            LockSupport.parkNanos(LOOK_NS);
        }
        progress();
        watch.end(progressNs, progressMessages);
        final long submitted = senders.values().stream().mapToLong(PerfSender::submitted).sum();
        return new Result(
                cluster.config().shape().nodeCount(),
                pairs.size(),
                progressMessages * load.lengthBytes(),
                progressMessages,
                Math.max(0, submitted - progressMessages),
                0,
                0,
                0,
                0,
                (progressNs - startNs) / 1e9,
                RoundTrips.NONE);
    }

    private List<Future<?>> all(final Consumer<PerfSender> step) {
        final List<Future<?>> futures = new ArrayList<>();
        senders.values().forEach(sender -> futures.add(threads.submit(() -> step.accept(sender))));
        working = futures;
        return futures;
    }

    // Nothing arrives for a while before it is clear that an end is gone; that time does not count.
    private void progress() {
        final long messages = acknowledged();
        if (messages != progressMessages) {
            progressMessages = messages;
            progressNs = System.nanoTime();
        }
    }

    private void look(final MeasurementWatch watch) {
        progress();
        final long nowNs = System.nanoTime();
        if (watch.isDue(nowNs)) {
            watch.onProgress(nowNs, acknowledged());
        }
    }

    private void await(final List<Future<?>> futures, final Runnable meanwhile) {
        while (!futures.stream().allMatch(Future::isDone)) {
            LockSupport.parkNanos(LOOK_NS);
            meanwhile.run();
            receivers.problem().ifPresent(this::abort);
            if (futures.stream().anyMatch(future -> future.state() == Future.State.FAILED)) {
                isAborted = true;
            }
        }
        for (final Future<?> future : futures) {
            try {
                future.get();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted while it was measured", e);
            } catch (final ExecutionException e) {
                throw failure(e.getCause());
            }
        }
    }

    private void abort(final String problem) {
        isAborted = true;
        throw new ToolException(problem);
    }

    // Whatever the sender noticed came of the receiver's end, if that has ended.
    private RuntimeException failure(final Throwable thrown) {
        final long startNs = System.nanoTime();
        Optional<String> problem = receivers.problem();
        while (thrown instanceof ToolException
                && problem.isEmpty()
                && System.nanoTime() - startNs < ENDING_NS) {
            LockSupport.parkNanos(LOOK_NS);
            problem = receivers.problem();
        }
        if (problem.isPresent()) {
            return new ToolException(problem.get(), thrown);
        }
        return thrown instanceof final RuntimeException e ? e : new IllegalStateException(thrown);
    }

    private long acknowledged() {
        return senders.values().stream().mapToLong(PerfSender::acknowledged).sum();
    }

    private Result result(final double seconds) {
        long bytes = 0;
        long messages = 0;
        long lost = 0;
        long duplicated = 0;
        long reordered = 0;
        long corrupt = 0;
        for (final PerfSender sender : senders.values()) {
            for (final PerfStream stream : sender.streams()) {
                bytes += stream.bytes();
                messages += stream.messages();
                lost += stream.lost();
                duplicated += stream.duplicated();
                reordered += stream.reordered();
                corrupt += stream.corrupt();
            }
        }
        return new Result(
                cluster.config().shape().nodeCount(),
                pairs.size(),
                bytes,
                messages,
                lost,
                duplicated,
                reordered,
                corrupt,
                0,
                seconds,
                RoundTrips.NONE);
    }

    /** What has been used so far, as far as processes of this machine are concerned. */
    private EndCpu cpu() {
        final List<Long> sending =
                counters.pids(pairs.stream().map(Pair::from).collect(Collectors.toSet()));
        final List<Long> receiving =
                counters.pids(pairs.stream().map(Pair::to).collect(Collectors.toSet()));
        final Set<Long> shared = sending.stream().collect(Collectors.toSet());
        final boolean isShared = receiving.stream().anyMatch(shared::contains);
        shared.addAll(receiving);
        final long own = ProcessHandle.current().pid();
        return new EndCpu(
                shared.contains(own) ? OptionalLong.empty() : CpuTime.ofNs(List.of(own)),
                isShared ? OptionalLong.empty() : cpu(sending),
                receivers.cpuNs(),
                isShared ? OptionalLong.empty() : cpu(receiving),
                isShared ? cpu(List.copyOf(shared)) : OptionalLong.empty());
    }

    private static OptionalLong cpu(final List<Long> pids) {
        return pids.isEmpty() ? OptionalLong.empty() : CpuTime.ofNs(pids);
    }

    // A receiver on another machine reports it; it is the only one, as a node sends to one only
    // there.
    private EndCpu received(final EndCpu cpu) {
        if (pairs.size() > 1) {
            return cpu;
        }
        final PerfStream stream = senders.get(pairs.getFirst().from()).streams().getFirst();
        return cpu.orReceiver(stream.programNs(), stream.nodeNs());
    }

    @Override
    public void close() {
        isAborted = true;
        threads.shutdown();
        try {
            // Those that wait for an answer find out at last that none comes.
            if (!threads.awaitTermination(END_S, TimeUnit.SECONDS)) {
                return;
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        senders.values().forEach(PerfSender::close);
    }
}
