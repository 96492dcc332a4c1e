package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Many programs of one user at one node with its defaults: 200, or as many as the system property
 * {@code hxb.programs} sets.
 */
@Tag("system")
class ManyProgramsSystemTest {
    private static final int PROGRAMS = Integer.getInteger("hxb.programs", 200);
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int ECHO = 1;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LIMIT_NS = 60 * SECOND_NS;

    @TempDir private Path folder;

    @AutoClose private final LibHxb programs = new LibHxb();
    private final PmMessage message = new PmMessage();

    private static NodeOptions attachable(final ClusterConfig config, final NodeThreads threads) {
        return new NodeOptions(config, 0, threads, true, false, link -> link);
    }

    private void echo(final PmContext context, final Process process) {
        int echoed = 0;
        while (echoed < PROGRAMS && process.isAlive()) {
            if (context.receive(message, SECOND_NS / 10) == PmStatus.OK) {
                final byte[] bytes = new byte[message.lengthBytes()];
                message.buffer().getBytes(0, bytes);
                final int node = message.sourceNode();
                final int peer = message.sourceContext();
                context.release(message);
                assertEquals(PmStatus.OK, context.send(node, peer, bytes, 1, LIMIT_NS));
                echoed++;
            }
        }
        assertEquals(PROGRAMS, echoed);
        assertEquals(PmStatus.OK, context.awaitAllSends(LIMIT_NS));
    }

    @Test
    void shouldServeEveryOneOfThem() throws Exception {
        // given
        LibHxb.build(Build.PLAIN, "many");
        final ClusterConfig config =
                ClusterConfig.of("many", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        try (NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT);
                Node node = Node.start(attachable(config, threads));
                Node other = Node.start(NodeOptions.embedded(config, 1, threads));
                PmDevice device = other.device();
                PmContext context = device.openContext(ECHO)) {
            assertTrue(node.awaitNeighbours(10 * SECOND_NS));
            // when
            final Process process =
                    programs.start(
                            Build.PLAIN.file("many").toString(),
                            config.ownSocketPath(0).toString(),
                            String.valueOf(PROGRAMS),
                            "1",
                            String.valueOf(ECHO));
            assertEquals("open " + PROGRAMS, LibHxb.line(process));
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            echo(context, process);
            // then
            assertEquals("done, 0 failed", LibHxb.line(process));
            assertTrue(process.waitFor(10, TimeUnit.SECONDS));
            // and nothing of them is left
            final long endNs = System.nanoTime() + 10 * SECOND_NS;
            while (node.bufferBooks().inContexts() > 0 && System.nanoTime() - endNs < 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, node.bufferBooks().inContexts());
        }
    }
}
