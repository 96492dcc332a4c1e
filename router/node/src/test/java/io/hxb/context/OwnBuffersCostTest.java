package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.Allocations;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;

/** What it costs when each context has receive buffers of its own. */
@Tag("unit")
class OwnBuffersCostTest {
    private static final int MESSAGES = 32_000;
    private static final int BATCH = 32;
    private static final int SHORT_BYTES = 32;
    private static final int LONG_BYTES = 8_192;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();

    @Test
    void shouldAllocateNothingForCopies() throws Exception {
        double[] shared = {};
        double[] copied = {};
        // The second round has compiled code.
        for (int round = 0; round < 2; round++) {
            try (TestNode node = new TestNode()) {
                shared = nsAMessage(node);
            }
            try (TestNode node = TestNode.copying(TestNode.QUOTA_FRAMES)) {
                copied = nsAMessage(node);
            }
        }
        System.out.printf(
                "own buffers: %.0f instead of %.0f ns of CPU for %d bytes, %.0f instead of %.0f for"
                        + " %d%n",
                copied[0], shared[0], SHORT_BYTES, copied[1], shared[1], LONG_BYTES);
    }

    private double[] nsAMessage(final TestNode node) throws Exception {
        final Path socket = directory.resolve("node.sock");
        final AttachServer server =
                new AttachServer(node.manager, socket, AttachAccess.ownUser()).start();
        try (server) {
            node.start();
            final PmDevice device = PmDevice.attach(socket);
            final PmContext context = device.openContext(1);
            // From here on this thread is the loop, too.
            node.stop();
            final double[] ns = {
                nsAMessage(node, context, SHORT_BYTES), nsAMessage(node, context, LONG_BYTES)
            };
            context.close();
            device.close();
            return ns;
        }
    }

    private double nsAMessage(final TestNode node, final PmContext context, final int bytes) {
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        exchange(node, context, bytes);
        final long startNs = threads.getCurrentThreadCpuTime();
        final int rounds = Allocations.awaitNone(() -> exchange(node, context, bytes));
        return (threads.getCurrentThreadCpuTime() - startNs) / (double) rounds / MESSAGES;
    }

    private void exchange(final TestNode node, final PmContext context, final int bytes) {
        for (int done = 0; done < MESSAGES; done += BATCH) {
            for (int i = 0; i < BATCH; i++) {
                final int slot = context.claim(0, 1, bytes);
                Memory.putLong(context.sendAddress(slot), done + i);
                context.send(slot, bytes, i);
            }
            node.loop.doWork(0);
            for (int i = 0; i < BATCH; i++) {
                assertEquals(PmStatus.OK, context.receive(message));
                assertEquals(done + i, Memory.getLong(message.address()));
                context.release(message);
            }
            node.loop.doWork(0);
        }
    }
}
