package io.hxb.bench.harness;

import io.hxb.config.ClusterConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterReader;
import io.hxb.session.KeyFile;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.Capture;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.NodeProcesses;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A lab of real nodes, a process each, for runs that do something to it. With security it has a key
 * of its own. Used by one thread.
 */
public final class ProcessLab implements AutoCloseable {
    private static final String KEY = "key";
    private static final String NEW_KEY = "new-key";

    private final LabRegistry registry;
    private final Lab lab;
    private final ClusterConfig config;

    /**
     * Makes a lab and waits until all its nodes can be attached to.
     *
     * @param folder the run's own, for everything that the lab leaves.
     * @param mode how its frames are protected against forgery.
     */
    public ProcessLab(final Path folder, final LabSpec spec, final SecurityConfig.Mode mode)
            throws IOException {
        this(folder, spec, mode, UnaryOperator.identity());
    }

    /**
     * The same with another configuration.
     *
     * @param change of it.
     */
    public ProcessLab(
            final Path folder,
            final LabSpec spec,
            final SecurityConfig.Mode mode,
            final UnaryOperator<ClusterConfig> change)
            throws IOException {
        this(folder, spec, mode, KeyRollout.NONE, change);
    }

    /**
     * As the others, in the middle of a change of the key.
     *
     * @param rollout which keys nodes have.
     */
    public ProcessLab(
            final Path folder,
            final LabSpec spec,
            final SecurityConfig.Mode mode,
            final KeyRollout rollout,
            final UnaryOperator<ClusterConfig> change)
            throws IOException {
        registry = new LabRegistry(folder.resolve("labs"));
        lab = Lab.up(registry, spec);
        try {
            final ClusterConfig open = change.apply(LabCluster.config(lab));
            if (mode == SecurityConfig.Mode.NONE) {
                config = open;
                final Path file = LabCluster.write(config, lab.folder());
                NodeProcesses.start(lab, config, file, Capture.NONE);
            } else {
                final Path oldKey = newKey(KEY);
                final Path newKey = newKey(NEW_KEY);
                config = open.withSecurity(rollout.before(mode, oldKey, newKey));
                final ClusterConfig changed =
                        open.withSecurity(rollout.after(mode, oldKey, newKey));
                final Path before = LabCluster.write(config, lab.folder());
                final Path after =
                        LabCluster.write(
                                changed, Files.createDirectory(lab.folder().resolve("changed")));
                NodeProcesses.start(
                        lab, config, node -> node % 2 == 0 ? before : after, Capture.NONE);
            }
        } catch (final IOException | RuntimeException e) {
            lab.close();
            throw e;
        }
    }

    /**
     * Makes a lab whose nodes have virtual NICs, and no key.
     *
     * @param folder the run's own.
     * @param prefix of their addresses.
     */
    public static ProcessLab withIp(final Path folder, final LabSpec spec, final IpPrefix prefix)
            throws IOException {
        return new ProcessLab(
                folder,
                spec,
                SecurityConfig.Mode.NONE,
                cluster -> cluster.withIp(IpConfig.DEFAULT.withPrefixes(List.of(prefix))));
    }

    private Path newKey(final String name) throws IOException {
        final Path key = lab.folder().resolve(name);
        KeyFile.generate(key);
        return key;
    }

    /** Its name. */
    public String name() {
        return lab.spec().name();
    }

    /** Where its state is found. */
    public LabRegistry registry() {
        return registry;
    }

    /** The cluster file that all nodes have. */
    public ClusterConfig config() {
        return config;
    }

    /** What it was made from. */
    public LabSpec spec() {
        return lab.spec();
    }

    /** Number of its nodes. */
    public int nodes() {
        return config.shape().nodeCount();
    }

    /** Process id of a node, as it was started last. */
    public long pid(final int node) {
        return registry.require(name()).nodePids().get(node);
    }

    /** True while the process of a node runs. */
    public boolean isAlive(final int node) {
        return ProcessHandle.of(pid(node)).filter(ProcessHandle::isAlive).isPresent();
    }

    /** The counters of a node; the caller closes them. */
    public CounterReader counters(final int node) throws IOException {
        return CounterReader.open(config.countersPath(node));
    }

    /** Bytes of the log of a node. */
    public long logBytes(final int node) throws IOException {
        final Path log = lab.folder().resolve("node-" + node + ".log");
        return Files.exists(log) ? Files.size(log) : 0;
    }

    /** Bytes of the logs of all nodes. */
    public long logBytes() throws IOException {
        long bytes = 0;
        for (int node = 0; node < nodes(); node++) {
            bytes += logBytes(node);
        }
        return bytes;
    }

    /** Files of the lab. */
    public long files() throws IOException {
        try (Stream<Path> files = Files.walk(lab.folder())) {
            return files.count();
        }
    }

    /** Copies the logs of the nodes, which go with the lab. */
    public void keepLogs(final Path folder) throws IOException {
        for (int node = 0; node < nodes(); node++) {
            final Path log = lab.folder().resolve("node-" + node + ".log");
            if (Files.exists(log)) {
                Files.copy(log, folder.resolve(log.getFileName()));
            }
        }
    }

    /** What is left of the lab after {@link #close}: namespaces and files; empty if nothing. */
    public List<String> leftovers() throws IOException {
        final List<String> left = new ArrayList<>();
        final Path names = Path.of("/run/netns");
        if (Files.isDirectory(names)) {
            try (Stream<Path> namespaces = Files.list(names)) {
                namespaces
                        .map(file -> file.getFileName().toString())
                        .filter(file -> file.startsWith("hxb-" + name() + "-"))
                        .forEach(file -> left.add("namespace " + file));
            }
        }
        if (Files.exists(lab.folder())) {
            left.add("folder " + lab.folder());
        }
        return left;
    }

    @Override
    public void close() {
        lab.close();
    }
}
