package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.pm.PmDevice;
import io.hxb.testing.Seeds;
import io.hxb.testing.TestPorts;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import javax.tools.ToolProvider;

/**
 * A service with three clients, one slow, one killed, while SIGKILL ends the nodes of all of them
 * in turn: the example programs Service.java and service.c, each a process, as the nodes are.
 * -Dhxb.rpc.kills=100 for a long run; it prints its figures.
 */
@Tag("system")
@Tag("search")
class RpcKillSystemTest {
    private static final int KILLS = Integer.getInteger("hxb.rpc.kills", 2 * Seeds.TIMES);
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));
    private static final int NODES = 4;
    private static final int LIMIT_S = 120;

    /**
     * Milliseconds between requests, by node; the client of node 2 is slow, that of 3 is killed.
     */
    private static final int[] PAUSES_MS = {0, 5, 200, 20};

    @TempDir private Path folder;
    private Path clusterFile;
    private final HxbProcess[] nodes = new HxbProcess[NODES];
    private final Client[] clients = new Client[NODES];
    private final List<Path> killed = new ArrayList<>();
    private Process service;
    private List<String> program;
    private long slowestNs;

    /** One run of a client and what it prints. */
    private static final class Client {
        private final Process process;
        private final Path output;
        private long readBytes;
        private long replies;

        Client(final Process process, final Path output) {
            this.process = process;
            this.output = output;
        }

        Process process() {
            return process;
        }

        Path output() {
            return output;
        }

        /** How many requests have been answered; reads only what is new. */
        long replies() {
            try (SeekableByteChannel file = Files.newByteChannel(output)) {
                final ByteBuffer bytes = ByteBuffer.allocate((int) (file.size() - readBytes));
                file.position(readBytes);
                int count = 0;
                while (bytes.hasRemaining() && count >= 0) {
                    count = file.read(bytes);
                }
                final String text = new String(bytes.array(), 0, bytes.position(), UTF_8);
                final String lines = text.substring(0, text.lastIndexOf('\n') + 1);
                readBytes += lines.length();
                replies += lines.lines().filter(line -> line.endsWith(" ok")).count();
                return replies;
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @BeforeEach
    void startNodes() throws Exception {
        final int port = TestPorts.take(4);
        clusterFile =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: rpclab\nshape: 4\nbackend: udp\nlinks: {x: 1}\nudp: {basePort: "
                                + port
                                + "}\nattach: {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\nloop: {wait: block}\n");
        for (int node = 0; node < NODES; node++) {
            startNode(node);
        }
        for (int node = 0; node < NODES; node++) {
            awaitNode(node);
        }
    }

    private void startNode(final int node) throws IOException {
        final String config = clusterFile.toString();
        final String id = Integer.toString(node);
        nodes[node] = HxbProcess.start(folder, "node", "--config", config, "--node", id);
    }

    private void awaitNode(final int node) {
        nodes[node].await("node " + node, () -> nodes[node].output().contains("is up"));
    }

    @AfterEach
    void stopAll() {
        for (int node = 0; node < NODES; node++) {
            if (clients[node] != null) {
                clients[node].process().destroyForcibly().onExit().join();
            }
        }
        if (service != null) {
            service.destroyForcibly().onExit().join();
        }
        for (final HxbProcess node : nodes) {
            if (node != null) {
                node.process().destroyForcibly().onExit().join();
            }
        }
    }

    @Test
    void shouldCarryOutAtMostOnceAndReportEachInJava() throws Exception {
        final String libraries = where(PmDevice.class) + ":" + where(DirectBuffer.class);
        final Path source = ROOT.resolve("examples/src/main/java/io/hxb/example/Service.java");
        final String[] arguments = {
            "-proc:none", "-cp", libraries, "-d", folder.toString(), source.toString()
        };
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments));
        final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final String access = "--enable-native-access=ALL-UNNAMED";
        final String classPath = folder + ":" + libraries;
        program =
                List.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        access,
                        "-cp",
                        classPath,
                        "io.hxb.example.Service");
        shouldCarryOutAtMostOnceAndReportEach("Java");
    }

    private static Path where(final Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void shouldCarryOutAtMostOnceAndReportEachInC() throws Exception {
        LibHxb.build(Build.PLAIN, "libhxb.so", "service");
        program = List.of(Build.PLAIN.file("service").toString());
        shouldCarryOutAtMostOnceAndReportEach("C");
    }

    private void shouldCarryOutAtMostOnceAndReportEach(final String language) throws Exception {
        // given
        final Path served = folder.resolve("served.txt");
        final Path news = folder.resolve("news.txt");
        service = start(0, served, news);
        for (int node = 1; node < NODES; node++) {
            startClient(node);
        }
        awaitReplies("at first");
        // when
        for (int kill = 0; kill < KILLS; kill++) {
            final int node = kill % NODES;
            nodes[node].process().destroyForcibly().waitFor();
            startNode(node);
            awaitNode(node);
            if (kill % 5 == 4 || kill == KILLS - 1) {
                clients[3].process().destroyForcibly().waitFor();
                killed.add(clients[3].output());
                startClient(3);
            }
            awaitReplies("after SIGKILL " + (kill + 1) + ", of node " + node);
        }
        // then
        final Set<String> done = new HashSet<>();
        final Counts counts = new Counts(done);
        for (int node = 1; node < NODES; node++) {
            counts.addAsked(finish(node));
        }
        for (final String line : Files.readAllLines(served)) {
            assertTrue(done.add(line.substring("did ".length())), line + " twice");
        }
        for (int node = 1; node < NODES; node++) {
            counts.add(clients[node].output());
        }
        for (final Path output : killed) {
            counts.add(output);
        }
        assertEquals(counts.asked, counts.reported, "requests whose end was not reported");
        assertTrue(Files.readString(news).contains("client 13 is gone"), () -> read(news));
        System.out.printf(
                "%s: %d SIGKILLs, %d carried out; of %d asked %d ok, %d may be done, %d not done;"
                        + " slowest until all are served again %.1f s %s%n",
                language,
                KILLS,
                done.size(),
                counts.asked,
                counts.ok,
                counts.mayBeDone,
                counts.notDone,
                slowestNs / 1e9,
                counts.reasons);
    }

    /** What has become of requests. */
    private static final class Counts {
        private final Set<String> done;
        private long asked;
        private long reported;
        private long ok;
        private long mayBeDone;
        private long notDone;
        private final Map<String, Integer> reasons = new TreeMap<>();

        Counts(final Set<String> done) {
            this.done = done;
        }

        void addAsked(final long count) {
            asked += count;
        }

        void add(final Path output) throws IOException {
            final boolean hasEnded = Files.readString(output).contains("asked ");
            for (final String line : Files.readAllLines(output)) {
                final String id = line.split(" ", 2)[0];
                final String why = line.substring(id.length());
                if (!why.equals(" ok") && why.contains(": ")) {
                    reasons.merge(why, 1, Integer::sum);
                }
                if (line.endsWith(" ok")) {
                    assertTrue(done.contains(id), line);
                    ok++;
                } else if (line.contains(" not done: ")) {
                    assertFalse(done.contains(id), line);
                    notDone++;
                } else if (line.contains(" may be done: ")) {
                    mayBeDone++;
                } else {
                    continue;
                }
                reported += hasEnded ? 1 : 0;
            }
        }
    }

    private Process start(
            final int node, final Path output, final Path errors, final String... arguments)
            throws IOException {
        final List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(output.toFile())
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("HXB_"));
        builder.environment().put("HXB_SOCKET", folder + "/rpclab-" + node + ".sock");
        return builder.start();
    }

    private void startClient(final int node) throws IOException {
        final Path output = Files.createTempFile(folder, "client", ".txt");
        final String context = Integer.toString(10 + node);
        final String pauseMs = Integer.toString(PAUSES_MS[node]);
        final Path errors = folder.resolve("errors.txt");
        clients[node] = new Client(start(node, output, errors, context, pauseMs), output);
    }

    /** Waits until each client has a reply to something that it has asked from now on. */
    private void awaitReplies(final String when) {
        final long startNs = System.nanoTime();
        for (int node = 1; node < NODES; node++) {
            final Client client = clients[node];
            final long before = client.replies();
            // The first may have been on its way already.
            while (client.replies() < before + 2) {
                if (!client.process().isAlive()
                        || System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(LIMIT_S)) {
                    fail(when + " client " + node + " has no replies: " + describe());
                }
                LockSupport.parkNanos(20_000_000);
            }
        }
        slowestNs = Math.max(slowestNs, System.nanoTime() - startNs);
    }

    private String describe() {
        final StringBuilder text = new StringBuilder(read(folder.resolve("news.txt")));
        text.append(read(folder.resolve("errors.txt")));
        for (int node = 0; node < NODES; node++) {
            text.append("node ").append(node).append(": ").append(nodes[node].output());
            text.append(nodes[node].errors());
            if (clients[node] != null) {
                final List<String> lines = read(clients[node].output()).lines().toList();
                text.append(lines.subList(Math.max(0, lines.size() - 3), lines.size()));
            }
        }
        return text.toString();
    }

    private static String read(final Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets a client end; the number of requests that it has made. */
    private long finish(final int node) throws Exception {
        final Process process = clients[node].process();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), this::describe);
        final List<String> lines = Files.readAllLines(clients[node].output());
        final String last = lines.isEmpty() ? "" : lines.getLast();
        assertTrue(last.startsWith("asked "), this::describe);
        return Long.parseLong(last.substring("asked ".length()));
    }
}
