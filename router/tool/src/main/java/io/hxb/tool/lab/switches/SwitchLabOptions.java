package io.hxb.tool.lab.switches;

import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.option.GivenOptions;
import io.hxb.tool.option.LabOptions;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Options that ask for hosts and switches instead of nodes. Picocli fills it. */
public final class SwitchLabOptions {
    private static final Set<String> COMMON =
            Set.of(
                    "--network",
                    "--hosts-per-switch",
                    "--learning",
                    "--rails",
                    "--no-health",
                    "--rate",
                    "--mtu",
                    "--name",
                    "--json");

    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    private CommandLine.Model.CommandSpec command;

    @Option(
            names = "--network",
            paramLabel = "FILE|WORDS",
            description =
                    "make hosts and real switches (Open vSwitch in user space) instead of "
                            + "nodes, wired as this graph, such as vbft:4,4 (as for 'hxb plan "
                            + "vlan'); each host has a manager")
    private String network;

    @Option(
            names = "--hosts-per-switch",
            paramLabel = "N",
            description =
                    "with --network: connect this many hosts to each switch, or leaf "
                            + "switch (default: 1)")
    private Integer hostsPerSwitch;

    @Option(
            names = "--learning",
            description =
                    "with --network: let switches learn where hosts are, and flood frames "
                            + "to others, instead of giving them the addresses of the plan")
    private boolean isLearning;

    @Option(
            names = "--rails",
            paramLabel = "N",
            description =
                    "with --network: make this many such networks, with a NIC of each host "
                            + "in every one (default: 1)")
    private Integer rails;

    @Option(
            names = "--no-health",
            description =
                    "with --network: have managers probe no paths, and leave each pair in the VID"
                            + " that is set for it")
    private boolean isWithoutHealth;

    /** Picocli makes it. */
    public SwitchLabOptions() {}

    /** True if hosts and switches are wanted. */
    public boolean isGiven() {
        if (network == null
                && (hostsPerSwitch != null || isLearning || rails != null || isWithoutHealth)) {
            throw new UsageException(
                    "--hosts-per-switch, --rails, --learning and --no-health need --network");
        }
        return network != null;
    }

    /**
     * The lab that was asked for.
     *
     * @throws UsageException if there are options that mean nothing to hosts and switches.
     */
    public SwitchLabSpec spec(final LabOptions lab) throws IOException {
        final List<String> others = GivenOptions.except(command, COMMON);
        if (!others.isEmpty()) {
            throw new UsageException(
                    String.join(", ", others)
                            + (others.size() == 1 ? " is" : " are")
                            + " for nodes of HXB, not for the hosts and switches of --network");
        }
        final int hosts = hostsPerSwitch == null ? 1 : hostsPerSwitch;
        if (hosts < 0 || hosts > SwitchLabSpec.MAX_HOSTS) {
            throw new UsageException(
                    "--hosts-per-switch must be 0.." + SwitchLabSpec.MAX_HOSTS + ": " + hosts);
        }
        final SwitchGraph graph = SwitchLabSpec.graph(network, hosts, rails == null ? 1 : rails);
        return SwitchLabSpec.of(
                lab.hosts(graph.hostCount()), network, graph, isLearning, !isWithoutHealth);
    }
}
