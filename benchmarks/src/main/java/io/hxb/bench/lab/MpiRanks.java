package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TcpRanks;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.Quantity;
import io.hxb.config.SecurityConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranks of Open MPI on nodes of a lab: over HXB, whose nodes are processes or one process, or over
 * TCP on the same wires. Used by one thread.
 */
final class MpiRanks implements AutoCloseable {
    private static final double LIMIT_SECONDS = 60;

    private final TemporaryFolder folder;
    private final LabSpec spec;
    private final ClusterConfig config;
    private final Runnable remove;

    private MpiRanks(
            final TemporaryFolder folder,
            final LabSpec spec,
            final ClusterConfig config,
            final Runnable remove)
            throws Exception {
        this.folder = folder;
        this.spec = spec;
        this.config = config;
        this.remove = remove;
        try {
            if (spec.backend() == Backend.RAW) {
                TcpRanks.prepare(spec);
            }
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Makes the lab and starts its nodes, a process each. */
    static MpiRanks apart(final LabSpec spec) throws Exception {
        return apart(spec, LoopConfig.DEFAULT);
    }

    /** The same with other loops. */
    static MpiRanks apart(final LabSpec spec, final LoopConfig loop) throws Exception {
        final TemporaryFolder folder = new TemporaryFolder();
        final ProcessLab lab =
                new ProcessLab(
                        folder.path(),
                        spec,
                        SecurityConfig.Mode.NONE,
                        cluster -> LabCluster.patient(cluster).withLoop(loop));
        return new MpiRanks(folder, spec, lab.config(), lab::close);
    }

    /** The same with all nodes in one process, as users have them. */
    static MpiRanks together(final LabSpec spec) throws Exception {
        final List<String> name = List.of("--name", spec.name());
        final List<String> up = Peers.hxb("lab", "up", "--patient");
        up.addAll(name);
        up.addAll(List.of("--shape", spec.shape().toString()));
        up.addAll(List.of("--links", Integer.toString(spec.linkCount())));
        up.addAll(List.of("--rate", Quantity.formatRate(spec.rateBps())));
        up.addAll(List.of("--mtu", Integer.toString(spec.mtuBytes())));
        Shell.check("", up);
        final List<String> down = Peers.hxb("lab", "down");
        down.addAll(name);
        final Path file = LabCluster.file(LabRegistry.ofUser().folder(spec.name()));
        return new MpiRanks(
                new TemporaryFolder(),
                spec,
                ClusterConfigYaml.read(file),
                () -> Shell.check("", down));
    }

    /** What it was made from. */
    LabSpec spec() {
        return spec;
    }

    /**
     * The command that runs a program over HXB.
     *
     * @param nodes of the ranks, one after the other.
     */
    List<String> hxbCommand(final List<Integer> nodes, final List<String> program) {
        return hxbCommand(nodes, program, List.of());
    }

    private List<String> hxbCommand(
            final List<Integer> nodes, final List<String> program, final List<String> options) {
        final List<String> command =
                new ArrayList<>(List.of("env", "HXB_SOCKET=" + socket(nodes.getFirst())));
        command.addAll(Peers.hxb("mpirun"));
        command.addAll(options);
        command.addAll(List.of("--allow-run-as-root", "--oversubscribe"));
        command.addAll(List.of("--mca", "mpi_yield_when_idle", "0", "--bind-to", "none"));
        // One-sided operations would go by shared memory, as all ranks are on one machine.
        command.addAll(List.of("--mca", "osc", "pt2pt"));
        for (int rank = 0; rank < nodes.size(); rank++) {
            if (rank > 0) {
                command.add(":");
            }
            command.addAll(List.of("-np", "1", "-x", "HXB_SOCKET=" + socket(nodes.get(rank))));
            command.addAll(program);
        }
        return command;
    }

    /** The same over TCP. */
    List<String> tcpCommand(final List<Integer> nodes, final List<String> program)
            throws IOException {
        if (spec.backend() == Backend.UDP) {
            return TcpRanks.loopbackCommand(nodes.size(), program);
        }
        final List<String> command =
                new ArrayList<>(List.of("ip", "netns", "exec", TcpRanks.namespace(spec, nodes)));
        command.addAll(TcpRanks.command(folder.path(), spec, nodes, program));
        return command;
    }

    /**
     * Runs a program over HXB.
     *
     * @param seconds that it takes at least.
     * @return its last line.
     */
    JsonNode overHxb(final List<Integer> nodes, final double seconds, final List<String> program)
            throws Exception {
        return figures(hxbCommand(nodes, program), seconds);
    }

    /** The same with collective operations by the nodes. */
    JsonNode overCollectives(
            final List<Integer> nodes, final double seconds, final List<String> program)
            throws Exception {
        return figures(hxbCommand(nodes, program, List.of("--collectives")), seconds);
    }

    private String socket(final int node) {
        return config.socketPath(node).toString();
    }

    /** The same over TCP. */
    JsonNode overTcp(final List<Integer> nodes, final double seconds, final List<String> program)
            throws Exception {
        return figures(tcpCommand(nodes, program), seconds);
    }

    private static JsonNode figures(final List<String> command, final double seconds)
            throws Exception {
        try (Program mpirun = Program.start("", "", command)) {
            final JsonNode last = mpirun.last(seconds + LIMIT_SECONDS);
            final int status = mpirun.await(LIMIT_SECONDS);
            if (status != 0) {
                throw new IllegalStateException("mpirun has ended with status " + status);
            }
            return last;
        }
    }

    @Override
    public void close() {
        remove.run();
        folder.close();
    }
}
