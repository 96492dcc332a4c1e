package io.hxb.tool.sim;

import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.Switching;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

/** The switches, links and buffers of an experiment as options. Picocli fills it. */
final class NetworkOptions {
    @Option(
            names = "--vcs",
            paramLabel = "R",
            defaultValue = "1",
            description = "virtual channels of each channel; default ${DEFAULT-VALUE}")
    private int lanes;

    @Option(
            names = "--buffer",
            paramLabel = "FLITS",
            defaultValue = "128",
            description = "buffer of each virtual channel; default ${DEFAULT-VALUE}")
    private int buffer;

    @Option(
            names = "--switching",
            paramLabel = "NAME",
            defaultValue = "vct",
            description =
                    "wh wormhole, vct cut-through, sf store and forward; default ${DEFAULT-VALUE}")
    private String switching;

    @Option(
            names = "--reuse",
            paramLabel = "WHEN",
            description =
                    "a virtual channel takes the next packet once the tail is sent (tail) or its"
                            + " buffer is empty (empty); default empty for wh, else tail")
    private String reuse;

    @Option(
            names = "--switch-cycles",
            paramLabel = "N",
            defaultValue = "2",
            description = "cycles of a header in a switch; default ${DEFAULT-VALUE}")
    private int switchCycles;

    @Option(
            names = "--allocation-cycles",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "cycles from getting a virtual channel until flits move; default"
                            + " ${DEFAULT-VALUE}")
    private int allocationCycles;

    @Option(
            names = "--link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles on a link; default ${DEFAULT-VALUE}")
    private int linkCycles;

    @Option(
            names = "--host-link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles on a host's link; default ${DEFAULT-VALUE}")
    private int hostLinkCycles;

    @Option(
            names = "--credit-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "cycles of a credit on its way back; default ${DEFAULT-VALUE}")
    private int creditCycles;

    @Option(
            names = "--link-width",
            paramLabel = "X",
            defaultValue = "1",
            description =
                    "flits a cycle on links between switches, at most 1; default ${DEFAULT-VALUE}")
    private double linkWidth;

    @Option(
            names = "--multiplexing",
            paramLabel = "NAME",
            defaultValue = "flit",
            description =
                    "packets on one channel take turns by flit, or by packet until blocked;"
                            + " default ${DEFAULT-VALUE}")
    private String multiplexing;

    @Option(
            names = "--arbitration",
            paramLabel = "NAME",
            defaultValue = "round-robin",
            description = "round-robin, oldest or random; default ${DEFAULT-VALUE}")
    private String arbitration;

    @Option(
            names = "--vc-crossbar",
            description = "all virtual channels of an input may send in one cycle")
    private boolean hasLaneCrossbar;

    @Option(
            names = "--queue",
            paramLabel = "PACKETS",
            defaultValue = "0",
            description =
                    "packets that a host's queue holds, more are refused; 0: any number; default"
                            + " ${DEFAULT-VALUE}")
    private int queue;

    /** Picocli makes it. */
    NetworkOptions() {}

    /** Checks these options. */
    NetworkConfig config() {
        final Switching mode = Switching.of(switching);
        return new NetworkConfig(
                lanes,
                buffer,
                mode,
                switchCycles,
                allocationCycles,
                linkCycles,
                hostLinkCycles,
                creditCycles,
                linkWidth,
                isSecond("--multiplexing", multiplexing, "flit", "packet"),
                arbitration(),
                reuse == null
                        ? mode == Switching.WORMHOLE
                        : isSecond("--reuse", reuse, "tail", "empty"),
                hasLaneCrossbar,
                queue);
    }

    private NetworkConfig.Arbitration arbitration() {
        return switch (arbitration) {
            case "round-robin" -> NetworkConfig.Arbitration.ROUND_ROBIN;
            case "oldest" -> NetworkConfig.Arbitration.OLDEST;
            case "random" -> NetworkConfig.Arbitration.RANDOM;
            default ->
                    throw new UsageException(
                            "--arbitration must be round-robin, oldest or random, not '"
                                    + arbitration
                                    + "'");
        };
    }

    private static boolean isSecond(
            final String option, final String word, final String first, final String second) {
        if (!word.equals(first) && !word.equals(second)) {
            throw new UsageException(
                    option + " must be " + first + " or " + second + ", not '" + word + "'");
        }
        return word.equals(second);
    }
}
