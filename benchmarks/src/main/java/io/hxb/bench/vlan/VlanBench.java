package io.hxb.bench.vlan;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of these experiments: {@code benchmarks/run vlan EXPERIMENT}. One thread. */
@Command(
        name = "vlan",
        mixinStandardHelpOptions = true,
        description =
                "Repeat the experiments of VFREC-Net on switches of a lab (root, Open "
                        + "vSwitch).",
        subcommands = {Flooding.class, KernelCg.class, MpiCg.class},
        synopsisSubcommandLabel = "EXPERIMENT")
public final class VlanBench {
    private VlanBench() {}

    /** Runs one experiment; ends with 0, 1 if it failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(execute(arguments));
    }

    /** The same without ending this process; returns the status. */
    static int execute(final String... arguments) {
        final CommandLine line = new CommandLine(new VlanBench());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    System.err.println("vlan: " + thrown.getMessage());
                    return 1;
                });
        return line.execute(arguments);
    }
}
