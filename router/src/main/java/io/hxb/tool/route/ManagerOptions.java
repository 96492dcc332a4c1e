package io.hxb.tool.route;

import io.hxb.session.KeyFile;
import io.hxb.tool.manager.ManagerPlace;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Options that say which managers are meant. Picocli fills it. */
final class ManagerOptions {
    @Option(
            names = "--manager",
            paramLabel = "PLACE",
            split = ",",
            description =
                    "socket or ADDRESS:PORT of a host's manager; several, where a change is to be"
                            + " made on several hosts (default: the one of this machine)")
    private List<String> places = List.of();

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "key of the cluster, for managers of other machines")
    private Path key;

    /** Picocli makes it. */
    ManagerOptions() {}

    /** Connects to them. */
    ManagerLinks open() throws IOException {
        places.stream()
                .filter(ManagerPlace::isAddress)
                .forEach(place -> ManagerPlace.address("--manager", place));
        final List<String> all =
                places.isEmpty() ? List.of(ManagerPlace.found().toString()) : places;
        if (all.stream().distinct().count() < all.size()) {
            throw new UsageException("--manager names one place twice");
        }
        return ManagerLinks.open(all, key == null ? null : KeyFile.read(key));
    }
}
