package io.hxb.bench.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.Backend;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.Status;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.OpenVswitch;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.lab.switches.SwitchLabSpec;
import io.hxb.tool.machine.Privileges;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The experiments of VFREC-Net on real switches, in short: what they do is right. */
@Tag("system")
class VlanExperimentsSystemTest {
    private static final SwitchGraph GRAPH = Trees.vbft(4, 4, 2);
    private static final int PAIRS = 4;
    private static final int BYSTANDER = 7;
    private static final long RATE_BPS = 10_000_000;
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final long LOOK_NS = 20_000_000;

    @TempDir private Path folder;

    private final String name = "x" + ProcessHandle.current().pid();

    @BeforeEach
    void needsSwitches() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: making network namespaces needs root");
        assumeTrue(OpenVswitch.isInstalled(), "skipped: Open vSwitch is not installed");
    }

    private SwitchLab start() {
        return SwitchLab.start(
                new LabRegistry(folder),
                SwitchLabSpec.of(
                        new LabSpec(
                                name, Shape.of(GRAPH.hostCount()), 1, Backend.RAW, RATE_BPS, 1500),
                        "vbft:4,4",
                        GRAPH,
                        true,
                        false));
    }

    private static void await(final String what, final BooleanSupplier condition) {
        final long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNs < LIMIT_NS, what);
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private static ManagerMessage ask(final ManagerClient client) {
        try {
            final ManagerMessage reply = client.exchange();
            assertEquals(Status.OK.code(), reply.status());
            return reply;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes that came to a host in the second VID of the plan. */
    private static long received(final ManagerClient client) {
        client.request(ManagerOperation.VID_TRAFFIC).index(1);
        return ask(client).value(2);
    }

    private static int vid(final ManagerClient client, final int peer) {
        client.request(ManagerOperation.GET).peerHost(peer);
        return ask(client).vid();
    }

    private static void awaitBytes(final Stream stream, final long bytes) {
        final long before = stream.receivedBytes();
        await("host 0 reaches its peer", () -> stream.receivedBytes() - before > bytes);
    }

    @Test
    void shouldFloodWhileOneEndHasMovedAndNotWhenBothHave() throws Exception {
        try (SwitchLab lab = start();
                Routes routes = Routes.open(lab);
                ManagerClient bystander = ManagerClient.connect(lab.socket(BYSTANDER));
                ManagerClient first = ManagerClient.connect(lab.socket(0));
                ManagerClient second = ManagerClient.connect(lab.socket(PAIRS))) {
            final int common = lab.plan().vid(0);
            final int other = lab.plan().vid(1);
            for (int host = 0; host < PAIRS; host++) {
                routes.setBoth(host, host + PAIRS, common);
            }
            final List<Stream> streams = new ArrayList<>();
            try {
                for (int host = 0; host < PAIRS; host++) {
                    streams.add(new Stream(lab, host, host + PAIRS));
                }
                streams.forEach(stream -> awaitBytes(stream, 10_000));
                // when: one end moves
                routes.set(0, PAIRS, other);
                long before = received(bystander);
                awaitBytes(streams.getFirst(), 300_000);
                // then: others see its frames, and its frames arrive
                assertTrue(received(bystander) - before > 100_000, "no flood");
                // when: the other end follows
                routes.set(PAIRS, 0, other);
                awaitBytes(streams.getFirst(), 300_000);
                before = received(bystander);
                awaitBytes(streams.getFirst(), 600_000);
                // then
                assertTrue(received(bystander) - before < 60_000, "the flood goes on");
                streams.forEach(stream -> awaitBytes(stream, 10_000));
                // when: the pair is as the plan has it, on a full link, and somebody manages it
                routes.reset(0, PAIRS);
                routes.reset(PAIRS, 0);
                assertEquals(common, vid(first, PAIRS));
                try (Tuner tuner = new Tuner(lab, RATE_BPS, 300_000_000)) {
                    // then: both ends have moved together
                    await("the pair is moved", () -> tuner.report().changeCount() > 0);
                    await(
                            "both ends have moved",
                            () ->
                                    vid(first, PAIRS) != common
                                            && vid(first, PAIRS) == vid(second, 0));
                }
                await("what it had set is undone", () -> vid(first, PAIRS) == common);
            } finally {
                for (final Stream stream : streams) {
                    stream.close();
                }
            }
        }
    }

    @Test
    void shouldNumberEachChangeAndEachBatch() throws Exception {
        try (SwitchLab lab = start();
                ManagerClient client = ManagerClient.connect(lab.socket(0))) {
            // given
            client.request(ManagerOperation.HELLO);
            final long start = ask(client).number();
            // when
            final int changes = 1_000;
            for (int i = 0; i < changes; i++) {
                client.request(ManagerOperation.SET).peerHost(1).vid(lab.plan().vid(i % 2));
                ask(client);
            }
            // then
            assertEquals(lab.plan().vid((changes - 1) % 2), vid(client, 1));
            client.request(ManagerOperation.BEGIN);
            assertEquals(start + changes, ask(client).number());
            for (int peer = 1; peer < GRAPH.hostCount(); peer++) {
                client.request(ManagerOperation.SET).peerHost(peer).vid(lab.plan().vid(3));
                ask(client);
            }
            client.request(ManagerOperation.END);
            assertEquals(start + changes + 1, ask(client).number());
        }
    }

    @Test
    void shouldComputeTheSameWhicheverPathsAreTaken() {
        // A wrong result of any order, the tuned one included, would end it with 1.
        assertEquals(
                0,
                VlanBench.execute(
                        "kernel-cg",
                        "--short",
                        "--numbers",
                        "4000",
                        "--inner",
                        "2",
                        "--iterations",
                        "1",
                        "--rate",
                        "100mbit",
                        "--name",
                        name,
                        "--no-results",
                        "--picture",
                        folder.resolve("cg.svg").toString()));
        assertTrue(folder.resolve("cg.svg").toFile().length() > 0);
    }
}
