package io.hxb.tool.chaos;

import io.hxb.tool.chaos.script.Cable;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultAction;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.lab.LabNodes;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.ToolException;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The present faults of a lab, and the means to change them. Owned by the thread that runs the
 * script; {@link #close} may also come from a shutdown hook.
 */
public final class LabFaults implements AutoCloseable {
    private final LabSpec spec;
    private final LabNodes nodes;
    private final Map<Cable, CableFault> cables = new LinkedHashMap<>();
    private final Map<Cable, Flapping> flapping = new LinkedHashMap<>();

    /** A cable that is pulled and restored in turns. */
    private static final class Flapping {
        private final CableFault cable;
        private final long halfNs;
        private long nextNs;
        private boolean isCut = true;

        Flapping(final CableFault cable, final long halfNs, final long nextNs) {
            this.cable = cable;
            this.halfNs = halfNs;
            this.nextNs = nextNs;
        }

        void turn() {
            if (isCut) {
                cable.mend();
            } else {
                cable.cut();
            }
            isCut = !isCut;
            nextNs += halfNs;
        }
    }

    /**
     * Makes the means for a script.
     *
     * @throws ToolException if this lab cannot fail in that way, with the reason.
     */
    public LabFaults(final LabSpec spec, final LabNodes nodes, final FaultScript script) {
        this.spec = spec;
        this.nodes = nodes;
        if (script.hasCables() && !spec.hasPorts()) {
            throw new ToolException(
                    (spec.backend().usesNics()
                                    ? "the NICs of this lab are joined without switches"
                                    : "the links of a UDP lab are sockets on loopback")
                            + ", there is no cable to "
                            + firstOfCables(script).action().word()
                            + ": use --backend raw --wiring bridge as root; nodes can be killed and"
                            + " paused here too");
        }
        if (script.hasNodes()) {
            nodes.requireProcesses();
        }
    }

    private static Fault firstOfCables(final FaultScript script) {
        return script.faults().stream()
                .filter(fault -> !fault.cables().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /**
     * Tries everything that the script will need, without any effect: what is missing is reported
     * now, and nothing has to be loaded when a fault is due.
     */
    public void prepare(final FaultScript script) {
        script.faults().stream()
                .flatMap(fault -> fault.cables().stream())
                .distinct()
                .forEach(cable -> new CableFault(spec, cable).dryRun());
    }

    /** Carries out a fault; returns when it has happened. */
    public synchronized void apply(final Fault fault, final long nowNs) {
        for (final Cable cable : fault.cables()) {
            apply(fault, cable, nowNs);
        }
        for (final int node : fault.nodes()) {
            switch (fault.action()) {
                case KILL -> nodes.kill(node);
                case RESTART -> nodes.restart(node);
                case PAUSE -> nodes.pause(node);
                case RESUME -> nodes.resume(node);
                default -> throw new IllegalArgumentException(fault.text() + " is not of nodes");
            }
        }
    }

    private void apply(final Fault fault, final Cable cable, final long nowNs) {
        final CableFault target = cables.computeIfAbsent(cable, key -> new CableFault(spec, key));
        flapping.remove(cable);
        target.mend();
        if (fault.action() != FaultAction.RESTORE) {
            target.fail(fault);
        }
        if (fault.action() == FaultAction.FLAP) {
            final long halfNs = fault.detail().periodNs() / 2;
            flapping.put(cable, new Flapping(target, halfNs, nowNs + halfNs));
        }
    }

    /**
     * Turns flapping cables whose time has come.
     *
     * @return when the next one turns; Long.MAX_VALUE if none does.
     */
    public synchronized long turn(final long nowNs) {
        long next = Long.MAX_VALUE;
        for (final Flapping one : flapping.values()) {
            if (one.nextNs - nowNs <= 0) {
                one.turn();
            }
            next = Math.min(next, one.nextNs);
        }
        return next;
    }

    /** Frames that were dropped on these cables by faults. */
    public synchronized long dropped() {
        return cables.values().stream().mapToLong(CableFault::dropped).sum();
    }

    /** Frames that were damaged on these cables. */
    public synchronized long changed() {
        return cables.values().stream().mapToLong(CableFault::changed).sum();
    }

    /** Repairs all cables and resumes paused nodes; killed ones stay dead. */
    public synchronized void mend() {
        flapping.clear();
        final Iterator<CableFault> all = cables.values().iterator();
        while (all.hasNext()) {
            all.next().mend();
        }
        nodes.resumeAll();
    }

    /** Repairs everything, and starts killed nodes. */
    @Override
    public synchronized void close() {
        mend();
        nodes.repair();
    }
}
