package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.config.TaggerChoice;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.os.NetworkNamespace;
import io.hxb.session.KeyRing;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.RememberingTagger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs of Open MPI on hosts behind real switches, each with a manager: two that call libvfn,
 * and one that was never changed.
 *
 * <pre>
 *      t0     t1       two top switches, so two VLANs; by the plan all pairs take the first
 *      | \\   / |
 *      l0  X   l1      two leaf switches
 *     h0 h1   h2 h3    hosts, each in a network namespace of its own
 * </pre>
 */
@Tag("system")
class MpiRouteSystemTest {
    private static final int HOSTS = 4;
    private static final VlanPlan PLAN = LibVfn.plan();

    @TempDir private static Path folder;

    private static final List<AutoCloseable> RESOURCES = new ArrayList<>();
    private static OvsLab lab;
    private static Path agent;
    private static Path otherSocket;

    @BeforeAll
    static void makeNetwork() throws Exception {
        OvsLab.assumePossible();
        LibVfn.assumePresent("mpicc", "libopenmpi-dev");
        LibVfn.assumePresent("mpirun", "openmpi-bin");
        LibVfn.assumePresent("make", "make");
        LibVfn.build("routes", "unchanged", "libvfnprof.so");
        lab = new OvsLab(PLAN.graph(), Files.createDirectory(folder.resolve("ovs")), true);
        RESOURCES.add(lab);
        final StringBuilder scripts = new StringBuilder();
        SetupMaker.of(PLAN).forEach(setup -> scripts.append(Dialect.parse("ovs").full(setup)));
        lab.run(scripts.toString());
        for (int host = 0; host < HOSTS; host++) {
            startManager(host);
        }
        // a manager of another plan, which has no NIC
        final ManagerServer other =
                new ManagerServer(
                        TestManager.of(TestManager.table(3), new RememberingTagger()),
                        KeyRing.NONE,
                        0);
        RESOURCES.add(other);
        otherSocket = folder.resolve("other.sock");
        other.listen(otherSocket, uid -> true);
        writeAgent();
    }

    private static Path run(final int host) {
        return folder.resolve("r" + host);
    }

    private static Path socket(final int host) {
        return run(host).resolve("manager.sock");
    }

    private static void startManager(final int host) throws IOException {
        Files.createDirectory(run(host));
        RESOURCES.add(
                NetworkNamespace.run(
                        lab.namespace(host),
                        () ->
                                VirtualNic.start(
                                        new VirtualNic.Options(
                                                HostTable.of(PLAN),
                                                -1,
                                                List.of("eth0"),
                                                socket(host),
                                                uid -> true,
                                                null,
                                                KeyRing.NONE,
                                                null,
                                                TaggerChoice.KERNEL,
                                                null,
                                                0,
                                                () -> PLAN,
                                                PathHealthConfig.OFF))));
    }

    /** What mpirun takes for ssh: runs a command on a "host", under a host name of its own. */
    private static void writeAgent() throws IOException {
        final StringBuilder script = new StringBuilder("#!/bin/sh\ncase \"$1\" in\n");
        for (int host = 0; host < HOSTS; host++) {
            script.append(
                    "%s) run=%s space=%s name=h%d ;;\n"
                            .formatted(
                                    HostPlace.address(host), run(host), lab.namespace(host), host));
        }
        script.append("*) exit 1 ;;\nesac\nshift\n")
                .append("exec env HXB_RUN=$run ip netns exec $space unshare -u")
                .append(" sh -c \"hostname $name; $*\"\n");
        agent = folder.resolve("agent");
        Files.writeString(agent, script);
        Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    }

    @AfterAll
    static void removeNetwork() throws Exception {
        for (final AutoCloseable resource : RESOURCES.reversed()) {
            resource.close();
        }
    }

    /**
     * Runs a program on all hosts, ranks dealt to them in their order; what it and mpirun print.
     */
    private static String mpirun(final String slots, final int ranks, final String program)
            throws IOException, InterruptedException {
        final List<String> hosts = new ArrayList<>();
        final String[] slotsOf = slots.split(" ", -1);
        for (int host = 0; host < slotsOf.length; host++) {
            if (!slotsOf[host].equals("0")) {
                hosts.add(HostPlace.address(host) + ":" + slotsOf[host]);
            }
        }
        final String command =
                String.format(
                        "hostname h0; exec timeout 100 mpirun --allow-run-as-root --bind-to none"
                                + " --mca plm_rsh_agent %s --mca oob_tcp_if_include eth0 --mca pml"
                                + " ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca"
                                + " mpi_yield_when_idle 1 --host %s -n %d %s",
                        agent, String.join(",", hosts), ranks, program);
        final ProcessBuilder builder =
                new ProcessBuilder(
                        "ip",
                        "netns",
                        "exec",
                        lab.namespace(0),
                        "unshare",
                        "-u",
                        "sh",
                        "-c",
                        command);
        builder.environment().put("HXB_RUN", run(0).toString());
        final Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static ManagerMessage ask(
            final ManagerClient client, final ManagerOperation operation, final int index)
            throws IOException {
        client.request(operation).index(index).peerHost(index);
        final ManagerMessage reply = client.exchange();
        assertEquals(Status.OK.code(), reply.status());
        return reply;
    }

    private static void awaitPaths(final int host) throws IOException {
        try (ManagerClient client = ManagerClient.connect(socket(host))) {
            for (int peer = 0; peer < HOSTS; peer++) {
                final int other = peer;
                if (peer != host) {
                    TestNamespaces.await(
                            "h" + host + " sends to h" + other + " by the plan again",
                            () -> {
                                try {
                                    return ask(client, ManagerOperation.GET, other).vid()
                                            == PLAN.vid(0);
                                } catch (final IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
                }
            }
        }
    }

    /** Bytes that hosts 0 and 1 have sent in the VID that no pair takes by the plan. */
    private static long sentOtherwise() throws IOException {
        long bytes = 0;
        for (int host = 0; host < 2; host++) {
            try (ManagerClient client = ManagerClient.connect(socket(host))) {
                bytes += ask(client, ManagerOperation.VID_TRAFFIC, 1).value(0);
            }
        }
        return bytes;
    }

    @Test
    void shouldSetMeasureAndRestorePathsForProgramsInC() throws Exception {
        final String output =
                mpirun("2 1 1 1", 5, LibVfn.file("routes") + " " + otherSocket.toAbsolutePath());
        assertTrue(output.contains("routes: 0 failures"), output);
        for (int host = 0; host < HOSTS; host++) {
            awaitPaths(host);
        }
    }

    @Test
    void shouldSetPathsForProgramsInFortranAndUndoThemWhenTheyEnd() throws Exception {
        LibVfn.assumePresent("gfortran", "gfortran");
        LibVfn.build("froutes");
        final long before = sentOtherwise();
        final String output = mpirun("1 0 1", 2, LibVfn.file("froutes").toString());
        assertTrue(output.contains("froutes: rank 0: 0 failures"), output);
        assertTrue(output.contains("froutes: rank 1: 0 failures"), output);
        assertTrue(sentOtherwise() > before, "frames have taken the path that was set");
        awaitPaths(0);
        awaitPaths(2);
    }

    @Test
    void shouldFindPathsForProgramsThatWereNeverChanged() throws Exception {
        final long before = sentOtherwise();
        final String preloaded =
                "-x LD_PRELOAD=%s -x VFN_VERBOSE=1 %s 150"
                        .formatted(LibVfn.file("libvfnprof.so"), LibVfn.file("unchanged"));
        final String output = mpirun("1 1 1 1", 4, preloaded);
        assertTrue(output.contains("libvfnprof: paths of "), output);
        assertTrue(sentOtherwise() - before > 1_000_000, "of 20 MB of one of two pairs: " + output);
        for (int host = 0; host < HOSTS; host++) {
            awaitPaths(host);
        }
    }
}
