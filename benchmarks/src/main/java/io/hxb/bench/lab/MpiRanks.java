package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ProcessLab;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TcpRanks;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.SecurityConfig;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabSpec;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranks of Open MPI on nodes of a lab: over HXB, whose nodes are processes, or over TCP on the same
 * wires. Used by one thread.
 */
final class MpiRanks implements AutoCloseable {
    private static final double LIMIT_SECONDS = 60;

    private final TemporaryFolder folder = new TemporaryFolder();
    private final ProcessLab lab;

    /** Makes the lab and starts the nodes. */
    MpiRanks(final LabSpec spec) throws Exception {
        lab = new ProcessLab(folder.path(), spec, SecurityConfig.Mode.NONE, LabCluster::patient);
        try {
            TcpRanks.prepare(spec);
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    /** What it was made from. */
    LabSpec spec() {
        return lab.spec();
    }

    /**
     * The command that runs a program over HXB.
     *
     * @param nodes of the ranks, one after the other.
     */
    List<String> hxbCommand(final List<Integer> nodes, final List<String> program) {
        final List<String> command =
                new ArrayList<>(List.of("env", "HXB_SOCKET=" + socket(nodes.getFirst())));
        command.addAll(Peers.hxb("mpirun", "--allow-run-as-root", "--oversubscribe"));
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
        final List<String> command =
                new ArrayList<>(
                        List.of("ip", "netns", "exec", TcpRanks.namespace(lab.spec(), nodes)));
        command.addAll(TcpRanks.command(folder.path(), lab.spec(), nodes, program));
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

    private String socket(final int node) {
        return lab.config().socketPath(node).toString();
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
        lab.close();
        folder.close();
    }
}
