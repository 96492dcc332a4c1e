package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.TrunkConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * An HXB node as a contestant: a process of the command line's {@code node}, with its cluster file
 * in a folder of its own. Used by one thread.
 */
final class HxbNode implements AutoCloseable {
    // The C programs send hellos and frames, but answer no liveness probes.
    private static final long C_SILENCE_NS = 60_000_000_000L;

    private static final long READY_LIMIT_NS = 30_000_000_000L;

    private final TemporaryFolder folder;
    private final Path counters;
    private final Program program;

    private HxbNode(final TemporaryFolder folder, final Path counters, final Program program) {
        this.folder = folder;
        this.counters = counters;
        this.program = program;
    }

    /**
     * The cluster all nodes of one experiment share.
     *
     * @param shape its shape.
     * @param links NICs of each dimension, {@code x0, x1, ...}, the same names on all nodes.
     */
    static ClusterConfig cluster(final Shape shape, final int links) {
        final List<List<String>> nics = new ArrayList<>();
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            final List<String> trunk = new ArrayList<>();
            for (int link = 0; link < links; link++) {
                trunk.add("xyz".charAt(dimension) + Integer.toString(link));
            }
            nics.add(trunk);
        }
        final String name = "bench-" + ProcessHandle.current().pid();
        return ClusterConfig.of(name, shape, Backend.RAW, LinkPlan.raw(nics, ""))
                .withTrunk(TrunkConfig.DEFAULT.withSilenceNs(C_SILENCE_NS));
    }

    /**
     * Starts a node and waits until it is ready.
     *
     * @param namespace full name of the network namespace it runs in.
     * @param cpus CPU list for its process; empty for all.
     * @param cluster the cluster; folders are replaced by one of this node's own.
     * @param loop its loops.
     * @param coordinates which node it is, such as {@code 1,0}.
     */
    static HxbNode start(
            final String namespace,
            final String cpus,
            final ClusterConfig cluster,
            final LoopConfig loop,
            final String coordinates)
            throws IOException, InterruptedException {
        final TemporaryFolder folder = new TemporaryFolder();
        final ClusterConfig own =
                cluster.withAttach(
                                new AttachConfig(
                                        folder.path(), folder.path(), List.of(), List.of()))
                        .withLoop(loop);
        final Path file = folder.file("cluster.yaml");
        Files.writeString(file, ClusterConfigYaml.write(own));
        final int node = own.shape().node(own.shape().parseCoordinates(coordinates));
        final Program program =
                Program.start(
                        namespace,
                        cpus,
                        Peers.hxb("node", "--config", file.toString(), "--node", coordinates));
        final HxbNode started = new HxbNode(folder, own.countersPath(node), program);
        started.awaitReady();
        return started;
    }

    private void awaitReady() throws IOException, InterruptedException {
        final long startNs = System.nanoTime();
        while (!Files.exists(counters)) {
            if (System.nanoTime() - startNs > READY_LIMIT_NS || program.await(0) >= 0) {
                close();
                throw new IOException("the HXB node did not start, see above");
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** The node's process. */
    Program program() {
        return program;
    }

    @Override
    public void close() {
        program.close();
        folder.close();
    }
}
