package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.pm.PmDevice;
import io.hxb.testing.RemovedFolder;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A lab that stays, its nodes in processes of their own, used by other commands. */
@Tag("system")
class LabUpSystemTest {
    private static final int MAX_LOOKS = 100;

    @TempDir private static Path folder;

    private final String name = "u" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab", "down", "--all")) {
            down.status();
        }
    }

    @Test
    void shouldServeOtherCommandsUntilItIsTakenDown() throws Exception {
        // given
        try (HxbProcess up =
                hxb(
                        "lab",
                        "up",
                        "--shape",
                        "2",
                        "--links",
                        "2",
                        "--backend",
                        "udp",
                        "--processes",
                        "--name",
                        name,
                        "--json")) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
            assertEquals(true, up.json().get("ok"));
        }
        final Path file = folder.resolve("run/labs/" + name + "/cluster.yaml");

        // when, then: ping, perf and stat find it
        try (HxbProcess ping =
                run("ping", "1", "--name", name, "--count", "50", "--flood", "--json")) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            assertEquals(100, ping.json().get("messages"));
            checkWays(ping);
        }
        checkPerf();
        checkTrace();
        try (HxbProcess stat = run("stat", "--name", name, "--json")) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            assertEquals(2, nodes.size());
            assertEquals("running", ((Map<?, ?>) nodes.getFirst()).get("state"));
        }

        try (HxbProcess stat =
                run("stat", "--name", name, "--per-link", "--interval", "0.2", "--count", "2")) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            assertTrue(stat.output().contains("link, in all"), stat::output);
            assertTrue(stat.output().contains("link, a second"), stat::output);
            assertTrue(stat.output().contains("x.1"), stat::output);
        }
        checkTop();
        checkTopOfOtherMachines(file);
        checkCounterNames();

        // and: a second node on the same socket is refused, and the first goes on
        try (HxbProcess second = hxb("node", "--config", file.toString(), "--node", "0")) {
            assertEquals(ExitStatus.FAILED, second.status(), second::output);
            assertTrue(second.errors().contains("hxb:"), second::errors);
        }
        try (HxbProcess ping = run("ping", "1", "--name", name, "--count", "5", "--flood")) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            assertTrue(ping.output().contains("0 -> 1 via 0 x."), ping::output);
        }

        // and: its folder goes, and comes back
        checkRemovedFolder(file);

        // and: a node that was killed is dead from then on
        checkKilledNode();

        // and: it goes without a trace
        try (HxbProcess down = run("lab", "down", "--name", name)) {
            assertEquals(ExitStatus.OK, down.status(), down::errors);
        }
        checkNoTrace();
    }

    private void checkTrace() throws Exception {
        try (HxbProcess trace = run("trace", "1", "--name", name, "--interval", "1ms", "--json")) {
            assertEquals(ExitStatus.OK, trace.status(), trace::errors);
            assertEquals(20, trace.json().get("arrived"));
            final Map<?, ?> hop = (Map<?, ?>) ((List<?>) trace.json().get("hops")).getFirst();
            assertEquals("1", hop.get("node"));
            assertEquals(20, hop.get("frames"));
        }
    }

    private static void checkWays(final HxbProcess ping) {
        final Map<?, ?> pair = (Map<?, ?>) ((List<?>) ping.json().get("ways")).getFirst();
        assertEquals("0", pair.get("from"));
        assertEquals("1", pair.get("to"));
        final List<?> ways = (List<?>) pair.get("ways");
        assertFalse(ways.isEmpty(), ping::output);
        int frames = 0;
        for (final Object each : ways) {
            final Map<?, ?> way = (Map<?, ?>) each;
            assertTrue(way.get("path").toString().matches("0 x\\.[01] 1"), ping::output);
            frames += ((Number) way.get("frames")).intValue();
        }
        assertEquals(20, frames, ping::output);
    }

    private void checkPerf() throws Exception {
        try (HxbProcess perf =
                hxb(
                        "perf",
                        "1",
                        "--name",
                        name,
                        "--warmup",
                        "0",
                        "--seconds",
                        "0.3",
                        "--size",
                        "64",
                        "--json")) {
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            assertEquals(0, perf.json().get("lost"));
        }
    }

    private void checkNoTrace() {
        assertFalse(Files.exists(folder.resolve("run/labs")), "files and logs of the lab");
        assertEquals(
                0,
                ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.contains(folder.resolve("run/labs") + "/"))
                        .count());
    }

    private void checkCounterNames() throws Exception {
        final String label = "{link=\"x.0\"}";
        try (HxbProcess stat = run("stat", "--name", name)) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            assertTrue(stat.output().contains("hxb_link_sent_frames" + label), stat::output);
            assertTrue(stat.output().contains("{dimension=\"x\"}"), stat::output);
        }
        try (HxbProcess stat = run("stat", "--name", name, "--json")) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) stat.json().get("nodes")).getFirst();
            final Map<?, ?> counters = (Map<?, ?>) node.get("counters");
            assertTrue(counters.containsKey("hxb_link_sent_frames" + label), stat::output);
        }
    }

    private void checkKilledNode() throws Exception {
        final LabState lab = new LabRegistry(folder.resolve("run/labs")).require(name);
        final ProcessHandle process = ProcessHandle.of(lab.nodePids().get(1)).orElseThrow();
        process.destroyForcibly();
        process.onExit().get(60, TimeUnit.SECONDS);
        try (HxbProcess stat = run("stat", "--name", name, "--node", "1", "--json")) {
            stat.status();
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            assertEquals("dead", ((Map<?, ?>) nodes.getLast()).get("state"));
        }
        try (HxbProcess status = run("lab", "status", "--json")) {
            assertEquals(ExitStatus.OK, status.status(), status::errors);
            assertEquals(Map.of(name, List.of(1)), status.json().get("dead_nodes"));
        }
    }

    @Test
    void shouldSuggestCommandsThatWork() throws Exception {
        // given
        final List<String> commands;
        try (HxbProcess up =
                hxb("lab", "up", "--shape", "2x2", "--backend", "udp", "--name", name)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
            commands = up.output().lines().filter(line -> line.startsWith("  hxb ")).toList();
        }

        // when, then
        assertEquals(4, commands.size());
        for (final String command : commands) {
            final String[] words = command.strip().split(" ", -1);
            try (HxbProcess hxb = hxb(Arrays.copyOfRange(words, 1, words.length))) {
                assertEquals(
                        ExitStatus.OK, hxb.status(), () -> command + hxb.output() + hxb.errors());
            }
        }
        checkNoTrace();
    }

    @Test
    void shouldLogLinksThatFailInALabOfOneProcess() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: making network namespaces needs root");
        // given
        try (HxbProcess up = hxb("lab", "up", "--shape", "2", "--backend", "raw", "--name", name)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }

        // when
        Shell.check(
                "",
                List.of(
                        "ip",
                        "-n",
                        LabNames.namespace(name, 0),
                        "link",
                        "set",
                        LabNames.nic(0, 1),
                        "down"));

        // then
        final Path log = folder.resolve("run/labs/" + name + ".log");
        try (HxbProcess top = hxb("top", "--name", name)) {
            top.await(
                    "a line in " + log,
                    () ->
                            text(log)
                                    .lines()
                                    .anyMatch(
                                            line ->
                                                    line.matches(
                                                                    "20\\d\\d-.* WARN .*x\\.1 of"
                                                                            + " \\(0\\).*")
                                                            && line.contains("excluded")));
        }
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last link of a node, as the last line of top has it. */
    private static Map<?, ?> lastLink(final HxbProcess top, final int index) {
        final Map<?, ?> node = (Map<?, ?>) ((List<?>) top.json().get("nodes")).get(index);
        assertEquals("running", node.get("state"), top::output);
        return (Map<?, ?>) ((List<?>) node.get("links")).getLast();
    }

    /**
     * Runs top until it shows the last link of a node as good: one whose nodes find no CPU is
     * excluded for a moment.
     */
    private static HxbProcess topWithGoodLink(final int index, final String... command)
            throws Exception {
        for (int tries = 0; true; tries++) {
            final HxbProcess top = run(command);
            assertEquals(ExitStatus.OK, top.status(), top::errors);
            final Map<?, ?> link = lastLink(top, index);
            final Object weight = link.get("weight_percent");
            if (link.get("state").equals("good") && (weight == null || weight.equals(100))) {
                return top;
            }
            assertTrue(tries < MAX_LOOKS, top::output);
        }
    }

    private void checkTop() throws Exception {
        try (HxbProcess top =
                topWithGoodLink(
                        0, "top", "--name", name, "--interval", "0.1", "--count", "2", "--json")) {
            assertEquals(2, top.output().lines().count());
            assertEquals("x.1", lastLink(top, 0).get("link"));
            assertEquals(100, lastLink(top, 0).get("weight_percent"));
        }
        try (HxbProcess top = run("top", "--name", name, "--interval", "0.1", "--count", "1")) {
            assertEquals(ExitStatus.OK, top.status(), top::errors);
            assertTrue(top.output().contains("last reason"), top::output);
        }
    }

    /** Without the counters of node 1 on this machine, what node 0 has heard of it is shown. */
    private void checkTopOfOtherMachines(final Path file) throws Exception {
        final Path other = onlyNodeZero(file);
        try (HxbProcess top =
                topWithGoodLink(
                        1,
                        "top",
                        "--cluster",
                        "--config",
                        other.toString(),
                        "--interval",
                        "0.1",
                        "--count",
                        "1",
                        "--json")) {
            final List<?> nodes = (List<?>) top.json().get("nodes");
            assertEquals(true, ((Map<?, ?>) nodes.getFirst()).get("local"));
            final Map<?, ?> node = (Map<?, ?>) nodes.getLast();
            assertEquals(1, node.get("node"), top::output);
            assertEquals(false, node.get("local"));
        }
    }

    /** A cluster file whose folder of counters has those of node 0 alone. */
    private static Path onlyNodeZero(final Path file) throws IOException {
        final ClusterConfig config = ClusterConfigYaml.read(file);
        final Path other = Files.createDirectory(folder.resolve("other"));
        final String start = config.name() + "-0.";
        try (Stream<Path> files = Files.list(config.attach().countersDirectory())) {
            for (final Path each : files.filter(Files::isRegularFile).toList()) {
                if (each.getFileName().toString().startsWith(start)) {
                    Files.createLink(other.resolve(each.getFileName()), each);
                }
            }
        }
        final AttachConfig attach =
                new AttachConfig(config.attach().directory(), other, List.of(), List.of());
        return Files.writeString(
                other.resolve("cluster.yaml"), ClusterConfigYaml.write(config.withAttach(attach)));
    }

    /** What happens when a user logs out, or somebody cleans up. */
    private void checkRemovedFolder(final Path file) throws Exception {
        final Path run = folder.resolve("run");
        RemovedFolder.remove(run);
        await(() -> Files.exists(file) && Files.exists(run.resolve("labs/" + name + ".json")));
        final ClusterConfig config = ClusterConfigYaml.read(file);
        for (int node = 0; node < 2; node++) {
            final Path socket = config.socketPath(node);
            await(() -> isAttachable(socket));
        }
        await(() -> Files.exists(config.countersPath(1)));
        // programs attach, tools see it
        try (HxbProcess ping = run("ping", "1", "--name", name, "--count", "5", "--flood")) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
        }
        try (HxbProcess status = run("lab", "status", "--json")) {
            assertEquals(ExitStatus.OK, status.status(), status::errors);
            assertEquals(1, ((List<?>) status.json().get("labs")).size(), status::output);
            assertEquals(List.of(), status.json().get("stale"), status::output);
        }
    }

    private static boolean isAttachable(final Path socket) {
        try {
            PmDevice.attach(socket).close();
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    private static void await(final BooleanSupplier condition) {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadlineNs < 0, "after 60 s");
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }

    /** Where nothing depends on the process of the command. */
    private static HxbProcess run(final String... arguments) throws Exception {
        return HxbProcess.run(folder, arguments);
    }
}
