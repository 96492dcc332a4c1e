package io.hxb.bench.programs;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.pm.PmDevice;
import io.hxb.tool.chaos.LabFaults;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.lab.LabNodes;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * What fails while a program runs: a link of the first node is pulled and put back, then, where
 * there is a detour, the relay next to that node is killed and started again. Owned by one thread.
 */
final class Faults implements AutoCloseable {
    private static final double FIRST = 0.2;
    private static final double SECOND = 0.55;
    private static final double LENGTH = 0.2;

    /** The neighbour of the first node in x, which is the first relay of all paths from it. */
    private static final int RELAY = 1;

    private static final long READY_LIMIT_NS = 60_000_000_000L;
    private static final long LOOK_NS = 50_000_000L;

    private final ProcessLab lab;
    private final FaultScript script;
    private final LabFaults faults;
    private final double seconds;
    private final boolean killsRelay;
    private final long relayPid;

    /**
     * Prepares the faults of one program.
     *
     * @param seconds that it takes.
     * @param mayKill whether the relay may be killed.
     */
    Faults(final ProcessLab lab, final double seconds, final boolean mayKill) {
        this.lab = lab;
        this.seconds = seconds;
        killsRelay = mayKill && lab.spec().shape().dimensions() > 1;
        relayPid = lab.pid(RELAY);
        script =
                new ScriptReader(new Selector(lab.spec().shape(), lab.spec().linkCount()))
                        .parse(text(lab.spec().shape(), seconds, killsRelay), "ip-programs");
        faults = new LabFaults(lab.spec(), new LabNodes(lab.registry(), lab.name()), script);
        faults.prepare(script);
    }

    /** The script. */
    static String text(final Shape shape, final double seconds, final boolean killsRelay) {
        final String first = shape.format(shape.coordinates(0));
        final StringBuilder text = new StringBuilder();
        text.append(line(seconds * FIRST, "pull: \"x.0 of (" + first + ")\"", seconds));
        if (killsRelay) {
            final String relay = shape.format(shape.coordinates(RELAY));
            text.append(line(seconds * SECOND, "kill: \"(" + relay + ")\"", seconds));
        }
        return text.toString();
    }

    private static String line(final double atSeconds, final String what, final double seconds) {
        return String.format(
                Locale.ROOT, "- {at: %.1fs, %s, for: %.1fs}%n", atSeconds, what, seconds * LENGTH);
    }

    /** The node that is killed; -1 if none is. */
    int killedNode() {
        return killsRelay ? RELAY : -1;
    }

    /** Lets them happen; returns when everything is repaired. */
    void happen() {
        final long startNs = System.nanoTime();
        for (final Fault fault : script.faults()) {
            final long dueNs = startNs + fault.atNs();
            while (System.nanoTime() - dueNs < 0) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
            faults.apply(fault, System.nanoTime());
        }
    }

    /** What has happened, for a table. */
    String summary() {
        final Shape shape = lab.spec().shape();
        final String link =
                String.format(
                        Locale.ROOT,
                        "x.0 of (%s) pulled for %.1f s: %d frames lost",
                        shape.format(shape.coordinates(0)),
                        seconds * LENGTH,
                        faults.dropped());
        return killsRelay
                ? String.format(
                        Locale.ROOT,
                        "%s; node (%s) killed for %.1f s",
                        link,
                        shape.format(shape.coordinates(RELAY)),
                        seconds * LENGTH)
                : link;
    }

    /** True if frames were lost, and the relay is another process than before. */
    boolean haveHappened() {
        return faults.dropped() > 0 && (!killsRelay || lab.pid(RELAY) != relayPid);
    }

    /** Waits until the killed node can be used again. */
    void awaitRepair() throws IOException {
        if (!killsRelay) {
            return;
        }
        final long startNs = System.nanoTime();
        while (!answers()) {
            if (System.nanoTime() - startNs > READY_LIMIT_NS) {
                throw new IOException("the node that was killed did not start again");
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private boolean answers() {
        try (PmDevice device = PmDevice.attach(lab.config().socketPath(RELAY))) {
            return device.nodeId() == RELAY;
        } catch (final IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        faults.close();
    }
}
