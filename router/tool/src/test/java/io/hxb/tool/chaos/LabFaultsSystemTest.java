package io.hxb.tool.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicInfo;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultScript;
import io.hxb.tool.chaos.script.ScriptReader;
import io.hxb.tool.chaos.script.Selector;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabNodes;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.Wiring;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Faults of the cables of a real lab, seen by what passes them; needs root. */
@Tag("system")
class LabFaultsSystemTest {
    private static final int LENGTH = 1000;
    private static final int PORT = 9;

    @TempDir private Path folder;

    private final LabSpec spec =
            new LabSpec(
                    "f" + ProcessHandle.current().pid(),
                    Shape.of(2),
                    1,
                    Backend.RAW,
                    1_000_000_000L,
                    1500);
    private Lab lab;
    private LabFaults faults;
    private DatagramSocket first;
    private DatagramSocket second;

    @BeforeEach
    void makeLab() throws IOException {
        TestNamespaces.assumeRoot();
        final LabRegistry registry = new LabRegistry(folder);
        lab = Lab.up(registry, spec);
        faults =
                new LabFaults(
                        spec, new LabNodes(registry, spec.name()), new FaultScript(List.of()));
        for (int node = 0; node < 2; node++) {
            final String ip =
                    "addr add 10.9.0.%d/24 dev x0\nneigh add 10.9.0.%d lladdr %s dev x0\n"
                            .formatted(node + 1, 2 - node, LabNames.mac(0, 0, 1 - node));
            Shell.check(ip, List.of("ip", "-n", namespace(node), "-batch", "-"));
            TestNamespaces.awaitCarrier(namespace(node), "x0");
        }
        first = socket(0);
        second = socket(1);
    }

    @AfterEach
    void removeLab() {
        if (lab != null) {
            faults.close();
            lab.close();
        }
        for (final DatagramSocket socket : new DatagramSocket[] {first, second}) {
            if (socket != null) {
                socket.close();
            }
        }
    }

    private String namespace(final int node) {
        return LabNames.namespace(spec.name(), node);
    }

    private DatagramSocket socket(final int node) throws IOException {
        return NetworkNamespace.run(
                namespace(node),
                () -> new DatagramSocket(new InetSocketAddress("10.9.0." + (node + 1), PORT)));
    }

    private void apply(final String line) {
        final FaultScript script =
                new ScriptReader(new Selector(spec.shape(), 1))
                        .parse("- {at: 0s, " + line + "}\n", "test");
        for (final Fault fault : script.faults()) {
            faults.apply(fault, System.nanoTime());
        }
    }

    private void repair(final String line) {
        final FaultScript script =
                new ScriptReader(new Selector(spec.shape(), 1))
                        .parse("- {at: 0s, " + line + ", for: 1s}\n", "test");
        faults.apply(script.faults().getLast(), System.nanoTime());
    }

    private static void send(final DatagramSocket from, final int to) {
        try {
            from.send(
                    new DatagramPacket(
                            new byte[LENGTH],
                            LENGTH,
                            new InetSocketAddress("10.9.0." + (to + 1), PORT)));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What arrives within a moment; null if nothing does. */
    private static byte[] receive(final DatagramSocket socket) {
        try {
            socket.setSoTimeout(20);
            final DatagramPacket packet = new DatagramPacket(new byte[LENGTH], LENGTH);
            socket.receive(packet);
            return Arrays.copyOf(packet.getData(), packet.getLength());
        } catch (final SocketTimeoutException e) {
            return null;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitPassing(
            final DatagramSocket from, final int to, final DatagramSocket target) {
        TestNamespaces.await(
                "frames pass",
                () -> {
                    send(from, to);
                    return receive(target) != null;
                });
    }

    private static void takeAll(final DatagramSocket socket) {
        while (receive(socket) != null) {
            // Frames of a moment ago.
        }
    }

    /** Sends until the fault has dropped a frame more, and looks whether any came through. */
    private void assertBlocked(
            final DatagramSocket from, final int to, final DatagramSocket target) {
        takeAll(target);
        final long before = faults.dropped();
        for (int i = 0; i < 20; i++) {
            send(from, to);
        }
        TestNamespaces.await("20 frames are dropped", () -> faults.dropped() >= before + 20);
        assertEquals(null, receive(target));
    }

    @Test
    void shouldStopAllFramesOfAPulledCableWhileItsCarrierStays() {
        // given
        awaitPassing(first, 1, second);
        // when
        apply("pull: x.0 of (0)");
        // then
        assertBlocked(first, 1, second);
        assertBlocked(second, 0, first);
        assertTrue(TestNamespaces.info(namespace(0), "x0").hasCarrier());
        // when
        repair("pull: x.0 of (0)");
        // then
        awaitPassing(first, 1, second);
        awaitPassing(second, 0, first);
    }

    @Test
    void shouldLetFramesPassInOneDirectionOnly() {
        // when
        apply("one-way: x.0 of (0), passes: in");
        // then
        assertBlocked(first, 1, second);
        awaitPassing(second, 0, first);
        // when
        repair("one-way: x.0 of (0)");
        apply("one-way: x.0 of (0), passes: out");
        // then
        assertBlocked(second, 0, first);
        awaitPassing(first, 1, second);
    }

    @Test
    void shouldTakeTheCarrierOfAnUnpluggedCableAndSetNicsDown() {
        // when
        apply("unplug: x.0 of (0)");
        // then
        final NicInfo unplugged = TestNamespaces.info(namespace(0), "x0");
        assertTrue(unplugged.isUp());
        assertFalse(unplugged.hasCarrier());
        // when
        repair("unplug: x.0 of (0)");
        // then
        TestNamespaces.awaitCarrier(namespace(0), "x0");
        // when
        apply("down: x.0 of (0)");
        // then
        assertFalse(TestNamespaces.info(namespace(0), "x0").isUp());
        // when
        faults.mend();
        // then
        TestNamespaces.awaitCarrier(namespace(0), "x0");
    }

    @Test
    void shouldDamageFramesByOneByteAfterTheirEthernetHeader() {
        // given: no checksum of UDP that would drop them before they are seen
        awaitPassing(first, 1, second);
        takeAll(second);
        // when
        apply("damage: x.0 of (0), corrupt: 100%");
        // then
        TestNamespaces.await(
                "a damaged frame",
                () -> {
                    send(first, 1);
                    final byte[] data = receive(second);
                    return data != null && isDamaged(data);
                });
        assertTrue(faults.changed() > 0);
        assertEquals(0, faults.dropped());
    }

    private static boolean isDamaged(final byte[] data) {
        int changed = 0;
        for (final byte value : data) {
            changed += value == 0 ? 0 : 1;
        }
        return changed == 1;
    }

    @Test
    void shouldSlowACableAndGiveItItsRateBack() {
        // when
        apply("slow: x.0 of (0), rate: 8mbit");
        // then
        assertTrue(qdisc(namespace(0), "x0").contains("rate 8Mbit"), qdisc(namespace(0), "x0"));
        assertTrue(qdisc(switches(), "x0.0").contains("rate 8Mbit"), qdisc(switches(), "x0.0"));
        // when
        repair("pull: x.0 of (0)");
        // then
        assertTrue(qdisc(namespace(0), "x0").contains("rate 1Gbit"), qdisc(namespace(0), "x0"));
        assertFalse(qdisc(switches(), "x0.0").contains("tbf"), qdisc(switches(), "x0.0"));
        awaitPassing(first, 1, second);
    }

    private String switches() {
        return LabNames.switchNamespace(spec.name());
    }

    private static String qdisc(final String namespace, final String nic) {
        return Shell.check("", List.of("tc", "-n", namespace, "qdisc", "show", "dev", nic));
    }

    @Test
    void shouldCutAndMendAFlappingCableInTurns() {
        // given
        apply("flap: x.0 of (0), period: 10s");
        assertBlocked(first, 1, second);
        // when: half of the period later
        long next = faults.turn(System.nanoTime());
        faults.turn(next);
        // then
        awaitPassing(first, 1, second);
        // when
        next += 5_000_000_000L;
        faults.turn(next);
        // then
        assertBlocked(first, 1, second);
    }

    @Test
    void shouldReportWhatALabCannotDo() {
        // given
        final FaultScript cables =
                new ScriptReader(new Selector(spec.shape(), 1))
                        .parse("- {at: 0s, pull: x.0 of (0)}\n", "test");
        final FaultScript nodes =
                new ScriptReader(new Selector(spec.shape(), 1))
                        .parse("- {at: 0s, kill: (0)}\n", "test");
        final LabSpec udp = new LabSpec(spec.name(), Shape.of(2), 1, Backend.UDP, 0, 9000);
        final LabSpec direct =
                new LabSpec(spec.name(), Shape.of(2), 1, Backend.RAW, 0, 9000)
                        .withWiring(Wiring.DIRECT);
        final LabNodes processes = new LabNodes(new LabRegistry(folder), spec.name());
        // then
        assertTrue(
                assertThrows(ToolException.class, () -> new LabFaults(udp, processes, cables))
                        .getMessage()
                        .contains("there is no cable to pull: use --backend raw --wiring bridge"));
        assertTrue(
                assertThrows(ToolException.class, () -> new LabFaults(direct, processes, cables))
                        .getMessage()
                        .contains("joined without switches"));
        assertTrue(
                assertThrows(ToolException.class, () -> new LabFaults(spec, processes, nodes))
                        .getMessage()
                        .contains("make it with --processes"));
    }
}
