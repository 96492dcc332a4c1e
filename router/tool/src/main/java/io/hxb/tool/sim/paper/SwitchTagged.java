package io.hxb.tool.sim.paper;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.sim.ethernet.ConstantRateTraffic;
import io.hxb.sim.ethernet.EthernetConfig;
import io.hxb.sim.ethernet.EthernetConfig.Pause;
import io.hxb.sim.ethernet.EthernetNetwork;
import io.hxb.sim.ethernet.Forwarding;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The deadlock table of the switch-tagged paper: UDP at full speed along cyclic and acyclic paths
 * under four uses of PAUSE. Assumption: the figure with the patterns is lost; every sender's path
 * is two links long, along a ring or a line, so that at most two paths share a channel, as in the
 * text. Source: Otsuka et al. 2006, section 4.2, table 3.
 */
public final class SwitchTagged {
    private static final int FRAME_BYTES = 1518;
    private static final int LINKS = 2;

    /** Mbit/s of UDP on 1 Gbit/s with 1,470 bytes a datagram. */
    private static final double PAYLOAD = 1470;

    private SwitchTagged() {}

    /** Runs the table. */
    public static PaperReport run(final PaperSettings settings) {
        final PaperReport report = new PaperReport("switch-tagged");
        pattern(settings, report, "a cyclic 4", 4, true, new double[] {364.4, 0.3, 477.2, 0.5});
        pattern(settings, report, "b acyclic 5", 5, false, new double[] {394.3, 317, 505.8, 230.3});
        pattern(settings, report, "e cyclic 12", 12, true, new double[] {356, 2.1, 477.7, 1.2});
        pattern(
                settings,
                report,
                "f acyclic 13",
                13,
                false,
                new double[] {361.3, 204.9, 494.3, 106.4});
        return report;
    }

    private static void pattern(
            final PaperSettings settings,
            final PaperReport report,
            final String name,
            final int switches,
            final boolean isRing,
            final double[] published) {
        if (!settings.wants(name)) {
            return;
        }
        settings.monitor().begin(name, Pause.values().length);
        final Map<Pause, Double> ours = new EnumMap<>(Pause.class);
        for (final Pause pause : Pause.values()) {
            if (!settings.monitor().isGoingOn()) {
                report.addInterruption(name, ours.size(), Pause.values().length);
                return;
            }
            final Outcome outcome = run(switches, isRing, pause, settings.isShort() ? 100 : 500);
            final double figure = published[ours.size()];
            ours.put(pause, outcome.mbps);
            settings.monitor().onProgress(1, 1);
            report.add(
                    "Mbit/s a path",
                    name + ", PAUSE on " + pause.name().toLowerCase(Locale.ROOT),
                    outcome.mbps,
                    Double.NaN,
                    figure);
            report.add(
                    "lost, %",
                    name + ", PAUSE on " + pause.name().toLowerCase(Locale.ROOT),
                    100 * outcome.loss,
                    Double.NaN,
                    Double.NaN);
            final boolean isPausing = pause == Pause.ALL || pause == Pause.SWITCHES;
            report.require(
                    name
                            + ", PAUSE on "
                            + pause.name().toLowerCase(Locale.ROOT)
                            + (isRing && isPausing ? ": deadlock" : ": no deadlock"),
                    (outcome.deadlock != null) == (isRing && isPausing));
        }
        report.require(
                name + ": PAUSE on hosts is best",
                ours.get(Pause.HOSTS) >= 0.98 * ours.get(Pause.NONE)
                        && ours.get(Pause.HOSTS) > ours.get(Pause.SWITCHES));
    }

    private record Outcome(double mbps, double loss, String deadlock) {}

    private static Outcome run(
            final int switches, final boolean isRing, final Pause pause, final int ms) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(switches);
        for (int node = 0; node + 1 < switches || (isRing && node < switches); node++) {
            builder.addLink(node, (node + 1) % switches);
        }
        // Senders and receivers are different hosts of one switch: 2i sends, 2i + 1 receives.
        final SwitchGraph graph = builder.addHosts(2).build();
        final List<ConstantRateTraffic.Flow> flows = new ArrayList<>();
        for (int node = 0; node < switches; node++) {
            if (isRing || node + LINKS < switches) {
                flows.add(
                        new ConstantRateTraffic.Flow(
                                2 * node, 2 * ((node + LINKS) % switches) + 1, 0));
            }
        }
        final ConstantRateTraffic constantRateTraffic =
                new ConstantRateTraffic(flows, graph.hostCount(), FRAME_BYTES);
        final EthernetNetwork network =
                new EthernetNetwork(
                        graph,
                        EthernetConfig.GIGABIT.withPause(pause),
                        ring(graph),
                        constantRateTraffic);
        flows.forEach(flow -> network.wake(flow.source(), 0));
        network.runUntil(ms * 1_000_000L);
        network.check();
        double bytes = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            bytes += constantRateTraffic.deliveredBytes(flow);
        }
        final double mbps = bytes * (PAYLOAD / FRAME_BYTES) * 8 / flows.size() / (ms * 1e-3) / 1e6;
        return new Outcome(mbps, constantRateTraffic.loss(), network.findDeadlock());
    }

    /** Always on to the switch with the next number. */
    private static Forwarding ring(final SwitchGraph graph) {
        final int[] onward = new int[graph.switchCount()];
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (graph.target(channel) == (graph.source(channel) + 1) % graph.switchCount()) {
                onward[graph.source(channel)] = channel;
            }
        }
        return (node, input, vlan, source, destination, out) -> {
            out[0] =
                    graph.hostSwitch(destination) == node
                            ? graph.channelCount() + graph.hostCount() + destination
                            : onward[node];
            return 1;
        };
    }
}
