package io.hxb.bench.vlan;

import io.hxb.bench.harness.ResultsOption;
import io.hxb.config.Backend;
import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.lab.switches.SwitchLabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.topology.Shape;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** Options of all experiments. Picocli fills it. */
final class VlanSettings {
    private static final int MTU_BYTES = 1500;

    /** What a connection has wait at the NIC of its host. */
    private static final int OUTPUT_BYTES = 16 << 10;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "10mbit",
            description =
                    "limit each link and direction to this rate; more needs a CPU or two "
                            + "that nothing else uses (default: ${DEFAULT-VALUE})")
    private String rate;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "vlanbench",
            description = "give the lab this name (default: ${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = "--short",
            description = "run for a short time, to check the results but not to measure")
    private boolean isShort;

    @Option(
            names = "--picture",
            paramLabel = "FILE",
            description =
                    "draw the result to this .svg or .png file (default: beside the " + "results)")
    private Path picture;

    @Mixin private ResultsOption results;

    boolean isShort() {
        return isShort;
    }

    String rate() {
        return rate;
    }

    long rateBps() {
        return LabSpec.parseRate(rate);
    }

    Path results() {
        return results.folder();
    }

    /** Where to draw; null for nowhere. */
    Path picture(final String experiment) {
        if (picture != null) {
            return picture;
        }
        return results.folder() == null ? null : results.folder().resolve(experiment + ".svg");
    }

    SwitchLab start(final String network, final SwitchGraph graph, final boolean isLearning) {
        final LabSpec spec =
                new LabSpec(
                        name, Shape.of(graph.hostCount()), 1, Backend.RAW, rateBps(), MTU_BYTES);
        final SwitchLab lab =
                SwitchLab.start(
                        LabRegistry.ofUser(),
                        SwitchLabSpec.of(spec, network, graph, isLearning, false));
        for (int host = 0; host < graph.hostCount(); host++) {
            slowDownByLosses(lab.network().host(host).namespace());
        }
        return lab;
    }

    // As TCP did in the paper and does in most distributions: where BBR is the default, losses
    // slow nobody down, and neither flooding nor a shared link is what it was there. The links are
    // a hundred times slower than there, while TCP's clock is the same. So that what differs is
    // the links and nothing else, a pause of 200 ms does not begin a slow start, which there took
    // a hundred messages, and a host has a few frames wait at its NIC, not all of a message:
    // acknowledgements would queue after it, and the other direction for them. New connections know
    // nothing of what earlier ones have lost.
    private static void slowDownByLosses(final String namespace) {
        Shell.check(
                "",
                List.of(
                        "ip",
                        "netns",
                        "exec",
                        namespace,
                        "sysctl",
                        "-qw",
                        "net.ipv4.tcp_congestion_control=reno",
                        "net.ipv4.tcp_slow_start_after_idle=0",
                        "net.ipv4.tcp_no_metrics_save=1",
                        "net.ipv4.tcp_limit_output_bytes=" + OUTPUT_BYTES));
    }
}
