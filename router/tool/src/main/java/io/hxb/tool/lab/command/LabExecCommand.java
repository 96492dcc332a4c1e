package io.hxb.tool.lab.command;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb lab exec}: runs a command where a node of a lab is. Picocli makes it. */
@Command(
        name = "exec",
        mixinStandardHelpOptions = true,
        header = "Run a command where a node of a lab is.",
        description =
                "Run a command in the network namespace of a node, with HXB_NODE, "
                        + "HXB_CONFIG and HXB_SOCKET set: programs attach to that node. In a lab "
                        + "of hosts and switches give the number of a host; HXB_RUN leads to its "
                        + "manager.",
        footer = {
            "",
            "Examples: hxb lab exec 0,0,0 -- ip -s link",
            "          hxb lab exec 3 -- hxb route show"
        })
final class LabExecCommand implements Callable<Integer> {
    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description = "use the lab of this name (default: ${DEFAULT-VALUE})")
    private String name;

    @Parameters(
            index = "0",
            paramLabel = "COORD",
            description =
                    "run it at the node with these coordinates, such as 1,0,0, or at the "
                            + "host of this number")
    private String coordinates;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "CMD",
            description = "run this command, given after --")
    private List<String> arguments;

    /** Picocli makes it. */
    LabExecCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        final LabRegistry registry = LabRegistry.ofUser();
        final LabState state = registry.require(name);
        final LabSpec spec = state.spec();
        final int node = spec.shape().node(spec.shape().parseCoordinates(coordinates));
        final List<String> command = new ArrayList<>();
        if (spec.backend().usesNics()) {
            command.addAll(List.of("ip", "netns", "exec", LabNames.namespace(name, node)));
        }
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        if (state.hasSwitches()) {
            // There is the socket of the host's manager.
            builder.environment().put("HXB_RUN", registry.hostFolder(name, node).toString());
        } else {
            final Path file = registry.folder(name).resolve("cluster.yaml");
            builder.environment().put("HXB_NODE", coordinates);
            builder.environment().put("HXB_CONFIG", file.toString());
            builder.environment()
                    .put("HXB_SOCKET", ClusterConfigYaml.read(file).socketPath(node).toString());
        }
        try {
            return builder.start().waitFor();
        } catch (final IOException e) {
            throw new ToolException(
                    "cannot run '"
                            + command.getFirst()
                            + "': install it, or put its folder into the PATH",
                    e);
        }
    }
}
