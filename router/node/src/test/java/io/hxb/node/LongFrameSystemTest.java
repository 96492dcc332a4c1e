package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.SocketConfig;
import io.hxb.counter.CounterType;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Real nodes over UDP whose messages are longer than the MTU, in one frame each. */
@Tag("system")
class LongFrameSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BASE_PORT = TestPorts.take(8);
    private static final int CONTEXT = 3;
    private static final int MESSAGES = 1_000;

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private final Random random = new Random(5);
    private PmContext from;
    private PmContext to;

    private void start(final int mtuBytes) throws IOException {
        final ClusterConfig config =
                ClusterConfig.of("long", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()))
                        .withSocket(SocketConfig.DEFAULT.withSizes(mtuBytes, 4 << 20, 4 << 20));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            nodes.add(
                    keep(
                            Node.start(
                                    new NodeOptions(
                                            config, id, threads, true, false, link -> link))));
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

    @ParameterizedTest
    @ValueSource(ints = {1_472, 8_972})
    void shouldCarryEveryByteOfMessagesOfOneFrame(final int mtuBytes) throws IOException {
        // given
        start(mtuBytes);
        final Deque<byte[]> sent = new ArrayDeque<>();
        int received = 0;
        int offered = 0;
        final long endNs = System.nanoTime() + 30 * SECOND;
        // when
        while (received < MESSAGES) {
            assertTrue(System.nanoTime() < endNs, received + " received");
            while (offered < MESSAGES && trySend(sent)) {
                offered++;
            }
            from.await(0);
            if (to.await(SECOND / 1_000) == PmStatus.OK) {
                while (to.receive(message) == PmStatus.OK) {
                    final byte[] payload = new byte[message.lengthBytes()];
                    message.buffer().getBytes(0, payload);
                    assertArrayEquals(sent.poll(), payload, "message " + received);
                    to.release(message);
                    received++;
                }
            }
        }
        // then
        assertTrue(from.maxLengthBytes() >= 65_536, from.maxLengthBytes() + " bytes");
        final long joined = nodes.get(1).counters().sum(CounterType.FORWARD_REASSEMBLED_FRAMES);
        assertTrue(joined > MESSAGES / 2, joined + " frames joined");
        assertEquals(0, nodes.get(1).counters().sum(CounterType.FORWARD_DISPLACED_FRAMES));
    }

    private boolean trySend(final Deque<byte[]> sent) {
        final int length =
                random.nextInt(4) == 0 ? random.nextInt(100) : 65_536 - random.nextInt(2_000);
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
}
