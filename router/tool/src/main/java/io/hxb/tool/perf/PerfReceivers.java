package io.hxb.tool.perf;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.machine.Signals;
import io.hxb.tool.measure.LocalReceivers;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code hxb perf --receive}. Owned by the command's thread. */
final class PerfReceivers {
    private final Cluster cluster;
    private final List<Integer> nodes;
    private final Output output;

    PerfReceivers(final Cluster cluster, final List<Integer> nodes, final Output output) {
        this.cluster = cluster;
        this.nodes = nodes;
        this.output = output;
    }

    /**
     * Receives until the process is asked to end.
     *
     * @param isAttended whether it was started for one measurement, which alone finds it, and ends
     *     with its standard input.
     * @throws ToolException if nothing can be received any more.
     */
    void run(final boolean isAttended) throws IOException, InterruptedException {
        final LocalReceivers receivers = new LocalReceivers(cluster, nodes, !isAttended);
        if (isAttended) {
            // Ctrl-C is for the one that measures, which then asks for the last time.
            Signals.handle("INT", () -> {});
            final Thread thread = new Thread(() -> await(receivers), "hxb-perf-attended");
            thread.setDaemon(true);
            thread.start();
        }
        report(receivers);
        receivers.await();
        if (receivers.problem().isPresent()) {
            throw new ToolException("nothing can be received: " + receivers.problem().get());
        }
        receivers.close();
    }

    private static void await(final LocalReceivers receivers) {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (final IOException e) {
            // The parent process has ended, as at the end of the input.
        }
        receivers.stop();
    }

    private void report(final LocalReceivers receivers) {
        final Shape shape = cluster.config().shape();
        final List<Map<String, Object>> all = new ArrayList<>();
        for (final int node : nodes) {
            final String coordinates = shape.format(shape.coordinates(node));
            output.text()
                    .printf(
                            "node %s receives (context %d); Ctrl-C ends it%n",
                            coordinates, receivers.context(node));
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("node", node);
            one.put("context", receivers.context(node));
            all.add(one);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("type", "receiving");
        report.put("ok", true);
        report.put("receivers", all);
        output.report(report);
        output.text().flush();
    }
}
