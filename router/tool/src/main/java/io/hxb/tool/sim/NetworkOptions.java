package io.hxb.tool.sim;

import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.Switching;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

/** The switches, links and buffers of an experiment as options. Picocli fills it. */
final class NetworkOptions {
    @Option(
            names = "--vcs",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "give each channel this many virtual channels (default: " + "${DEFAULT-VALUE})")
    private int lanes;

    @Option(
            names = "--buffer",
            paramLabel = "FLITS",
            defaultValue = "128",
            description =
                    "give each virtual channel a buffer of this size (default: "
                            + "${DEFAULT-VALUE})")
    private int buffer;

    @Option(
            names = "--switching",
            paramLabel = "NAME",
            defaultValue = "vct",
            description =
                    "switch by wh (wormhole), vct (cut-through) or sf (store and forward) "
                            + "(default: ${DEFAULT-VALUE})")
    private String switching;

    @Option(
            names = "--reuse",
            paramLabel = "tail|empty",
            description =
                    "give a virtual channel to the next packet once the tail is sent "
                            + "(tail) or its buffer is empty (empty) (default: empty for wh, "
                            + "otherwise tail)")
    private String reuse;

    @Option(
            names = "--switch-cycles",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "hold a header in a switch for this many cycles (default: "
                            + "${DEFAULT-VALUE})")
    private int switchCycles;

    @Option(
            names = "--allocation-cycles",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "let this many cycles pass from getting a virtual channel until flits "
                            + "move (default: ${DEFAULT-VALUE})")
    private int allocationCycles;

    @Option(
            names = "--link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description = "let flits spend this many cycles on a link (default: ${DEFAULT-VALUE})")
    private int linkCycles;

    @Option(
            names = "--host-link-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "let flits spend this many cycles on a host's link (default: "
                            + "${DEFAULT-VALUE})")
    private int hostLinkCycles;

    @Option(
            names = "--credit-cycles",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "let credits spend this many cycles on the way back (default: "
                            + "${DEFAULT-VALUE})")
    private int creditCycles;

    @Option(
            names = "--link-width",
            paramLabel = "X",
            defaultValue = "1",
            description =
                    "move this many flits a cycle on links between switches, at most 1 "
                            + "(default: ${DEFAULT-VALUE})")
    private double linkWidth;

    @Option(
            names = "--multiplexing",
            paramLabel = "flit|packet",
            defaultValue = "flit",
            description =
                    "let packets on one channel take turns by flit, or by packet until "
                            + "blocked (default: ${DEFAULT-VALUE})")
    private String multiplexing;

    @Option(
            names = "--arbitration",
            paramLabel = "NAME",
            defaultValue = "round-robin",
            description = "arbitrate by round-robin, oldest or random (default: ${DEFAULT-VALUE})")
    private String arbitration;

    @Option(
            names = "--vc-crossbar",
            description = "let all virtual channels of an input send in one cycle")
    private boolean hasLaneCrossbar;

    @Option(
            names = "--queue",
            paramLabel = "PACKETS",
            defaultValue = "0",
            description =
                    "hold this many packets in a host's queue and refuse more; 0: any "
                            + "number (default: ${DEFAULT-VALUE})")
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
