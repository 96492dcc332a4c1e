package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.VirtualNic;
import io.hxb.os.Capabilities;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.KeyRing;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.TapTagger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Managers that tag by a TAP device beside others that tag in the kernel. */
@Tag("system")
class TapManagerSystemTest {
    private static final int KERNEL_HOST = 0;
    private static final int TAP_HOST = 1;
    private static final int BYTES = 1_000_000;
    private static final int CONNECT_MS = 30_000;

    @TempDir private Path folder;

    private final List<AutoCloseable> resources = new ArrayList<>();
    private VlanPlan plan;
    private String near;
    private String far;

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
    }

    private String makePlan() throws IOException {
        final String file = folder.resolve("net.plan").toString();
        final HxbOutput output =
                HxbOutput.of(
                        "plan",
                        "vlan",
                        "--graph",
                        "vbft:2,2",
                        "--hosts-per-switch",
                        "1",
                        "--kind",
                        "host-tagged",
                        "--save",
                        file);
        assertEquals(ExitStatus.OK, output.status(), output::errors);
        plan = SavedPlan.read(file);
        return file;
    }

    private Path socket(final int host) {
        return folder.resolve("h" + host + ".sock");
    }

    private VirtualNic manager(final String namespace, final int host, final TaggerChoice tagger)
            throws IOException {
        final VirtualNic started =
                NetworkNamespace.run(
                        namespace, () -> VirtualNic.start(options(host, tagger, null)));
        resources.add(started);
        return started;
    }

    private VirtualNic.Options options(final int host, final TaggerChoice tagger, final Path pins) {
        return new VirtualNic.Options(
                HostTable.of(plan),
                -1,
                List.of("eth0"),
                socket(host),
                uid -> true,
                null,
                KeyRing.NONE,
                null,
                tagger,
                pins,
                0,
                () -> plan,
                PathHealthConfig.DEFAULT);
    }

    /** Sends to a host that counts, and answers with the count. */
    private static void transfer(final String from, final String to, final String address) {
        try (ServerSocket server =
                NetworkNamespace.run(
                        to, () -> new ServerSocket(0, 1, InetAddress.getByName(address)))) {
            final CompletableFuture<Integer> counted =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try (Socket socket = server.accept()) {
                                    return socket.getInputStream().readAllBytes().length;
                                } catch (final IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
            final InetSocketAddress place = new InetSocketAddress(address, server.getLocalPort());
            NetworkNamespace.run(
                    from,
                    () -> {
                        try (Socket socket = new Socket()) {
                            socket.connect(place, CONNECT_MS);
                            socket.getOutputStream().write(new byte[BYTES]);
                        }
                        return null;
                    });
            assertEquals(BYTES, counted.join());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long heardVid(final int here, final int peer) {
        try (ManagerClient client = ManagerClient.connect(socket(here))) {
            client.request(ManagerOperation.GET).peerHost(peer);
            return client.exchange().value(1);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Probes that a busy machine delays move a pair for a moment. */
    private void awaitHeard(final int vid) {
        TestNamespaces.await(
                () ->
                        "VID %d: %d, %d"
                                .formatted(
                                        vid,
                                        heardVid(TAP_HOST, KERNEL_HOST),
                                        heardVid(KERNEL_HOST, TAP_HOST)),
                () ->
                        heardVid(TAP_HOST, KERNEL_HOST) == vid
                                && heardVid(KERNEL_HOST, TAP_HOST) == vid);
    }

    @Test
    void shouldCarryTcpThroughRealSwitchesBetweenBothWaysOfTagging() throws Exception {
        OvsLab.assumePossible();
        // given
        makePlan();
        final OvsLab lab =
                new OvsLab(plan.graph(), Files.createDirectory(folder.resolve("ovs")), true);
        resources.add(lab);
        final StringBuilder scripts = new StringBuilder();
        SetupMaker.of(plan).forEach(setup -> scripts.append(Dialect.parse("ovs").full(setup)));
        lab.run(scripts.toString());
        final String kernelHost = lab.namespace(KERNEL_HOST);
        final String tapHost = lab.namespace(TAP_HOST);
        manager(kernelHost, KERNEL_HOST, TaggerChoice.KERNEL);
        final VirtualNic tap = manager(tapHost, TAP_HOST, TaggerChoice.TAP);
        // when
        transfer(kernelHost, tapHost, HostPlace.address(TAP_HOST));
        transfer(tapHost, kernelHost, HostPlace.address(KERNEL_HOST));
        // then
        final int vid = plan.vid(plan.vlanOf(KERNEL_HOST, TAP_HOST));
        awaitHeard(vid);
        // when: the pair takes the other tree
        final int other = plan.vid(1 - plan.vlanOf(KERNEL_HOST, TAP_HOST));
        final HxbOutput set =
                HxbOutput.of(
                        "route",
                        "set",
                        "h0,h1",
                        Integer.toString(other),
                        "--manager",
                        socket(KERNEL_HOST) + "," + socket(TAP_HOST));
        assertEquals(ExitStatus.OK, set.status(), set::errors);
        transfer(tapHost, kernelHost, HostPlace.address(KERNEL_HOST));
        // then
        awaitHeard(other);
        // when
        tap.close();
        // then
        assertFalse(TestNamespaces.info(tapHost, tap.device()).exists());
    }

    private void makePair() {
        TestNamespaces.assumeRoot();
        final TestNamespaces namespaces = new TestNamespaces();
        resources.add(namespaces);
        near = namespaces.add("near");
        far = namespaces.add("far");
        namespaces.veth(near, "eth0", far, "eth0", 1500);
        for (int host = 0; host < 2; host++) {
            TestNamespaces.ipIn(
                    host == 0 ? near : far,
                    "link set eth0 address 02:48:58:42:00:0" + host,
                    "addr add " + HostPlace.address(host) + "/16 dev eth0");
        }
    }

    @Test
    void shouldLeaveTheHostConnectedWhenTheProcessIsKilled() throws Exception {
        // given: a host without BPF by a process of its own, and one that tags in the kernel
        final String file = makePlan();
        makePair();
        final VirtualNic peer = manager(far, 1, TaggerChoice.KERNEL);
        final HxbProcess manager =
                HxbProcess.start(
                        folder,
                        List.of("ip", "netns", "exec", near),
                        "manager",
                        "--json",
                        "--tagger",
                        "tap",
                        "--plan",
                        file,
                        "--nic",
                        "eth0",
                        "--socket",
                        socket(0).toString());
        resources.add(manager);
        manager.await("the manager", () -> manager.output().contains("\"ok\":true"));
        assertTrue(manager.output().contains("\"tagger\":\"tap\""), manager::output);
        transfer(near, far, HostPlace.address(1));
        final String device = TapTagger.deviceName(TestNamespaces.info(near, "eth0").ifindex());
        assertTrue(TestNamespaces.info(near, device).isUp());
        // when
        manager.process().destroyForcibly().waitFor();
        // then
        TestNamespaces.await(
                "the device has gone with it", () -> !TestNamespaces.info(near, device).exists());
        // when: the other host stops tagging, too
        peer.close();
        // then: nobody has to do anything
        transfer(near, far, HostPlace.address(1));
        transfer(far, near, HostPlace.address(0));
    }

    @Test
    void shouldTakeTheDeviceWhereTheKernelIsNotAllowed() throws Exception {
        // given
        makePlan();
        makePair();
        // when: by a thread that may not load programs, nor what it starts
        final VirtualNic auto = startWithoutBpf(near, TaggerChoice.AUTO, null);
        resources.add(auto);
        // then
        assertEquals(
                TapTagger.deviceName(TestNamespaces.info(near, "eth0").ifindex()), auto.device());
        final IOException second =
                assertThrows(
                        IOException.class,
                        () ->
                                NetworkNamespace.run(
                                        near,
                                        () ->
                                                VirtualNic.start(
                                                        options(1, TaggerChoice.KERNEL, null))));
        assertTrue(second.getMessage().contains("another manager has NIC eth0"), second::toString);
        auto.close();
        // when, then: requests for the kernel, or for what only the kernel can, are refused
        for (final Path pins : new Path[] {null, folder}) {
            final IOException e =
                    assertThrows(
                            IOException.class,
                            () ->
                                    startWithoutBpf(
                                            near,
                                            pins == null ? TaggerChoice.KERNEL : TaggerChoice.AUTO,
                                            pins));
            assertTrue(e.getMessage().contains("CAP_BPF"), e::toString);
        }
        final IOException e =
                assertThrows(
                        IOException.class,
                        () ->
                                NetworkNamespace.run(
                                        near,
                                        () ->
                                                VirtualNic.start(
                                                        options(0, TaggerChoice.TAP, folder))));
        assertTrue(e.getMessage().contains("leave out --pin"), e::toString);
        // when: the kernel may
        final VirtualNic kernel = manager(near, 0, TaggerChoice.AUTO);
        // then
        assertEquals(null, kernel.device());
    }

    private VirtualNic startWithoutBpf(
            final String namespace, final TaggerChoice tagger, final Path pins) throws IOException {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    Capabilities.keepOnly(
                            Capabilities.NET_ADMIN
                                    | Capabilities.NET_RAW
                                    | Capabilities.DAC_READ_SEARCH);
                    return VirtualNic.start(options(0, tagger, pins));
                });
    }
}
