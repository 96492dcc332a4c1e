package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.pm.PmDevice;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ToolException;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts the nodes of a lab as processes of their own. Stateless. */
public final class NodeProcesses {
    private static final long READY_NS = 60_000_000_000L;
    private static final long LOOK_NS = 20_000_000;

    private NodeProcesses() {}

    /**
     * The command that runs this program again: the same Java, class path and flags, and those of
     * the property {@code hxb.flags}, which it hands on.
     *
     * @param arguments of hxb.
     */
    public static List<String> self(final String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        addFlags(command, ".mvn/jvm.config");
        final boolean isNode = arguments.length > 0 && arguments[0].equals("node");
        if (isNode) {
            addFlags(command, "deploy/node.config");
        }
        final String cache = System.getProperty("hxb.aot", "");
        if (!cache.isEmpty()) {
            command.addAll(
                    List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off", "-Dhxb.aot=" + cache));
        }
        final String flags = System.getProperty("hxb.flags", "");
        if (!flags.isEmpty()) {
            command.addAll(List.of(flags.split(" ", -1)));
            command.add("-Dhxb.flags=" + flags);
        }
        command.add("-Dhxb.root=" + System.getProperty("hxb.root", "."));
        command.add("-Djava.library.path=" + System.getProperty("java.library.path", ""));
        command.addAll(List.of("-cp", classPath(isNode), "io.hxb.tool.Hxb"));
        command.addAll(List.of(arguments));
        return command;
    }

    // As deploy/hxb does: a node has nothing of what only other commands use.
    private static String classPath(final boolean isNode) {
        final String all = System.getProperty("java.class.path");
        if (!isNode) {
            return all;
        }
        return Stream.of(all.split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("/tool-lib/"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The same for a process with loops, which goes before others if this user may have it so. */
    public static List<String> selfWithLoops(final String... arguments) {
        final List<String> flags = new ArrayList<>();
        if (Privileges.isRoot()) {
            addFlags(flags, "deploy/root.config");
        }
        final List<String> command = self(arguments);
        command.addAll(1, flags);
        return command;
    }

    private static void addFlags(final List<String> command, final String name) {
        final Path file = Path.of(System.getProperty("hxb.root", "."), name);
        if (Files.exists(file)) {
            command.add("@" + file);
        }
    }

    /**
     * Starts every node of a lab and waits until all can be attached to.
     *
     * @param file the cluster file.
     * @return their process ids.
     * @throws ToolException with the log of a node that ended.
     */
    public static List<Long> start(
            final Lab lab, final ClusterConfig config, final Path file, final Capture capture) {
        return start(lab, config, _ -> file, capture);
    }

    /**
     * As the other one, with a cluster file for each node: only keys and other things that lie
     * beside the lab's sockets and files may differ.
     *
     * @param files cluster file of a node.
     */
    public static List<Long> start(
            final Lab lab,
            final ClusterConfig config,
            final IntFunction<Path> files,
            final Capture capture) {
        final List<Process> nodes = new ArrayList<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            nodes.add(start(lab, config, files.apply(node), node, capture));
            lab.nodesStarted(pids(nodes));
        }
        final List<Long> pids = pids(nodes);
        final long deadlineNs = System.nanoTime() + READY_NS;
        for (int node = 0; node < nodes.size(); node++) {
            await(nodes.get(node), config, node, log(lab, node), deadlineNs);
        }
        return pids;
    }

    private static List<Long> pids(final List<Process> nodes) {
        return nodes.stream().map(Process::pid).toList();
    }

    private static Process start(
            final Lab lab,
            final ClusterConfig config,
            final Path file,
            final int node,
            final Capture capture) {
        return start(lab.folder(), config, file, node, true, capture);
    }

    /**
     * Starts one node and does not wait for it.
     *
     * @param folder of the lab; the log is there, and goes on if there is one.
     * @param isAttended whether it ends with this process.
     */
    static Process start(
            final Path folder,
            final ClusterConfig config,
            final Path file,
            final int node,
            final boolean isAttended,
            final Capture capture) {
        final List<String> command = new ArrayList<>();
        // Ctrl-C is for the command that runs in the lab; it ends the nodes when it is done.
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        if (config.backend().usesNics()) {
            command.addAll(List.of("ip", "netns", "exec", config.netns(node)));
        }
        command.addAll(selfWithLoops("node"));
        // Their loopback is not that of the lab's owner, which serves them all.
        command.add("--no-observe");
        if (isAttended) {
            command.add("--attended");
        }
        final String coordinates = config.shape().format(config.shape().coordinates(node));
        command.addAll(List.of("--config", file.toString(), "--node", coordinates));
        command.addAll(capture.arguments());
        try {
            final ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(folder, node)));
            if (!isAttended) {
                builder.redirectInput(new File("/dev/null"));
            }
            // Else its standard input is a pipe from here, which ends with this process, however
            // it ends.
            return builder.start();
        } catch (final IOException e) {
            throw new ToolException("cannot start node " + node + ": " + e.getMessage(), e);
        }
    }

    private static File log(final Lab lab, final int node) {
        return log(lab.folder(), node);
    }

    private static File log(final Path folder, final int node) {
        return folder.resolve("node-" + node + ".log").toFile();
    }

    private static void await(
            final Process process,
            final ClusterConfig config,
            final int node,
            final File log,
            final long deadlineNs) {
        while (true) {
            if (!process.isAlive()) {
                throw new ToolException("node " + node + " ended: " + text(log));
            }
            if (Files.exists(config.socketPath(node))) {
                try (PmDevice device = PmDevice.attach(config.socketPath(node))) {
                    if (device.nodeId() == node) {
                        return;
                    }
                } catch (final IOException e) {
                    // Not listening yet: looks again.
                }
            }
            if (System.nanoTime() - deadlineNs > 0) {
                throw new ToolException(
                        "node " + node + " cannot be attached to after 60 s: " + text(log));
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private static String text(final File log) {
        try {
            return Files.readString(log.toPath()).strip();
        } catch (final IOException e) {
            return "it left no log";
        }
    }
}
