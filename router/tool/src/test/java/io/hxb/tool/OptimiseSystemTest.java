package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.manager.VirtualNic;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.KeyRing;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;
import io.hxb.vlan.HostTable;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code hxb optimise} on real switches: host 0 sends to hosts 2 and 3, whose frames take one link
 * of two until a pair is moved.
 */
@Tag("system")
class OptimiseSystemTest {
    private static final int BETWEEN = -1;
    private static final int PORT = 9_999;
    private static final int BYTES = 1_000;

    @TempDir private Path folder;

    private final List<AutoCloseable> resources = new ArrayList<>();
    private final List<DatagramSocket> sockets = new ArrayList<>();
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

    private void makePlan() throws IOException {
        planFile = folder.resolve("net.plan").toString();
        ok("plan vlan --graph vbft:2,2 --hosts-per-switch 2 --kind host-tagged --save", planFile);
        plan = SavedPlan.read(planFile);
    }

    private void makeNetwork() throws IOException {
        makePlan();
        lab = new OvsLab(plan.graph(), Files.createDirectory(folder.resolve("ovs")), true);
        resources.add(lab);
        final StringBuilder scripts = new StringBuilder();
        SetupMaker.of(plan).forEach(setup -> scripts.append(Dialect.parse("ovs").full(setup)));
        lab.run(scripts.toString());
        for (int host = 0; host < plan.graph().hostCount(); host++) {
            final int number = host;
            resources.add(
                    NetworkNamespace.run(
                            lab.namespace(host),
                            () ->
                                    VirtualNic.start(
                                            new VirtualNic.Options(
                                                    HostTable.of(plan),
                                                    number,
                                                    List.of("eth0"),
                                                    socket(number),
                                                    uid -> true,
                                                    null,
                                                    KeyRing.NONE,
                                                    null,
                                                    TaggerChoice.AUTO,
                                                    null,
                                                    0,
                                                    null,
                                                    // A pair that leaves a path which is late for
                                                    // lack of a CPU has not been moved by the
                                                    // server.
                                                    PathHealthConfig.OFF))));
            sockets.add(
                    NetworkNamespace.run(
                            lab.namespace(host),
                            () ->
                                    new DatagramSocket(
                                            new InetSocketAddress(
                                                    InetAddress.getByName(
                                                            HostPlace.address(number)),
                                                    PORT))));
            resources.add(sockets.getLast());
        }
    }

    private Path socket(final int host) {
        return folder.resolve("h" + host + ".sock");
    }

    private String managers() {
        return socket(0) + "," + socket(1) + "," + socket(2) + "," + socket(3);
    }

    private HxbProcess server(final String name, final String... more) throws IOException {
        final List<String> words =
                new ArrayList<>(
                        List.of(
                                "optimise",
                                "--json",
                                "--plan",
                                planFile,
                                "--manager",
                                managers(),
                                "--interval",
                                "200ms",
                                "--lease",
                                "2s",
                                "--hold-down",
                                "0",
                                "--min-load",
                                "80kbit",
                                "--socket",
                                folder.resolve(name).toString()));
        words.addAll(List.of(more));
        final HxbProcess process = HxbProcess.start(folder, words.toArray(String[]::new));
        resources.add(process);
        return process;
    }

    /** Host 0 sends as much to host 2 as to host 3. */
    private void send() {
        try {
            for (final int to : new int[] {2, 3}) {
                for (int i = 0; i < 20; i++) {
                    sockets.getFirst()
                            .send(
                                    new DatagramPacket(
                                            new byte[BYTES],
                                            BYTES,
                                            new InetSocketAddress(HostPlace.address(to), PORT)));
                }
            }
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** VID of frames from one host to another, as the manager of the first reports. */
    private int vid(final int host, final int peer) {
        final Map<?, ?> report =
                Json.parse(
                        ok("route show --json --manager", socket(host).toString(), "h" + peer)
                                .text(),
                        Map.class,
                        "show");
        final Map<?, ?> route = (Map<?, ?>) ((List<?>) report.get("routes")).getFirst();
        return (Integer) route.get("vid");
    }

    /** So many pairs have moved, while nothing changes. */
    private void expectMoved(final int count) {
        assertEquals(count, movedByNow(), this::paths);
    }

    private String paths() {
        final StringBuilder text =
                new StringBuilder("paths, where -1 are moved at one end alone\n");
        for (int host = 0; host < plan.graph().hostCount(); host++) {
            text.append("of host ").append(host).append('\n');
            text.append(hxb("route show --manager", socket(host).toString()).text());
        }
        for (final String name : List.of("a.sock", "b.sock")) {
            text.append(hxb("optimise explain --socket", folder.resolve(name).toString()).text());
        }
        return text.toString();
    }

    /** The same while paths may change: the two ends of a pair are asked one after the other. */
    private int movedByNow() {
        int moved = 0;
        for (final int peer : new int[] {2, 3}) {
            final int vid = vid(0, peer);
            if (vid != vid(peer, 0)) {
                return BETWEEN;
            }
            moved += vid == plan.vid(plan.vlanOf(0, peer)) ? 0 : 1;
        }
        return moved;
    }

    @Test
    void shouldMoveAPairOffTheLinkThatTwoShare() throws Exception {
        OvsLab.assumePossible();
        try {
            makeNetwork();
            final String place = folder.resolve("a.sock").toString();
            final HxbProcess first = server("a.sock");
            first.await(
                    "a change",
                    () -> {
                        send();
                        return first.output().contains("\"words\":\"h0 and h");
                    });
            // then: one of the two, at both ends
            expectMoved(1);
            checkFunctions(place);
            checkSecondServer(first);
        } finally {
            for (final AutoCloseable resource : resources.reversed()) {
                resource.close();
            }
        }
    }

    private void checkFunctions(final String place) {
        final String status = ok("optimise status --socket", place).text();
        assertTrue(status.contains("leading: 4 of 4 hosts"), status);
        final String explained = ok("optimise explain --socket", place).text();
        assertTrue(explained.contains("are expected"), explained);
        final String metrics = ok("optimise status --prometheus --socket", place).text();
        assertTrue(metrics.contains("hxb_optimise_changes_total 1.0\n"), metrics);
        assertTrue(metrics.contains("hxb_optimise_hosts{state=\"ready\"} 4.0\n"), metrics);
        // when, then: stopped, and started
        assertTrue(ok("optimise stop --keep --socket", place).text().contains("stopped"));
        expectMoved(1);
        assertTrue(ok("optimise stop --socket", place).text().contains("stopped"));
        expectMoved(0);
        assertTrue(ok("optimise start --socket", place).text().contains("leading"));
    }

    private void checkSecondServer(final HxbProcess first) throws Exception {
        final HxbProcess second = server("b.sock");
        second.await("the second", () -> second.output().contains("\"state\":\"waiting\""));
        first.await(
                "a change again",
                () -> {
                    send();
                    return movedByNow() == 1;
                });
        expectMoved(1);
        // when: the first one is killed
        first.process().destroyForcibly().waitFor();
        // then: its change is undone, and the second makes one
        second.await(
                "the second leads",
                () -> {
                    send();
                    return second.output().contains("\"words\":\"h0 and h");
                });
        expectMoved(1);
        // when: that one ends in good order
        second.process().destroy();
        second.status();
        // then
        expectMoved(0);
        assertFalse(second.errors().contains("Exception"), second::errors);
    }

    @Test
    void shouldReportInWordsWhatIsWrong() throws Exception {
        makePlan();
        final String other = folder.resolve("other.plan").toString();
        ok("plan vlan --graph vbft:2,2 --hosts-per-switch 2 --kind switch-tagged --save", other);
        final Path list = Files.writeString(folder.resolve("list"), "# none\n\n");
        wrong("optimise", "--plan FILE is missing");
        wrong("optimise --manager /x --plan " + other, "--kind host-tagged");
        wrong("optimise --plan " + planFile, "no manager is named");
        wrong("optimise --plan " + planFile + " --managers " + list, "no manager is named");
        wrong("optimise --manager /x,/x --plan " + planFile, "named twice");
        wrong("optimise --manager x --plan " + planFile, "must be ADDRESS:PORT");
        wrong("optimise --manager /x --gain 0 --plan " + planFile, "above 0 and below 1");
        wrong("optimise --manager /x --intervals 0 --plan " + planFile, "1..60");
        wrong("optimise --manager /x --max-changes 0 --plan " + planFile, "1 or more");
        wrong("optimise --manager /x --interval 5s --plan " + planFile, "three times --interval");
        wrong("optimise --manager /x --min-load 5 --plan " + planFile, "must be a rate");
        final String gone = folder.resolve("gone.sock").toString();
        final HxbOutput nobody = hxb("optimise status --socket", gone);
        assertEquals(ExitStatus.FAILED, nobody.status());
        assertTrue(nobody.errors().contains("no management server answers"), nobody.errors());
        // when: nobody answers, and the output is a full device
        final String place = folder.resolve("c.sock").toString();
        final HxbOutput alone =
                ok(
                        "optimise --count 2 --interval 50ms --manager /nowhere --plan",
                        planFile,
                        "--socket",
                        place);
        // then
        assertTrue(alone.text().contains("manager /nowhere: absent: no manager"), alone.text());
        assertFalse(Files.exists(Path.of(place)));
        checkFullDevice(place);
    }

    private void wrong(final String command, final String words) {
        final HxbOutput output = hxb(command);
        assertEquals(ExitStatus.USAGE, output.status(), () -> command + output.errors());
        assertTrue(output.errors().contains(words), output::errors);
        assertFalse(output.errors().contains("\tat "), output::errors);
    }

    private void checkFullDevice(final String place) throws IOException, InterruptedException {
        TestNamespaces.assumeRoot();
        final HxbProcess full =
                HxbProcess.start(
                        folder,
                        List.of("sh", "-c", "exec \"$@\" >/dev/full <&-", "sh"),
                        "optimise",
                        "--manager",
                        "/nowhere",
                        "--plan",
                        planFile,
                        "--socket",
                        place);
        try (full) {
            assertEquals(ExitStatus.FAILED, full.status());
            assertTrue(full.errors().contains("No space left"), full::errors);
        }
        assertFalse(Files.exists(Path.of(place)));
    }
}
