package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.link.sim.SimFaults;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.RandomClusterFile;
import io.hxb.testing.Seeds;
import io.hxb.testing.TestPorts;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** With any valid cluster file, nodes start and carry messages. */
@Tag("property")
@Tag("search")
class ValidFilesPropertyTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long BUDGET_NS = Seeds.TIMES * SECOND;
    private static final int MIN_FILES = 5;
    private static final int MAX_FILES = 400;
    private static final int MESSAGES = 20;
    private static final int CONTEXT = 1;
    private static final int BASE_PORT = TestPorts.take(200);

    // In real time a thread may wait long for its CPU, and a socket may lose a frame: nobody is
    // given up meanwhile, and nobody waits for minutes until it is sent again or a link is back.
    private static final Map<String, String> PATIENT =
            Map.ofEntries(
                    Map.entry("flow.minRetransmit", ""),
                    Map.entry("flow.maxRetransmit", ""),
                    Map.entry("flow.peerTimeout", "60s"),
                    Map.entry("flow.idleTimeout", ""),
                    Map.entry("flow.partitionTimeout", "60s"),
                    Map.entry("flow.routeSilence", "60s"),
                    Map.entry("trunk.failFrames", "100000"),
                    Map.entry("trunk.heartbeat", ""),
                    Map.entry("trunk.healBeats", ""),
                    Map.entry("trunk.lossPercent", "100"),
                    Map.entry("trunk.holdDown", "0ns"),
                    Map.entry("trunk.maxHoldDown", "1ms"),
                    Map.entry("trunk.silence", "60s"),
                    Map.entry("frame.helloInterval", ""));

    /** A window whose acknowledgement was too long for a frame. */
    private static final Map<String, String> FAILED_ONCE =
            Map.of("flow.windowFrames", "4096", "socket.mtu", "256");

    @TempDir private Path folder;

    @Test
    void shouldCarryMessagesInSimulatedTimeWithAnyValidFile() {
        final long startNs = System.nanoTime();
        int files = 0;
        while (isToGoOn(files, startNs)) {
            final long seed = files++;
            // given: loops and memory of the simulation are its own
            final String text = new RandomClusterFile(seed, Map.of()).text();
            try {
                simulate(seed, ClusterConfigYaml.parse(text, "cluster.yaml"));
            } catch (final RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e + "\nof\n" + text, e);
            }
        }
        System.out.println("valid files: simulated " + files);
    }

    // A few in any case, and more while time is left.
    private static boolean isToGoOn(final int files, final long startNs) {
        return files < MIN_FILES || (files < MAX_FILES && System.nanoTime() - startNs < BUDGET_NS);
    }

    private static void simulate(final long seed, final ClusterConfig config) {
        try (SimCluster cluster = new SimCluster(seed, config, SimFaults.NONE, 4_096, 8)) {
            final int nodes = config.shape().nodeCount();
            // when
            assertTrue(
                    cluster.runUntil(cluster::allNeighboursKnown, 300 * SECOND), "no neighbours");
            cluster.members.forEach(member -> member.application.toSend = MESSAGES);
            final boolean isDone =
                    cluster.runUntil(
                            () ->
                                    cluster.members.stream()
                                            .allMatch(member -> isDone(member.application)),
                            300 * SECOND);
            // then
            assertTrue(isDone, "not all was acknowledged");
            assertEquals(
                    (long) nodes * MESSAGES,
                    cluster.members.stream().mapToLong(m -> m.application.received).sum());
            assertEquals(0, cluster.leftovers());
        }
    }

    private static boolean isDone(final SimApplication application) {
        return application.done == MESSAGES && application.failed == 0;
    }

    @Test
    void shouldStartRealNodesWithAnyValidFile() throws Exception {
        startRealNodes(1, FAILED_ONCE);
        final long startNs = System.nanoTime();
        int files = 0;
        while (isToGoOn(files, startNs)) {
            startRealNodes(files++, Map.of());
        }
        System.out.println("valid files: started " + files);
    }

    private void startRealNodes(final long seed, final Map<String, String> more) {
        // given
        final Map<String, String> fixed = new LinkedHashMap<>(PATIENT);
        fixed.put("udp.basePort", Integer.toString(BASE_PORT));
        fixed.put("attach.directory", folder.toString());
        fixed.put("attach.countersDirectory", folder.toString());
        if (seed % 2 == 0) {
            fixed.put("shape", "2");
        }
        if (seed % 4 != 0) {
            fixed.put("loop.loops", Long.toString(1 + seed % 3));
            fixed.put("loop.wait", seed % 2 == 0 ? "block" : "hybrid");
        } else {
            fixed.put("loop.wait", "block");
        }
        fixed.putAll(more);
        final String text = new RandomClusterFile(seed, fixed).text();
        try {
            run(ClusterConfigYaml.parse(text, "cluster.yaml"));
        } catch (final Exception | AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e + "\nof\n" + text, e);
        }
    }

    private static void run(final ClusterConfig config) throws Exception {
        final List<AutoCloseable> open = new ArrayList<>();
        try {
            final NodeThreads threads = NodeThreads.start(config.loop());
            open.add(threads);
            final List<PmContext> contexts = new ArrayList<>();
            int mtuBytes = 0;
            final List<Node> nodes = new ArrayList<>();
            for (int id = 0; id < config.shape().nodeCount(); id++) {
                final Node node =
                        Node.start(new NodeOptions(config, id, threads, true, true, link -> link));
                open.add(node);
                nodes.add(node);
                final PmDevice device = node.device();
                open.add(device);
                mtuBytes = device.mtuBytes();
                contexts.add(
                        device.openContext(CONTEXT, PmContextOptions.DEFAULT.withSendBuffers(8)));
            }
            for (final Node node : nodes) {
                assertTrue(node.awaitNeighbours(20 * SECOND), "no neighbours");
            }
            exchange(contexts, mtuBytes);
        } finally {
            for (int i = open.size() - 1; i >= 0; i--) {
                open.get(i).close();
            }
        }
    }

    private static void exchange(final List<PmContext> contexts, final int mtuBytes)
            throws Exception {
        final int[] sent = new int[contexts.size()];
        final int[] received = new int[contexts.size()];
        final PmMessage message = new PmMessage();
        final long deadlineNs = System.nanoTime() + 30 * SECOND;
        int left = contexts.size() * MESSAGES;
        while (left > 0) {
            assertTrue(System.nanoTime() < deadlineNs, left + " messages are missing");
            for (int here = 0; here < contexts.size(); here++) {
                final PmContext context = contexts.get(here);
                final int there = (here + 1 + sent[here]) % contexts.size();
                // The longest that fits, and short ones between.
                final int length = sent[here] % 2 == 0 ? mtuBytes : 8;
                final int slot =
                        sent[here] < MESSAGES
                                ? context.claim(there, CONTEXT, length)
                                : PmStatus.NO_BUFFERS;
                if (slot >= 0) {
                    assertEquals(PmStatus.OK, context.send(slot, length, length));
                    sent[here]++;
                }
                while (context.receive(message) == PmStatus.OK) {
                    assertEquals(message.tag(), message.lengthBytes());
                    context.release(message);
                    received[here]++;
                    left--;
                }
            }
        }
    }
}
