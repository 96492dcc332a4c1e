package io.hxb.tool.demo;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.IpOption;
import io.hxb.tool.option.LabRunOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.TrafficOptions;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.concurrent.Callable;

/** {@code hxb demo}: the main job in one command. Picocli makes it. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        header = "Show a whole cluster at work on this machine.",
        description =
                "Make a 2x2x2 cluster with two links per dimension, or the cables of a --graph,"
                    + " send generated files between all pairs of nodes, check their SHA-256,"
                    + " measure, also a TCP connection over the virtual NICs where nodes can have"
                    + " them, and remove the cluster. With --graph, node 0 also sends by all its"
                    + " cables at once, and a cable is pulled out while a file goes to the node"
                    + " farthest away. The exit status is 0 only if every byte arrived.")
public final class DemoCommand implements Callable<Integer> {
    private static final long MAX_FILE_BYTES = 1L << 30;

    // Each has 21 MB for packets that wait.
    private static final int MAX_VIRTUAL_NICS = 64;

    @Mixin private LabRunOptions lab;
    @Mixin private Output output;

    @Option(
            names = "--file-size",
            paramLabel = "BYTES",
            defaultValue = "4194304",
            description =
                    "make files of this mean length, one for each pair (default: "
                            + "${DEFAULT-VALUE})")
    private long fileBytes;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "1",
            description = "measure each rate for this long (default: ${DEFAULT-VALUE})")
    private double seconds;

    /** Picocli makes it. */
    DemoCommand() {}

    // What keeps the nodes from having virtual NICs.
    private static String missing(final LabSpec spec) {
        return spec.shape().nodeCount() > MAX_VIRTUAL_NICS
                ? "a lab of at most " + MAX_VIRTUAL_NICS + " nodes"
                : IpOption.missing(spec);
    }

    @Override
    public Integer call() throws IOException {
        if (fileBytes < 1 || fileBytes > MAX_FILE_BYTES) {
            throw new UsageException("--file-size must be 1.." + MAX_FILE_BYTES + ": " + fileBytes);
        }
        final long sendNs = TrafficOptions.sendNs(seconds);
        final LabSpec spec = lab.spec("demo-" + ProcessHandle.current().pid());
        introduce(spec);
        final String missing = missing(spec);
        try (LabSession session =
                lab.start(spec, false, config -> configure(config, missing.isEmpty()))) {
            session.observe();
            final DemoRun run =
                    new DemoRun(
                            session.cluster(),
                            EndOptions.distances(spec, 0),
                            session.folder(),
                            output.text());
            final DemoRun.Outcome outcome = run.run(fileBytes, sendNs);
            final OrdinaryTcp tcp =
                    missing.isEmpty()
                            ? OrdinaryTcp.measure(session.cluster().config(), spec, sendNs)
                            : OrdinaryTcp.unmeasured(missing);
            output.text().println(tcp.text());
            outcome.fields().putAll(tcp.fields());
            boolean isOk = outcome.result().isOk();
            if (spec.cabling().isPresent()) {
                final CableDemo.Outcome cables =
                        new CableDemo(session, output.text()).run(outcome.result());
                outcome.fields().putAll(cables.fields());
                isOk &= cables.isOk();
            }
            output.report(outcome.fields());
            return ExitStatus.of(isOk);
        }
    }

    private void introduce(final LabSpec spec) {
        final String medium =
                spec.backend().usesNics() ? "veth NICs in network namespaces" : "UDP on loopback";
        if (spec.cabling().isPresent()) {
            output.text().printf("%s, over %s%n", spec.text(), medium);
            return;
        }
        output.text()
                .printf(
                        "%s of %d nodes over %s, %d links per dimension%n",
                        spec.shape(), spec.shape().nodeCount(), medium, spec.linkCount());
    }

    // Eight nodes on a machine with few CPUs may all wait for one for a second.
    private static ClusterConfig configure(final ClusterConfig config, final boolean hasIp) {
        return LabCluster.patient(hasIp ? IpOption.standard(config) : config);
    }
}
