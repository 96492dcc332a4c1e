package io.hxb.bench.failover;

import io.hxb.tool.chaos.LabFaults;
import io.hxb.tool.chaos.result.FaultOutcome;
import io.hxb.tool.chaos.result.GapAnalysis;
import io.hxb.tool.chaos.result.RemainingCapacity;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabNodes;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The transfer of a peer over the links of a lab that fail as planned: the same bridges, shapers
 * and cuts as HXB has. Used by one thread.
 */
public final class PeerBurst {
    /** Length of a sample. */
    static final long SAMPLE_NS = 10_000_000L;

    private static final long WARM_UP_NS = 3_000_000_000L;

    private final FailoverPlan plan;
    private final FailoverPeer peer;
    private final LabSpec spec;

    private PeerBurst(final FailoverPlan plan, final FailoverPeer peer) {
        this.plan = plan;
        this.peer = peer;
        spec = plan.lab("m" + ProcessHandle.current().pid());
    }

    /** One burst for each peer that is there. */
    public static List<PeerBurst> all(final FailoverPlan plan) {
        final List<FailoverPeer> peers = new ArrayList<>(List.of(new MptcpPeer()));
        if (OpenMpiPeer.isPresent()) {
            peers.add(new OpenMpiPeer());
        }
        return peers.stream().map(peer -> new PeerBurst(plan, peer)).toList();
    }

    /** Names the peer. */
    public String name() {
        return peer.name();
    }

    /** Runs it once; figures as {@link FailoverRates} names them. */
    public Map<String, Double> run() throws IOException, InterruptedException {
        final LabRegistry registry = LabRegistry.ofUser();
        final FaultScript script =
                new ScriptReader(new Selector(spec.shape(), plan.links()))
                        .parse(plan.script(), plan.name());
        try (Lab lab = Lab.up(registry, spec, PeerBurst::removeWhenToldToEnd);
                LabFaults faults =
                        new LabFaults(lab.spec(), new LabNodes(registry, spec.name()), script)) {
            peer.prepare(spec);
            faults.prepare(script);
            final long startNs = System.nanoTime() + WARM_UP_NS;
            final List<GapAnalysis.Moment> moments = new ArrayList<>();
            try (FailoverPeer.Transfer transfer = peer.start(spec, startNs, plan.seconds())) {
                play(script, faults, startNs, moments);
                faults.mend();
                return figures(transfer.samples(), moments);
            }
        }
    }

    private static void removeWhenToldToEnd(final Lab lab) {
        Runtime.getRuntime().addShutdownHook(new Thread(lab::close));
    }

    private void play(
            final FaultScript script,
            final LabFaults faults,
            final long startNs,
            final List<GapAnalysis.Moment> moments) {
        for (final Fault fault : script.faults()) {
            await(startNs + fault.atNs());
            final long begunNs = System.nanoTime() - startNs;
            faults.apply(fault, System.nanoTime());
            moments.add(new GapAnalysis.Moment(fault, begunNs, System.nanoTime() - startNs));
        }
        await(startNs + (long) (plan.seconds() * 1e9));
    }

    private static void await(final long dueNs) {
        while (System.nanoTime() - dueNs < 0) {
            LockSupport.parkNanos(dueNs - System.nanoTime());
        }
    }

    private Map<String, Double> figures(
            final long[] bytes, final List<GapAnalysis.Moment> moments) {
        final GapAnalysis analysis =
                new GapAnalysis(
                        List.of(new Pair(0, 1)),
                        List.of(new RateSeries(SAMPLE_NS, bytes)),
                        moments,
                        new RemainingCapacity(spec.shape(), plan.links(), spec.rateBps()));
        final double quietGapMs = analysis.quietGapMs();
        final List<FailoverRates.Event> events = new ArrayList<>();
        for (final FaultOutcome fault : analysis.outcomes()) {
            events.add(
                    new FailoverRates.Event(
                            fault.begunS(),
                            fault.timeS(),
                            fault.action(),
                            fault.left(),
                            orNaN(fault.gapMs()),
                            orNaN(fault.fullMs())));
        }
        return FailoverRates.figures(
                Arrays.stream(bytes).mapToDouble(count -> count * 1e3 / SAMPLE_NS).toArray(),
                SAMPLE_NS / 1e9,
                events,
                quietGapMs,
                plan.links() * plan.mbit() / 8.0);
    }

    private static double orNaN(final Double value) {
        return value == null ? Double.NaN : value;
    }
}
