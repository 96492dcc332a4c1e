package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.testing.FrameTap;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code hxb manager} and {@code hxb route} on real switches: frames of hosts that know nothing of
 * VLANs take the configured links.
 *
 * <pre>
 *      t0     t1       two top switches, so two VLANs
 *      | \\   / |
 *      l0  X   l1      two leaf switches
 *     h0 h1   h2 h3    hosts, each in a network namespace of its own
 * </pre>
 */
@Tag("system")
class RouteSystemTest {
    private static final int FROM = 0;
    private static final int TO = 2;

    @TempDir private Path folder;

    private final List<AutoCloseable> resources = new ArrayList<>();
    private String planFile;
    private VlanPlan plan;
    private OvsLab lab;

    private HxbOutput hxb(final String command, final String... more) {
        final List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        words.addAll(List.of(more));
        return HxbOutput.of(words.toArray(String[]::new));
    }

    private HxbOutput ok(final String command, final String... more) {
        final HxbOutput output = hxb(command, more);
        assertEquals(ExitStatus.OK, output.status(), () -> command + ": " + output.errors());
        return output;
    }

    private void makeNetwork() throws IOException {
        planFile = folder.resolve("net.plan").toString();
        ok("plan vlan --graph vbft:2,2 --hosts-per-switch 2 --kind host-tagged --save", planFile);
        plan = SavedPlan.read(planFile);
        lab = new OvsLab(plan.graph(), Files.createDirectory(folder.resolve("ovs")), true);
        resources.add(lab);
        final StringBuilder scripts = new StringBuilder();
        SetupMaker.of(plan).forEach(setup -> scripts.append(Dialect.parse("ovs").full(setup)));
        lab.run(scripts.toString());
    }

    private String socket(final int host) {
        return folder.resolve("h" + host + ".sock").toString();
    }

    private HxbProcess manager(final int host, final String... more) throws IOException {
        final List<String> words =
                new ArrayList<>(
                        List.of(
                                "manager",
                                "--json",
                                // A pair that leaves a path which is late for lack of a CPU has
                                // not been moved by a command.
                                "--no-health",
                                "--plan",
                                planFile,
                                "--nic",
                                "eth0",
                                "--socket",
                                socket(host)));
        words.addAll(List.of(more));
        final HxbProcess process =
                HxbProcess.start(
                        folder,
                        List.of("ip", "netns", "exec", lab.namespace(host)),
                        words.toArray(String[]::new));
        resources.add(process);
        return process;
    }

    private static void awaitReady(final HxbProcess process) {
        process.await("the manager", () -> process.output().contains("\"ok\":true"));
    }

    private String both() {
        return socket(FROM) + "," + socket(TO);
    }

    /** Channels between switches that a frame from one host to the other has crossed, by VID. */
    private List<Integer> path(final int vid) {
        final SwitchGraph graph = plan.graph();
        final List<Integer> crossed = new ArrayList<>();
        final int expected =
                plan.tree(vlan(vid)).path(graph.hostSwitch(FROM), graph.hostSwitch(TO)).length;
        for (int tries = 0; tries < 20 && crossed.size() < expected; tries++) {
            final int run = tries + 1;
            lab.hostTap(FROM)
                    .send(
                            SetupMaker.mac(graph, FROM),
                            SetupMaker.mac(graph, TO),
                            FrameTap.NO_TAG,
                            run,
                            vid);
            TestNamespaces.holdsWithin(
                    TimeUnit.SECONDS.toNanos(1),
                    () -> {
                        for (int channel = 0; channel < graph.channelCount(); channel++) {
                            for (final FrameTap.Seen seen : lab.channelTap(channel).receive()) {
                                if (seen.to() == vid && !crossed.contains(channel)) {
                                    assertEquals(vid, seen.vid(), "of the tag");
                                    crossed.add(channel);
                                }
                            }
                        }
                        return crossed.size() >= expected;
                    });
        }
        crossed.sort(null);
        return crossed;
    }

    private int vlan(final int vid) {
        return plan.vid(0) == vid ? 0 : 1;
    }

    private List<Integer> planned(final int vid) {
        final List<Integer> channels = new ArrayList<>();
        for (final int channel :
                plan.tree(vlan(vid))
                        .path(plan.graph().hostSwitch(FROM), plan.graph().hostSwitch(TO))) {
            channels.add(channel);
        }
        channels.sort(null);
        return channels;
    }

    private int programs(final int host) throws IOException {
        return NetworkNamespace.run(
                lab.namespace(host),
                () ->
                        BpfProgram.count(
                                TestNamespaces.info(lab.namespace(host), "eth0").ifindex(),
                                BpfProgram.Hook.EGRESS));
    }

    /** Two programs that know nothing of VLANs: a connection needs frames in both directions. */
    private void connect(final int from, final int to) {
        try (ServerSocket server =
                NetworkNamespace.run(
                        lab.namespace(to),
                        () ->
                                new ServerSocket(
                                        0, 1, InetAddress.getByName(HostPlace.address(to))))) {
            final InetSocketAddress address =
                    new InetSocketAddress(HostPlace.address(to), server.getLocalPort());
            NetworkNamespace.run(
                    lab.namespace(from),
                    () -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(address, 30_000);
                        }
                        return null;
                    });
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldCarryTrafficAlongTheRoutesThatAreSet() throws Exception {
        OvsLab.assumePossible();
        try {
            makeNetwork();
            final Path key = folder.resolve("key");
            ok("key generate", key.toString());
            final HxbProcess from =
                    manager(
                            FROM,
                            "--listen",
                            HostPlace.address(FROM) + ":7070",
                            "--key",
                            key.toString());
            final HxbProcess to = manager(TO);
            awaitReady(from);
            awaitReady(to);
            checkRoutes();
            checkRemote(key);
            checkEnds(from);
        } finally {
            for (final AutoCloseable resource : resources.reversed()) {
                resource.close();
            }
        }
    }

    private void checkRoutes() {
        final int first = plan.vid(plan.vlanOf(FROM, TO));
        final int second = plan.vid(1 - plan.vlanOf(FROM, TO));
        connect(FROM, TO);
        assertEquals(planned(first), path(first));
        // when: both ends change
        final HxbOutput set = ok("route set h0,h2 " + second + " --manager", both());
        // then
        assertTrue(set.text().contains("h0 sends to h2 in VID " + second), set.text());
        assertEquals(planned(second), path(second));
        connect(FROM, TO);
        final Map<?, ?> report =
                Json.parse(
                        ok("route show h2 --json --manager", socket(FROM)).text(),
                        Map.class,
                        "show");
        final Map<?, ?> route = (Map<?, ?>) ((List<?>) report.get("routes")).getFirst();
        assertEquals(second, route.get("vid"));
        assertEquals(second, route.get("heard_vid"));
        assertEquals(false, route.get("half"));
        // when: one end alone goes back
        final HxbOutput half = ok("route reset h2 --manager", socket(FROM));
        // then
        assertTrue(half.text().contains("switches may flood"), half.text());
        assertEquals(first, json("route show h2 --json --manager", socket(FROM)));
        assertTrue(
                ok("route show --traffic --manager", socket(FROM)).text().contains(" half"),
                "h2 was heard last in the other VID");
        ok("route reset --all --manager", both());
        assertEquals(planned(first), path(first));
        checkApply(second);
    }

    private Object json(final String command, final String place) {
        final Map<?, ?> report = Json.parse(ok(command, place).text(), Map.class, command);
        return ((Map<?, ?>) ((List<?>) report.get("routes")).getFirst()).get("vid");
    }

    private void checkApply(final int second) {
        // given: a plan in which the pair takes the other VLAN
        final String better = folder.resolve("better.plan").toString();
        try {
            final String text = Files.readString(Path.of(planFile));
            assertTrue(text.contains("\"exceptions\":[]"), text);
            Files.writeString(
                    Path.of(better),
                    text.replace(
                            "\"exceptions\":[]",
                            "\"exceptions\":[{\"low\":0,\"high\":2,\"vid\":" + second + "}]"));
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        // when, then
        final HxbOutput dry = ok("route apply " + better + " --dry-run --manager", both());
        assertTrue(dry.text().contains("1 of 3 paths would change"), dry.text());
        final HxbOutput done = ok("route apply " + better + " --manager", both());
        assertTrue(done.text().contains("h2: 1 of 3 paths changed"), done.text());
        assertEquals(planned(second), path(second));
        assertTrue(
                ok("route apply " + better + " --manager", both()).text().contains("0 of 3 paths"));
        ok("route reset --all --manager", both());
    }

    private void checkRemote(final Path key) throws Exception {
        final String place = HostPlace.address(FROM) + ":7070";
        // when: another host asks, over the network that it is about
        try (HxbProcess show =
                remote("route", "show", "--json", "--manager", place, "--key", key.toString())) {
            assertEquals(ExitStatus.OK, show.status(), show::errors);
            assertEquals("h0", show.json().get("name"));
        }
        try (HxbProcess show = remote("route", "show", "--manager", place)) {
            assertEquals(ExitStatus.FAILED, show.status());
            assertTrue(show.errors().contains("only with the key"), show::errors);
        }
    }

    private HxbProcess remote(final String... words) throws IOException {
        return HxbProcess.start(folder, List.of("ip", "netns", "exec", lab.namespace(TO)), words);
    }

    private void checkEnds(final HxbProcess manager) throws Exception {
        final int first = plan.vid(plan.vlanOf(FROM, TO));
        final int second = plan.vid(1 - plan.vlanOf(FROM, TO));
        // given: a program that holds a path, and somebody who watches
        final HxbProcess watch =
                HxbProcess.start(
                        folder,
                        "route",
                        "watch",
                        "--count",
                        "2",
                        "--manager",
                        socket(FROM),
                        "--json");
        resources.add(watch);
        watch.await("watching", () -> watch.output().contains("\"ok\":true"));
        final HxbProcess hold =
                HxbProcess.start(
                        folder,
                        "route",
                        "set",
                        "h2",
                        Integer.toString(second),
                        "--hold",
                        "--manager",
                        socket(FROM));
        resources.add(hold);
        hold.await("the path", () -> hold.output().contains("in VID " + second));
        // when: it is killed
        hold.process().destroyForcibly().waitFor();
        // then
        assertEquals(ExitStatus.OK, watch.status(), watch::errors);
        assertEquals(first, json("route show h2 --json --manager", socket(FROM)));
        assertEquals(3, watch.output().lines().count(), watch::output);
        // when: the manager is killed
        assertEquals(1, programs(FROM));
        manager.process().destroyForcibly().waitFor();
        // then
        TestNamespaces.await(
                "nothing is left at the NIC",
                () -> {
                    try {
                        return programs(FROM) == 0;
                    } catch (final IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
        final HxbOutput gone = hxb("route show --manager", socket(FROM));
        assertEquals(ExitStatus.FAILED, gone.status());
        assertTrue(gone.errors().contains("no manager answers at"), gone.errors());
        assertFalse(gone.errors().contains("Exception"), gone.errors());
        // when: it starts again
        awaitReady(manager(FROM));
        // then
        assertEquals(planned(first), path(first));
    }

    @Test
    void shouldReportInWordsWhyAManagerDoesNotStart() throws IOException {
        final String file = folder.resolve("p.plan").toString();
        ok("plan vlan --graph vbft:2,2 --kind switch-tagged --save", file);
        final HxbOutput output = hxb("manager --nic eth0 --plan", file);
        assertEquals(ExitStatus.USAGE, output.status());
        assertTrue(output.errors().contains("--kind host-tagged"), output.errors());
        final HxbOutput missing = hxb("manager --nic eth0 --plan /nowhere");
        assertEquals(ExitStatus.FAILED, missing.status());
        assertTrue(missing.errors().contains("there is no file '/nowhere'"), missing.errors());
    }
}
