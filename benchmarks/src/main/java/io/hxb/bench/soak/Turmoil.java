package io.hxb.bench.soak;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.config.SecurityConfig;
import io.hxb.tool.chaos.LabFaults;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultDetail;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.RandomScript;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.lab.LabNodes;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The faults of a long run: one script after another, each drawn from a seed, with cables that are
 * cut and healed and nodes that are killed, started and paused. Node 0 is never touched, so that
 * what grows over hours is seen there. Owned by one thread.
 */
final class Turmoil implements AutoCloseable {
    private static final long WINDOW_NS = 25_000_000_000L;
    private static final long QUIET_NS = 1_000_000_000L;
    private static final int FAULTS = 6;

    private final ProcessLab lab;
    private final LabNodes nodes;
    private final RandomScript scripts;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Queue<Fault> waiting = new ArrayDeque<>();
    private final boolean isDamageFound;
    private LabFaults faults;
    private long seed;
    private long dropped;
    private long startNs;
    private long endNs;

    /**
     * Does nothing yet.
     *
     * @param security of the lab's frames: whether they detect damage.
     */
    Turmoil(final ProcessLab lab, final long seed, final SecurityConfig.Mode security) {
        this.lab = lab;
        isDamageFound = security == SecurityConfig.Mode.ENCRYPT;
        this.seed = seed;
        nodes = new LabNodes(lab.registry(), lab.name());
        scripts =
                new RandomScript(
                        new Selector(lab.spec().shape(), lab.spec().linkCount()),
                        IntStream.range(1, lab.nodes()).boxed().toList());
        faults = new LabFaults(lab.spec(), nodes, new FaultScript(java.util.List.of()));
    }

    /** Does what is due. */
    void turn(final long nowNs) {
        if (waiting.isEmpty() && nowNs - endNs >= 0) {
            begin(nowNs);
        }
        while (!waiting.isEmpty() && nowNs - startNs >= waiting.peek().atNs()) {
            final Fault fault = harmless(waiting.poll());
            counts.merge(fault.action().word(), 1, Integer::sum);
            faults.apply(fault, nowNs);
        }
        faults.turn(nowNs);
    }

    private void begin(final long nowNs) {
        dropped += faults.dropped();
        faults.close();
        final FaultScript script = scripts.draw(seed++, FAULTS, QUIET_NS, WINDOW_NS);
        faults = new LabFaults(lab.spec(), nodes, script);
        waiting.addAll(script.faults());
        startNs = nowNs;
        endNs = nowNs + WINDOW_NS;
    }

    // The frames of labs have no CRC; only encrypted ones detect damage.
    private Fault harmless(final Fault fault) {
        final FaultDetail detail = fault.detail();
        if (detail.corruptShare() == 0 || isDamageFound) {
            return fault;
        }
        return new Fault(
                fault.atNs(),
                fault.action(),
                fault.target(),
                fault.cables(),
                fault.nodes(),
                new FaultDetail(0, Math.max(0.01, detail.dropShare()), 0, false, 0),
                fault.line());
    }

    /** Repairs everything and starts what was killed; {@link #turn} begins again. */
    void rest() {
        waiting.clear();
        faults.close();
        endNs = System.nanoTime();
    }

    /** How often each thing was done. */
    Map<String, Integer> counts() {
        return counts;
    }

    /** Frames that were dropped by faults. */
    long dropped() {
        return dropped + faults.dropped();
    }

    @Override
    public void close() {
        rest();
    }
}
