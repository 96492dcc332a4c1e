package io.hxb.tool.chaos;

import io.hxb.tool.chaos.result.ChaosResult;
import io.hxb.tool.chaos.result.FaultOutcome;
import io.hxb.tool.chaos.result.GapAnalysis;
import io.hxb.tool.chaos.result.RemainingCapacity;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.traffic.CableMeter;
import io.hxb.tool.chaos.traffic.ChaosTraffic;
import io.hxb.tool.chaos.traffic.PairCounts;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.tool.chaos.traffic.SampleClock;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.LabNodes;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * One run: traffic between pairs, faults at their times, and the results. Owned by the thread that
 * made it.
 */
public final class ChaosRun {
    private static final int SIZE_BYTES = 8192;
    private static final long TURN_NS = 1_000_000L;

    /** Time before a fault from which it is waited for by polling, not by sleeping. */
    private static final long PRECISE_NS = 200_000L;

    private final LabSpec spec;
    private final FaultScript script;
    private final ChaosOptions options;
    private final List<Pair> pairs;
    private final long lengthNs;
    private final long sampleNs;
    private final List<Path> files;
    private final List<GapAnalysis.Moment> moments = new ArrayList<>();
    private long dropped;
    private long changed;

    /**
     * Checks everything that can be checked before there is a lab.
     *
     * @param pairs between which messages flow.
     */
    public ChaosRun(final LabSpec spec, final List<Pair> pairs, final ChaosOptions options) {
        if (spec.cabling().isPresent()) {
            throw new UsageException(
                    "scripts of faults are for a --shape; in a lab of --graph take a cable away by"
                            + " hand: hxb lab exec 0 -- ip link set x0 down");
        }
        this.spec = spec;
        this.options = options;
        this.pairs = List.copyOf(pairs);
        files = options.files();
        sampleNs = options.sampleNs();
        final long given = options.sendNs();
        script = options.script(spec.shape(), spec.linkCount(), spec.hasPorts(), pairs, given);
        lengthNs = given < 0 ? options.lengthNs(script) : given;
        options.sizeOr(SIZE_BYTES);
        options.warmUpNs();
        if (script.lastNs() > lengthNs) {
            throw new UsageException(
                    "the script goes on until "
                            + script.lastNs() / 1e9
                            + " s, longer than --seconds");
        }
        files.forEach(file -> OutputFiles.check("--out", file));
    }

    /** True if nodes fail, which then need a process each. */
    public boolean needsProcesses() {
        return script.hasNodes();
    }

    /** True if frames are damaged, which only their CRC shows. */
    public boolean needsCrc() {
        return script.hasDamage();
    }

    /**
     * Runs it on a lab that is up, prints and writes the results, and leaves the lab intact.
     *
     * @param isLabKept whether the lab stays, and so needs its killed nodes back.
     * @return true if nothing was lost, duplicated, reordered or damaged.
     */
    public boolean run(final Cluster cluster, final boolean isLabKept, final Output output)
            throws IOException {
        if (needsCrc() && !cluster.config().frame().crc()) {
            throw new ToolException(
                    "the script damages frames, and the frames of lab "
                            + spec.name()
                            + " have no CRC to detect that: use hxb lab run chaos, which turns it"
                            + " on");
        }
        if (options.seed() != null) {
            output.text().println("seed " + options.seed());
            output.text().print(script.write());
        }
        final LabFaults faults =
                new LabFaults(spec, new LabNodes(LabRegistry.ofUser(), spec.name()), script);
        faults.prepare(script);
        final Thread hook = new Thread(isLabKept ? faults::close : faults::mend, "hxb-chaos-mend");
        Runtime.getRuntime().addShutdownHook(hook);
        final ChaosResult result;
        try {
            result = measure(cluster, faults, output);
        } finally {
            if (isLabKept) {
                faults.close();
            } else {
                faults.mend();
            }
            forget(hook);
        }
        print(result, output);
        ChaosFiles.write(files, result, output);
        output.report(result.fields());
        return result.isOk();
    }

    private static void forget(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // The process is ending, and the hook is running.
        }
    }

    private ChaosResult measure(final Cluster cluster, final LabFaults faults, final Output output)
            throws IOException {
        new RunMeasurement(cluster).awaitReady(pairs);
        final int mtuBytes = cluster.device(pairs.getFirst().from()).mtuBytes();
        final int size = options.sizeOr(Math.min(SIZE_BYTES, mtuBytes));
        if (size > mtuBytes) {
            throw new UsageException(
                    "messages are one frame each: --size must be at most " + mtuBytes);
        }
        final long startNs = System.nanoTime() + options.warmUpNs();
        final SampleClock clock = SampleClock.of(startNs, sampleNs, lengthNs);
        final List<CableMeter.CableSamples> cables;
        final List<PairCounts> tallies;
        try (ChaosTraffic traffic = new ChaosTraffic(cluster, pairs, size, clock)) {
            traffic.start();
            if (spec.hasPorts()) {
                try (CableMeter meter = new CableMeter(spec, clock)) {
                    play(startNs, faults, traffic, output);
                    cables = meter.finish();
                }
            } else {
                play(startNs, faults, traffic, output);
                cables = List.of();
            }
            dropped = faults.dropped();
            changed = faults.changed();
            faults.mend();
            tallies = traffic.finish();
        }
        return result(tallies, cables);
    }

    private void play(
            final long startNs,
            final LabFaults faults,
            final ChaosTraffic traffic,
            final Output output) {
        for (final Fault fault : script.faults()) {
            waitUntil(startNs + fault.atNs(), faults, traffic);
            final long begunNs = System.nanoTime();
            faults.apply(fault, begunNs);
            final long doneNs = System.nanoTime() - startNs;
            moments.add(new GapAnalysis.Moment(fault, begunNs - startNs, doneNs));
            output.text().printf(Locale.ROOT, "%8.3f s  %s%n", doneNs / 1e9, fault.text());
        }
        waitUntil(startNs + lengthNs, faults, traffic);
    }

    private static void waitUntil(
            final long dueNs, final LabFaults faults, final ChaosTraffic traffic) {
        long restNs = dueNs - System.nanoTime();
        while (restNs > 0) {
            faults.turn(System.nanoTime());
            traffic.checkFailure();
            if (restNs > PRECISE_NS) {
                LockSupport.parkNanos(Math.min(TURN_NS, restNs - PRECISE_NS));
            } else {
                Thread.onSpinWait();
            }
            restNs = dueNs - System.nanoTime();
        }
    }

    private ChaosResult result(
            final List<PairCounts> tallies, final List<CableMeter.CableSamples> cables) {
        final List<RateSeries> series = tallies.stream().map(PairCounts::samples).toList();
        final GapAnalysis analysis =
                new GapAnalysis(
                        tallies.stream().map(PairCounts::pair).toList(),
                        series,
                        moments,
                        new RemainingCapacity(spec.shape(), spec.linkCount(), spec.rateBps()));
        final List<FaultOutcome> outcomes = analysis.outcomes();
        return new ChaosResult(
                spec.shape(),
                script,
                options.seed(),
                sampleNs,
                tallies,
                cables,
                outcomes,
                analysis.quietGapMs(),
                dropped,
                changed);
    }

    private static void print(final ChaosResult result, final Output output) {
        final TextTable table =
                new TextTable("fault", "at s", "left %", "gap ms", "full again ms", "repaired ms");
        for (final FaultOutcome fault : result.faults()) {
            table.row(
                    fault.action() + " " + fault.target(),
                    String.format(Locale.ROOT, "%.3f", fault.timeS()),
                    fault.left() == null ? "-" : Math.round(100 * fault.left()),
                    number(fault.gapMs()),
                    number(fault.fullMs()),
                    number(fault.fullAfterRepairMs()));
        }
        output.text().print(table);
        for (final PairCounts pair : result.pairs()) {
            output.text()
                    .printf(
                            Locale.ROOT,
                            "%s -> %s: %.1f MB, lost %d, duplicated %d, reordered %d, corrupt"
                                    + " %d%s%n",
                            result.coordinates(pair.pair().from()),
                            result.coordinates(pair.pair().to()),
                            pair.bytes() / 1e6,
                            pair.lost(),
                            pair.duplicated(),
                            pair.reordered(),
                            pair.corrupt(),
                            pair.errors().isEmpty()
                                    ? ""
                                    : "; reported "
                                            + pair.reported()
                                            + " undelivered by "
                                            + pair.errors());
        }
        output.text()
                .printf(
                        Locale.ROOT,
                        "faults dropped %d frames and damaged %d; longest gap without any fault"
                                + " %.0f ms%n",
                        result.droppedFrames(),
                        result.damagedFrames(),
                        result.quietGapMs());
    }

    private static String number(final Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, "%.0f", value);
    }
}
