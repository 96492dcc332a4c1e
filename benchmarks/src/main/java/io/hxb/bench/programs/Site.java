package io.hxb.bench.programs;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.os.NetworkNamespace;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabNames;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Where a program runs: its server at the first node of a lab, its client at the last one. Owned by
 * one thread; what it has started ends when it is closed.
 */
final class Site implements AutoCloseable {
    private static final int SERVER = 0;
    private static final long READY_LIMIT_NS = 30_000_000_000L;
    private static final long LOOK_NS = 50_000_000L;
    private static final int CONNECT_LIMIT_MS = 1_000;

    /** How long a client may go on when the faults are over. */
    private static final long END_LIMIT_S = 300;

    /** How long something beside the clients may take. */
    private static final long CHECK_LIMIT_S = 120;

    private final ProcessLab lab;
    private final IpPrefix prefix;
    private final Faults faults;
    private final Path folder;
    private final List<Process> started = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::endAll);

    /**
     * Makes one.
     *
     * @param prefix of the virtual NICs.
     * @param faults that happen while a client runs.
     * @param folder of the program's own files.
     */
    Site(final ProcessLab lab, final IpPrefix prefix, final Faults faults, final Path folder) {
        this.lab = lab;
        this.prefix = prefix;
        this.faults = faults;
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** How a client has ended. */
    record Ended(int status, String output, boolean outlivedFaults) {
        /** What was wrong; empty if nothing. */
        String problem() {
            if (status != 0) {
                return "status " + status + ": " + lastLine();
            }
            return outlivedFaults ? "" : "it ended before the faults did";
        }

        private String lastLine() {
            final List<String> lines = output.strip().lines().toList();
            return lines.isEmpty() ? "no output" : lines.getLast();
        }
    }

    ProcessLab lab() {
        return lab;
    }

    IpPrefix prefix() {
        return prefix;
    }

    /** Address of the server's node. */
    String address() {
        return prefix.address(SERVER);
    }

    /** A file of the program's own. */
    Path file(final String name) {
        return folder.resolve(name);
    }

    /** Nodes that are never killed. */
    List<Integer> safeNodes() {
        final List<Integer> safe = new ArrayList<>();
        for (int node = 0; node < lab.nodes(); node++) {
            if (node != faults.killedNode()) {
                safe.add(node);
            }
        }
        return safe;
    }

    /** Starts a server, and waits until it takes connections. */
    void serve(final int port, final List<String> command) throws IOException {
        serve(SERVER, port, command);
    }

    /** The same at another node. */
    void serve(final int node, final int port, final List<String> command) throws IOException {
        final Process server = start(node, "server.log", command);
        final long startNs = System.nanoTime();
        while (!takesConnections(node, port)) {
            if (!server.isAlive() || System.nanoTime() - startNs > READY_LIMIT_NS) {
                throw new IOException(
                        command.getFirst()
                                + " takes no connections: "
                                + Files.readString(file("server.log")).strip());
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private boolean takesConnections(final int node, final int port) throws IOException {
        return NetworkNamespace.run(
                namespace(node),
                () -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(
                                new InetSocketAddress(prefix.address(node), port),
                                CONNECT_LIMIT_MS);
                        return true;
                    } catch (final IOException e) {
                        return false;
                    }
                });
    }

    /**
     * Runs a command at the server's node while nothing fails.
     *
     * @return what it prints.
     * @throws IOException if it does not end with 0.
     */
    String check(final List<String> command) throws IOException, InterruptedException {
        final Path log = file("check.log");
        Files.deleteIfExists(log);
        final Process process = start(SERVER, "check.log", command);
        if (!process.waitFor(CHECK_LIMIT_S, TimeUnit.SECONDS)) {
            throw new IOException(command.getFirst() + " has not ended");
        }
        final String output = Files.readString(log);
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output.strip());
        }
        return output;
    }

    /** Runs a client at the last node while the faults happen, and waits until it has ended. */
    Ended client(final List<String> command) throws IOException, InterruptedException {
        return run(lab.nodes() - 1, command);
    }

    /** The same at the server's node. */
    Ended local(final List<String> command) throws IOException, InterruptedException {
        return run(SERVER, command);
    }

    private Ended run(final int node, final List<String> command)
            throws IOException, InterruptedException {
        final Process client = start(node, "client.log", command);
        faults.happen();
        final boolean outlivedFaults = client.isAlive();
        if (!client.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
            return new Ended(-1, "it has not ended", true);
        }
        return new Ended(client.exitValue(), Files.readString(file("client.log")), outlivedFaults);
    }

    private Process start(final int node, final String log, final List<String> command)
            throws IOException {
        final List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", namespace(node)));
        all.addAll(command);
        final Process process =
                new ProcessBuilder(all)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(file(log).toFile()))
                        .start();
        started.add(process);
        return process;
    }

    private String namespace(final int node) {
        return LabNames.namespace(lab.name(), node);
    }

    private static void end(final Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void endAll() {
        started.forEach(Site::end);
    }

    @Override
    public void close() {
        endAll();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
