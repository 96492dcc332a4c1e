package io.hxb.bench.failover;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.tool.chaos.fault.LabFaults;
import io.hxb.tool.chaos.result.FaultOutcome;
import io.hxb.tool.chaos.result.GapAnalysis;
import io.hxb.tool.chaos.result.Remaining;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.chaos.traffic.RateSeries;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabNodes;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.report.Shell;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * One MPTCP connection over the links of a lab that fail as a plan says: the same bridges, shapers
 * and cuts as HXB has. Used by one thread.
 */
public final class MptcpBurst {
    private static final long SAMPLE_NS = 10_000_000L;
    private static final long WARM_UP_NS = 2_000_000_000L;
    private static final double END_LIMIT_S = 60;
    private static final String PORT = "5201";

    private final FailoverPlan plan;
    private final LabSpec spec;

    /** Takes a plan. */
    public MptcpBurst(final FailoverPlan plan) {
        this.plan = plan;
        spec = plan.lab("m" + ProcessHandle.current().pid());
    }

    /** Runs it once; figures as {@link FailoverRates} names them. */
    public Map<String, Double> run() throws IOException, InterruptedException {
        final LabRegistry registry = LabRegistry.ofUser();
        final FaultScript script =
                new ScriptReader(new Selector(spec.shape(), plan.links()))
                        .parse(plan.script(), plan.name());
        try (Lab lab = Lab.up(registry, spec, MptcpBurst::removeWhenToldToEnd);
                LabFaults faults =
                        new LabFaults(lab.spec(), new LabNodes(registry, spec.name()), script)) {
            address(0);
            address(1);
            faults.prepare(script);
            final long startNs = System.nanoTime() + WARM_UP_NS;
            final List<GapAnalysis.Moment> moments = new ArrayList<>();
            try (Program server = server(startNs)) {
                server.ready();
                try (Program client = client(startNs)) {
                    play(script, faults, startNs, moments);
                    faults.mend();
                    client.last(END_LIMIT_S);
                }
                return figures(server.last(END_LIMIT_S), moments);
            }
        }
    }

    private static void removeWhenToldToEnd(final Lab lab) {
        Runtime.getRuntime().addShutdownHook(new Thread(lab::close));
    }

    /** One subnet a link; the server tells its addresses, the client joins them. */
    private void address(final int node) {
        final StringBuilder script = new StringBuilder();
        script.append("mptcp limits set subflows 8 add_addr_accepted 8\n");
        for (int link = 0; link < plan.links(); link++) {
            final String address = "10.77." + link + "." + (node + 1);
            script.append("addr add ").append(address).append("/24 dev x").append(link);
            script.append('\n');
            if (node == 1) {
                script.append("mptcp endpoint add ").append(address).append(" dev x");
                script.append(link).append(" signal\n");
            }
        }
        Shell.check(script.toString(), List.of("ip", "-n", namespace(node), "-batch", "-"));
    }

    private String namespace(final int node) {
        return LabNames.namespace(spec.name(), node);
    }

    private Program server(final long startNs) throws IOException {
        return Program.start(
                namespace(1),
                "",
                Peers.c(
                        "tcp_burst",
                        "-m",
                        "server",
                        "-M",
                        "-S",
                        Double.toString(plan.seconds()),
                        "-t",
                        Long.toString(startNs),
                        "0.0.0.0",
                        PORT));
    }

    /** Sends until a moment after the last sample. */
    private Program client(final long startNs) throws IOException {
        final double seconds = (startNs - System.nanoTime()) / 1e9 + plan.seconds() + 0.3;
        return Program.start(
                namespace(0),
                "",
                Peers.c(
                        "tcp_burst",
                        "-m",
                        "client",
                        "-M",
                        "-S",
                        String.format(Locale.ROOT, "%.1f", seconds),
                        "10.77.0.2",
                        PORT));
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
            final JsonNode found, final List<GapAnalysis.Moment> moments) {
        final long[] bytes = new long[found.get("samples").size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = found.get("samples").get(i).asLong();
        }
        final GapAnalysis analysis =
                new GapAnalysis(
                        List.of(new Pair(0, 1)),
                        List.of(new RateSeries(SAMPLE_NS, bytes)),
                        moments,
                        new Remaining(spec.shape(), plan.links(), spec.rateBps()));
        final double quietGapMs = analysis.quietGapMs();
        final List<FailoverRates.Event> events = new ArrayList<>();
        for (final FaultOutcome fault : analysis.outcomes()) {
            events.add(
                    new FailoverRates.Event(
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
