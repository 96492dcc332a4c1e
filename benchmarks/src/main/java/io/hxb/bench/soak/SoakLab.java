package io.hxb.bench.soak;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterReader;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.NodeProcesses;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The lab of a long run: real nodes in namespaces, a process each. Used by one thread. */
final class SoakLab implements AutoCloseable {
    private static final long UP_LIMIT_S = 180;

    private final Path folder;
    private final String name;
    private final LabRegistry registry;
    private final ClusterConfig config;
    private final LabSpec spec;

    /**
     * Makes a lab.
     *
     * @param folder its own, for everything that it leaves.
     */
    SoakLab(final Path folder, final String name, final String shape, final int links)
            throws IOException, InterruptedException {
        this.folder = folder;
        this.name = name;
        registry = new LabRegistry(folder.resolve("labs"));
        hxb(
                "lab",
                "up",
                "--processes",
                "--backend",
                "raw",
                "--shape",
                shape,
                "--links",
                Integer.toString(links),
                "--name",
                name);
        config = ClusterConfigYaml.read(registry.folder(name).resolve("cluster.yaml"));
        spec = registry.require(name).spec();
    }

    private void hxb(final String... arguments) throws IOException, InterruptedException {
        final Path log = folder.resolve("hxb.log");
        final List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(NodeProcesses.self(arguments));
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("HXB_RUN", folder.toString());
        final Process process = builder.start();
        if (!process.waitFor(UP_LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", arguments) + ": " + Files.readString(log));
        }
    }

    String name() {
        return name;
    }

    LabRegistry registry() {
        return registry;
    }

    ClusterConfig config() {
        return config;
    }

    LabSpec spec() {
        return spec;
    }

    int nodes() {
        return config.shape().nodeCount();
    }

    /** Process id of a node, as it was started last. */
    long pid(final int node) {
        return registry.require(name).nodePids().get(node);
    }

    boolean isAlive(final int node) {
        return ProcessHandle.of(pid(node)).filter(ProcessHandle::isAlive).isPresent();
    }

    /** The counters of a node; the caller closes them. */
    CounterReader counters(final int node) throws IOException {
        return CounterReader.open(config.countersPath(node));
    }

    /** Bytes of the logs of all nodes. */
    long logBytes() throws IOException {
        long bytes = 0;
        for (int node = 0; node < nodes(); node++) {
            final Path log = registry.folder(name).resolve("node-" + node + ".log");
            bytes += Files.exists(log) ? Files.size(log) : 0;
        }
        return bytes;
    }

    /** Files of the lab. */
    long files() throws IOException {
        try (Stream<Path> files = Files.walk(registry.folder(name))) {
            return files.count();
        }
    }

    /** What is left of the lab after {@link #close}: namespaces and files; empty if nothing. */
    List<String> leftovers() throws IOException {
        final List<String> left = new ArrayList<>();
        try (Stream<Path> namespaces = Files.list(Path.of("/run/netns"))) {
            namespaces
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("hxb-" + name + "-"))
                    .forEach(file -> left.add("namespace " + file));
        }
        if (Files.exists(registry.folder(name))) {
            left.add("folder " + registry.folder(name));
        }
        return left;
    }

    @Override
    public void close() throws IOException {
        try {
            hxb("lab", "down", "--name", name);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
