package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.report.ExitStatus;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A laboratory of 2x2 real nodes on veth NICs in namespaces, in which node 1,1 is reached over a
 * relay: number 1 while nothing fails, number 2 around it. {@link #down} removes it.
 */
final class RelayLab {
    static final int RELAY = 1;
    static final int OTHER_RELAY = 2;

    private final Path folder;
    private final String name;

    /** Prepares a laboratory in a folder of its own; {@link #up} makes it. */
    RelayLab(final Path folder, final String prefix) {
        this.folder = folder;
        name = prefix + ProcessHandle.current().pid();
    }

    /** Makes it, with these options besides. */
    ClusterConfig up(final String... options) throws Exception {
        final List<String> command =
                new ArrayList<>(
                        List.of("lab", "up", "--shape", "2x2", "--links", "1", "--backend", "raw"));
        command.addAll(List.of("--name", name));
        command.addAll(List.of(options));
        try (HxbProcess up = HxbProcess.run(folder, command.toArray(new String[0]))) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
        return ClusterConfigYaml.read(folder.resolve("run/labs/" + name + "/cluster.yaml"));
    }

    /** Starts {@code hxb perf} from node 0 to node 1,1. */
    HxbProcess perf(final String... options) throws Exception {
        final List<String> command =
                new ArrayList<>(List.of("perf", "1,1", "--name", name, "--warmup", "0", "--json"));
        command.addAll(List.of(options));
        return hxb(command);
    }

    /** Starts {@code hxb perf} that goes on until it is interrupted; it is sending by now. */
    HxbProcess longPerf() throws Exception {
        final HxbProcess perf = perf("--seconds", "600", "--size", "1000", "--interval", "100ms");
        perf.await("an interval", () -> perf.output().contains("\"interval\""));
        return perf;
    }

    /** {@code hxb stat} of all nodes. */
    HxbProcess stat() throws Exception {
        return HxbProcess.run(folder, "stat", "--name", name, "--json");
    }

    private HxbProcess hxb(final List<String> command) throws Exception {
        return HxbProcess.start(folder, command.toArray(new String[0]));
    }

    /** Takes it down. */
    void down() throws Exception {
        try (HxbProcess down = HxbProcess.run(folder, "lab", "down", "--all")) {
            down.status();
        }
    }
}
