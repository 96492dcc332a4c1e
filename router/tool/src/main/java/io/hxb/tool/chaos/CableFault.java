package io.hxb.tool.chaos;

import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.bpf.FrameFilter;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.chaos.script.Cable;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultDetail;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.Shaper;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.List;

/**
 * One cable of a raw lab and what is wrong with it now. Frames are filtered at the switch's port,
 * in the middle: on the way in for what the node sends, on the way out for what it gets. Owned by
 * the thread that runs the script; {@link #mend} may come from any other.
 */
final class CableFault {
    /** Size of a port's queue while its cable is slow: that of a small switch. */
    private static final String PORT_QUEUE = "1mb";

    private final LabSpec spec;
    private final String switches;
    private final String namespace;
    private final String port;
    private final String nic;
    private final int dimension;
    private FrameFilter fromNode;
    private FrameFilter toNode;
    private Runnable mending = () -> {};
    private long droppedBefore;
    private long changedBefore;

    CableFault(final LabSpec spec, final Cable cable) {
        if (!spec.hasPorts()) {
            throw new IllegalArgumentException("only labs with switch ports have cables");
        }
        this.spec = spec;
        dimension = cable.dimension();
        switches = LabNames.switchNamespace(spec.name());
        namespace = LabNames.namespace(spec.name(), cable.node());
        port = LabNames.port(cable.dimension(), cable.link(), cable.node());
        nic = LabNames.nic(cable.dimension(), cable.link());
    }

    /** Attaches a filter that lets everything pass, and runs a tool that changes nothing. */
    synchronized void dryRun() {
        fromNode = filter(true, 0, 0);
        toNode = filter(false, 0, 0);
        dropped();
        mend();
        ip(switches, "link show dev " + port + "\n");
    }

    /** Lets the cable fail; {@link #mend} comes before the next fault. */
    synchronized void fail(final Fault fault) {
        final FaultDetail detail = fault.detail();
        switch (fault.action()) {
            case PULL, FLAP -> cut();
            case UNPLUG -> down(switches, port);
            case DOWN -> down(namespace, nic);
            case SLOW -> slow(detail.rateBps());
            case DAMAGE -> {
                fromNode = filter(true, detail.dropShare(), detail.corruptShare());
                toNode = filter(false, detail.dropShare(), detail.corruptShare());
            }
            case ONE_WAY -> {
                if (detail.passesOut()) {
                    toNode = filter(false, 1, 0);
                } else {
                    fromNode = filter(true, 1, 0);
                }
            }
            default -> throw new IllegalArgumentException(fault.text() + " is not about a cable");
        }
    }

    /** Lets no frame pass in either direction. */
    synchronized void cut() {
        fromNode = filter(true, 1, 0);
        toNode = filter(false, 1, 0);
    }

    /** Repairs the cable, if it is broken. */
    synchronized void mend() {
        droppedBefore = dropped();
        changedBefore = changed();
        for (final FrameFilter filter : new FrameFilter[] {fromNode, toNode}) {
            if (filter != null) {
                filter.close();
            }
        }
        fromNode = null;
        toNode = null;
        final Runnable what = mending;
        mending = () -> {};
        what.run();
    }

    /** Frames that filters here have dropped. */
    synchronized long dropped() {
        return droppedBefore + count(FrameFilter::dropped);
    }

    /** Frames that filters here have damaged. */
    synchronized long changed() {
        return changedBefore + count(FrameFilter::changed);
    }

    /** A count of a filter. */
    private interface Count {
        long of(FrameFilter filter) throws IOException;
    }

    private long count(final Count count) {
        long sum = 0;
        try {
            sum += fromNode == null ? 0 : count.of(fromNode);
            sum += toNode == null ? 0 : count.of(toNode);
        } catch (final IOException e) {
            throw new ToolException("cannot read a filter of " + port + ": " + e.getMessage(), e);
        }
        return sum;
    }

    private FrameFilter filter(final boolean isFromNode, final double drop, final double change) {
        try {
            return NetworkNamespace.run(
                    switches,
                    () ->
                            FrameFilter.attach(
                                    NicInfo.read(port).ifindex(), isFromNode, drop, change));
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot filter frames at "
                            + port
                            + ": "
                            + e.getMessage()
                            + "; this needs Linux "
                            + BpfProgram.KERNEL
                            + " or newer, and root",
                    e);
        }
    }

    private void down(final String where, final String device) {
        final String script = "link set dev " + device;
        ip(where, script + " down\n");
        mending = () -> ip(where, script + " up\n");
    }

    private static void ip(final String where, final String script) {
        Shell.check(script, List.of("ip", "-n", where, "-batch", "-"));
    }

    private void slow(final long rateBps) {
        final boolean isNicShaped = spec.rateBps() > 0;
        final boolean isPortShaped = isNicShaped && isLineLong();
        tc(namespace, shaper(nic, isNicShaped ? "change" : "add", rateBps, Shaper.NO_DROPS));
        tc(switches, shaper(port, isPortShaped ? "change" : "add", rateBps, PORT_QUEUE));
        mending =
                () -> {
                    tc(namespace, unshaper(nic, isNicShaped));
                    tc(switches, unshaper(port, isPortShaped));
                };
    }

    /** Ports are shaped where several senders could fill one receiver's link. */
    private boolean isLineLong() {
        return spec.shape().extent(dimension) > 2;
    }

    private static String shaper(
            final String device, final String verb, final long rateBps, final String limit) {
        return "qdisc %s dev %s root %s\n".formatted(verb, device, Shaper.tbf(rateBps, limit));
    }

    private String unshaper(final String device, final boolean isShaped) {
        return isShaped
                ? shaper(device, "change", spec.rateBps(), Shaper.NO_DROPS)
                : "qdisc del dev " + device + " root\n";
    }

    private static void tc(final String where, final String script) {
        Shell.check(script, List.of("tc", "-n", where, "-batch", "-"));
    }
}
