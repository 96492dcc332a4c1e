package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.node.LinkLog;
import io.hxb.observe.ObserveServer;
import io.hxb.observe.service.ObserveService;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A lab with running nodes, removed again by {@link #close}, or when the process gets a signal to
 * end. Owned by the command that started it.
 */
public final class LabSession implements AutoCloseable {
    private static final long NEIGHBOURS_NS = 25_000_000_000L;

    private final Lab lab;
    private final Cluster cluster;
    private final Map<String, byte[]> files;
    private Optional<ObserveServer> server = Optional.empty();

    private LabSession(final Lab lab, final Cluster cluster, final Map<String, byte[]> files) {
        this.lab = lab;
        this.cluster =
                lab.spec()
                        .cabling()
                        .<Cluster>map(cabling -> new CabledCluster(cluster, cabling))
                        .orElse(cluster);
        this.files = files;
    }

    /**
     * Makes a lab and starts its nodes. When that fails, nothing of it stays.
     *
     * @param isProcesses a process for each node, instead of all of them in this one.
     * @param capture whether the nodes write what they send and receive to files.
     * @param change what is different from the lab's usual configuration.
     */
    public static LabSession start(
            final LabSpec spec,
            final boolean isProcesses,
            final Capture capture,
            final UnaryOperator<ClusterConfig> change) {
        final Lab lab = Lab.up(LabRegistry.ofUser(), spec, LabSession::removeWhenToldToEnd);
        try {
            final ClusterConfig config = change.apply(LabCluster.config(lab));
            final Path file = LabCluster.write(config, lab.folder());
            final Map<String, byte[]> files =
                    Map.of(file.getFileName().toString(), Files.readAllBytes(file));
            return new LabSession(lab, start(lab, config, file, isProcesses, capture), files);
        } catch (final RuntimeException e) {
            lab.close();
            throw e;
        } catch (final IOException e) {
            lab.close();
            throw new UncheckedIOException("the files of the lab are gone already", e);
        }
    }

    // The hook only removes what outlives the process: the nodes' memory may be in use still.
    private static void removeWhenToldToEnd(final Lab lab) {
        final Runnable remove =
                () -> {
                    LinkLog.ofThisProcess().mute();
                    lab.close();
                };
        Runtime.getRuntime().addShutdownHook(new Thread(remove, "hxb-lab-remove"));
    }

    private static Cluster start(
            final Lab lab,
            final ClusterConfig config,
            final Path file,
            final boolean isProcesses,
            final Capture capture) {
        if (isProcesses) {
            final List<Long> pids = NodeProcesses.start(lab, config, file, capture);
            LabNeighbours.await(config, NEIGHBOURS_NS);
            lab.ready(pids);
            return new AttachedCluster(config);
        }
        final Cluster cluster = new EmbeddedCluster(config, capture);
        try {
            LabNeighbours.await(config, NEIGHBOURS_NS);
            lab.ready(List.of());
            return cluster;
        } catch (final RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Serves metrics of all nodes until the lab ends, if its configuration wants that. */
    public void observe() {
        try {
            server = ObserveService.start(cluster.config(), System.getenv());
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    /** Makes the files by which other commands find the lab again, see {@link Lab#keepFiles}. */
    public void keepFiles() {
        lab.keepFiles(files);
    }

    /** The nodes. */
    public Cluster cluster() {
        return cluster;
    }

    /** What the lab was made from. */
    public LabSpec spec() {
        return lab.spec();
    }

    /** Name of the lab. */
    public String name() {
        return lab.spec().name();
    }

    /** Folder of the lab's files. */
    public Path folder() {
        return lab.folder();
    }

    @Override
    public void close() {
        server.ifPresent(ObserveServer::close);
        cluster.close();
        lab.close();
    }
}
