package io.hxb.tool.route;

import io.hxb.session.KeyFile;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.manager.ManagerPlace;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Options that select managers. Picocli fills it. */
final class ManagerOptions {
    @Option(
            names = "--manager",
            paramLabel = "PLACE",
            split = ",",
            description =
                    "ask the managers at these places: a socket or ADDRESS:PORT, or the "
                            + "number of a host of a lab; name several to change several hosts "
                            + "(default: the manager of this machine)")
    private List<String> places = List.of();

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "show the key of the cluster in this file to managers of other machines")
    private Path key;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description =
                    "take the hosts that --manager numbers from the lab of this name "
                            + "(default: ${DEFAULT-VALUE})")
    private String lab;

    /** Picocli makes it. */
    ManagerOptions() {}

    /** Connects to them. */
    ManagerLinks open() throws IOException {
        final List<String> given = places.stream().map(this::place).toList();
        given.stream()
                .filter(ManagerPlace::isAddress)
                .forEach(place -> ManagerPlace.address("--manager", place));
        final List<String> all = given.isEmpty() ? List.of(ManagerPlace.found().toString()) : given;
        if (all.stream().distinct().count() < all.size()) {
            throw new UsageException("--manager names one place twice");
        }
        return ManagerLinks.open(all, key == null ? null : KeyFile.read(key));
    }

    private String place(final String text) {
        if (!text.matches("\\d{1,6}")) {
            return text;
        }
        final LabRegistry registry = LabRegistry.ofUser();
        final LabState state = registry.require(lab);
        final int count = state.spec().shape().nodeCount();
        final int host = Integer.parseInt(text);
        if (!state.hasSwitches() || host >= count) {
            throw new UsageException(
                    "--manager "
                            + text
                            + (state.hasSwitches()
                                    ? ": the hosts of lab " + lab + " are 0.." + (count - 1)
                                    : ": the lab " + lab + " has no hosts with managers"));
        }
        return ManagerPlace.in(registry.hostFolder(lab, host)).toString();
    }
}
