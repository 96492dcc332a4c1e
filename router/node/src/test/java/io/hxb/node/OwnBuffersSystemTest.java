package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Real nodes over UDP whose applications have receive buffers of their own. */
@Tag("system")
class OwnBuffersSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int CONTEXT = 3;
    private static final int MESSAGES = 4_000;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private final Random random = new Random(5);
    private PmContext from;
    private PmContext to;

    @BeforeEach
    void start() throws IOException {
        final ClusterConfig config =
                ClusterConfig.of("own", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withContext(new ContextConfig(16, 0, ContextConfig.Isolation.COPY, 64));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            keep(Node.start(new NodeOptions(config, id, threads, true, false, link -> link)));
        }
        from = keep(keep(PmDevice.attach(config.ownSocketPath(0))).openContext(CONTEXT));
        to = keep(keep(PmDevice.attach(config.ownSocketPath(1))).openContext(CONTEXT));
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.add(resource);
        return resource;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @Test
    void shouldCarryEveryByteOfMessagesThatShareFramesAndOfFullFrames() throws IOException {
        final List<byte[]> sent = new ArrayList<>();
        int received = 0;
        final long endNs = System.nanoTime() + 30 * SECOND;
        while (received < MESSAGES) {
            assertTrue(System.nanoTime() < endNs, received + " received");
            // given: runs of short messages, and from time to time a long one
            while (sent.size() < MESSAGES && trySend(sent)) {
                assertTrue(sent.size() <= MESSAGES);
            }
            from.await(0);
            // then
            if (to.await(SECOND / 1_000) == PmStatus.OK) {
                while (to.receive(message) == PmStatus.OK) {
                    final byte[] payload = new byte[message.lengthBytes()];
                    message.buffer().getBytes(0, payload);
                    assertArrayEquals(sent.get(received), payload, "message " + received);
                    to.release(message);
                    received++;
                }
            }
        }
    }

    private boolean trySend(final List<byte[]> sent) {
        final int length = sent.size() % 40 == 39 ? random.nextInt(from.maxLengthBytes()) : 32;
        final int slot = from.claim(1, CONTEXT, length);
        if (slot < 0) {
            return false;
        }
        final byte[] payload = new byte[length];
        random.nextBytes(payload);
        from.sendBuffer(slot).putBytes(0, payload);
        assertEquals(PmStatus.OK, from.send(slot, length, 0));
        sent.add(payload);
        return true;
    }

    @Test
    void shouldCarryLargeMessages() {
        // given
        final byte[] payload = new byte[3_000_001];
        random.nextBytes(payload);
        final byte[] arrived = new byte[payload.length];
        final boolean[] isEnded = new boolean[1];
        final PmLargeHandler handler =
                new PmLargeHandler() {
                    @Override
                    public MemorySegment onStart(
                            final int node, final int context, final long bytes, final int tag) {
                        return MemorySegment.ofArray(arrived);
                    }

                    @Override
                    public void onFragment(
                            final int node,
                            final int context,
                            final long offset,
                            final long address,
                            final int bytes) {}

                    @Override
                    public void onEnd(
                            final int node,
                            final int context,
                            final long bytes,
                            final int tag,
                            final MemorySegment target,
                            final int status) {
                        isEnded[0] = status == PmStatus.OK;
                    }

                    @Override
                    public void onSent(final long transfer, final int status) {
                        assertEquals(PmStatus.OK, status);
                    }
                };
        final PmLargeMessages.Limits limits = new PmLargeMessages.Limits(4, 4, 10_000_000);
        final PmLargeMessages sender = new PmLargeMessages(from, handler, limits);
        final PmLargeMessages receiver = new PmLargeMessages(to, handler, limits);
        // when
        final MemorySegment sent = keep(Arena.ofShared()).allocate(payload.length);
        sent.copyFrom(MemorySegment.ofArray(payload));
        assertTrue(sender.send(1, CONTEXT, sent, 0) >= 0);
        final long endNs = System.nanoTime() + 30 * SECOND;
        while (!isEnded[0] && System.nanoTime() < endNs) {
            sender.poll();
            receiver.await(SECOND / 10_000);
            receiver.poll();
        }
        // then
        assertArrayEquals(payload, arrived);
    }
}
